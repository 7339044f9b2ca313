import { watch } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { compilePattern, PatternError } from '@tiphys/expressions'
import { eventId } from '../event-id.ts'
import type { Problem } from '../problem.ts'
import {
  type FileChange,
  type FileOperation,
  type FolderSnapshot,
  folderChanges,
  OPERATION_BITS,
  readFolder,
  type SeenFile,
} from './folder-snapshot.ts'
import { pause, publishUntilTaken, runSource } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceHost, SourceType } from './source.ts'

/** An entry of `spec.file` of an EventSource. */
export interface FileSpec {
  eventType?: string
  watchPathConfig?: { directory?: string; path?: string; pathRegexp?: string }
  polling?: boolean
  metadata?: Readonly<Record<string, string>>
  filter?: { expression?: string }
}

const SHAPE: Shape = {
  eventType: 'string',
  watchPathConfig: { directory: 'string', path: 'string', pathRegexp: 'string' },
  polling: 'boolean',
  metadata: { '*': 'string' },
  filter: { expression: 'string' },
}

/** How often a folder is looked at when it is polled, and when its notifications are only checked. */
const [POLL_MS, CHECK_MS] = [100, 10_000]
/** Notifications come in bursts. */
const BURST_MS = 10
const SEEN = 'seen'

/** Changes of the files in a folder of this machine, subfolders not included. What happened while it was not running is
 *  found by comparing with what was seen last. */
export const fileSource: SourceType<FileSpec> = {
  type: 'file',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({ reason: 'FolderUnreadable', message: `Cannot watch the folder: ${message}` }),
      (stopped, counted) => follow(spec, counted, stopped),
    ),
}

function check(spec: FileSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  const { eventType = '', watchPathConfig: { directory = '', path = '', pathRegexp = '' } = {} } = spec
  if (eventType === '') error('eventType', 'type must be specified')
  else if (!Object.hasOwn(OPERATION_BITS, eventType))
    problems.push({ path: 'eventType', message: `no change is called ${eventType}`, severity: 'warning' })
  if (directory === '') error('watchPathConfig.directory', 'directory is required')
  else if (!isAbsolute(directory)) error('watchPathConfig.directory', 'directory must be an absolute file path')
  if (path === '' && pathRegexp === '') error('watchPathConfig', 'either path or pathRegexp must be specified')
  if (isAbsolute(path)) error('watchPathConfig.path', 'path must be a relative file path')
  try {
    compilePattern(pathRegexp)
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown
    error('watchPathConfig.pathRegexp', thrown.message)
  }
  return problems
}

interface Seen {
  directory: string
  files: [string, SeenFile][]
}

async function follow(spec: FileSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const { watchPathConfig: { directory = '' } = {}, polling = false } = spec
  const notified = new Notifications(directory, polling)
  try {
    let seen = await recall(directory, host)
    let isActive = false
    while (!stopped.aborted) {
      const now = await readFolder(directory)
      const changes = seen ? folderChanges(seen, now) : []
      for (const change of changes)
        if (isWanted(spec, change) && !(await publish(spec, change, seen, now, host, stopped))) return
      if (!seen || changes.length > 0)
        await host.memory.set(SEEN, JSON.stringify({ directory, files: [...now] } satisfies Seen))
      seen = now
      // Not before it knows what is there: a file that comes now is seen to come.
      if (!isActive) host.report({ state: 'active' })
      isActive = true
      await notified.wait(host, stopped)
    }
  } finally {
    notified.close()
  }
}

async function recall(directory: string, host: SourceHost): Promise<FolderSnapshot | undefined> {
  const text = await host.memory.get(SEEN)
  if (text === undefined) return undefined
  const seen = JSON.parse(text) as Seen
  return seen.directory === directory ? new Map(seen.files) : undefined
}

function isWanted({ eventType, watchPathConfig = {} }: FileSpec, { name, operation }: FileChange): boolean {
  const { path = '', pathRegexp = '' } = watchPathConfig
  if (operation !== eventType) return false
  return path === name || (pathRegexp !== '' && compilePattern(pathRegexp).test(name))
}

function publish(
  { watchPathConfig: { directory = '' } = {}, polling = false, metadata }: FileSpec,
  { name, operation }: { name: string; operation: FileOperation },
  before: FolderSnapshot | undefined,
  now: FolderSnapshot,
  host: SourceHost,
  stopped: AbortSignal,
): Promise<boolean> {
  const { eventSource, entry, env } = host
  const state = JSON.stringify([before?.get(name), now.get(name)])
  const event = {
    // The same change is the same event when it is found again after a crash.
    id: eventId(eventSource.uid, entry, name, operation, state),
    time: new Date(env.clock.now()).toISOString(),
    key: `file ${join(directory, name)}`,
    data: JSON.stringify({
      name: polling ? name : join(directory, name),
      op: OPERATION_BITS[operation],
      metadata: metadata ?? null,
    }),
  }
  return publishUntilTaken(host, event, stopped)
}

/** Tells when it is worth looking at the folder again. */
class Notifications {
  readonly #everyMs: number
  readonly #watcher: { close(): void } | undefined
  #isDue = false
  #failure: Error | undefined
  #wake = () => {}

  constructor(directory: string, polling: boolean) {
    this.#everyMs = polling ? POLL_MS : CHECK_MS
    if (polling) return
    const watcher = watch(directory, { persistent: false }, () => this.#notify())
    watcher.on('error', error => this.#notify(error))
    this.#watcher = watcher
  }

  async wait(host: SourceHost, stopped: AbortSignal): Promise<void> {
    if (!this.#isDue) {
      const waiting = new AbortController()
      const wake = () => waiting.abort()
      this.#wake = wake
      await pause(host, this.#everyMs, AbortSignal.any([stopped, waiting.signal]))
    }
    if (this.#failure) throw this.#failure
    if (this.#isDue) await pause(host, BURST_MS, stopped)
    this.#isDue = false
  }

  close(): void {
    this.#watcher?.close()
  }

  #notify(failure?: Error): void {
    this.#isDue = true
    this.#failure = failure
    this.#wake()
  }
}
