import { type Clock, type Env, seededRandom, systemClock, systemEnv } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Entry, Journal } from '../journal.ts'
import { findProblem, knownRecord } from '../testing/known-records.ts'
import { NatsServer, noNatsServer } from '../testing/nats-server.ts'
import { Relay } from '../testing/relay.ts'
import { type JetStreamJournal, openJetStreamJournal } from './jetstream-journal.ts'

const LOOKS_INTO_SILENCE_MS = 2000
const FAULTS = process.env.TIPHYS_FULL ? 100 : 6
const CLUSTER_FAULTS = process.env.TIPHYS_FULL ? 12 : 1

/** How often something that was to wait for so long has waited. */
const waits = new Map<number, number>()

/** Waits are twenty times shorter. */
const hastyClock: Clock = {
  ...systemClock,
  schedule: (ms, task) =>
    systemClock.schedule(ms / 20, () => {
      waits.set(ms, (waits.get(ms) ?? 0) + 1)
      task()
    }),
}
const env: Env = { ...systemEnv, clock: hastyClock }

/** Appends known records, eight at a time, and notes what was acknowledged. */
class Load {
  readonly #journal: Journal
  #called = 0
  acknowledged = 0
  isOver = false
  readonly finished: Promise<unknown>
  #waiting: { count: number; resolve: () => void }[] = []

  constructor(journal: Journal) {
    this.#journal = journal
    this.finished = Promise.all(Array.from({ length: 8 }, () => this.#append()))
  }

  async #append(): Promise<void> {
    while (!this.isOver) {
      const expected = ++this.#called
      const position = await this.#journal.append(knownRecord(expected))
      if (position !== expected) throw new Error(`record ${expected} was stored as ${position}`)
      this.acknowledged = Math.max(this.acknowledged, position)
      this.#waiting = this.#waiting.filter(({ count, resolve }) => this.acknowledged < count || resolve())
    }
  }

  /** Resolves when so many more are acknowledged. */
  more(count: number): Promise<void> {
    const until = this.acknowledged + count
    return Promise.race([
      new Promise<void>(resolve => this.#waiting.push({ count: until, resolve })),
      this.finished as Promise<never>,
    ])
  }

  async finish(): Promise<void> {
    this.isOver = true
    await this.finished
  }
}

describe.skipIf(noNatsServer)(`a journal on JetStream${noNatsServer}`, { timeout: 300_000 }, () => {
  let server: NatsServer
  let relay: Relay
  let journal: JetStreamJournal

  beforeEach(async () => {
    server = await NatsServer.start()
    relay = await Relay.start(() => server.port)
    journal = await open()
  })

  afterEach(async () => {
    await journal.close()
    relay.close()
    await server.dispose()
  })

  const open = () => openJetStreamJournal({ connection: { servers: relay.address }, stream: 'faults', env })

  const inspect = async (acknowledged: number, horizon = 1) => {
    await journal.close()
    journal = await open()
    const entries: Entry[] = []
    for await (const entry of journal.read(1)) entries.push(entry)
    return findProblem({ head: journal.head, horizon: journal.horizon, entries }, acknowledged, horizon)
  }

  const follow = () => {
    const stop = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const { position } of journal.follow(1, stop.signal)) seen.push(position)
    })()
    return {
      seen,
      stop: async () => {
        stop.abort()
        await following
      },
    }
  }

  it(`loses and doubles nothing when the server is killed and started again, ${FAULTS} times`, async () => {
    const random = seededRandom(1)
    const load = new Load(journal)
    const follower = follow()
    for (let i = 0; i < FAULTS; i++) {
      await load.more(1 + Math.floor(random.next() * 200))
      await server.kill()
      await server.start()
    }
    await load.more(1)
    await load.finish()
    await follower.stop()
    expect(follower.seen).toEqual(Array.from(follower.seen, (_, i) => i + 1))
    expect(await inspect(load.acknowledged)).toBeUndefined()
    expect(journal.head).toBe(load.acknowledged)
  })

  it(`loses and doubles nothing when answers are lost and the connection is cut, ${FAULTS} times`, async () => {
    const random = seededRandom(2)
    const load = new Load(journal)
    for (let i = 0; i < FAULTS; i++) {
      await load.more(1 + Math.floor(random.next() * 100))
      const losing = relay.losing()
      relay.isDeaf = true
      await losing
      relay.cut()
    }
    await load.more(1)
    await load.finish()
    expect(relay.lost).toBeGreaterThan(0)
    expect(await inspect(load.acknowledged)).toBeUndefined()
    expect(journal.head).toBe(load.acknowledged)
  })

  it('waits for a server that is paused, and goes on when it is resumed', async () => {
    const load = new Load(journal)
    await load.more(20)
    server.pause()
    const looks = waits.get(LOOKS_INTO_SILENCE_MS) ?? 0
    await vi.waitFor(() => expect(waits.get(LOOKS_INTO_SILENCE_MS)).toBeGreaterThan(looks), 10_000)
    server.resume()
    await load.more(100)
    await load.finish()
    expect(await inspect(load.acknowledged)).toBeUndefined()
  })

  it('compacts and appends while the server is killed and started again', async () => {
    const load = new Load(journal)
    let horizon = 1
    for (let i = 0; i < FAULTS; i++) {
      await load.more(50)
      horizon = load.acknowledged - 10
      const compacted = journal.compact({ before: horizon })
      await server.kill()
      await server.start()
      await compacted
    }
    await load.more(1)
    await load.finish()
    expect(await inspect(load.acknowledged, horizon)).toBeUndefined()
    expect(journal.horizon).toBe(horizon)
  })

  it('stores a record in parts although the connection is cut meanwhile', async () => {
    const large = Buffer.alloc(5_000_000, 'tiphys')
    const appended = Promise.all([journal.append({ data: 'before' }), journal.append({ data: large })])
    const after = journal.append({ data: 'after' })
    relay.cut()
    expect([...(await appended), await after]).toEqual([1, 2, 3])
    const entries: Entry[] = []
    for await (const entry of journal.read(1)) entries.push(entry)
    expect(entries.map(({ data }) => data.length)).toEqual([6, 5_000_000, 5])
    expect(entries[1]?.data.equals(large)).toBe(true)
  })

  it('gives up what waits when it is closed and the server is gone for longer than its patience', async () => {
    await journal.append({ data: 'stored' })
    await server.kill()
    const lost = journal.append({ data: 'unknown' })
    const [closed] = await Promise.all([
      journal.close().then(() => 'closed'),
      expect(lost).rejects.toMatchObject({ code: 'journal-write-failed' }),
    ])
    expect(closed).toBe('closed')
    await server.start()
    expect(await inspect(1)).toMatch(/record 1 is not what was appended/)
  })
})

describe.skipIf(noNatsServer)(`a journal on a cluster of NATS servers${noNatsServer}`, { timeout: 300_000 }, () => {
  it(`loses and doubles nothing when a server is killed and started again, ${CLUSTER_FAULTS} times`, async () => {
    const servers = await NatsServer.startCluster(3)
    const open = () =>
      openJetStreamJournal({
        connection: { servers: servers.map(({ address }) => address) },
        stream: 'copied',
        env: systemEnv,
        replicas: 3,
        patienceMs: 60_000,
      })
    const journal = await open()
    const load = new Load(journal)
    for (const server of Array.from({ length: CLUSTER_FAULTS }, (_, i) => servers[i % 3] as NatsServer)) {
      await load.more(50)
      await server.kill()
      await load.more(50)
      await server.start()
    }
    await load.more(50)
    await load.finish()
    await journal.close()
    const again = await open()
    const entries: Entry[] = []
    for await (const entry of again.read(1)) entries.push(entry)
    expect(findProblem({ head: again.head, horizon: again.horizon, entries }, load.acknowledged, 1)).toBeUndefined()
    expect(again.head).toBe(load.acknowledged)
    await again.close()
    await Promise.all(servers.map(server => server.dispose()))
  })
})
