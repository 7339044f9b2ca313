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
})
