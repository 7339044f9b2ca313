import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { noPostgres, PostgresServer } from '@tiphys/archive/testing'
import { type Client, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

const CONFIG_MAP = kindRef<ConfigMap>('v1', 'ConfigMap')
const FLAGS = ['--port', '0', '--console-port', '0', '--runtime', 'simulated']

const missing = noPostgres()

let folder: TiphysFolder
beforeEach(async () => {
  folder = await TiphysFolder.make()
  await folder.tiphys('init', 'op')
})
afterEach(() => folder.remove())

const up = (...args: string[]) => folder.start('up', 'op', ...FLAGS, ...args)
const text = (client: Client, name: string) => async () => {
  try {
    return (await client.get({ ...CONFIG_MAP, namespace: 'default', name })).data?.text
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}
const sample = (name: string, greeting: string) =>
  `apiVersion: example.com/v1\nkind: Greeting\nmetadata:\n  name: ${name}\nspec:\n  name: ${name}\n  greeting: ${greeting}\n`

describe('tiphys up', () => {
  it('runs the operator that tiphys init writes, says where everything is and ends with 0 on SIGTERM', async () => {
    const running = await up()
    expect(running.out).toMatch(
      /^console {5}http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}\nAPI {9}https:\/\/127\.0\.0\.1:\d+\nkubeconfig {2}.*\/\.tiphys\/kubeconfig\npods {8}.*\nmanifests {3}op \(8 objects\)\ntiphys is ready\n$/,
    )
    const client = await folder.client()
    expect(await eventually('the ConfigMap', text(client, 'world'))).toBe('Hello, world!')
    const [, address = ''] = /console +(\S+)\/#/.exec(running.out) ?? []
    expect((await fetch(address)).status).toBe(200)
    expect(await running.signal('SIGTERM')).toMatchObject({ code: 0 })
    // Nothing is left that leads other commands to somebody who is gone.
    await expect(stat(join(folder.path, '.tiphys/server.json'))).rejects.toThrow('ENOENT')
  })

  it('keeps its token, keys and addresses to their owner, and ends with 0 on SIGINT', async () => {
    const running = await up()
    for (const name of ['server.json', 'kubeconfig', 'console-token', 'identity.json', 'archive.db'])
      expect(((await stat(join(folder.path, '.tiphys', name))).mode & 0o777).toString(8), name).toBe('600')
    expect(await running.signal('SIGINT')).toMatchObject({ code: 0 })
  })

  it('applies again what changes in the files', async () => {
    await up()
    const client = await folder.client()
    await eventually('the ConfigMap', text(client, 'world'))
    await folder.write({ 'op/6-sample.yaml': sample('world', 'Ahoy') })
    await eventually('the change', async () => ((await text(client, 'world')()) === 'Ahoy, world!' ? true : undefined))
  })

  it('goes on after it was killed, with what happened meanwhile', async () => {
    const first = await up()
    const client = await folder.client()
    await eventually('the ConfigMap', text(client, 'world'))
    await first.signal('SIGKILL')
    await folder.write({ 'op/7-more.yaml': sample('late', 'Hello') })
    await up()
    expect(await eventually('the ConfigMap', text(await folder.client(), 'late'))).toBe('Hello, late!')
  })

  it('tells on standard error what fails, and nothing else', async () => {
    const rbac = await folder.read('op/2-rbac.yaml')
    await folder.write({ 'op/2-rbac.yaml': rbac.replace('verbs: [get, create, patch]', 'verbs: [get]') })
    const running = await up()
    const lines = await eventually('the failure', () => (running.err.includes('parked') ? running.err : undefined))
    expect(lines).toMatch(/✖ trigger +greeting\/config-map failed \(attempt 1\): .*cannot patch resource "configmaps"/)
    expect(lines).toMatch(/✖ parked +greeting\/config-map gave up after 1 attempt: tiphys retry sensor\/greeting/)
    expect(lines).not.toContain('• event')
    expect(running.out).toMatch(/tiphys is ready\n$/)
  })

  it('prints one line of JSON for scripts', async () => {
    const running = folder.begin('up', 'op', ...FLAGS, '--json')
    await running.shows('\n')
    expect(JSON.parse(running.out)).toEqual({
      url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      kubeconfig: join(folder.path, '.tiphys/kubeconfig'),
      console: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=/),
      runtime: 'simulated',
      pid: running.pid,
    })
  })

  it('runs without a history when that is damaged, and says so', async () => {
    await folder.write({ '.tiphys/archive.db': 'this is no database, and never was one, whatever its name may say' })
    const running = await up()
    expect(running.err).toMatch(/✖ archive .*archive\.db.*Move it elsewhere.*It is tried again/)
    expect(running.err.match(/archive\.db/g)).toHaveLength(1)
    expect(running.out).toMatch(/^console /)
    expect(await eventually('the ConfigMap', text(await folder.client(), 'world'))).toBe('Hello, world!')
    const { code, err } = await folder.tiphys('events')
    expect(code).toBe(1)
    expect(err).toMatch(/archive\.db.*not an SQLite database.*Move it elsewhere/)
  })

  it.skipIf(missing !== undefined)(
    `waits for the PostgreSQL of its history, and gives it what happened meanwhile${missing === undefined ? '' : ` (skipped: ${missing})`}`,
    async () => {
      const server = await PostgresServer.start()
      try {
        vi.stubEnv('TIPHYS_ARCHIVE', await server.createDatabase())
        await server.kill()
        const running = await up()
        expect(running.err).toMatch(/✖ archive .*does not take part at the moment.*It is tried again by itself/)
        expect(await eventually('the ConfigMap', text(await folder.client(), 'world'))).toBe('Hello, world!')
        const [, address = '', token = ''] = /console +(\S+)\/#token=(\S+)/.exec(running.out) ?? []
        const overview = () => fetch(`${address}/api/v1/overview`, { headers: { authorization: `Bearer ${token}` } })
        expect(await (await overview()).json()).toMatchObject({
          code: 'archive-away',
          todo: expect.stringContaining('tried again'),
        })
        expect(await folder.tiphys('events')).toMatchObject({
          code: 1,
          err: expect.stringMatching(/does not take part.*tried again/),
        })
        await server.start()
        await eventually('the archive', () => (running.err.includes('✔ archive') ? true : undefined))
        expect((await overview()).status).toBe(200)
        expect(await folder.tiphys('events')).toMatchObject({ code: 0, out: expect.stringContaining('world') })
        expect(running.err.match(/[✖✔] archive/g)).toEqual(['✖ archive', '✔ archive'])
        await running.signal('SIGTERM')
      } finally {
        vi.unstubAllEnvs()
        await server.stop()
      }
    },
  )

  it('gives its engines no more than their role', async () => {
    await up()
    const client = await folder.client()
    const may = async (resourceAttributes: object) => {
      const review = kindRef('authorization.k8s.io/v1', 'SubjectAccessReview')
      const spec = { user: 'system:serviceaccount:tiphys-system:tiphys', resourceAttributes }
      const { status } = (await client.create<KubeObject>({ ...review, metadata: {}, spec })) as {
        status?: { allowed?: boolean }
      }
      return status?.allowed
    }
    expect(await may({ verb: 'impersonate', resource: 'serviceaccounts', namespace: 'default' })).toBe(true)
    // Whoever may name groups could name those of an administrator.
    expect(await may({ verb: 'impersonate', resource: 'groups', name: 'system:masters' })).toBe(false)
    expect(await may({ verb: 'create', resource: 'secrets', namespace: 'default' })).toBe(false)
    expect(await may({ verb: '*', group: '*', resource: '*' })).toBe(false)
  })
})

describe('tiphys up refuses', () => {
  const refusal = async (...args: string[]) => {
    const { code, out, err } = await folder.tiphys('up', ...args)
    expect(out).toBe('')
    return { code, err }
  }

  it('a place for its history that is none', async () => {
    vi.stubEnv('TIPHYS_ARCHIVE', 'mysql://h/d')
    const { code, err } = await refusal('op', ...FLAGS)
    vi.unstubAllEnvs()
    expect([code, err]).toEqual([1, expect.stringMatching(/TIPHYS_ARCHIVE is not the connection string/)])
    await expect(stat(join(folder.path, '.tiphys'))).rejects.toThrow('ENOENT')
  })

  it('a second instance, and names the first', async () => {
    const first = await up()
    const { code, err } = await refusal('op', ...FLAGS)
    expect(code).toBe(1)
    expect(err).toBe(
      `error: tiphys up uses ${join(folder.path, '.tiphys')} already (process ${first.pid}). Use that one, stop it, or choose another folder with --data\n`,
    )
  })

  it('a manifest that cannot be read, before anything is started', async () => {
    await folder.write({ 'op/6-sample.yaml': 'kind: Greeting\nmetadata:\n  name: "x\n' })
    const { code, err } = await refusal('op', ...FLAGS)
    expect(code).toBe(1)
    expect(err).toMatch(/^error: op\/6-sample\.yaml:4: .*\. Correct it and try again\n$/)
    await expect(stat(join(folder.path, '.tiphys'))).rejects.toThrow('ENOENT')
  })

  it('an object that the server refuses, with file, line and field', async () => {
    await folder.write({ 'op/6-sample.yaml': sample('world', '1').replace('greeting: 1', 'gretting: x') })
    const { code, err } = await refusal('op', ...FLAGS)
    expect(code).toBe(1)
    expect(err).toContain('error: op/6-sample.yaml:7: Greeting world: unknown field spec.gretting.')
  })

  it('a data folder of a newer version', async () => {
    await mkdir(join(folder.path, '.tiphys'))
    await folder.write({ '.tiphys/layout.json': '{"layout":99,"version":"9.1.0"}' })
    const { code, err } = await refusal('op', ...FLAGS)
    expect(code).toBe(1)
    expect(err).toMatch(/^error: the data folder .* was made by a newer Tiphys \(9\.1\.0\)\. Use that version/)
  })

  it('a folder that is not there', async () => {
    const { code, err } = await refusal('nowhere', ...FLAGS)
    expect(code).toBe(1)
    expect(err).toMatch(/^error: nowhere cannot be read: there is no such file or folder\./)
  })

  it.each([
    ['--port', 'x'],
    ['--console-port', '70000'],
  ])('%s %s', async (flag, value) => {
    const { code, err } = await refusal('op', flag, value)
    expect({ code, err }).toEqual({
      code: 2,
      err: `error: ${flag} cannot be "${value}". It is a number from 0 to 65535\n`,
    })
  })
})
