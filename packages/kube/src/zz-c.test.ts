import { createLog, type LogLine, seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { createWorkQueue, type Work, type WorkClass, type WorkQueueOptions } from './work-queue.ts'

interface Begun {
  key: string
  work: Work<string>
  finish: () => void
  fail: (error: Error) => void
}

/** A queue whose processings end when the test says so. */
function manual(options: Partial<WorkQueueOptions<string>> = {}) {
  const clock = new VirtualClock()
  const running: Begun[] = []
  const begun: string[] = []
  const queue = createWorkQueue<string>({
    env: { clock, random: seededRandom(1), log: silentLog },
    process: (key, work) =>
      new Promise<void>((resolve, reject) => {
        begun.push(key)
        running.push({ key, work, finish: resolve, fail: reject })
      }),
    onError: () => {},
    ...options,
  })
  const settle = () => clock.advance(0)
  const finish = async (error?: Error) => {
    const first = running.shift()
    if (error) first?.fail(error)
    else first?.finish()
    await settle()
  }
  return { clock, queue, running, begun, settle, finish }
}

describe('a key', () => {
  it('added many times before it is processed is processed once, and knows every reason', async () => {
    const { queue, running, begun, settle } = manual()
    for (const reason of ['created', 'labelled', 'created']) queue.add('a', { reason })
    await settle()
    expect(begun).toEqual(['a'])
    expect(running[0]?.work.reasons).toEqual(['labelled', 'created'])
  })

  it('added while it is processed is processed once more afterwards, never at the same time', async () => {
    const { queue, running, begun, settle, finish } = manual({ concurrency: 5 })
    queue.add('a')
    await settle()
    queue.add('a', { reason: 'second' })
    queue.add('a', { reason: 'third' })
    await settle()
    expect(begun).toEqual(['a'])
    await finish()
    expect(begun).toEqual(['a', 'a'])
    expect(running[0]?.work.reasons).toEqual(['second', 'third'])
    await finish()
    expect(begun).toEqual(['a', 'a'])
    expect(queue.metrics().processing).toBe(0)
  })

  it('is the same by its identity', async () => {
    const clock = new VirtualClock()
    const seen: unknown[] = []
    const queue = createWorkQueue<{ name: string }>({
      env: { clock, random: seededRandom(1), log: silentLog },
      identify: ({ name }) => name,
      process: async key => void seen.push(key.name),
    })
    queue.add({ name: 'a' })
    queue.add({ name: 'a' })
    await clock.advance(0)
    expect(seen).toEqual(['a'])
  })
})

describe('a delay', () => {
  it('is kept, and the earlier of two wins', async () => {
    const { queue, begun, clock, finish } = manual()
    queue.add('a', { delayMs: 5_000 })
    queue.add('a', { delayMs: 1_000 })
    queue.add('a', { delayMs: 9_000 })
    await clock.advance(999)
    expect(begun).toEqual([])
    await clock.advance(1)
    expect(begun).toEqual(['a'])
    await finish()
    await clock.advance(20_000)
    expect(begun).toEqual(['a'])
  })

  it('given while the key is processed counts from then', async () => {
    const { queue, begun, clock, settle, finish } = manual()
    queue.add('a')
    await settle()
    queue.add('a', { delayMs: 1_000 })
    await clock.advance(600)
    await finish()
    expect(begun).toEqual(['a'])
    await clock.advance(400)
    expect(begun).toEqual(['a', 'a'])
  })

  it('needs one timer however many keys wait', async () => {
    const { queue, begun, clock } = manual({ concurrency: 1_000 })
    for (let i = 0; i < 500; i++) queue.add(`k${i}`, { delayMs: 1_000 + ((i * 7919) % 500) })
    expect(clock.waiting).toBe(1)
    await clock.advance(2_000)
    const order = begun.map(key => (Number(key.slice(1)) * 7919) % 500)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).toHaveLength(500)
  })
})

describe('a failure', () => {
  it('is told and comes again with its reasons, after pauses that double up to the limit', async () => {
    const told: { message: string; attempt: number; inMs: number }[] = []
    const { queue, running, clock, settle, finish } = manual({
      backoff: { initialMs: 100, maxMs: 1_000 },
      onError: (_key, { message }, { attempt, inMs }) => told.push({ message, attempt, inMs }),
    })
    queue.add('a', { reason: 'created' })
    await settle()
    for (let i = 0; i < 6; i++) {
      await finish(new Error(`failure ${i}`))
      expect(running).toHaveLength(0)
      await clock.advance(1_001)
      expect(running[0]?.work).toMatchObject({ attempt: i + 2, reasons: ['created'] })
    }
    told.forEach(({ message, attempt, inMs }, i) => {
      expect([message, attempt]).toEqual([`failure ${i}`, i + 1])
      const full = Math.min(1_000, 100 * 2 ** i)
      expect(inMs).toBeGreaterThanOrEqual(full * 0.75)
      expect(inMs).toBeLessThanOrEqual(full)
    })
    expect(queue.metrics().retries).toBe(6)
  })

  it('is forgotten after a success, or on demand', async () => {
    const { queue, running, clock, settle, finish } = manual()
    queue.add('a')
    await settle()
    await finish(new Error('once'))
    await clock.advance(1_000)
    expect(running[0]?.work.attempt).toBe(2)
    await finish(new Error('twice'))
    queue.forget('a')
    await clock.advance(1_000)
    expect(running[0]?.work.attempt).toBe(1)
    await finish()
    queue.add('a')
    await settle()
    expect(running[0]?.work.attempt).toBe(1)
  })

  it('is not waited out when something new happens to the key', async () => {
    const { queue, begun, settle, finish } = manual({ backoff: { initialMs: 60_000, maxMs: 60_000 } })
    queue.add('a')
    await settle()
    await finish(new Error('once'))
    queue.add('a')
    await settle()
    expect(begun).toEqual(['a', 'a'])
  })

  it('is logged when nobody listens, and a listener that throws loses nothing', async () => {
    const lines: LogLine[] = []
    const clock = new VirtualClock()
    const env = { clock, random: seededRandom(1), log: createLog({ now: () => 0, write: line => lines.push(line) }) }
    let attempts = 0
    const process = async () => {
      if (++attempts < 3) throw new Error('not yet')
    }
    createWorkQueue({ env, process }).add('a')
    await clock.advance(5_000)
    expect(attempts).toBe(3)
    attempts = 0
    const onError = () => {
      throw new Error('broken listener')
    }
    createWorkQueue({ env, process, onError }).add('a')
    await clock.advance(5_000)
    expect(attempts).toBe(3)
    expect(lines.map(({ message }) => message)).toEqual([
      'work failed',
      'work failed',
      'the error handler of a work queue threw',
      'the error handler of a work queue threw',
    ])
  })
})

describe('pausing and stopping', () => {
  it('begins nothing while paused and goes on after', async () => {
    const { queue, begun, settle } = manual()
    queue.pause()
    queue.add('a')
    await settle()
    expect(begun).toEqual([])
    queue.resume()
    expect(begun).toEqual(['a'])
  })

  it('drains by waiting for what runs, and keeps what waits', async () => {
    const { queue, begun, settle, finish } = manual()
    queue.add('a')
    queue.add('b')
    await settle()
    let isDrained = false
    void queue.drain().then(() => (isDrained = true))
    await settle()
    expect(isDrained).toBe(false)
    await finish()
    expect(isDrained).toBe(true)
    expect(begun).toEqual(['a'])
    queue.resume()
    expect(begun).toEqual(['a', 'b'])
  })

  it('shuts down by aborting what runs, and returns every key left undone', async () => {
    const { queue, running, settle, clock, finish } = manual()
    for (const key of ['running', 'waiting']) queue.add(key)
    queue.add('delayed', { delayMs: 1_000 })
    await settle()
    const left = queue.shutdown()
    expect(running[0]?.work.signal.aborted).toBe(true)
    expect(queue.add('late')).toBe(false)
    await finish(new Error('aborted'))
    expect((await left).toSorted()).toEqual(['delayed', 'running', 'waiting'])
    await clock.advance(1_000_000)
    expect(running).toHaveLength(0)
    expect(clock.waiting).toBe(0)
  })
})

describe('fairness', () => {
  /** What was begun in which order while `fresh` never runs dry. */
  async function classesBegun(starts: number, eachMs: number): Promise<WorkClass[]> {
    const clock = new VirtualClock()
    const order: WorkClass[] = []
    let made = 0
    const queue = createWorkQueue<string>({
      env: { clock, random: seededRandom(1), log: silentLog },
      process: (_key, { workClass }) => {
        order.push(workClass)
        queue.add(`fresh-${made++}`)
        return new Promise(resolve => clock.schedule(eachMs, resolve))
      },
    })
    for (let i = 0; i < starts; i++) queue.add(`backlog-${i}`, { workClass: 'backlog' })
    queue.add('fresh-first')
    await clock.advance(starts * eachMs)
    return order.slice(0, starts)
  }

  it('gives a young backlog one start in five while fresh work never ends', async () => {
    const order = await classesBegun(100, 1)
    expect(order.filter(workClass => workClass === 'backlog').length).toBeGreaterThanOrEqual(19)
    expect(order.filter(workClass => workClass === 'backlog').length).toBeLessThanOrEqual(22)
  })

  it('gives an old backlog up to half, and never more', async () => {
    const order = await classesBegun(400, 10_000)
    const late = order.slice(200)
    expect(late.filter(workClass => workClass === 'backlog').length).toBeGreaterThanOrEqual(99)
    expect(late.filter(workClass => workClass === 'backlog').length).toBeLessThanOrEqual(101)
  })

  it('takes a key out of the backlog when it changes', async () => {
    const { queue, begun, settle, finish } = manual()
    queue.add('busy')
    await settle()
    for (const key of ['b1', 'b2', 'b3']) queue.add(key, { workClass: 'backlog' })
    queue.add('b3')
    await finish()
    expect(begun).toEqual(['busy', 'b3'])
    expect(queue.metrics().waiting).toEqual({ fresh: 0, backlog: 2 })
  })
})

it('measures what waits, how long, and when it will be done', async () => {
  const { queue, clock, settle, finish } = manual()
  expect(queue.metrics().etaMs).toBeUndefined()
  queue.add('a')
  await settle()
  for (const key of ['b', 'c']) queue.add(key, { workClass: 'backlog' })
  queue.add('d')
  queue.add('e', { delayMs: 60_000 })
  await clock.advance(2_000)
  expect(queue.metrics()).toMatchObject({
    waiting: { fresh: 1, backlog: 2 },
    oldestWaitMs: { fresh: 2_000, backlog: 2_000 },
    delayed: 1,
    processing: 1,
  })
  await finish()
  expect(queue.metrics()).toMatchObject({ processed: 1, etaMs: 6_000 })
})

describe('whatever happens, no key is lost, none runs beside itself, and both classes move', () => {
  for (let block = 0; block < 60; block++) {
    it(`seeds ${block * 20} to ${block * 20 + 19}`, async () => {
      for (let seed = block * 20; seed < block * 20 + 20; seed++) {
        await runSchedule(seed).catch(thrown => {
          throw new Error(`seed ${seed}`, { cause: thrown })
        })
      }
    })
  }
})

async function runSchedule(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const pick = (count: number) => Math.floor(random.next() * count)
  const clock = new VirtualClock()
  const concurrency = 1 + pick(4)
  const freshWeight = 1 + pick(5)
  const wanted = new Map<string, number>()
  const done = new Map<string, number>()
  const busy = new Set<string>()
  const reasonsOwed = new Map<string, Set<string>>()
  const starts: { workClass: WorkClass; both: boolean }[] = []
  const wrong: Error[] = []
  let sequence = 0
  const queue = createWorkQueue<string>({
    env: { clock, random: seededRandom(seed + 1), log: silentLog },
    concurrency,
    freshWeight,
    ageingMs: 1_000,
    backoff: { initialMs: 50, maxMs: 2_000 },
    onError: (_key, error) => {
      if (error.message !== 'by chance') wrong.push(error)
    },
    process: async (key, { reasons, workClass }) => {
      expect(busy.has(key), `${key} runs beside itself`).toBe(false)
      busy.add(key)
      expect(busy.size).toBeLessThanOrEqual(concurrency)
      const { waiting } = queue.metrics()
      starts.push({ workClass, both: waiting[workClass === 'fresh' ? 'backlog' : 'fresh'] > 0 })
      const asked = wanted.get(key) ?? 0
      const owed = reasonsOwed.get(key) ?? new Set()
      reasonsOwed.delete(key)
      expect(new Set(reasons), `${key} knows all its reasons`).toEqual(owed)
      await new Promise<void>(resolve => clock.schedule(pick(200), resolve))
      busy.delete(key)
      if (random.next() < 0.25) {
        reasonsOwed.set(key, new Set([...owed, ...(reasonsOwed.get(key) ?? [])]))
        throw new Error('by chance')
      }
      done.set(key, asked)
    },
  })
  for (let step = 0; step < 150; step++) {
    const key = `k${pick(25)}`
    const reason = `r${sequence++}`
    wanted.set(key, sequence)
    reasonsOwed.set(key, (reasonsOwed.get(key) ?? new Set()).add(reason))
    const workClass = random.next() < 0.5 ? 'fresh' : 'backlog'
    queue.add(key, { reason, workClass, delayMs: random.next() < 0.3 ? pick(3_000) : 0 })
    if (random.next() < 0.05) queue.pause()
    if (random.next() < 0.3) queue.resume()
    if (random.next() < 0.4) await clock.advance(pick(300))
  }
  queue.resume()
  await clock.advance(10 * 60_000)
  if (wrong[0]) throw wrong[0]
  expect(done).toEqual(wanted)
  expect(queue.metrics()).toMatchObject({ waiting: { fresh: 0, backlog: 0 }, delayed: 0, processing: 0 })
  checkFairness(starts, freshWeight)
}

/** The contract's bounds, in every stretch of starts during which both classes waited. */
function checkFairness(starts: readonly { workClass: WorkClass; both: boolean }[], freshWeight: number): void {
  for (let from = 0; from < starts.length; from++) {
    let fresh = 0
    let backlog = 0
    for (let at = from; at < starts.length && starts[at]?.both; at++) {
      if (starts[at]?.workClass === 'fresh') fresh++
      else backlog++
      const n = fresh + backlog
      expect(backlog).toBeGreaterThanOrEqual(Math.floor(n / (freshWeight + 1)) - 1)
      expect(fresh).toBeGreaterThanOrEqual(Math.floor(n / 2) - 1)
    }
  }
}
