import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { delay, systemClock } from './clock.ts'
import { VirtualClock } from './virtual-clock.ts'

describe('the system clock', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }))
  afterEach(() => void vi.useRealTimers())

  it('runs a task after its delay and not before', () => {
    const task = vi.fn()
    systemClock.schedule(1000, task)
    vi.advanceTimersByTime(999)
    expect(task).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(task).toHaveBeenCalledOnce()
  })

  it('waits longer than a timer of Node can', () => {
    const fortyDays = 40 * 24 * 3600 * 1000
    const task = vi.fn()
    systemClock.schedule(fortyDays, task)
    vi.advanceTimersByTime(fortyDays - 1)
    expect(task).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(task).toHaveBeenCalledOnce()
  })

  it('never runs a cancelled task, also not one in its second month', () => {
    const task = vi.fn()
    const timer = systemClock.schedule(2 ** 31 + 1000, task)
    vi.advanceTimersByTime(2 ** 31)
    timer.cancel()
    timer.cancel()
    vi.advanceTimersByTime(2 ** 31)
    expect(task).not.toHaveBeenCalled()
  })
})

describe('delay', () => {
  it('resolves when the time has come', async () => {
    const clock = new VirtualClock()
    let isOver = false
    const waiting = delay(clock, 50).then(() => (isOver = true))
    await clock.advance(49)
    expect(isOver).toBe(false)
    await clock.advance(1)
    await waiting
    expect(isOver).toBe(true)
  })

  it('rejects with the reason of the abort and leaves no timer', async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    const waiting = delay(clock, 50, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(clock.waiting).toBe(0)
  })

  it('does not begin when aborted before', async () => {
    const clock = new VirtualClock()
    await expect(delay(clock, 50, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(clock.waiting).toBe(0)
  })
})
