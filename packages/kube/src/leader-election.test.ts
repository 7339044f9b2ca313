import { type Clock, type Random, seededRandom, silentLog, type Timer, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { ConnectionFailure } from './api-error.ts'
import type { Client } from './client.ts'
import { fencedClient } from './fenced-client.ts'
import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
  LeadershipLost,
} from './leader-election.ts'
import type { Lease } from './lease-claim.ts'
import { ScriptedServer } from './scripted-server.ts'

/** A machine of its own: a clock with its own offset and speed, and a process that can be stopped as by SIGSTOP. */
class Machine implements Clock {
  readonly #base: Clock
  readonly #speed: number
  readonly #held: (() => void)[] = []
  #isStopped = false
  wallOffset = 0
  /** Monotonic time that passed while the machine slept, which its monotonic clock does not know of. */
  sleptMs = 0

  constructor(base: Clock, speed = 1) {
    this.#base = base
    this.#speed = speed
  }

  now(): number {
    return this.#base.now() + this.wallOffset
  }

  monotonic(): number {
    return this.#base.monotonic() * this.#speed - this.sleptMs
  }

  schedule(delayMs: number, task: () => void): Timer {
    let isCancelled = false
    const run = () => void (isCancelled || task())
    const timer = this.#base.schedule(delayMs / this.#speed, () => this.whenRunning(run))
    return {
      cancel: () => {
        isCancelled = true
        timer.cancel()
      },
    }
  }

  whenRunning(task: () => void): void {
    if (this.#isStopped) this.#held.push(task)
    else task()
  }

  sigstop(): void {
    this.#isStopped = true
  }

  sigcont(): void {
    this.#isStopped = false
    for (const task of this.#held.splice(0)) task()
  }
}

/** The way from a machine to the server, which may be slow or lose requests and answers. */
interface Wire {
  latencyMs: () => number
  losesRequest: () => boolean
  losesAnswer: () => boolean
}

const GOOD_WIRE: Wire = { latencyMs: () => 0, losesRequest: () => false, losesAnswer: () => false }

function clientOver(server: ScriptedServer, base: Clock, machine: Machine, wire: Wire): Client {
  const client = server.client()
  const pass = () =>
    new Promise<void>(resolve => {
      const ms = wire.latencyMs()
      if (ms === 0) resolve()
      else base.schedule(ms, resolve)
    })
  const lost = () => new ConnectionFailure('the server', new Error('lost'))
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    await pass()
    if (wire.losesRequest()) throw lost()
    const outcome = await call().then(
      value => () => value,
      error => () => {
        throw error
      },
    )
    await pass()
    await new Promise<void>(resolve => machine.whenRunning(resolve))
    if (wire.losesAnswer()) throw lost()
    return outcome()
  }
  return {
    ...client,
    get: (ref, options) => through(() => client.get(ref, options)),
    create: (object, options) => through(() => client.create(object, options)),
    update: (object, options) => through(() => client.update(object, options)),
  }
}

function setup() {
  const clock = new VirtualClock()
  const server = new ScriptedServer(clock)
  const events: string[] = []
  const contend = (
    name: string,
    { wire = GOOD_WIRE, ...options }: { wire?: Wire } & Partial<LeaderElectionOptions> = {},
  ) => {
    const machine = new Machine(clock)
    const election = createLeaderElection({
      client: clientOver(server, clock, machine, wire),
      namespace: 'system',
      name: 'operator',
      identity: name,
      env: { clock: machine, random: seededRandom(name.charCodeAt(0)), log: silentLog },
      onStartedLeading: ({ epoch }) => events.push(`${name} leads ${epoch}`),
      onStoppedLeading: why => void events.push(`${name} stops: ${(why as LeadershipLost).why}`),
      ...options,
    })
    return { election, machine }
  }
  const lease = (): Lease | undefined => server.find('operator', 'system')
  return { clock, server, contend, events, lease }
}

describe('one candidate', () => {
  it('creates the lease with the usual durations, leads, and renews it every two seconds or so', async () => {
    const { clock, contend, events, lease } = setup()
    const { election } = contend('a')
    await clock.advance(0)
    expect(events).toEqual(['a leads 0'])
    expect(election.fence()).toBe(0)
    const first = lease()?.spec
    expect(first).toMatchObject({ holderIdentity: election.identity, leaseDurationSeconds: 15, leaseTransitions: 0 })
    expect(first?.renewTime).toMatch(/^2024-01-01T00:00:00\.000000Z$/)
    await clock.advance(60_000)
    expect(election.isLeader()).toBe(true)
    expect(Date.parse(lease()?.spec?.renewTime ?? '')).toBeGreaterThan(clock.now() - 2_500)
    expect(lease()?.spec?.acquireTime).toBe(first?.acquireTime)
  })

  it('gives the lease back when it stops, after its work has ended, and writes no more', async () => {
    const { clock, contend, lease } = setup()
    let endWork = () => {}
    const { election } = contend('a', { onStoppedLeading: () => new Promise(resolve => (endWork = resolve)) })
    await clock.advance(3_000)
    const stopped = election.stop()
    expect(election.isLeader()).toBe(false)
    expect(election.state().state).toBe('stopped')
    await clock.advance(0)
    expect(lease()?.spec?.holderIdentity).toBe(election.identity)
    endWork()
    await stopped
    expect(lease()?.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 0 })
    expect(clock.waiting).toBe(0)
  })

  it('keeps what others wrote on the lease, and survives being labelled', async () => {
    const { clock, server, contend, events, lease } = setup()
    contend('a')
    await clock.advance(1_000)
    const current = lease()
    if (current) server.put({ ...current, metadata: { ...current.metadata, labels: { team: 'x' } } })
    await clock.advance(30_000)
    expect(events).toEqual(['a leads 0'])
    expect(lease()?.metadata.labels).toEqual({ team: 'x' })
  })

  it('stops before anybody else may lead when it cannot renew, and begins a new term when it can', async () => {
    const { clock, server, contend, events } = setup()
    const { election } = contend('a')
    await clock.advance(0)
    server.isUnreachable = true
    await clock.advance(9_900)
    expect(election.isLeader()).toBe(true)
    await clock.advance(200)
    expect(election.isLeader()).toBe(false)
    expect(() => election.fence()).toThrow(LeadershipLost)
    server.isUnreachable = false
    await clock.advance(3_000)
    expect(election.fence()).toBe(1)
    expect(events).toEqual(['a leads 0', 'a stops: the lease could not be renewed in time', 'a leads 1'])
  })

  it('survives a request that hangs', async () => {
    const { clock, contend, events } = setup()
    let requests = 0
    const hangsOnce = { ...GOOD_WIRE, latencyMs: () => (++requests === 9 ? 3_600_000 : 0) }
    const { election } = contend('a', { wire: hangsOnce })
    await clock.advance(60_000)
    expect(election.isLeader()).toBe(true)
    expect(events).toEqual(['a leads 0'])
  })

  it('refuses durations that cannot keep two leaders apart', () => {
    const { contend } = setup()
    expect(() => contend('a', { leaseDurationMs: 5_000 })).toThrow('cannot keep two leaders apart')
  })
})

describe('two candidates', () => {
  it('lead one after the other; the second knows the first, and takes over at once when it stops', async () => {
    const { clock, contend, events } = setup()
    const { election: a } = contend('a')
    await clock.advance(100)
    const { election: b } = contend('b')
    await clock.advance(60_000)
    expect(events).toEqual(['a leads 0'])
    expect(b.leader()).toBe(a.identity)
    await a.stop()
    await clock.advance(2_500)
    expect(events).toEqual(['a leads 0', 'a stops: it withdrew', 'b leads 1'])
  })

  it('the second takes over when the first has not been heard of for a lease', async () => {
    const { clock, contend, events } = setup()
    const { machine } = contend('a')
    await clock.advance(100)
    contend('b')
    await clock.advance(10_000)
    machine.sigstop()
    await clock.advance(14_000)
    expect(events).toEqual(['a leads 0'])
    await clock.advance(6_000)
    expect(events).toEqual(['a leads 0', 'b leads 1'])
  })

  it('a leader that was stopped and wakes up knows by the clock alone that it does not lead', async () => {
    const { clock, contend } = setup()
    const { election: a, machine } = contend('a')
    await clock.advance(100)
    contend('b')
    machine.sigstop()
    await clock.advance(60_000)
    expect(a.isLeader()).toBe(false)
    expect(() => a.fence()).toThrow('could not be renewed in time')
    machine.sigcont()
    await clock.advance(3_000)
    expect(a.isLeader()).toBe(false)
  })

  it.each(['create', 'update'])(
    'an answer to a %s that was read long after it was sent makes nobody lead',
    async verb => {
      const { clock, server, contend, events } = setup()
      const { election: a, machine } = contend('a', { wire: { ...GOOD_WIRE, latencyMs: () => 100 } })
      while (!server.requests.some(request => request.verb === verb)) await clock.advance(10)
      machine.sigstop()
      contend('b')
      await clock.advance(30_000)
      expect(events.at(-1)).toBe('b leads 1')
      machine.sigcont()
      for (let turn = 0; turn < 20; turn++) {
        expect(a.isLeader()).toBe(false)
        await Promise.resolve()
      }
      await clock.advance(10_000)
      expect(a.isLeader()).toBe(false)
    },
  )

  it('a leader whose machine slept is told by the wall clock', async () => {
    const { clock, contend } = setup()
    const { election: a, machine } = contend('a')
    await clock.advance(100)
    machine.sigstop()
    machine.sleptMs += 60_000
    await clock.advance(60_000)
    expect(a.isLeader()).toBe(false)
  })

  it('wall clocks that are hours apart change nothing', async () => {
    const { clock, contend, events } = setup()
    const { machine } = contend('a')
    machine.wallOffset = -3 * 3_600_000
    await clock.advance(100)
    const { machine: other } = contend('b')
    other.wallOffset = 5 * 3_600_000
    await clock.advance(300_000)
    expect(events.filter(event => event.startsWith('b'))).toEqual([])
  })

  it('a deleted lease is not taken by a candidate that knew its holder until the holder has given up', async () => {
    const { clock, server, contend, events } = setup()
    const { machine } = contend('a')
    await clock.advance(100)
    contend('b')
    await clock.advance(5_000)
    machine.sigstop()
    server.remove('operator', 'system')
    await clock.advance(14_900)
    expect(events).toEqual(['a leads 0'])
    await clock.advance(5_000)
    expect(events).toEqual(['a leads 0', 'b leads 1'])
  })

  it('a deleted lease counts from its deletion for a candidate that had missed the last renewals', async () => {
    const { clock, server, contend, events } = setup()
    const { election: a, machine } = contend('a')
    await clock.advance(100)
    let isCutOff = false
    contend('b', { wire: { ...GOOD_WIRE, losesRequest: () => isCutOff } })
    await clock.advance(5_000)
    isCutOff = true
    await clock.advance(16_000)
    machine.sigstop()
    server.remove('operator', 'system')
    isCutOff = false
    await clock.advance(7_000)
    expect(a.isLeader()).toBe(true)
    expect(events).toEqual(['a leads 0'])
    await clock.advance(13_000)
    expect(events).toEqual(['a leads 0', 'b leads 1'])
  })

  it('an answer that was lost leaves no doubt: the candidate that holds the lease finds out and begins a new term', async () => {
    const { clock, contend, events } = setup()
    let answers = 0
    contend('a', { wire: { ...GOOD_WIRE, losesAnswer: () => ++answers === 2 } })
    await clock.advance(5_000)
    expect(events).toEqual(['a leads 1'])
  })
})

describe('the fenced client', () => {
  it('writes while the term lasts, and refuses to after it', async () => {
    const { clock, server, contend } = setup()
    let client = server.client()
    const { election } = contend('a', { onStartedLeading: lead => (client = fencedClient(server.client(), lead)) })
    await clock.advance(0)
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
    await client.create(object)
    await election.stop()
    await expect(client.create({ ...object, metadata: { name: 'y' } })).rejects.toThrow(LeadershipLost)
    await expect(client.as({ user: 'z' }).update(object)).rejects.toThrow('it withdrew')
    expect((await client.get({ ...object, name: 'x' })).metadata.name).toBe('x')
    expect(server.find('y')).toBeUndefined()
  })
})

describe('never two leaders at one moment, never one epoch for two terms, and always one in the end', () => {
  for (let block = 0; block < 4; block++) {
    it(`seeds ${block * 8} to ${block * 8 + 7}`, async () => {
      for (let seed = block * 8; seed < block * 8 + 8; seed++) {
        await runElection(seed).catch(thrown => {
          throw new Error(`seed ${seed}`, { cause: thrown })
        })
      }
    })
  }
})

interface Contender {
  election: LeaderElection
  machine: Machine
  isCutOff: boolean
}

async function runElection(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const clock = new VirtualClock()
  const server = new ScriptedServer(clock)
  const terms: number[] = []
  const writes: number[] = []
  let isCalm = false

  const contend = (id: number): Contender => {
    const machine = new Machine(clock, 0.9 + random.next() * 0.2)
    machine.wallOffset = (random.next() - 0.5) * 86_400_000
    const contender: Contender = { machine, isCutOff: false } as Contender
    const wire: Wire = {
      latencyMs: () => (isCalm ? 5 : Math.floor(random.next() ** 6 * 20_000)),
      losesRequest: () => !isCalm && (contender.isCutOff || random.next() < 0.1),
      losesAnswer: () => !isCalm && (contender.isCutOff || random.next() < 0.1),
    }
    contender.election = createLeaderElection({
      client: clientOver(server, clock, machine, wire),
      namespace: 'system',
      name: 'operator',
      identity: `candidate-${id}`,
      env: { clock: machine, random: seededRandom(seed * 100 + id), log: silentLog },
      onStartedLeading: ({ epoch }) => terms.push(epoch),
    })
    return contender
  }

  const contenders = [contend(0), contend(1)]
  for (let step = 0; step < 1_500; step++) {
    const victim = contenders[step % contenders.length] as Contender
    disturb(victim, random)
    if (random.next() < 0.002) {
      void victim.election.stop()
      contenders[step % contenders.length] = contend(step + 2)
    }
    await clock.advance(200)
    check(contenders, writes)
  }

  isCalm = true
  for (const { machine } of contenders) machine.sigcont()
  await clock.advance(120_000)
  expect(contenders.filter(({ election }) => election.isLeader())).toHaveLength(1)
  expect(terms.length, 'the lease changed hands').toBeGreaterThan(1)
  expect(terms, 'every term has an epoch of its own, and they grow').toEqual(
    [...new Set(terms)].toSorted((a, b) => a - b),
  )
  expect(writes, 'no write of an older term follows one of a newer').toEqual(writes.toSorted((a, b) => a - b))
  await Promise.all(contenders.map(({ election }) => settleStop(election, clock)))
}

function disturb(contender: Contender, random: Random): void {
  const draw = random.next()
  if (draw < 0.01) contender.machine.sigstop()
  else if (draw < 0.05) contender.machine.sigcont()
  else if (draw < 0.06) contender.isCutOff = true
  else if (draw < 0.1) contender.isCutOff = false
  else if (draw < 0.102) contender.machine.wallOffset += (random.next() - 0.5) * 3_600_000
}

function check(contenders: readonly Contender[], writes: number[]): void {
  const leading = contenders.filter(({ election }) => election.isLeader())
  expect(leading.length, 'two leaders at one moment').toBeLessThanOrEqual(1)
  for (const { election } of leading) writes.push(election.fence())
}

async function settleStop(election: LeaderElection, clock: VirtualClock): Promise<void> {
  const stopped = election.stop()
  await clock.advance(30_000)
  await stopped
}
