import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WorkerThread } from './worker-thread.ts'

/** Answers every call with the number of its thread, and dies when told to. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', ({ id, method }) => {
      if (method === 'die') process.exit(1)
      parentPort.postMessage({ id, result: threadId })
    })
  `)}`,
)
const task = { role: 'reader', database: { file: 'none' } } as const

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('is ended when nobody has asked for a while, and started again by the next call', async () => {
  const thread = new WorkerThread(program, task, { restMs: 1000 })
  const first = await thread.call('who')
  vi.advanceTimersByTime(999)
  expect(await thread.call('who')).toBe(first)
  vi.advanceTimersByTime(999)
  expect(await thread.call('who')).toBe(first)
  vi.advanceTimersByTime(1000)
  expect(await thread.call('who')).not.toBe(first)
  await thread.close()
})

it('stays longer when it was ended too early', async () => {
  const thread = new WorkerThread(program, task, { restMs: 1000 })
  await thread.call('who')
  vi.advanceTimersByTime(1000)
  const second = await thread.call('who')
  vi.advanceTimersByTime(1999)
  expect(await thread.call('who')).toBe(second)
  vi.advanceTimersByTime(2000 + 20_000)
  const third = await thread.call('who')
  expect(third).not.toBe(second)
  // Nobody had asked for long: as at first.
  vi.advanceTimersByTime(1000)
  expect(await thread.call('who')).not.toBe(third)
  await thread.close()
})

it('begins again only when the one before is gone, as only one may write', async () => {
  const slow = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, workerData } from 'node:worker_threads'
      const open = new Int32Array(workerData.database.open)
      Atomics.add(open, 0, 1)
      parentPort.on('message', ({ id, method }) => {
        const result = Atomics.load(open, 0)
        if (method === 'close') Atomics.sub(open, 0, 1)
        parentPort.postMessage({ id, result })
      })
    `)}`,
  )
  const open = new SharedArrayBuffer(4)
  const thread = new WorkerThread(slow, { role: 'writer', database: { file: 'none', open } as never }, { restMs: 1000 })
  expect(await thread.call('howMany')).toBe(1)
  vi.advanceTimersByTime(1000)
  expect(await Promise.all([thread.call('howMany'), thread.call('howMany')])).toEqual([1, 1])
  vi.advanceTimersByTime(2000)
  await thread.close()
  expect(new Int32Array(open)[0]).toBe(0)
})

it('does not rest while it is held', async () => {
  const thread = new WorkerThread(program, task, { restMs: 1000 })
  thread.hold()
  const first = await thread.call('who')
  vi.advanceTimersByTime(1e9)
  expect(await thread.call('who')).toBe(first)
  thread.release()
  vi.advanceTimersByTime(1000)
  expect(await thread.call('who')).not.toBe(first)
  await thread.close()
})

it('has no other in its place when it dies while it is held', async () => {
  const thread = new WorkerThread(program, task, { restMs: 1000 })
  thread.hold()
  await thread.call('begin')
  await expect(thread.call('die')).rejects.toThrow('its thread ended with 1')
  await expect(thread.call('end')).rejects.toThrow('its thread was ended')
  thread.release()
  expect(await thread.call('begin')).toBeTypeOf('number')
  await thread.close()
})

it('stays when it is not told to rest', async () => {
  const thread = new WorkerThread(program, task)
  const first = await thread.call('who')
  vi.advanceTimersByTime(1e9)
  expect(await thread.call('who')).toBe(first)
  await thread.close()
})
