import { expect, test } from 'vitest'
import { ImageFailure, type ImageRequest } from '../pod-runtime.ts'
import { type ImageTable, type Machine, readImageTable, resolveImage } from './image-table.ts'

const programs = ['/bin/sh', '/usr/bin/redis-server', '/usr/lib/db/15/bin/db', '/usr/bin/env']
const machine: Machine = {
  isProgram: path => programs.includes(path),
  isUser: name => name === 'memcache',
  folders: parent => (parent === '/usr/lib/db' ? ['9', '15', '13'] : []),
}
const table: ImageTable = {
  redis: { entrypoint: ['redis-server'], cmd: ['--port', '1'], needs: ['redis-server'], install: 'redis' },
  db: { entrypoint: ['db'], path: ['/usr/lib/db/*/bin'], user: 'nobody-here|memcache', env: { A: '1' } },
  'acme/tool': { entrypoint: ['tool'], commands: { tool: ['echo "$@"'] } },
  gone: { entrypoint: ['gone'], needs: ['gone'], install: 'gone-server' },
  '*/shell': { cmd: ['sh'] },
}
const resolve = (request: Partial<ImageRequest>, restartPolicy: 'Always' | 'Never' = 'Never') =>
  resolveImage(
    table,
    machine,
    { container: 'c', image: 'x', imagePullPolicy: 'Always', command: undefined, args: undefined, ...request },
    restartPolicy,
  )

test.each([
  ['redis', 'redis'],
  ['docker.io/library/redis:7.2', 'redis'],
  ['localhost:5000/redis@sha256:0123', 'redis'],
])('knows %s as %s', image => {
  expect(resolve({ image }).argv).toEqual(['redis-server', '--port', '1'])
})

test('the pod’s args take the place of the image’s, and its command that of both', () => {
  expect(resolve({ image: 'redis', args: ['--x'] }).argv).toEqual(['redis-server', '--x'])
  expect(resolve({ image: 'redis', command: ['sh'] }).argv).toEqual(['sh'])
  expect(resolve({ image: 'redis', command: ['sh'], args: ['-c', 'true'] }).argv).toEqual(['sh', '-c', 'true'])
})

test('finds programs in the folder of the highest version, and the first user there is', () => {
  const { env, user } = resolve({ image: 'db' })
  expect(env).toEqual({ PATH: expect.stringMatching(/^\/usr\/lib\/db\/15\/bin:/), A: '1' })
  expect(user).toBe('memcache')
})

test('runs a program that only the image has as the script that stands for it', () => {
  expect(resolve({ image: 'acme/tool', args: ['a'] }).argv).toEqual(['/bin/sh', '-c', 'echo "$@"', 'tool', 'a'])
  expect(resolve({ image: 'other/shell' }).argv).toEqual(['sh'])
})

test('says what to install when a program is not there', () => {
  expect(() => resolve({ image: 'gone' })).toThrow('image "gone" needs gone on this machine: install gone-server')
  expect(() => resolve({ command: ['nope'] })).toThrow('its command nope is not on this machine: install what has nope')
  expect(() => resolve({ command: ['/manager'] })).toThrow('its command /manager is not on this machine')
  expect(() => resolve({ image: 'unheard/of' })).toThrow('what it runs is not known: give the container a command')
  expect(() => resolve({ image: 'unheard/of', args: ['stop'] })).toThrow(
    'what it runs is not known: give the container',
  )
  expect(reasonOf(() => resolve({ image: 'gone' }))).toBe('ErrImageNeverPull')
})

test('takes for granted what a volume or the container itself will have', () => {
  const command = ['/scripts/run.sh']
  expect(resolve({ command, mountTargets: ['/scripts'] }).argv).toEqual(command)
  expect(resolve({ command: ['/tmp/made'] }).argv).toEqual(['/tmp/made'])
  expect(resolve({ command: ['./here'] }).argv).toEqual(['./here'])
})

test('simulates a server whose program is missing, and says so', () => {
  const { simulated, argv } = resolve({ image: 'gone' }, 'Always')
  expect(simulated).toBe('image "gone" needs gone on this machine: install gone-server')
  expect(argv[0]).toBe('/bin/sh')
})

test('refuses a name that is none', () => {
  expect(reasonOf(() => resolve({ image: 'Upper/Case' }))).toBe('InvalidImageName')
  expect(reasonOf(() => resolve({ image: '' }))).toBe('InvalidImageName')
})

test('every image of the table has a command, and every entry point is a program or a script', () => {
  for (const [name, { entrypoint = [], cmd = [] }] of Object.entries(readImageTable())) {
    expect([...entrypoint, ...cmd].length, name).toBeGreaterThan(0)
  }
})

test('what the images of Argo’s own manifests run is known', () => {
  const here: Machine = { ...machine, isProgram: path => path === '/usr/bin/git' }
  const argvOf = (request: Pick<ImageRequest, 'image' | 'command' | 'args'>) =>
    resolveImage(readImageTable(), here, { container: 'c', imagePullPolicy: 'Always', ...request }, 'Never').argv
  expect(argvOf({ image: 'alpine/git:v2.26.2', command: undefined, args: ['clone', 'x'] })).toEqual([
    'git',
    'clone',
    'x',
  ])
  for (const image of ['docker/whalesay', 'argoproj/argosay:v1'])
    expect(argvOf({ image, command: ['cowsay'], args: ['hi'] })).toEqual([
      '/bin/sh',
      '-c',
      expect.stringContaining('whale'),
      'cowsay',
      'hi',
    ])
})

function reasonOf(action: () => unknown): string | undefined {
  try {
    action()
  } catch (error) {
    return error instanceof ImageFailure ? error.reason : undefined
  }
  return undefined
}
