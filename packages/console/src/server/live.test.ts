import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Archive, FollowBatch, Grant, Scope } from '@tiphys/archive'
import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import type { LiveMessage } from '../api/live.ts'
import { serveLive } from './live.ts'

/** A receiver who reads what was sent when they are told to. */
class Receiver {
  readonly socket: Duplex
  readonly heard: LiveMessage[] = []
  #isReading = true
  #read = () => {}

  constructor() {
    this.socket = new Duplex({
      objectMode: true,
      read() {},
      write: (message: string, _, done) => {
        this.#read = () => {
          this.heard.push(JSON.parse(message) as LiveMessage)
          done()
        }
        if (this.#isReading) this.#read()
      },
    })
  }

  ask(request: object): void {
    this.socket.push(Buffer.from(JSON.stringify(request)))
  }

  stopReading(): void {
    this.#isReading = false
  }

  readOn(): void {
    this.#isReading = true
    this.#read()
  }
}

/** All that can happen without time passing. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate()
}

const rowsOf = (number: number): FollowBatch =>
  ({
    items: [{ type: 'event', item: { id: String(number) } }],
    cursor: String(number),
    isCut: false,
  }) as unknown as FollowBatch

/** Serves a receiver from an archive in which things happen when they are told to. */
function stage(scope: (namespace?: string) => Promise<Scope | undefined> = async () => undefined) {
  const clock = new VirtualClock()
  const receiver = new Receiver()
  let last = 0
  const waiting = new Set<() => void>()
  const wakeAll = () => {
    for (const wake of waiting) wake()
    waiting.clear()
  }
  const asked: { after: number; scope: Scope | undefined }[] = []
  const follow: Archive['follow'] = async function* ([topic], cursor, signal) {
    signal.addEventListener('abort', wakeAll)
    for (let at = Number(cursor ?? last); !signal.aborted; ) {
      asked.push({ after: at, scope: topic?.selection?.scope })
      if (at < last) yield rowsOf(++at)
      else await new Promise<void>(resolve => waiting.add(resolve))
    }
  }
  serveLive(receiver.socket, {
    env: { clock, random: systemRandom, log: silentLog },
    archive: { follow } as Archive,
    scope,
    follow: () => () => {},
  })
  const happen = async () => {
    last++
    wakeAll()
    await settle()
  }
  const heardRows = () => receiver.heard.flatMap(message => ('rows' in message ? message.rows : []))
  return { clock, receiver, asked, happen, heardRows }
}

const seeing = (...namespaces: string[]): Scope => ({ grants: [{ kind: '*', namespaces } satisfies Grant] })

describe('whoever is followed for', () => {
  it('and does not read what they are told is not asked what else they want, until they do', async () => {
    const { clock, receiver, asked } = stage()
    receiver.stopReading()
    for (let id = 1; id <= 5000; id++) receiver.ask({ subscribe: { id: 1 + (id % 20), topic: 'events' } })
    await settle()
    expect(receiver.socket.readableLength).toBeGreaterThan(4500)
    await clock.advance(30_000)
    expect(receiver.socket.writableLength).toBeLessThan(200)
    const before = asked.length
    receiver.readOn()
    await expect.poll(() => receiver.socket.readableLength).toBe(0)
    await settle()
    expect(asked.length).toBeGreaterThan(before)
  })

  it('is asked no further while much of what they ended has not ended yet', async () => {
    const waiting: (() => void)[] = []
    const { receiver } = stage(async () => {
      await new Promise<void>(resolve => waiting.push(resolve))
      return undefined
    })
    for (let id = 1; id <= 500; id++) {
      receiver.ask({ subscribe: { id: 1, topic: 'events' } })
      await setImmediate()
    }
    expect(waiting.length).toBeLessThan(100)
    while (waiting.length > 0) {
      for (const answer of waiting.splice(0)) answer()
      await settle()
    }
    expect(receiver.socket.readableLength).toBe(0)
    receiver.socket.destroy()
  })

  it('and ends something before it has begun causes no work any more', async () => {
    let release = () => {}
    const isKnown = new Promise<void>(resolve => (release = resolve))
    const { receiver, asked, happen } = stage(async () => {
      await isKnown
      return undefined
    })
    receiver.ask({ subscribe: { id: 1, topic: 'events' } })
    await settle()
    receiver.ask({ unsubscribe: 1 })
    await settle()
    release()
    await settle()
    await happen()
    expect(asked).toEqual([])
    receiver.socket.destroy()
  })

  it('and has read nothing for a minute is let go', async () => {
    const { clock, receiver, happen } = stage()
    receiver.ask({ subscribe: { id: 1, topic: 'events' } })
    await settle()
    receiver.stopReading()
    for (let i = 0; i < 20; i++) await happen()
    receiver.ask({ subscribe: { id: 2, topic: 'events' } })
    for (let id = 3; id < 30; id++) receiver.ask({ subscribe: { id, topic: 'events' } })
    await settle()
    await clock.advance(59_000)
    expect(receiver.socket.destroyed).toBe(false)
    await clock.advance(2000)
    expect(receiver.socket.destroyed).toBe(true)
  })

  it('and may see less since is sent nothing that was read with the rights of before, and misses nothing of the rest', async () => {
    let now = seeing('shop', 'default')
    const { receiver, asked, happen, heardRows } = stage(async () => now)
    receiver.ask({ subscribe: { id: 1, topic: 'events' } })
    await settle()
    await happen()
    expect(heardRows()).toEqual([{ id: '1' }])
    now = seeing('shop')
    await happen()
    expect(asked.filter(({ after }) => after === 1).map(({ scope }) => scope)).toEqual([
      seeing('shop', 'default'),
      seeing('shop', 'default'),
      seeing('shop'),
    ])
    expect(heardRows()).toEqual([{ id: '1' }, { id: '2' }])
    receiver.socket.destroy()
  })

  it('is sent nothing of what they have ended, though it had been read', async () => {
    let hold: Promise<void> | undefined
    let release = () => {}
    const { receiver, happen, heardRows } = stage(async () => {
      await hold
      return undefined
    })
    receiver.ask({ subscribe: { id: 1, topic: 'events' } })
    await settle()
    hold = new Promise(resolve => (release = resolve))
    await happen()
    receiver.ask({ unsubscribe: 1 })
    await settle()
    release()
    await settle()
    expect(heardRows()).toEqual([])
    receiver.socket.destroy()
  })
})
