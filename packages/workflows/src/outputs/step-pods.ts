import { setMaxListeners } from 'node:events'
import { asError, delay, type Env, type Timer } from '@tiphys/env'
import type { LogStore } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import type { ContainerStatus, Pod } from '@tiphys/kube/kinds'
import { isPassing } from '../engine/passing-trouble.ts'
import type { ObservedPod } from '../plan/plan.ts'
import { INPUTS_CONTAINER } from '../pods/artifact-containers.ts'
import { ANNOTATION, OUTCOME_FINALIZER, SILENT_CONDITION } from '../pods/labels.ts'
import { mainsOf, readStepNote, type StepNote } from '../pods/step-note.ts'
import type { Artifact } from '../spec/workflow.ts'
import { createPendingWords, type PendingWords } from './pending-words.ts'
import { endedPod, isLingering, isOver, livePod, mainHasEnded, neverHadNode } from './pod-outcome.ts'
import { followStepLog, type StepLog } from './step-log.ts'
import { headingOf, openStepLog } from './step-log-writer.ts'
import { Turns } from './turns.ts'

/** Brings artifacts into pods and fetches them from there. */
export interface PodArtifacts {
  /** Into the container that waits for them. */
  bring(pod: Pod, signal: AbortSignal): Promise<void>
  /** From the container that is held by a process of its own, which is released in the end; `over` says when the container has ended. */
  fetch(
    pod: Pod,
    outputs: readonly Artifact[],
    held: { pid: string; over: AbortSignal },
    signal: AbortSignal,
  ): Promise<{ artifacts: Artifact[]; troubles: Record<string, string> }>
  /** Whether the repository of the run wants what its steps print, also where the manifest does not ask for it. */
  archivesLogs(pod: Pod): Promise<boolean>
  /** Keeps what a container has printed. */
  keepLog(pod: Pod, container: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Artifact>
}

export interface StepPodsOptions {
  env: Env
  client: Client
  logs: LogStore
  artifacts: PodArtifacts
  /** Something is known of this pod that was not. */
  onChange: (pod: Pod) => void
  /** What a container prints is about to be kept. Returns who is told of each chunk, which may be when the run is gone. */
  onLog: (pod: Pod, container: string) => (chunk: LogChunk, offset: number) => void
}

/** Looks after the pods of steps: keeps what they print, brings and fetches artifacts, and knows how they ended. */
export interface StepPods {
  /** Takes note of a pod as it is now. */
  see(pod: Pod): void
  /** The pod as planning sees it: ended only when everything was read. `wasStopped`: it was ended on purpose. */
  observe(pod: Pod, wasStopped: boolean): ObservedPod
  /** Its work is over, and what it left is being read: `onChange` tells the end of that. */
  isBeingRead(pod: Pod): boolean
  /** Everything that the pod can tell was read: nothing holds it any more. */
  isRead(pod: Pod): boolean
  forget(uid: string): void
  /** Pods that have ended and are being read; one more while somebody is asked why others do not start. */
  readonly reading: number
  /** Logs of containers that have ended and are not read yet. */
  readonly unread: number
  stop(): Promise<void>
}

type LogChunk = Parameters<LogStore['read']>[0]

/** Each is a connection; pods beyond that are read when they have ended. */
const MOST_FOLLOWED = 500

/** So many logs of pods that have ended are read at once: with more, every one would wait for a new connection. */
const MOST_READ_AT_ONCE = 32

/** Most steps are over in a moment, and their logs are read then: a log that is followed takes a connection of its own. */
const FOLLOW_AFTER_MS = 100

/** A log ends with its container; one that does not is cut off so long after the pod. */
const PATIENCE_MS = 10_000

/** A node ends a pod that is to go at once in a moment, and says so; one that says nothing for so long is not there. */
const SILENCE_MS = 30_000

const BRING_PAUSE_MS = 5000

/** One for all: where none is given, an error with its stack is made for each. */
const ENDED = new Error('the container has ended')

interface FollowedLog {
  done: boolean
  log?: StepLog
  /** Where it was kept as an artifact. */
  artifact?: Artifact
  /** The container has ended. */
  readonly over: AbortController
  /** It has, long ago. */
  readonly ended: AbortController
  patience?: Timer
}

interface Reading {
  pod: Pod
  note: StepNote
  /** By container. */
  logs: Map<string, FollowedLog>
  /** Until its logs are followed if it still runs. */
  look?: Timer
  /** Until its node is given up. */
  silence?: Timer
  isLasting: boolean
  artifacts?: { artifacts: Artifact[]; troubles: Record<string, string> } | 'fetching'
  bringing?: string
  bringTrouble?: string
  work: Set<Promise<unknown>>
  /** How much of the work waits for time to pass. */
  paused: number
}

export function createStepPods(options: StepPodsOptions): StepPods {
  return new ReadPods(options)
}

class ReadPods implements StepPods {
  readonly #options: StepPodsOptions
  readonly #readings = new Map<string, Reading>()
  readonly #abort = new AbortController()
  readonly #turns = new Turns(MOST_READ_AT_ONCE)
  readonly #words: PendingWords
  #followed = 0

  constructor(options: StepPodsOptions) {
    this.#options = options
    this.#words = createPendingWords(options)
    // Every log that is followed listens to it.
    setMaxListeners(0, this.#abort.signal)
  }

  get reading(): number {
    let count = this.#words.isAsking ? 1 : 0
    for (const { work, paused, pod } of this.#readings.values()) if (work.size > paused && mainHasEnded(pod)) count++
    return count
  }

  get unread(): number {
    return this.#turns.taken
  }

  see(pod: Pod): void {
    const { uid = '', finalizers = [] } = pod.metadata
    if (!finalizers.includes(OUTCOME_FINALIZER)) return
    const reading = this.#readings.get(uid) ?? {
      pod,
      note: readStepNote(pod),
      logs: new Map(),
      isLasting: false,
      work: new Set(),
      paused: 0,
    }
    reading.pod = pod
    this.#readings.set(uid, reading)
    this.#seeContainers(reading)
    this.#words.see(pod)
    for (const [container, entry] of reading.logs) if (containerHasEnded(pod, container)) entry.over.abort(ENDED)
    if (isOver(pod)) this.#cutLogsOff(reading)
    else if (isToGoAtOnce(pod)) this.#awaitNode(reading)
  }

  #cutLogsOff({ logs }: Reading): void {
    for (const entry of logs.values())
      if (!entry.done) entry.patience ??= this.#options.env.clock.schedule(PATIENCE_MS, () => entry.ended.abort(ENDED))
  }

  #awaitNode(reading: Reading): void {
    const { env, onChange } = this.#options
    const left = silentFrom(reading.pod) - env.clock.now()
    reading.silence ??= env.clock.schedule(Math.max(0, left), () => {
      for (const { over } of reading.logs.values()) over.abort(ENDED)
      this.#cutLogsOff(reading)
      onChange(reading.pod)
    })
  }

  #isGivenUp(pod: Pod): boolean {
    return !isOver(pod) && isToGoAtOnce(pod) && this.#options.env.clock.now() >= silentFrom(pod)
  }

  observe(pod: Pod, wasStopped: boolean): ObservedPod {
    const { uid = '', name = '', deletionTimestamp } = pod.metadata
    const reading = this.#readings.get(uid)
    const hasEnded = mainHasEnded(pod)
    if (deletionTimestamp !== undefined && !wasStopped && !isOver(pod) && !hasEnded && isUnscheduled(pod))
      return neverHadNode(pod) ? { name, phase: 'Pending', isUnstarted: true } : { name, phase: 'Gone' }
    if (!hasEnded && this.#isGivenUp(pod)) return { name, phase: 'Gone' }
    if (!hasEnded) {
      const live = livePod(pod)
      const words = reading?.bringTrouble ?? this.#words.of(pod)
      return words === undefined ? live : { ...live, message: words }
    }
    // Nothing is known of it any more, but its outcome was recorded.
    if (!reading) return endedPod(pod, readStepNote(pod), {})
    if (!this.#isComplete(reading)) return { ...livePod(pod), phase: 'Running', isBeingRead: true }
    const main =
      reading.logs.get('main')?.log ??
      mainsOf(pod)
        .map(of => reading.logs.get(of)?.log)
        .find(Boolean)
    const fetched = reading.artifacts === 'fetching' ? undefined : reading.artifacts
    const archived = [...reading.logs.values()].flatMap(({ artifact }) => artifact ?? [])
    const ended = endedPod(pod, reading.note, {
      ...(main && { log: main }),
      ...((fetched || archived.length > 0) && { artifacts: [...(fetched?.artifacts ?? []), ...archived] }),
      ...(fetched && { artifactTroubles: fetched.troubles }),
    })
    const wasDeleted = !wasStopped && endedByDeletion(pod, ended)
    return wasDeleted ? { name, phase: 'Gone' } : ended
  }

  isBeingRead(pod: Pod): boolean {
    const reading = this.#readings.get(pod.metadata.uid ?? '')
    return reading !== undefined && mainHasEnded(pod) && reading.work.size > 0 && !this.#isComplete(reading)
  }

  isRead(pod: Pod): boolean {
    const reading = this.#readings.get(pod.metadata.uid ?? '')
    if (!reading) return true
    const isUnstarted = pod.metadata.deletionTimestamp !== undefined && isUnscheduled(pod)
    if (!isOver(pod) && !isUnstarted && !this.#isGivenUp(pod)) return false
    return reading.work.size === 0
  }

  forget(uid: string): void {
    this.#words.forget(uid)
    const reading = this.#readings.get(uid)
    reading?.look?.cancel()
    reading?.silence?.cancel()
    for (const { over } of reading?.logs.values() ?? []) over.abort(ENDED)
    this.#readings.delete(uid)
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('the engine is stopping'))
    await this.#words.stop()
    for (const { look, silence } of this.#readings.values()) {
      look?.cancel()
      silence?.cancel()
    }
    await Promise.allSettled([...this.#readings.values()].flatMap(({ work }) => [...work]))
  }

  /** The logs of everything that does the step's work are read to their end, and what it holds was fetched. */
  #isComplete({ pod, logs, artifacts }: Reading): boolean {
    if (artifacts === 'fetching') return false
    const mains = mainsOf(pod).filter(name => hasRun(pod, name))
    return mains.every(name => logs.get(name)?.done === true)
  }

  #seeContainers(reading: Reading): void {
    const { initContainerStatuses = [], containerStatuses = [] } = reading.pod.status ?? {}
    for (const status of [...initContainerStatuses, ...containerStatuses]) this.#seeContainer(reading, status)
  }

  #seeContainer(reading: Reading, { name, state, containerID }: ContainerStatus): void {
    if (name === INPUTS_CONTAINER) {
      if (state?.running && reading.bringing !== containerID) {
        reading.bringing = containerID ?? ''
        this.#bring(reading)
      }
      return
    }
    if (!state?.running && !state?.terminated) return
    // One that never ran has no log.
    if (state.terminated && !hasRun(reading.pod, name)) return
    if (reading.logs.has(name)) return
    const isHolding = reading.note.outputs?.artifacts !== undefined
    if (!state.terminated && !isHolding && !this.#mayFollow(reading)) return
    // One that runs on would keep others waiting.
    this.#follow(reading, name, state.terminated && !isHolding ? () => this.#turns.take() : undefined)
  }

  #mayFollow(reading: Reading): boolean {
    // What is left in it is ended with the pod, and its log goes with both.
    if (isLingering(reading.pod)) reading.isLasting = true
    if (reading.isLasting) return this.#followed < MOST_FOLLOWED
    reading.look ??= this.#options.env.clock.schedule(FOLLOW_AFTER_MS, () => {
      reading.isLasting = true
      this.#seeContainers(reading)
    })
    return false
  }

  #follow(reading: Reading, container: string, turn: (() => Promise<() => void>) | undefined): void {
    const { env, client, logs, onLog } = this.#options
    const { pod } = reading
    const { namespace = '', name = '', uid = '', annotations = {}, ownerReferences = [] } = pod.metadata
    const run = ownerReferences.find(({ controller }) => controller === true)?.uid ?? uid
    const step = annotations[ANNOTATION.nodeId] ?? name
    const entry: FollowedLog = { done: false, over: new AbortController(), ended: new AbortController() }
    reading.logs.set(container, entry)
    const isMain = mainsOf(pod).includes(container)
    this.#followed++
    const chunks: LogChunk[] = []
    const onChunk = onLog(pod, container)
    const follow = async () => {
      try {
        entry.log = await followStepLog({
          env,
          client,
          pod: { namespace, name },
          container,
          nonce: isMain ? annotations[ANNOTATION.frames] : undefined,
          writer: openStepLog({
            logs,
            log: { run, step, container },
            attempt: attemptOf(pod),
            onChunk(chunk, offset) {
              if (isMain) chunks.push(chunk)
              onChunk(chunk, offset)
            },
          }),
          isSilent: isSilent(pod),
          onHeld: pid => this.#fetch(reading, { pid, over: entry.over.signal }),
          onPause: isWaiting => {
            reading.paused += isWaiting ? 1 : -1
          },
          ...(turn && { turn }),
          over: entry.over.signal,
          ended: entry.ended.signal,
          signal: this.#abort.signal,
        })
        if (entry.log.trouble !== undefined)
          env.log.warn('the log of a step could not be read', {
            pod: `${namespace}/${name}`,
            container,
            why: entry.log.trouble,
          })
        if (isMain && (reading.note.archivesLogs || (await this.#options.artifacts.archivesLogs(pod))))
          await this.#archive(reading, container, entry, chunks)
        entry.done = true
      } finally {
        entry.patience?.cancel()
        this.#followed--
      }
    }
    this.#work(reading, follow())
  }

  async #archive({ pod }: Reading, container: string, entry: FollowedLog, chunks: readonly LogChunk[]): Promise<void> {
    const { env, logs, artifacts } = this.#options
    const content = async function* () {
      // The artifact has what the step printed alone.
      let skip = headingOf(attemptOf(pod)).length
      for (const chunk of chunks) {
        const bytes = await logs.read(chunk)
        yield bytes.subarray(skip)
        skip = Math.max(0, skip - bytes.length)
      }
    }
    try {
      entry.artifact = await artifacts.keepLog(pod, container, content(), this.#abort.signal)
    } catch (thrown) {
      this.#abort.signal.throwIfAborted()
      env.log.warn('the log of a step could not be archived', { pod: pod.metadata.name, error: asError(thrown) })
    }
  }

  #fetch(reading: Reading, held: { pid: string; over: AbortSignal }): void {
    if (reading.artifacts !== undefined) return
    reading.artifacts = 'fetching'
    const outputs = reading.note.outputs?.artifacts ?? []
    const fetch = async () => {
      try {
        reading.artifacts = await this.#options.artifacts.fetch(reading.pod, outputs, held, this.#abort.signal)
      } catch (thrown) {
        const why = asError(thrown).message
        const troubles = Object.fromEntries(outputs.map(({ name }) => [name, why]))
        reading.artifacts = { artifacts: [], troubles }
      }
    }
    this.#work(reading, fetch())
  }

  #bring(reading: Reading): void {
    const { env, artifacts, onChange } = this.#options
    const { signal } = this.#abort
    const bring = async () => {
      for (;;) {
        try {
          await artifacts.bring(reading.pod, signal)
          delete reading.bringTrouble
          return
        } catch (thrown) {
          reading.bringTrouble = asError(thrown).message
          // Where the container could not even be told that nothing comes, it waits for ever unless it is tried again.
          if (signal.aborted || !isPassing(thrown) || !isBringing(reading)) return
        }
        onChange(reading.pod)
        await delay(env.clock, BRING_PAUSE_MS, signal)
      }
    }
    this.#work(reading, bring())
  }

  #work(reading: Reading, work: Promise<unknown>): void {
    reading.work.add(work)
    void work
      // An abort: the next engine reads it again.
      .catch(() => {})
      .finally(() => {
        reading.work.delete(work)
        if (!this.#abort.signal.aborted) this.#options.onChange(reading.pod)
      })
  }
}

/** The container that waits for its input artifacts still does. */
const isBringing = ({ pod, bringing }: Reading): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  pod.status?.initContainerStatuses?.some(
    ({ name, state, containerID = '' }) => name === INPUTS_CONTAINER && state?.running && containerID === bringing,
  ) === true

/** Which attempt of its run the pod was made for. */
const attemptOf = ({ metadata: { annotations = {} } }: Pod): number => 1 + Number(annotations[ANNOTATION.retries] ?? 0)

/** Somebody deleted it while it was at work: what it did then is no outcome. */
function endedByDeletion({ metadata }: Pod, { phase, outcome }: ObservedPod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata
  if (deletionTimestamp === undefined) return false
  if (phase !== 'Succeeded') return true
  const askedAt = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return outcome?.finishedAt !== undefined && Date.parse(outcome.finishedAt) > askedAt
}

const isUnscheduled = ({ spec, status }: Pod): boolean =>
  spec?.nodeName === undefined || (status?.containerStatuses ?? []).every(({ state }) => state?.running === undefined)

/** Its node has seen that nothing was printed in it. Other nodes than ours do not say so, and are asked for the log. */
const isSilent = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === SILENT_CONDITION && is === 'True') === true

/** Whoever deleted it waits for nobody. */
const isToGoAtOnce = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

const silentFrom = ({ metadata }: Pod): number => Date.parse(metadata.deletionTimestamp ?? '') + SILENCE_MS

/** It does not run any more, or nobody would say so if it did. */
function containerHasEnded(pod: Pod, name: string): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  const status = [...initContainerStatuses, ...containerStatuses].find(is => is.name === name)
  return isOver(pod) || status?.state?.terminated !== undefined
}

/** A container that was started; one whose start failed has nothing to tell. */
function hasRun({ status }: Pod, name: string): boolean {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const { containerID, state } = statuses.find(is => is.name === name) ?? {}
  return (
    state?.running !== undefined || (state?.terminated !== undefined && containerID !== undefined && containerID !== '')
  )
}
