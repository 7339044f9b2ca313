import { asError, delay, type Env } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import type { Recorder, RecordPlace } from '@tiphys/journal/records'
import { type Client, kindRef } from '@tiphys/kube'
import { isEnded, isFinal } from '../plan/phase.ts'
import type { Plan, Transition } from '../plan/plan.ts'
import type { NodeStatus, Workflow, WorkflowStatus } from '../spec/workflow.ts'
import { tryAgain } from './passing-trouble.ts'
import type { RunMemory } from './run-memory.ts'
import { type RunNote, readRunNotes, runKey, stepKey } from './run-notes.ts'
import { changedByOthers, isSuspended, newMessages, noteKept, recordRun, recordSteps } from './run-records.ts'

export interface RunHistoryOptions {
  env: Env
  client: Client
  recorder: Recorder
  /** Where the recorder stores; without it nothing is known of what an engine before has left. */
  records: Pick<Journal, 'read'> | undefined
}

/** Records what becomes of runs, so that the end of each is recorded, once, whenever the engine dies: that a run is under way is on
 *  stable storage before its end is stored in the cluster, and the record of that end takes it back. What is still under way when an
 *  engine starts has ended unrecorded, was deleted, or goes on. */
export interface RunHistory {
  /** Reads what the engine before has left, and which cluster this is once it answers. Before that nothing is to be recorded. */
  learn(isThere: Promise<unknown>): Promise<void>
  /** Records what an engine before has stored of a run and not recorded. Comes before all else that is recorded of it. */
  catchUp(workflow: Workflow, memory: RunMemory): void
  /** Something of the run is to be caught up with. */
  owes(uid: string): boolean
  /** A run that was over is tried again. */
  recordBeginning(workflow: Workflow, memory: RunMemory): void
  record(workflow: Workflow, planned: Plan, memory: RunMemory): void
  /** Records that somebody has suspended the run as a whole, or resumed it: no plan changes because of that. */
  recordSuspension(workflow: Workflow, memory: RunMemory): void
  /** Resolves when the end of the run may be stored in the cluster. */
  mayEnd(workflow: Workflow, memory: RunMemory): Promise<void>
  /** Resolves when the run may be deleted: that it has ended is on stable storage. */
  mayGo(uid: string): Promise<void>
  /** What is known of runs of this cluster that are under way and not there. */
  missing(isThere: (run: { namespace: string; name: string; uid: string }) => boolean): readonly RunNote[]
  /** The Workflow was deleted while nobody looked. */
  recordGone(note: RunNote): void
}

export function createRunHistory(options: RunHistoryOptions): RunHistory {
  return new JournalHistory(options)
}

/** A journal that takes nothing may keep records from being stored, and no run from ending. */
const PATIENCE_MS = 5000
const MOST_TRIES = 6
const GONE = 'the Workflow was deleted while no engine ran: how it ended is not known'

class JournalHistory implements RunHistory {
  readonly #options: RunHistoryOptions
  #notes = new Map<string, RunNote>()
  #cluster: string | undefined
  /** What is under way is known, so that a run without a note was not noted. */
  #isInformed = false
  /** Runs whose recorded end is not on stable storage yet. */
  readonly #ending = new Set<string>()

  constructor(options: RunHistoryOptions) {
    this.#options = options
  }

  async learn(isThere: Promise<unknown>): Promise<void> {
    const { env, client, records } = this.#options
    if (!records) return void (await isThere)
    await Promise.all([
      this.#read(records),
      isThere.then(async () => {
        this.#cluster = await uidOfCluster(env, client)
      }),
    ])
  }

  async #read(records: Pick<Journal, 'read'>): Promise<void> {
    try {
      this.#notes = await readRunNotes(records)
      this.#isInformed = true
    } catch (thrown) {
      const error = asError(thrown)
      this.#options.env.log.warn('what the last engine did not record is not made up for', { error })
    }
  }

  catchUp(workflow: Workflow, memory: RunMemory): void {
    if (memory.note) return
    const { uid = '' } = workflow.metadata
    const { status = {} } = workflow
    const note = this.#notes.get(uid)
    // One that has ended and has no note is recorded; one that is under way has ended before, or was not recorded at all.
    if (!note && (!this.#isInformed || !status.phase || isFinal(status.phase))) return
    this.#notes.delete(uid)
    if (note) memory.note = { key: runKey(uid, note.cluster), isStored: true }
    const missed: Transition[] = []
    for (const node of Object.values(status.nodes ?? {})) {
      const known = note?.steps.get(node.id)
      if (known !== 'ended' && isEnded(node.phase)) missed.push({ node, from: undefined })
      else if (known !== undefined) memory.recordedPhases.set(node.id, known === 'ended' ? node.phase : known.phase)
    }
    this.#recordSteps(workflow, missed, memory)
    noteKept(workflow, memory.recordedPhases)
    if (!note || isFinal(status.phase)) this.#recordRun(workflow, status, memory)
  }

  owes(uid: string): boolean {
    return this.#notes.has(uid)
  }

  recordBeginning(workflow: Workflow, memory: RunMemory): void {
    this.#recordRun(workflow, workflow.status ?? {}, memory)
  }

  record(workflow: Workflow, planned: Plan, memory: RunMemory): void {
    const { phase, progress } = workflow.status ?? {}
    this.#recordSteps(
      workflow,
      [
        ...changedByOthers(workflow, planned.transitions, memory.recordedPhases),
        ...newMessages(workflow, planned),
        ...planned.transitions,
      ],
      memory,
    )
    if (phase !== planned.status.phase || progress !== planned.status.progress)
      this.#recordRun(workflow, planned.status, memory)
    else this.recordSuspension(workflow, memory)
  }

  recordSuspension(workflow: Workflow, memory: RunMemory): void {
    const { status = {} } = workflow
    if (status.phase === 'Running' && isSuspended(workflow) !== (memory.isSuspended ?? false))
      this.#recordRun(workflow, status, memory)
  }

  async mayEnd(workflow: Workflow, memory: RunMemory): Promise<void> {
    if (!memory.note) {
      const { status } = workflow
      this.#recordRun(workflow, { ...status, phase: status?.phase || 'Pending' }, memory)
    }
    if (memory.note?.isStored === false) await this.#stored()
  }

  async mayGo(uid: string): Promise<void> {
    if (this.#ending.has(uid)) await this.#stored()
  }

  missing(isThere: (run: { namespace: string; name: string; uid: string }) => boolean): readonly RunNote[] {
    return [...this.#notes.values()].filter(
      ({ cluster, run: { run } }) => cluster !== undefined && cluster === this.#cluster && !isThere(run),
    )
  }

  recordGone({ cluster, run, steps }: RunNote): void {
    const { env, recorder } = this.#options
    const { uid } = run.run
    if (!this.#notes.delete(uid)) return
    const at = env.clock.now()
    const end = { at, phase: 'Failed', message: GONE, finishedAt: at }
    for (const step of steps.values())
      if (step !== 'ended') recorder.record({ ...step, ...end }, { key: stepKey(uid, step.step), deleted: true })
    recorder.record({ ...run, ...end }, { key: runKey(uid, cluster), deleted: true })
  }

  #recordSteps(workflow: Workflow, transitions: readonly Transition[], { times }: RunMemory): void {
    const { env, recorder } = this.#options
    recordSteps({ recorder, times, now: env.clock.now() }, workflow, transitions)
  }

  #recordRun(workflow: Workflow, status: WorkflowStatus, memory: RunMemory): void {
    const { env, recorder } = this.#options
    const { uid = '' } = workflow.metadata
    const isOver = isFinal(status.phase)
    const key = memory.note?.key ?? runKey(uid, this.#cluster)
    const place: RecordPlace | undefined = isOver ? { key, deleted: true } : memory.note ? undefined : { key }
    const recording = { recorder, times: memory.times, now: env.clock.now() }
    // No end of theirs will come.
    const open = isOver ? Object.values(status.nodes ?? {}).filter(({ phase }) => !isEnded(phase)) : []
    recordSteps(recording, workflow, open.map(unchanged), { areLast: true })
    recordRun(recording, workflow, status, place)
    memory.isSuspended = isSuspended(workflow)
    if (isOver) {
      delete memory.note
      this.#ending.add(uid)
      void recorder.settled({ isPatient: true }).then(() => this.#ending.delete(uid))
    } else if (place) {
      const note = { key, isStored: false }
      memory.note = note
      void recorder.settled({ isPatient: true }).then(() => {
        note.isStored = true
      })
    }
  }

  async #stored(): Promise<void> {
    const { env, recorder } = this.#options
    const patience = new AbortController()
    const isLate = delay(env.clock, PATIENCE_MS, patience.signal).catch(() => {}) // Nobody waits any more.
    await Promise.race([recorder.settled(), isLate])
    patience.abort()
  }
}

const unchanged = (node: NodeStatus): Transition => ({ node, from: node.phase })

/** Runs of one cluster are not gone because another one does not have them. Undefined when that may not be asked. */
async function uidOfCluster(env: Env, client: Client): Promise<string | undefined> {
  const selection = { ...kindRef('v1', 'Namespace'), fieldSelector: 'metadata.name=kube-system' }
  try {
    const { items } = await tryAgain({ clock: env.clock, most: MOST_TRIES }, () => client.list(selection))
    return items[0]?.metadata.uid
  } catch (thrown) {
    env.log.debug(
      'the cluster does not tell which one it is: deleted runs are found out about only while they are watched',
      {
        error: asError(thrown),
      },
    )
    return undefined
  }
}
