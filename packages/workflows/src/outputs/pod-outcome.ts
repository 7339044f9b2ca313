import type { ContainerStateTerminated, ContainerStatus, Pod } from '@tiphys/kube/kinds'
import type { ObservedContainer, ObservedPod, StepOutcome } from '../plan/plan.ts'
import type { StepNote } from '../pods/step-note.ts'
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

/** Whether everything that does the step's work has ended; sidecars may still run. */
export function mainHasEnded(pod: Pod): boolean {
  if (isOver(pod)) return true
  const statuses = pod.status?.containerStatuses ?? []
  const containers = pod.spec?.containers ?? []
  return (
    containers.length > 0 && containers.every(({ name }) => statuses.find(is => is.name === name)?.state?.terminated)
  )
}

/** A pod that has not ended, as planning sees it. */
export function livePod(pod: Pod): ObservedPod {
  const { status } = pod
  const message = status?.phase === 'Pending' || status?.phase === undefined ? pendingReason(pod) : undefined
  return {
    name: pod.metadata.name ?? '',
    phase: status?.phase === 'Running' ? 'Running' : 'Pending',
    ...(message !== undefined && { message }),
    ready: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    ...placeOf(pod),
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
    ...(TRANSIENT_REASONS.includes(pod.status?.reason ?? '') && { transient: true }),
    ...outputsOf(pod, note, read),
  }
  return { name: pod.metadata.name ?? '', phase: ended.phase, outcome, ...placeOf(pod), ...containersOf(pod) }
}

function placeOf({ status, spec }: Pod) {
  return {
    ...(status?.podIP !== undefined && { podIP: status.podIP }),
    ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    ...(status?.startTime !== undefined && { startedAt: status.startTime }),
  }
}

function containersOf({ spec, status }: Pod): { containers?: Record<string, ObservedContainer> } {
  if ((spec?.containers.length ?? 0) < 2) return {}
  const entries = (status?.containerStatuses ?? []).map(({ name, state }) => [name, observedContainer(state)] as const)
  return { containers: Object.fromEntries(entries) }
}

function observedContainer({
  running,
  terminated,
  waiting,
}: NonNullable<ContainerStatus['state']> = {}): ObservedContainer {
  if (terminated) {
    const { exitCode, startedAt, finishedAt } = terminated
    return {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      exitCode,
      ...(exitCode !== 0 && { message: describe(terminated) }),
      ...(startedAt !== undefined && { startedAt }),
      ...(finishedAt !== undefined && { finishedAt }),
    }
  }
  if (running) return { phase: 'Running', ...(running.startedAt !== undefined && { startedAt: running.startedAt }) }
  return { phase: 'Pending', ...(waiting?.message !== undefined && { message: waiting.message }) }
}

/** Why a pod is not running yet, in Kubernetes' own words. */
function pendingReason({ status }: Pod): string | undefined {
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
function outcomePhase({ status, spec }: Pod): Ended {
  const statuses = status?.containerStatuses ?? []
  const mains = (spec?.containers ?? []).flatMap(({ name }) => {
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
  if (mains.length > 0 && !failed && mains.length === spec?.containers.length)
    return { phase: 'Succeeded', ...exit, ...at }
  if (status?.message) return { phase: 'Failed', message: status.message, ...exit, ...at }
  const init = status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  if (init?.state?.terminated && !failed) {
    const { terminated } = init.state
    const why = `${init.name}: ${describe(terminated)}`
    // What brings the artifacts says in words what went wrong.
    if (init.name.startsWith('tiphys-')) return { phase: 'Error', message: lastLine(terminated.message) ?? why, ...at }
    return { phase: 'Failed', message: why, ...at }
  }
  if (failed) return { phase: 'Failed', message: describe(failed.terminated), ...exit, ...at }
  return { phase: 'Error', message: status?.reason ?? 'the pod ended without a word', ...at }
}

const lastLine = (text = ''): string | undefined => text.trim().split('\n').at(-1) || undefined

function describe({ reason, exitCode, message }: ContainerStateTerminated): string {
  const text = `${reason ?? 'Error'} (exit code ${exitCode})`
  return message ? `${text}: ${message}` : text
}

function outputsOf(
  pod: Pod,
  { outputs, needsResult, usesMessage }: StepNote,
  { log, artifacts, artifactTroubles = {} }: ReadOutputs,
): Partial<StepOutcome> {
  const parameters: Record<string, string> = {}
  const missing: Record<string, string> = { ...artifactTroubles }
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    if (valueFrom?.path === undefined) continue
    if (usesMessage) {
      readTerminationMessage(pod, name, parameters, missing)
      continue
    }
    const frame = log?.frames.find(({ name: of }) => of === `parameter:${name}`)
    if (frame?.type === 'content' && frame.content.length <= MAX_OUTPUT_BYTES)
      parameters[name] = withoutNewline(frame.content.toString())
    else missing[name] = whyMissing(valueFrom.path, frame, log?.trouble)
  }
  const result = needsResult ? resultOf(log) : undefined
  return {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(Object.keys(missing).length > 0 && { missing }),
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

function readTerminationMessage(
  { status }: Pod,
  name: string,
  parameters: Record<string, string>,
  missing: Record<string, string>,
): void {
  const main = status?.containerStatuses?.find(is => is.name === 'main') ?? status?.containerStatuses?.[0]
  const message = main?.state?.terminated?.message
  if (message === undefined || message === '') missing[name] = 'the termination message is empty'
  else if (Buffer.byteLength(message) >= TERMINATION_MESSAGE_BYTES)
    missing[name] =
      `the termination message has ${TERMINATION_MESSAGE_BYTES} bytes or more, and Kubernetes keeps no more than that; use an image with sh, or an artifact`
  else parameters[name] = withoutNewline(message)
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
