import { describe, expect, it } from 'vitest'
import { spareMemory } from './spare-memory.ts'
import { VirtualClock } from './virtual-clock.ts'

const MB = 2 ** 20

function scene() {
  const clock = new VirtualClock()
  const state = { isIdle: true, busy: 0, held: 50 * MB, collections: 0 }
  const sparing = spareMemory({
    clock,
    isIdle: () => state.isIdle,
    busy: () => state.busy,
    held: () => state.held,
    collect: () => {
      state.collections++
      state.held = 55 * MB
    },
  })
  return { clock, state, sparing }
}

describe('memory', () => {
  it('that a burst needed is given back when it is over, once', async () => {
    const { clock, state } = scene()
    state.isIdle = false
    state.held = 200 * MB
    await clock.advance(60_000)
    expect(state.collections).toBe(0)
    state.isIdle = true
    await clock.advance(2000)
    expect(state.collections).toBe(0)
    await clock.advance(1000)
    expect([state.collections, state.held]).toEqual([1, 55 * MB])
    await clock.advance(3_600_000)
    expect(state.collections).toBe(1)
  })

  it('is left alone while work comes again and again, or where there is little to give back', async () => {
    const { clock, state } = scene()
    state.held = 60 * MB
    await clock.advance(60_000)
    state.held = 200 * MB
    for (let i = 0; i < 60; i++) {
      state.isIdle = i % 3 > 0
      await clock.advance(1000)
    }
    expect(state.collections).toBe(0)
  })

  it('is left alone while the thread works, though nothing is under way whenever it is looked at', async () => {
    const { clock, state } = scene()
    state.held = 200 * MB
    state.busy = 0.5
    await clock.advance(60_000)
    expect(state.collections).toBe(0)
    state.busy = 0.05
    await clock.advance(3000)
    expect(state.collections).toBe(1)
  })

  it('knows how much a thread works', async () => {
    const clock = new VirtualClock()
    let [held, collections] = [50 * MB, 0]
    const sparing = spareMemory({ clock, isIdle: () => true, held: () => held, collect: () => collections++ })
    held = 200 * MB
    // Without a turn of the event loop in between there is no time in which it has waited.
    await clock.advance(60_000)
    expect(collections).toBe(0)
    sparing.stop()
  })

  it('is given back after what can be had again is forgotten, and also when that cannot be', async () => {
    const clock = new VirtualClock()
    const calls: string[] = []
    let held = 50 * MB
    const forget = async () => {
      calls.push('forget')
      if (calls.length > 2) throw new Error('it is in use')
    }
    const quiet = { isIdle: () => true, busy: () => 0 }
    spareMemory({ clock, ...quiet, held: () => held, forget, collect: () => calls.push('collect') })
    held = 200 * MB
    await clock.advance(3000)
    expect(calls).toEqual(['forget', 'collect'])
    held = 400 * MB
    await clock.advance(1000)
    held = 500 * MB
    await clock.advance(3000)
    expect(calls).toEqual(['forget', 'collect', 'forget', 'collect'])
  })

  it('is looked at no more after the end', async () => {
    const { clock, state, sparing } = scene()
    sparing.stop()
    state.held = 200 * MB
    await clock.advance(60_000)
    expect([state.collections, clock.waiting]).toEqual([0, 0])
  })

  it('is really given back', async () => {
    const clock = new VirtualClock()
    const sparing = spareMemory({ clock, isIdle: () => true, busy: () => 0 })
    const before = process.memoryUsage().arrayBuffers
    await use(64)
    expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(60 * MB)
    await clock.advance(5000)
    await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MB)
    sparing.stop()
  })
})

/** Holds so many megabytes for a moment. */
async function use(megabytes: number): Promise<void> {
  const held = Array.from({ length: megabytes }, () => new Uint8Array(MB))
  await new Promise(resolve => setImmediate(resolve))
  expect(held).toHaveLength(megabytes)
}
