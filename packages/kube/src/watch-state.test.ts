import { describe, expect, it } from 'vitest'
import type { KubeObject } from './object.ts'
import {
  DEFAULT_WATCH_TIMES,
  initialWatch,
  stepWatch,
  type WatchCore,
  type WatchEffect,
  type WatchObservation,
} from './watch-state.ts'

const times = { ...DEFAULT_WATCH_TIMES, streamSeconds: 100 }
const widget = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { name, resourceVersion },
})
const END: KubeObject = {
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
}

/** Steps through observations, each at its time, and returns the last step. */
function after(...observations: [now: number, observation: WatchObservation<KubeObject>][]) {
  let core: WatchCore = initialWatch(0)
  let effects: WatchEffect<KubeObject>[] = []
  for (const [now, observation] of observations) {
    const step = stepWatch(core, observation, { now, jitter: 0.5, times })
    core = step.core
    effects = step.effects
  }
  return { core, effects }
}

const start: [number, WatchObservation<KubeObject>] = [0, { type: 'start' }]
const synced: [number, WatchObservation<KubeObject>][] = [
  start,
  [1, { type: 'event', attempt: 1, event: { type: 'BOOKMARK', object: END } }],
]
const broken = (now: number, attempt: number): [number, WatchObservation<KubeObject>] => [
  now,
  { type: 'trouble', attempt, trouble: { kind: 'unavailable', error: new Error('reset') } },
]

describe('a list-watch decides', () => {
  it('to stream the list first', () => {
    expect(after(start)).toMatchObject({
      core: { at: { state: 'streaming', since: 0 }, attempt: 1, hasSynced: false },
      effects: [
        { type: 'begin' },
        { type: 'watch', attempt: 1, resourceVersion: undefined, timeoutSeconds: 150 },
        { type: 'alarm', afterMs: 10_000 },
      ],
    })
  })

  it('that a bookmark in the middle of the list does not end it', () => {
    const bookmark = { ...END, metadata: { resourceVersion: '5' } }
    const { core, effects } = after(start, [
      1,
      { type: 'event', attempt: 1, event: { type: 'BOOKMARK', object: bookmark } },
    ])
    expect(core).toMatchObject({ at: { state: 'streaming' }, hasSynced: false, resourceVersion: undefined })
    expect(effects).toEqual([])
  })

  it('to replace what it had by the list at its end, and to follow on the same stream', () => {
    expect(after(...synced)).toMatchObject({
      core: { at: { state: 'watching' }, attempt: 1, resourceVersion: '7', hasSynced: true },
      effects: [{ type: 'replace', resourceVersion: '7' }, { type: 'alarm' }],
    })
  })

  it('to ignore what an abandoned request still says', () => {
    const { core, effects } = after(
      ...synced,
      broken(2, 1),
      [2_000, { type: 'alarm' }],
      [2_001, { type: 'event', attempt: 1, event: { type: 'MODIFIED', object: widget('a', '9') } }],
    )
    expect(effects).toEqual([])
    expect(core).toMatchObject({ at: { state: 'watching' }, resourceVersion: '7', attempt: 3 })
  })

  it('to resume from the version of the last change', () => {
    const { effects } = after(
      ...synced,
      [2, { type: 'event', attempt: 1, event: { type: 'ADDED', object: widget('a', '8') } }],
      broken(3, 1),
      [2_000, { type: 'alarm' }],
    )
    expect(effects[0]).toMatchObject({ type: 'watch', resourceVersion: '8' })
  })

  it('to forget earlier failures after a stream that lived', () => {
    const failures = after(...synced, broken(2, 1), [2_000, { type: 'alarm' }], broken(2_001, 3)).core.failures
    expect(failures).toBe(2)
    expect(after(...synced, broken(2, 1), [2_000, { type: 'alarm' }], broken(8_000, 3)).core.failures).toBe(1)
  })

  it('to list anew, at once the first time, when its version has expired', () => {
    const expired = (now: number, attempt: number): [number, WatchObservation<KubeObject>] => [
      now,
      { type: 'trouble', attempt, trouble: { kind: 'expired', error: new Error('too old') } },
    ]
    expect(after(...synced, expired(2, 1)).core).toMatchObject({ at: { state: 'streaming' }, lists: 2 })
    expect(after(...synced, expired(2, 1), expired(3, 2)).core).toMatchObject({
      at: { state: 'waiting', next: 'list' },
    })
  })

  it('to look again only at what was still silent when the alarm rings', () => {
    const heard = after(
      ...synced,
      [50_000, { type: 'event', attempt: 1, event: { type: 'BOOKMARK', object: widget('', '9') } }],
      [75_001, { type: 'alarm' }],
    )
    expect(heard.effects).toEqual([{ type: 'alarm', afterMs: 49_999 }])
    const silent = after(...synced, [75_001, { type: 'alarm' }])
    expect(silent.effects).toMatchObject([
      { type: 'abort' },
      { type: 'watch', resourceVersion: '7' },
      { type: 'alarm' },
    ])
  })

  it('to read pages after two failures in a row, whatever they were, and to stream the next list again', () => {
    const failing = after(start, broken(1, 1), [2_000, { type: 'alarm' }], broken(2_001, 3), [9_000, { type: 'alarm' }])
    expect(failing.effects[1]).toMatchObject({ type: 'list', attempt: 5 })
    expect(failing.core.pagesOnly).toBe(false)
  })

  it('to ask for a page again that does not come', () => {
    const refused = { type: 'trouble', attempt: 1, trouble: { kind: 'refused', error: new Error('422') } } as const
    const { core, effects } = after(start, [1, refused], [60_002, { type: 'alarm' }])
    expect(core.at).toMatchObject({ state: 'waiting', next: 'list' })
    expect(effects[0]).toEqual({ type: 'abort' })
  })

  it('nothing any more after it was stopped', () => {
    const stopped = after(...synced, [2, { type: 'stop' }])
    expect(stopped.effects).toEqual([{ type: 'abort' }])
    expect(after(...synced, [2, { type: 'stop' }], [99_999, { type: 'alarm' }], broken(99_999, 1)).effects).toEqual([])
  })
})
