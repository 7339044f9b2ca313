import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Env, silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Flights, openFlights } from './flights.ts'

const clock = new VirtualClock()
const env: Env = { clock, random: systemRandom, log: silentLog }
const nameOf = (n: number) => n.toString(16).padStart(32, '0')
const [POISON, BYSTANDER, FRESH] = [nameOf(1), nameOf(2), nameOf(3)]
const never = new AbortController().signal

let folder: string
let flights: Flights

beforeEach(() => {
  folder = mkdtempSync('/var/tmp/tiphys-flights-')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The next process. Without `close` before, the last one has died. */
function start(boot = 'first'): Flights {
  flights = openFlights({ env, path: join(folder, 'in-flight'), boot })
  return flights
}

/** Handles a delivery until it is told that it has ended; begun, unless it has to wait for another one. */
const handle = (name: string, ...of: string[]) => begun([name, ...of])
/** The same for a person. */
const ask = (name: string) => begun([name], true)

async function begun(names: [string, ...string[]], isAskedFor = false) {
  const one = begin(names, isAskedFor)
  await turn()
  return one
}

function begin(names: [string, ...string[]], isAskedFor = false) {
  let end = () => {}
  let isBegun = false
  const done = new Promise<void>(resolve => {
    end = resolve
  })
  const work = () => {
    isBegun = true
    return done
  }
  const outcome = flights.run(names, never, work, isAskedFor)
  outcome.catch(() => {})
  return { end, outcome, isBegun: () => isBegun }
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

describe('deliveries under way', () => {
  it('are given up after three processes have died with them', async () => {
    for (let death = 1; death <= 3; death++) {
      start()
      expect(flights.isGivenUp(POISON)).toBe(false)
      expect((await handle(POISON)).isBegun()).toBe(true)
    }
    for (const _ of ['at once', 'and after the next start']) {
      start()
      expect(flights.isGivenUp(POISON)).toBe(true)
      for (const _ of ['first', 'again'])
        await expect((await handle(POISON)).outcome).rejects.toMatchObject({ code: 'trigger-quarantined' })
    }
  })

  it('that are given up can be asked for, once for each time that somebody asks', async () => {
    for (let death = 1; death <= 3; death++) {
      start()
      await handle(POISON)
    }
    for (const _ of ['one Retry', 'another']) {
      start()
      expect((await ask(POISON)).isBegun()).toBe(true)
      // It has died, and whoever asked is told by the next process.
      start()
      await expect((await handle(POISON)).outcome).rejects.toThrow('has died 3 times')
      await expect((await ask(POISON)).outcome).rejects.toThrow('has died 3 times')
    }
    const mended = await ask(POISON)
    mended.end()
    await mended.outcome
    expect((await handle(POISON)).isBegun()).toBe(true)
  })

  it('are not blamed for what they were near', async () => {
    start()
    await handle(POISON)
    await handle(BYSTANDER)
    for (let death = 2; death <= 3; death++) {
      start()
      const bystander = await handle(BYSTANDER)
      const poison = await handle(POISON)
      expect([bystander.isBegun(), poison.isBegun()]).toEqual([true, false])
      bystander.end()
      await bystander.outcome
      await turn()
      expect(poison.isBegun()).toBe(true)
    }
    start()
    expect([POISON, BYSTANDER].map(name => flights.isGivenUp(name))).toEqual([true, false])
  })

  it('that come after a suspect wait for it, but not for ever', async () => {
    start()
    await handle(POISON)
    start()
    const suspect = await handle(POISON)
    const fresh = await handle(FRESH)
    await turn()
    expect([suspect.isBegun(), fresh.isBegun()]).toEqual([true, false])
    await clock.advance(5000)
    expect(fresh.isBegun()).toBe(true)
    suspect.end()
    fresh.end()
    await Promise.all([suspect.outcome, fresh.outcome])
    expect((await handle(nameOf(4))).isBegun()).toBe(true)
  })

  it('are forgotten when they end, well or not, and count from the beginning', async () => {
    for (const end of ['well', 'badly']) {
      start()
      await handle(POISON)
      start()
      await handle(POISON)
      start()
      const outcome = flights.run([POISON], never, () =>
        end === 'well' ? Promise.resolve() : Promise.reject(new Error('refused')),
      )
      await outcome.catch(() => {})
      await clock.advance(200)
    }
    for (let death = 1; death <= 2; death++) {
      start()
      await handle(POISON)
    }
    start()
    expect(flights.isGivenUp(POISON)).toBe(false)
  })

  it('are not cleared by what comes before', async () => {
    for (let death = 1; death <= 3; death++) {
      start()
      await flights.prepare(POISON, never, () => Promise.resolve())
      expect((await handle(POISON)).isBegun()).toBe(true)
    }
    start()
    expect(flights.isGivenUp(POISON)).toBe(true)
  })

  it('say nothing when the process was told to end, or the machine went down', async () => {
    for (let n = 0; n < 5; n++) {
      start()
      await handle(POISON)
      flights.close()
    }
    for (let n = 0; n < 5; n++) {
      start(`boot ${n}`)
      await handle(POISON)
    }
    start('another')
    expect(flights.isGivenUp(POISON)).toBe(false)
  })

  it('are given up together with the event they came of', async () => {
    for (let death = 1; death <= 3; death++) {
      start()
      await handle(POISON)
    }
    start()
    await expect((await handle(FRESH, BYSTANDER, POISON)).outcome).rejects.toMatchObject({
      code: 'trigger-quarantined',
    })
  })

  it('cost one write each, also for filters and trigger together, and leave nothing behind', async () => {
    start()
    const content = () => readFileSync(join(folder, 'in-flight'))
    const count = () => {
      const slots = content().subarray(16)
      let taken = 0
      for (let at = 0; at < slots.length; at += 16) if (slots.subarray(at, at + 16).some(byte => byte !== 0)) taken++
      return taken
    }
    const many = await Promise.all(Array.from({ length: 500 }, (_, n) => handle(nameOf(n + 1))))
    expect(count()).toBe(500)
    for (const one of many) one.end()
    await Promise.all(many.map(({ outcome }) => outcome))
    // Ended ones stay until there is time, or their place is wanted.
    expect(count()).toBe(500)
    const next = await handle(nameOf(1000))
    expect(content().includes(Buffer.from(nameOf(1000), 'hex'))).toBe(true)
    await clock.advance(200)
    expect(count()).toBe(1)
    next.end()
  })

  it('go on where nothing can be stored', async () => {
    folder = join(folder, 'missing')
    start()
    expect(await flights.run([POISON], never, () => Promise.resolve('done'))).toBe('done')
    flights.close()
  })
})
