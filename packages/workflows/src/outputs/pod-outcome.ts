import type { ContainerStateTerminated, ContainerStatus, Pod } from '@tiphys/kube/kinds'
import type { ObservedContainer, ObservedPod, StepOutcome } from '../plan/plan.ts'
import { resourcesDurationOf } from '../pods/resources-duration.ts'
import { mainsOf, readStepNote, type StepNote } from '../pods/step-note.ts'
import type { Artifact } from '../spec/workflow.ts'
import { MAX_OUTPUT_BYTES } from './output-limit.ts'
import type { StepLog } from './step-log.ts'

/** Kubernetes keeps the last so many bytes of a termination message, and does not say that there were more. */
const TERMINATION_MESSAGE_BYTES = 4096
const TRANSIENT_REASONS = ['Evicted', 'NodeLost', 'NodeShutdown', 'Preempting', 'Shutdown', 'UnexpectedAdmissionError']

/** What was read of a pod that has ended. */
export interface ReadOutputs {
  log?: StepLog
  artifacts?: readonly Artifact[]
  /** Why an artifact could not be stored, by its name. */
  artifactTroubles?: Readonly<Record<string, string>>
}

export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

/** Nothing of it can have run. Once it is deleted it gets none any more. */
export const neverHadNode = ({ spec }: Pod): boolean => (spec?.nodeName ?? '') === ''

/** Whether everything that does the step's work has ended; sidecars may still run. */
export function mainHasEnded(pod: Pod): boolean {
  if (isOver(pod)) return true
  const mains = mainsOf(pod)
  return mains.length > 0 && mains.every(name => hasTerminated(pod, name))
}

/** Whether the step's work is over, and containers that are not its own keep the pod from ending. Sidecars of the manifest do
 *  not: Kubernetes ends them. */
export function isLingering(pod: Pod): boolean {
  if (isOver(pod) || !mainHasEnded(pod)) return false
  return pod.spec?.containers.some(({ name }) => !hasTerminated(pod, name)) === true
}

const hasTerminated = ({ status }: Pod, container: string): boolean =>
  status?.containerStatuses?.find(({ name }) => name === container)?.state?.terminated !== undefined

/** A pod that has not ended, as planning sees it. */
export function livePod(pod: Pod): ObservedPod {
  const { status } = pod
  const message = status?.phase === 'Pending' || status?.phase === undefined ? pendingReason(pod) : undefined
  return {
    name: pod.metadata.name ?? '',
    phase: status?.phase === 'Running' ? 'Running' : 'Pending',
    ...(message !== undefined && { message }),
    ready: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    ...traitsOf(pod),
    ...containersOf(pod),
  }
}

/** A pod that has ended, and whose outputs were read. */
export function endedPod(pod: Pod, note: StepNote, read: ReadOutputs): ObservedPod {
  const ended = outcomePhase(pod)
  const outcome: StepOutcome = {
    ...(ended.finishedAt !== undefined && { finishedAt: ended.finishedAt }),
    ...(ended.exitCode !== undefined && { exitCode: ended.exitCode }),
    ...(ended.message !== undefined && { message: ended.message }),
    resourcesDuration: resourcesDurationOf(pod),
    ...(TRANSIENT_REASONS.includes(pod.status?.reason ?? '') && { transient: true }),
    ...outputsOf(pod, note, read),
  }
  return {
    name: pod.metadata.name ?? '',
    phase: ended.phase,
    outcome,
    ...(isLingering(pod) && { isLingering: true }),
    ...traitsOf(pod),
    ...containersOf(pod),
  }
}

function traitsOf({ metadata, status, spec }: Pod) {
  return {
    ...(metadata.labels !== undefined && { labels: metadata.labels }),
    ...(status?.podIP !== undefined && { podIP: status.podIP }),
    ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    ...(status?.startTime !== undefined && { startedAt: status.startTime }),
  }
}

/** How the containers of a containerSet are, also of a set of one. */
function containersOf(pod: Pod): { containers?: Record<string, ObservedContainer> } {
  const { mains } = readStepNote(pod)
  if (mains === undefined) return {}
  const entries = (pod.status?.containerStatuses ?? [])
    .filter(({ name }) => mains.includes(name))
    .map(({ name, state }) => [name, observedContainer(name, state)] as const)
  return { containers: Object.fromEntries(entries) }
}

function observedContainer(
  name: string,
  { running, terminated, waiting }: NonNullable<ContainerStatus['state']> = {},
): ObservedContainer {
  if (terminated) {
    const { exitCode, startedAt, finishedAt } = terminated
    return {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      exitCode,
      ...(exitCode !== 0 && { message: describe(name, terminated) }),
      ...(startedAt !== undefined && { startedAt }),
      ...(finishedAt !== undefined && { finishedAt }),
    }
  }
  if (running) return { phase: 'Running', ...(running.startedAt !== undefined && { startedAt: running.startedAt }) }
  return { phase: 'Pending', ...(waiting?.message !== undefined && { message: waiting.message }) }
}

/** Why a pod is not running yet, in Kubernetes' own words. */
export function pendingReason({ status }: Pod): string | undefined {
  for (const { state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const { reason, message } = state?.waiting ?? {}
    if (reason === undefined || reason === 'PodInitializing' || reason === 'ContainerCreating') continue
    return message ? `${reason}: ${message}` : reason
  }
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  return unscheduled && [unscheduled.reason, unscheduled.message].filter(Boolean).join(': ')
}

interface Ended {
  phase: 'Succeeded' | 'Failed' | 'Error'
  exitCode?: number
  message?: string
  finishedAt?: string
}

/** As upstream judges it: the main containers decide; a sidecar that was ended by us does not count. */
function outcomePhase(pod: Pod): Ended {
  const { status } = pod
  const statuses = status?.containerStatuses ?? []
  const names = mainsOf(pod)
  const mains = names.flatMap(name => {
    const terminated = statuses.find(is => is.name === name)?.state?.terminated
    return terminated ? [{ name, terminated }] : []
  })
  const finishedAt = mains
    .map(({ terminated }) => terminated.finishedAt)
    .filter(time => time !== undefined)
    .toSorted()
    .at(-1)
  const at = finishedAt === undefined ? {} : { finishedAt }
  const main = mains.find(({ name }) => name === 'main') ?? mains[0]
  const failed = mains.find(({ terminated }) => terminated.exitCode !== 0)
  const exit = main ? { exitCode: main.terminated.exitCode } : {}
  if (mains.length > 0 && !failed && mains.length === names.length) return { phase: 'Succeeded', ...exit, ...at }
  if (status?.message) return { phase: 'Failed', message: status.message, ...exit, ...at }
  const init = status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  if (init?.state?.terminated && !failed) {
    const { terminated } = init.state
    const why = describe(init.name, terminated)
    // What brings the artifacts says in words what went wrong.
    if (init.name.startsWith('tiphys-')) return { phase: 'Error', message: lastLine(terminated.message) ?? why, ...at }
    return { phase: 'Failed', message: why, ...at }
  }
  if (failed) return { phase: 'Failed', message: describe(failed.name, failed.terminated), ...exit, ...at }
  return { phase: 'Error', message: status?.reason ?? 'the pod ended without a word', ...at }
}

const lastLine = (text = ''): string | undefined => text.trim().split('\n').at(-1) || undefined

function describe(name: string, { reason, exitCode, message }: ContainerStateTerminated): string {
  const text = `${name}: ${reason ?? 'Error'} (exit code ${exitCode})`
  return message ? `${text}: ${message}` : text
}

function outputsOf(
  pod: Pod,
  { outputs, needsResult, usesMessage }: StepNote,
  { log, artifacts, artifactTroubles = {} }: ReadOutputs,
): Partial<StepOutcome> {
  const parameters: Record<string, string> = {}
  const missing: Record<string, string> = { ...artifactTroubles }
  const unreadable: string[] = []
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    if (valueFrom?.path === undefined) continue
    if (usesMessage) {
      const message = terminationMessage(pod)
      if (message === '') missing[name] = 'the termination message is empty'
      else if (Buffer.byteLength(message) < TERMINATION_MESSAGE_BYTES) parameters[name] = withoutNewline(message)
      else {
        missing[name] = CUT_MESSAGE
        unreadable.push(name)
      }
      continue
    }
    const frame = log?.frames.find(({ name: of }) => of === `parameter:${name}`)
    if (frame?.type === 'content' && frame.content.length <= MAX_OUTPUT_BYTES)
      parameters[name] = withoutNewline(frame.content.toString())
    else {
      missing[name] = whyMissing(valueFrom.path, frame, log?.trouble)
      if (isThere(frame, log?.trouble)) unreadable.push(name)
    }
  }
  const result = needsResult ? resultOf(log) : undefined
  return {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(Object.keys(missing).length > 0 && { missing }),
    ...(unreadable.length > 0 && { unreadable }),
    ...(result !== undefined && { result }),
    ...(artifacts !== undefined && { artifacts }),
  }
}

function whyMissing(path: string, frame: StepLog['frames'][number] | undefined, trouble: string | undefined): string {
  if (frame?.type === 'content') return `${path} has more than ${MAX_OUTPUT_BYTES} bytes; use an artifact for it`
  if (frame?.type === 'missing') return `${path} was not there when the command had ended`
  if (frame?.type === 'unreadable') return `${path} is no file that can be read`
  if (trouble !== undefined) return `${path} was not read, because the log could not be: ${trouble}`
  return `${path} was not read, because the container ended before it could be`
}

/** Whether there is, or may be, something where the parameter is to be. */
function isThere(frame: StepLog['frames'][number] | undefined, trouble: string | undefined): boolean {
  return frame === undefined ? trouble !== undefined : frame.type !== 'missing'
}

const CUT_MESSAGE = `the termination message has ${TERMINATION_MESSAGE_BYTES} bytes or more, and Kubernetes keeps no more than that; use an image with sh, or an artifact`

function terminationMessage(pod: Pod): string {
  const mains = mainsOf(pod)
  const name = mains.find(is => is === 'main') ?? mains[0]
  const main = pod.status?.containerStatuses?.find(is => is.name === name)
  return main?.state?.terminated?.message ?? ''
}

/** The standard output where it was kept apart, else everything that was printed; too much is cut, as upstream does. */
function resultOf(log: StepLog | undefined): string | undefined {
  if (!log) return undefined
  const frame = log.frames.find(({ type, name }) => type === 'content' && name === 'result')
  const bytes = frame ? frame.content : Buffer.from(log.text)
  if (!frame && log.trouble !== undefined && bytes.length === 0) return undefined
  const text = withoutNewline(bytes.toString())
  return bytes.length > MAX_OUTPUT_BYTES ? text.slice(0, MAX_OUTPUT_BYTES - 1) : text
}

const withoutNewline = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)
