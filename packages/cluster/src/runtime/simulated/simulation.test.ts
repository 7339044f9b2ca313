import { describe, expect, it } from 'vitest'
import { behaviourOf, readAnnotation, type SimulatedContainer } from './simulation.ts'

const container = (more: Partial<SimulatedContainer> = {}): SimulatedContainer => ({
  namespace: 'default',
  labels: { app: 'web' },
  annotation: {},
  container: 'main',
  isServer: true,
  ...more,
})

describe('what a simulated container does', () => {
  it('is to run for ever as a server, and to complete at once otherwise', () => {
    expect(behaviourOf([], container()).runForMs).toBe(Number.POSITIVE_INFINITY)
    expect(behaviourOf([], container({ isServer: false }))).toMatchObject({ runForMs: 0, exitCode: 0, readyAfterMs: 0 })
  })

  it('follows the rules that match, and its own annotation above all', async () => {
    const rules = [
      { readyAfter: '10s', log: 'a' },
      { selector: { matchLabels: { app: 'web' } }, readyAfter: '1m30s' },
      { selector: { matchLabels: { app: 'db' } }, oom: true },
      { container: 'other', exitCode: 9 },
    ]
    expect(behaviourOf(rules, container())).toMatchObject({ readyAfterMs: 90_000, log: ['a'], isOutOfMemory: false })
    const annotation = await readAnnotation('readyAfter: 250ms\ncontainers:\n  main: { failures: 3 }')
    expect(behaviourOf(rules, container({ annotation }))).toMatchObject({ readyAfterMs: 250, failures: 3 })
  })

  it('ends a server at once that is only told how it ends', () => {
    expect(behaviourOf([], container({ annotation: { exitCode: 3 } })).runForMs).toBe(0)
    expect(behaviourOf([], container({ annotation: { exitCode: 0, runFor: 2 } })).runForMs).toBe(2000)
  })

  it('refuses what it cannot read', async () => {
    await expect(readAnnotation('just text')).rejects.toThrow(/is not an object/u)
    expect(() => behaviourOf([], container({ annotation: { runFor: 'soon' } }))).toThrow(/is not a duration/u)
  })
})
