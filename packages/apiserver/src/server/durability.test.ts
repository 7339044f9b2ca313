import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Random, seededRandom, systemEnv } from '@tiphys/env'
import { JournalCorrupt } from '@tiphys/journal'
import { crashModes, FaultyFileSystem, SimulatedDisk } from '@tiphys/journal/testing'
import type { KubeObject } from '@tiphys/kube'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDurableStorage } from '../storage/journal-log.ts'
import type { Storage } from '../storage/storage.ts'
import { createApiServer } from './api-server.ts'

const isFull = Boolean(process.env.TIPHYS_FULL)
const KILLS = isFull ? 50 : 5
const IMAGES = isFull ? 2000 : 100
const DAMAGES = isFull ? 1000 : 60
/** Few enough that the journal is compacted many times during a test. */
const COMPACT_AFTER = 400

const CONFIG_MAPS = '/configmaps'

/** What a writer has said about its object: what it is about to write, and what it was told is written. */
interface Told {
  acknowledged: { value: string | undefined; revision: number } | undefined
  attempted: string | undefined
}

/** What all writers have said. An object must be as acknowledged, or as attempted behind that. */
class Ledger {
  readonly objects = new Map<string, Told>()
  readonly revisions: number[] = []

  note(line: string): void {
    const [what, name, value, revision] = line.split(' ') as [string, string, string, string | undefined]
    const content = value === 'deleted' ? undefined : value
    const told = this.objects.get(name) ?? { acknowledged: undefined, attempted: undefined }
    this.objects.set(name, told)
    if (what === 'attempt') told.attempted = value
    if (what !== 'acknowledged') return
    told.acknowledged = { value: content, revision: Number(revision) }
    told.attempted = undefined
    this.revisions.push(Number(revision))
  }

  /** What is wrong with a store, undefined when nothing is. */
  findProblem(storage: Storage): string | undefined {
    const last = Math.max(0, ...this.revisions)
    if (storage.revision < last) return `the revision is ${storage.revision}, ${last} was acknowledged`
    for (const [name, { acknowledged, attempted }] of this.objects) {
      const stored = storage.collection(CONFIG_MAPS).get(`default/${name}`)?.object as Written | undefined
      const value = stored?.data.value
      const revision = Number(stored?.metadata.resourceVersion)
      const isAcknowledged = value === acknowledged?.value && (!stored || revision === acknowledged?.revision)
      const isAttempted = attempted !== undefined && value === (attempted === 'deleted' ? undefined : attempted)
      if (isAcknowledged || (isAttempted && (!stored || revision > (acknowledged?.revision ?? 0)))) continue
      return `${name} is ${value} at ${revision}; acknowledged was ${acknowledged?.value} at ${acknowledged?.revision}, attempted ${attempted}`
    }
    return undefined
  }
}

interface Written extends KubeObject {
  data: { value: string }
}

/* Writers that never stop: each has objects of its own, changes one after the other, and says so before and after. */
const WRITER_SOURCE = `
  import { writeSync } from 'node:fs'
  import { systemEnv } from '@tiphys/env'
  import { createApiServer } from './api-server.ts'
  import { openDurableStorage } from '../storage/journal-log.ts'
  const [directory, generation] = process.argv.slice(2)
  const say = line => writeSync(1, line + '\\n')
  const storage = await openDurableStorage({ journal: directory, env: systemEnv, compactAfter: ${COMPACT_AFTER} })
  const client = (await createApiServer({ storage })).client()
  const reference = name => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name })
  const write = async (writer, turn) => {
    const name = 'object-' + writer + '-' + (turn % 5)
    const value = 'g' + generation + 't' + turn
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { value } }
    const there = await client.get(reference(name)).catch(() => undefined)
    if (there && turn % 7 === 0) {
      say('attempt ' + name + ' deleted')
      await client.delete(reference(name))
      say('acknowledged ' + name + ' deleted 0')
    } else {
      say('attempt ' + name + ' ' + value)
      const written = await (there ? client.update(object) : client.create(object))
      say('acknowledged ' + name + ' ' + value + ' ' + written.metadata.resourceVersion)
    }
  }
  await Promise.all(Array.from({ length: 8 }, async (_, writer) => {
    for (let turn = 0; ; turn++) await write(writer, turn)
  }))
`

describe('a durable server that is killed while it writes', () => {
  let root: string
  let program: string

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'durable-'))
    program = join(root, 'dist/writer.mjs')
    const stdin = { contents: WRITER_SOURCE, resolveDir: import.meta.dirname, loader: 'ts' as const }
    const banner = {
      js: "import { createRequire as makeRequire } from 'node:module';const require = makeRequire(import.meta.url);",
    }
    await build({ stdin, banner, outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
    await cp(fileURLToPath(new URL('../../data', import.meta.url)), join(root, 'data'), { recursive: true })
  })

  afterAll(() => rm(root, { recursive: true, force: true }))

  it(`has every acknowledged write, ${KILLS} times`, { timeout: 300_000 }, async () => {
    const directory = join(root, 'data-of-server')
    const random = seededRandom(11)
    const ledger = new Ledger()
    for (let generation = 0; generation < KILLS; generation++) {
      const before = ledger.revisions.length
      const writer = spawn(process.execPath, [program, directory, String(generation)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await killAfter(writer, ledger, 1 + Math.floor(random.next() * 600))
      expect(writer.signalCode).toBe('SIGKILL')
      expect(ledger.revisions.length).toBeGreaterThan(before)

      const storage = await openDurableStorage({ journal: directory, env: systemEnv, compactAfter: COMPACT_AFTER })
      expect(ledger.findProblem(storage)).toBeUndefined()
      await expectToGoOn(storage, ledger.revisions.slice(before))
    }
  })

  it('is noticed by this test when it lost a write', () => {
    const ledger = new Ledger()
    ledger.note('attempt a x')
    ledger.note('acknowledged a x 7')
    expect(ledger.findProblem({ revision: 7, collection: () => new Map() } as unknown as Storage)).toBe(
      'a is undefined at NaN; acknowledged was x at 7, attempted undefined',
    )
  })
})

/** Reads what a writer says, kills it when it has said enough, and reads what it had said by then. */
async function killAfter(writer: ChildProcess, ledger: Ledger, acknowledgements: number): Promise<void> {
  let left = acknowledgements
  const exited = once(writer, 'exit')
  for await (const line of createInterface({ input: writer.stdout as NodeJS.ReadableStream })) {
    ledger.note(line)
    if (line.startsWith('acknowledged') && --left === 0) writer.kill('SIGKILL')
  }
  await exited
}

/** A new write gets a new revision, and a watch from an old one gets everything since or is told to list again. */
async function expectToGoOn(storage: Storage, acknowledged: number[]): Promise<void> {
  const last = storage.revision
  const server = await createApiServer({ storage })
  const { metadata } = await server.client().create<KubeObject>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'after-', namespace: 'default' },
  })
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(last)
  const written = acknowledged.filter(revision => revision > 0).toSorted((a, b) => a - b)
  for (const from of [written[0], written[written.length >>> 1]] as number[]) {
    const events = await eventsAfter(server, from)
    const isExpired = events[0]?.type === 'ERROR' && events[0].code === 410
    const missed = written.filter(revision => revision > from && !events.some(event => event.revision === revision))
    expect({ from, missed: isExpired ? [] : missed }).toEqual({ from, missed: [] })
    if (!isExpired)
      expect(events.map(event => event.revision)).toEqual(events.map(event => event.revision).toSorted(byNumber))
  }
  await server.close()
}

const byNumber = (a: number, b: number): number => a - b

type Server = Awaited<ReturnType<typeof createApiServer>>

async function eventsAfter(server: Server, revision: number) {
  const events: { type: string; revision: number; code: number | undefined }[] = []
  const { body } = await server.handle({
    method: 'GET',
    path: '/api/v1/namespaces/default/configmaps',
    query: new URLSearchParams({ watch: '1', resourceVersion: String(revision) }),
    headers: {},
    body: async () => ({ bytes: Buffer.alloc(0) }),
    user: { name: 'admin', groups: ['system:masters'] },
    signal: new AbortController().signal,
  })
  if (body.type !== 'watch') throw new Error('the watch was refused')
  const watch = body.start({
    send(event) {
      const { type, object } = event.value() as { type: string; object: KubeObject & { code?: number } }
      events.push({ type, revision: Number(object.metadata.resourceVersion), code: object.code })
    },
    isBehind: () => false,
    end: () => {},
  })
  watch.stop()
  return events
}

const directory = '/disk'
const open = (fileSystem: SimulatedDisk | FaultyFileSystem) =>
  openDurableStorage({ journal: directory, env: systemEnv, fileSystem, compactAfter: COMPACT_AFTER })

/** Changes a few objects, several at a time, and keeps the ledger. Ends when `isDone` or when a write is refused. */
async function writeSome(storage: Storage, ledger: Ledger, isDone: () => boolean): Promise<unknown> {
  const server = await createApiServer({ storage })
  const client = server.client()
  const refusals = await Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let turn = 0; !isDone(); turn++) {
        const name = `object-${writer}-${turn % 3}`
        const value = `t${turn}`
        const metadata = { name, namespace: 'default' }
        ledger.note(`attempt ${name} ${value}`)
        const object: Written = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } }
        try {
          const written = await (turn < 3 ? client.create(object) : client.update(object))
          ledger.note(`acknowledged ${name} ${value} ${written.metadata.resourceVersion}`)
        } catch (thrown) {
          return thrown
        }
      }
      return undefined
    }),
  )
  return refusals.find(refusal => refusal !== undefined)
}

/** Writes while at each operation of the disk it looks at what a power loss at that moment could leave. */
async function losePower(wanted: number, isBadDisk = false): Promise<{ problems: string[]; lossy: number }> {
  const random = seededRandom(5)
  const ledger = new Ledger()
  const problems: string[] = []
  let images = 0
  let lossy = 0
  const disk: SimulatedDisk = new SimulatedDisk({
    ignoresSync: isBadDisk,
    before: async () => {
      if (ledger.revisions.length === 0 || images >= wanted) return
      if (disk.unsynced > 0) lossy++
      for (const mode of crashModes) {
        images++
        const problem = await inspect(disk.crash(mode, random), ledger)
        if (problem) problems.push(`image ${images} (${mode}): ${problem}`)
      }
    },
  })
  const storage = await open(disk)
  expect(await writeSome(storage, ledger, () => images >= wanted)).toBeUndefined()
  return { problems, lossy }
}

describe('a durable server that loses power', () => {
  it(`has every acknowledged write in ${IMAGES} images of its disk`, { timeout: 300_000 }, async () => {
    const { problems, lossy } = await losePower(IMAGES)
    expect(problems).toEqual([])
    expect(lossy).toBeGreaterThan(IMAGES / 20)
  })

  it('is noticed by this test when its disk only pretends to sync', async () => {
    expect((await losePower(8, true)).problems).not.toEqual([])
  })
})

/** The image is of this moment, and so is what the ledger says: nobody else runs until the image is looked at. */
async function inspect(image: SimulatedDisk, ledger: Ledger): Promise<string | undefined> {
  const told = structuredClone({ objects: ledger.objects, revisions: ledger.revisions })
  const then = Object.assign(new Ledger(), told)
  try {
    return then.findProblem(await open(image))
  } catch (thrown) {
    return String(thrown)
  }
}

describe('a durable server whose disk fails', () => {
  it.each(['EIO', 'ENOSPC'] as const)(
    'acknowledges nothing after %s and has all that it acknowledged before',
    async code => {
      for (const at of [40, 41, 47, 60]) {
        const disk = new SimulatedDisk()
        const faulty = new FaultyFileSystem(disk, { at, code })
        const ledger = new Ledger()
        const refusal = await openAndWrite(faulty, ledger)
        expect(faulty.failed).toBeDefined()
        expect(refusal).toBeInstanceOf(Error)
        const acknowledged = ledger.revisions.length
        expect(ledger.findProblem(await open(disk.copy()))).toBeUndefined()
        expect(ledger.revisions.length).toBe(acknowledged)
      }
    },
  )
})

async function openAndWrite(faulty: FaultyFileSystem, ledger: Ledger): Promise<unknown> {
  try {
    const storage = await open(faulty)
    return await writeSome(storage, ledger, () => ledger.revisions.length > 500)
  } catch (thrown) {
    return thrown
  }
}

describe('a durable server whose files are damaged', () => {
  it(`says which file, or has lost nothing, after each of ${DAMAGES} flipped bits and cuts`, {
    timeout: 120_000,
  }, async () => {
    const random = seededRandom(6)
    const disk = new SimulatedDisk()
    const ledger = new Ledger()
    const storage = await open(disk)
    await writeSome(storage, ledger, () => ledger.revisions.length > 200)
    await storage.close()
    let refused = 0
    for (let i = 0; i < DAMAGES; i++) {
      const damaged = disk.copy()
      const path = damage(damaged, random)
      try {
        expect(ledger.findProblem(await open(damaged))).toBeUndefined()
      } catch (thrown) {
        if (!(thrown instanceof JournalCorrupt)) throw thrown
        expect(thrown.message).toContain(path)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(DAMAGES / 10)
  })
})

function damage(disk: SimulatedDisk, random: Random): string {
  const segments = disk.paths.filter(path => path.endsWith('.journal'))
  const path = segments[Math.floor(random.next() * segments.length)] as string
  const content = disk.content(path)
  const used = content.findLastIndex(byte => byte !== 0) + 1
  const at = Math.floor(random.next() * used)
  if (random.next() < 0.2) disk.plant(path, Buffer.from(content.subarray(0, at)))
  else content[at] = (content[at] as number) ^ (1 << Math.floor(random.next() * 8))
  return path
}
