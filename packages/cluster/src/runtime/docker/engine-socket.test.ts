import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engineSocketCandidates, findEngineSocket } from './engine-socket.ts'

test('an engine that the environment names is the only candidate', () => {
  expect(engineSocketCandidates({ DOCKER_HOST: 'unix:///a/b.sock' })).toEqual(['/a/b.sock'])
  expect(engineSocketCandidates({ DOCKER_HOST: 'tcp://10.0.0.1:2375' })).toEqual([])
})

test('the user’s own engine comes before the machine’s', () => {
  expect(engineSocketCandidates({ XDG_RUNTIME_DIR: '/run/user/7' }, '/home/a')).toEqual([
    '/run/user/7/docker.sock',
    '/run/user/7/podman/podman.sock',
    '/home/a/.docker/run/docker.sock',
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
  ])
})

test('finds a socket, and says what to do when there is none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-engine-'))
  const path = join(folder, 'engine.sock')
  const environment = { DOCKER_HOST: `unix://${path}` }
  expect(() => findEngineSocket(environment)).toThrow(`looked for ${path}. Start Docker`)
  expect(() => findEngineSocket({ DOCKER_HOST: 'ssh://host' })).toThrow('DOCKER_HOST does not name a Unix socket')
  const server = createServer()
  await new Promise<void>(resolve => server.listen(path, resolve))
  expect(findEngineSocket(environment)).toBe(path)
  await new Promise(resolve => server.close(resolve))
  rmSync(folder, { recursive: true })
})
