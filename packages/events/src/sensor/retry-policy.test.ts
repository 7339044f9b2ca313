import { RetryableFailure, TerminalFailure } from '@tiphys/env'
import { ConnectionFailure } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { type RetryStrategy, retryPolicy } from './retry-policy.ts'

const refused = new TerminalFailure('refused', { what: 'no' })
const away = new RetryableFailure('away', { what: 'away' })

/** The delays after failures that count, until enough has been tried. */
function delays(strategy: RetryStrategy | undefined, chance = 0): number[] {
  const policy = retryPolicy(strategy)
  const found: number[] = []
  for (let n = 1; ; n++) {
    const delay = policy.delayAfter(refused, { counted: n, all: n }, chance)
    if (delay === undefined) return found
    found.push(delay)
  }
}

describe('a retry policy', () => {
  it('without a strategy tries once', () => {
    expect(delays(undefined)).toEqual([])
  })

  it.each([
    [{}, [1000, 1000, 1000, 1000]],
    [{ steps: 3, duration: '2s', factor: '2.0', jitter: 0 }, [2000, 4000]],
    [{ steps: 2, duration: 5_000_000, jitter: '0' }, [5]],
    [{ steps: 0, duration: '1ms', jitter: 0 }, [1, 1, 1, 1]],
  ])('%j waits %j ms', (strategy, expected) => {
    expect(delays(strategy)).toEqual(expected)
  })

  it('adds up to the jitter', () => {
    expect(delays({ steps: 2, duration: '1s', jitter: 0.5 }, 0.5)).toEqual([1250])
  })

  it('does not count what may pass by itself, but ends some day', () => {
    const policy = retryPolicy(undefined)
    const waits = Array.from({ length: 20 }, (_, n) => policy.delayAfter(away, { counted: 0, all: n + 1 }, 1))
    expect(waits.slice(0, 3)).toEqual([400, 800, 1600])
    expect(waits[18]).toBe(60_000)
    expect(waits[19]).toBeUndefined()
  })

  it('gives nothing up while the cluster is away', () => {
    const policy = retryPolicy({ steps: 2 })
    const outage = new ConnectionFailure('the server', new Error('refused'))
    expect(policy.delayAfter(outage, { counted: 0, all: 1000 }, 1)).toBe(60_000)
  })

  it.each([
    [{ duration: 'soon' }, 'time: invalid duration "soon"'],
    [{ factor: 'x' }, 'factor is not a number: "x"'],
    [{ jitter: '' }, 'jitter is not a number: ""'],
  ])('says what it cannot read in %j', (strategy, message) => {
    expect(() => retryPolicy(strategy)).toThrow(message)
  })
})
