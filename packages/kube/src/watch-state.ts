import type { WatchEvent } from './client.ts'
import type { KubeObject } from './object.ts'
import type { MissingPermission, WatchTrouble } from './watch-trouble.ts'

/** Where a list-watch is. Times are the clock's monotonic milliseconds. */
export type WatchState =
  /** receiving the list as a stream, until the bookmark that ends it */
  | { state: 'streaming'; since: number }
  /** reading the list page by page */
  | { state: 'listing'; since: number }
  /** following changes */
  | { state: 'watching'; since: number }
  /** backing off after `why` */
  | { state: 'waiting'; until: number; why: Error; next: 'list' | 'watch' }
  /** the server does not know the kind; asks again at `until` */
  | { state: 'dormant'; until: number; why: Error }
  /** the user lacks `permission`; asks again at `until` */
  | { state: 'forbidden'; until: number; why: Error; permission: MissingPermission }
  /** ended for good, because going on would be wrong (over budget, or a projection or index threw) */
  | { state: 'failed'; why: Error }
  /** ended because its owner said so */
  | { state: 'stopped' }

export interface WatchCore {
  readonly at: WatchState
  /** Counts requests: what an abandoned request still says is ignored. */
  readonly attempt: number
  /** Every change up to this version has been seen; undefined when only a new list can tell. */
  readonly resourceVersion: string | undefined
  /** When the server last said something about these objects. */
  readonly lastSign: number
  readonly hasSynced: boolean
  /** Failures in a row, for the backoff. */
  readonly failures: number
  /** Streams in a row that stayed silent to their end. */
  readonly silentStreams: number
  /** Checks in a row that did not find the kind. */
  readonly missing: number
  /** The server does not stream lists: read pages. */
  readonly pagesOnly: boolean
  readonly lists: number
  readonly resumes: number
}

export type WatchObservation<T extends KubeObject> =
  | { type: 'start' }
  | { type: 'page'; attempt: number; items: readonly T[]; resourceVersion: string; continue: string | undefined }
  | { type: 'event'; attempt: number; event: Exclude<WatchEvent<T>, { type: 'ERROR' }> }
  | { type: 'ended'; attempt: number }
  | { type: 'trouble'; attempt: number; trouble: WatchTrouble }
  | { type: 'alarm' }
  /** Somebody learned that the kind may exist now, or that a permission was granted. */
  | { type: 'nudge' }
  | { type: 'broken'; why: Error }
  | { type: 'stop' }

export type WatchEffect<T extends KubeObject> =
  | { type: 'list'; attempt: number; continue: string | undefined }
  | { type: 'watch'; attempt: number; resourceVersion: string | undefined; timeoutSeconds: number }
  /** Abandon the request that runs. */
  | { type: 'abort' }
  /** Observe an alarm after this time; replaces the alarm that was set before. */
  | { type: 'alarm'; afterMs: number }
  | { type: 'begin' }
  | { type: 'collect'; object: T }
  | { type: 'uncollect'; object: T }
  /** What was collected since `begin` is all there is. */
  | { type: 'replace'; resourceVersion: string }
  | { type: 'apply'; change: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'pass'; resourceVersion: string }

export interface WatchTimes {
  /** A stream that says nothing for this long is taken for dead: the servers' bookmark period (a minute) and a margin. */
  idleMs: number
  /** A streamed list that pauses this long before its end is read page by page instead. */
  listSilenceMs: number
  /** … and one that has not ended after this long. */
  listTimeoutMs: number
  /** A page that has not come after this long is asked for again. */
  pageTimeoutMs: number
  /** The server ends a stream after this time, or up to twice as long: which is drawn for every stream. */
  streamSeconds: number
  backoffInitialMs: number
  backoffMaxMs: number
  /** A stream that lived this long was healthy: what ends it is no failure in a row. */
  healthyMs: number
}

export const DEFAULT_WATCH_TIMES: WatchTimes = {
  idleMs: 75_000,
  listSilenceMs: 10_000,
  listTimeoutMs: 60_000,
  pageTimeoutMs: 60_000,
  streamSeconds: 300,
  backoffInitialMs: 800,
  backoffMaxMs: 30_000,
  healthyMs: 5_000,
}

/** What a decision may depend on besides state and observation. */
export interface WatchMoment {
  now: number
  /** A number in [0, 1) drawn for this step. */
  jitter: number
  times: WatchTimes
}

export interface WatchStep<T extends KubeObject> {
  core: WatchCore
  effects: WatchEffect<T>[]
}

/** A server restored from a backup accepts a version of its future and then says nothing; so many silent streams in a row
 *  are taken for that, and the list is read anew. */
const SILENT_STREAMS_BEFORE_LIST = 3
/** Servers that cannot stream a list do not all say so in the same way: pages are tried after any failures in a row. */
const FAILURES_BEFORE_PAGES = 2
const END_OF_LIST = 'k8s.io/initial-events-end'

export function initialWatch(now: number): WatchCore {
  return {
    at: { state: 'stopped' },
    attempt: 0,
    resourceVersion: undefined,
    lastSign: now,
    hasSynced: false,
    failures: 0,
    silentStreams: 0,
    missing: 0,
    pagesOnly: false,
    lists: 0,
    resumes: 0,
  }
}

/** Decides what a list-watch does next. It does nothing itself: the driver carries out the effects in order. */
export function stepWatch<T extends KubeObject>(
  core: WatchCore,
  observation: WatchObservation<T>,
  moment: WatchMoment,
): WatchStep<T> {
  switch (observation.type) {
    case 'start':
      return startList(core, moment)
    case 'stop':
      return end(core, { state: 'stopped' })
    case 'broken':
      return end(core, { state: 'failed', why: observation.why })
    case 'nudge':
      return core.at.state === 'dormant' || core.at.state === 'forbidden' ? startList(core, moment) : same(core)
    case 'alarm':
      return onAlarm(core, moment)
    case 'page':
      return observation.attempt === core.attempt ? onPage(core, observation, moment) : same(core)
    case 'event':
      return observation.attempt === core.attempt ? onEvent(core, observation.event, moment) : same(core)
    case 'ended':
      return observation.attempt === core.attempt ? onEnded(core, moment) : same(core)
    case 'trouble':
      return observation.attempt === core.attempt ? onTrouble(core, observation.trouble, moment) : same(core)
  }
}

function same<T extends KubeObject>(core: WatchCore): WatchStep<T> {
  return { core, effects: [] }
}

function startList<T extends KubeObject>(core: WatchCore, { now, jitter, times }: WatchMoment): WatchStep<T> {
  const attempt = core.attempt + 1
  const started = { ...core, attempt, resourceVersion: undefined, silentStreams: 0, lists: core.lists + 1 }
  if (core.pagesOnly || core.failures >= FAILURES_BEFORE_PAGES) {
    return {
      core: { ...started, at: { state: 'listing', since: now } },
      effects: [
        { type: 'begin' },
        { type: 'list', attempt, continue: undefined },
        { type: 'alarm', afterMs: times.pageTimeoutMs },
      ],
    }
  }
  return {
    core: { ...started, at: { state: 'streaming', since: now } },
    effects: [
      { type: 'begin' },
      { type: 'watch', attempt, resourceVersion: undefined, timeoutSeconds: streamSeconds(times, jitter) },
      { type: 'alarm', afterMs: Math.min(times.listSilenceMs, times.listTimeoutMs) },
    ],
  }
}

function resume<T extends KubeObject>(core: WatchCore, moment: WatchMoment): WatchStep<T> {
  const { resourceVersion } = core
  if (resourceVersion === undefined) return startList(core, moment)
  const attempt = core.attempt + 1
  return {
    core: { ...core, attempt, at: { state: 'watching', since: moment.now }, resumes: core.resumes + 1 },
    effects: watchFrom(attempt, resourceVersion, moment),
  }
}

function watchFrom<T extends KubeObject>(attempt: number, resourceVersion: string, { jitter, times }: WatchMoment) {
  const effects: WatchEffect<T>[] = [
    { type: 'watch', attempt, resourceVersion, timeoutSeconds: streamSeconds(times, jitter) },
    { type: 'alarm', afterMs: times.idleMs },
  ]
  return effects
}

function streamSeconds({ streamSeconds }: WatchTimes, jitter: number): number {
  return Math.ceil(streamSeconds * (1 + jitter))
}

function end<T extends KubeObject>(core: WatchCore, at: WatchState): WatchStep<T> {
  if (core.at.state === 'failed') return same(core)
  return { core: { ...core, attempt: core.attempt + 1, at }, effects: [{ type: 'abort' }] }
}

function onPage<T extends KubeObject>(
  core: WatchCore,
  page: Extract<WatchObservation<T>, { type: 'page' }>,
  moment: WatchMoment,
): WatchStep<T> {
  const collected: WatchEffect<T>[] = page.items.map(object => ({ type: 'collect', object }))
  const alive = { ...core, lastSign: moment.now, missing: 0 }
  if (page.continue !== undefined) {
    return {
      core: { ...alive, at: { state: 'listing', since: moment.now } },
      effects: [
        ...collected,
        { type: 'list', attempt: core.attempt, continue: page.continue },
        { type: 'alarm', afterMs: moment.times.pageTimeoutMs },
      ],
    }
  }
  const { resourceVersion } = page
  const attempt = core.attempt + 1
  return {
    core: { ...alive, attempt, resourceVersion, hasSynced: true, at: { state: 'watching', since: moment.now } },
    effects: [...collected, { type: 'replace', resourceVersion }, ...watchFrom<T>(attempt, resourceVersion, moment)],
  }
}

function onEvent<T extends KubeObject>(
  core: WatchCore,
  event: Exclude<WatchEvent<T>, { type: 'ERROR' }>,
  { now, times }: WatchMoment,
): WatchStep<T> {
  const { type, object } = event
  const { resourceVersion } = object.metadata
  if (core.at.state !== 'streaming') {
    const moved = {
      ...core,
      lastSign: now,
      silentStreams: 0,
      missing: 0,
      resourceVersion: resourceVersion ?? core.resourceVersion,
    }
    if (type !== 'BOOKMARK') return { core: moved, effects: [{ type: 'apply', change: type, object }] }
    return { core: moved, effects: resourceVersion === undefined ? [] : [{ type: 'pass', resourceVersion }] }
  }
  const alive = { ...core, lastSign: now, silentStreams: 0, missing: 0 }
  if (type === 'DELETED') return { core: alive, effects: [{ type: 'uncollect', object }] }
  if (type !== 'BOOKMARK') return { core: alive, effects: [{ type: 'collect', object }] }
  if (object.metadata.annotations?.[END_OF_LIST] !== 'true' || resourceVersion === undefined) return same(alive)
  return {
    core: { ...alive, resourceVersion, hasSynced: true, at: { state: 'watching', since: core.at.since } },
    effects: [
      { type: 'replace', resourceVersion },
      { type: 'alarm', afterMs: times.idleMs },
    ],
  }
}

/** The server ended the stream in good order, as it does after the time it was given. */
function onEnded<T extends KubeObject>(core: WatchCore, moment: WatchMoment): WatchStep<T> {
  if (core.at.state !== 'watching')
    return retry(core, new Error('the stream ended before the list did'), 'list', moment)
  const failures = failuresBefore(core, moment)
  // An end right after the start, again and again, is a failure that comes in good order.
  if (failures > 0 || !wasHealthy(core, moment))
    return retry(core, new Error('the stream ended early'), 'watch', moment)
  return resume({ ...core, failures: 0, lastSign: moment.now }, moment)
}

function onTrouble<T extends KubeObject>(core: WatchCore, trouble: WatchTrouble, moment: WatchMoment): WatchStep<T> {
  const { error } = trouble
  switch (trouble.kind) {
    case 'expired':
    case 'ahead': {
      const forgotten = { ...core, resourceVersion: undefined }
      const isFirst = core.at.state === 'watching' && failuresBefore(core, moment) === 0
      return isFirst ? startList({ ...forgotten, failures: 1 }, moment) : retry(forgotten, error, 'list', moment)
    }
    case 'refused':
      if (core.at.state === 'streaming') return startList({ ...core, pagesOnly: true }, moment)
      return retry({ ...core, resourceVersion: undefined }, error, 'list', moment)
    case 'missing':
      return sleep(core, error, moment)
    case 'forbidden':
      return waitFor(core, moment, until => ({ state: 'forbidden', until, why: error, permission: trouble.permission }))
    case 'unavailable':
      return retry(core, error, core.at.state === 'watching' ? 'watch' : 'list', moment, trouble.retryAfterMs)
  }
}

/** A kind that a second check does not find either is gone, and its objects with it. One check may be a server whose
 *  discovery is incomplete for a moment. */
function sleep<T extends KubeObject>(core: WatchCore, why: Error, moment: WatchMoment): WatchStep<T> {
  const missing = core.missing + 1
  const unknown = { ...core, missing, resourceVersion: undefined, lastSign: moment.now }
  const step = waitFor<T>(unknown, moment, until => ({
    state: 'dormant',
    until,
    why,
  }))
  if (missing !== 2 || !core.hasSynced) return step
  return { core: step.core, effects: [{ type: 'begin' }, { type: 'replace', resourceVersion: '' }, ...step.effects] }
}

/** A timer may fire a fraction of a millisecond early: less than one left is none. */
function onAlarm<T extends KubeObject>(core: WatchCore, moment: WatchMoment): WatchStep<T> {
  const { now, times } = moment
  const { at } = core
  switch (at.state) {
    case 'streaming': {
      const left = Math.min(lastHeard(core, at) + times.listSilenceMs, at.since + times.listTimeoutMs) - now
      if (left >= 1) return alarmAfter(core, left)
      return abandon(startList({ ...core, pagesOnly: true }, moment))
    }
    case 'listing': {
      const left = at.since + times.pageTimeoutMs - now
      if (left >= 1) return alarmAfter(core, left)
      return abandon(
        retry(core, new Error(`no page of the list came within ${times.pageTimeoutMs} ms`), 'list', moment),
      )
    }
    case 'watching': {
      const left = lastHeard(core, at) + times.idleMs - now
      if (left >= 1) return alarmAfter(core, left)
      const silentStreams = core.silentStreams + 1
      const silent = { ...core, silentStreams }
      return abandon(silentStreams >= SILENT_STREAMS_BEFORE_LIST ? startList(silent, moment) : resume(silent, moment))
    }
    case 'waiting':
      if (at.until - now >= 1) return alarmAfter(core, at.until - now)
      return at.next === 'watch' ? resume(core, moment) : startList(core, moment)
    case 'dormant':
    case 'forbidden':
      return at.until - now >= 1 ? alarmAfter(core, at.until - now) : startList(core, moment)
    case 'failed':
    case 'stopped':
      return same(core)
  }
}

function lastHeard(core: WatchCore, at: { since: number }): number {
  return Math.max(core.lastSign, at.since)
}

function alarmAfter<T extends KubeObject>(core: WatchCore, afterMs: number): WatchStep<T> {
  return { core, effects: [{ type: 'alarm', afterMs }] }
}

function abandon<T extends KubeObject>(step: WatchStep<T>): WatchStep<T> {
  return { core: step.core, effects: [{ type: 'abort' }, ...step.effects] }
}

function wasHealthy({ at }: WatchCore, { now, times }: WatchMoment): boolean {
  return at.state === 'watching' && now - at.since >= times.healthyMs
}

function failuresBefore(core: WatchCore, moment: WatchMoment): number {
  return wasHealthy(core, moment) ? 0 : core.failures
}

function retry<T extends KubeObject>(
  core: WatchCore,
  why: Error,
  next: 'list' | 'watch',
  moment: WatchMoment,
  retryAfterMs = 0,
): WatchStep<T> {
  return waitFor(core, moment, until => ({ state: 'waiting', until, why, next }), retryAfterMs)
}

function waitFor<T extends KubeObject>(
  core: WatchCore,
  moment: WatchMoment,
  waiting: (until: number) => WatchState,
  atLeastMs = 0,
): WatchStep<T> {
  const { backoffInitialMs, backoffMaxMs } = moment.times
  const failures = failuresBefore(core, moment)
  const full = Math.min(backoffMaxMs, backoffInitialMs * 2 ** Math.min(failures, 30))
  const afterMs = Math.ceil(Math.max(atLeastMs, full * (0.5 + moment.jitter / 2)))
  return {
    core: { ...core, attempt: core.attempt + 1, failures: failures + 1, at: waiting(moment.now + afterMs) },
    effects: [{ type: 'alarm', afterMs }],
  }
}
