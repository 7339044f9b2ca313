import { describe, expect, it } from 'vitest'
import { EventBatches } from './event-batches.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

describe('batches of events', () => {
  it('are chunks of a body, their size in bytes', () => {
    const chunk = new EventBatches().chunkOf(['{"a":"ä"}\n', '{}\n'])
    expect(chunk.toString()).toBe('e\r\n{"a":"ä"}\n{}\n\r\n')
  })

  it('are made once for all who get the same', () => {
    const batches = new EventBatches()
    const first = batches.chunkOf(['1\n', '2\n'])
    expect(batches.chunkOf(['1\n', '2\n'])).toBe(first)
    expect(batches.chunkOf(['2\n']).toString()).toBe('2\r\n2\n\r\n')
    expect(batches.chunkOf(['0\n', '2\n']).toString()).toBe('4\r\n0\n2\n\r\n')
  })

  it('are forgotten in the next turn', async () => {
    const batches = new EventBatches()
    const first = batches.chunkOf(['1\n'])
    await turn()
    expect(batches.chunkOf(['1\n'])).not.toBe(first)
  })

  it('leave for all watchers at once: the first of them in the next turn, what follows a moment later together', async () => {
    const batches = new EventBatches()
    const left: string[] = []
    const watcher = (name: string) => batches.onTurn(() => left.push(name))
    const gone = (count: number) => expect.poll(() => left.length, { interval: 1 }).toBe(count)
    watcher('a')
    watcher('b')
    expect(left).toEqual([])
    await turn()
    expect(left).toEqual(['a', 'b'])
    watcher('a')
    watcher('c')
    await gone(4)
    expect(left).toEqual(['a', 'b', 'a', 'c'])
  })
})
