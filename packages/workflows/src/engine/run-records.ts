import {
  failedStep,
  GIVEN,
  type Given,
  hiddenValues,
  type NewRecord,
  type ObjectReference,
  type Recorder,
  type RecordPlace,
  type RunReference,
} from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'
import { referenceTo } from '../artifacts/artifact-reference.ts'
import { nameForTime } from '../cron/cron-plan.ts'
import { podName } from '../plan/node-id.ts'
import { isEnded } from '../plan/phase.ts'
import type { Plan, Transition } from '../plan/plan.ts'
import { isExecutable } from '../plan/progress.ts'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import type { NodeStatus, Parameter, Workflow, WorkflowStatus } from '../spec/workflow.ts'
import type { PreciseTimes } from './precise-times.ts'
import { stepKey } from './run-notes.ts'

/** The event that a run began with; a run that nothing but a person started is its own. */
export const traceOf = ({ metadata }: KubeObject): string =>
  metadata.annotations?.[ANNOTATION.event] ?? metadata.uid ?? ''

export const runOf = ({ metadata: { namespace = '', name = '', uid = '' } }: KubeObject): RunReference => ({
  namespace,
  name,
  uid,
})

/** Somebody has suspended it as a whole. */
export const isSuspended = ({ spec }: Workflow): boolean => spec.suspend === true

/** Where records go, and how precisely they tell when. */
export interface RunRecording {
  recorder: Recorder
  times: PreciseTimes
  /** When what is recorded was found out. */
  now: number
}

/** Records that a run changed its phase. */
export function recordRun(
  recording: RunRecording,
  workflow: Workflow,
  status: WorkflowStatus,
  place?: RecordPlace,
): void {
  const { annotations = {}, labels = {} } = workflow.metadata
  const previous = labels[LABEL.previousWorkflow]
  const template = templateOf(workflow)
  const scheduledAt = scheduledTimeOf(workflow)
  const record: NewRecord = {
    kind: 'run',
    trace: traceOf(workflow),
    run: runOf(workflow),
    phase: status.phase ?? '',
    ...(status.message !== undefined && { message: status.message }),
    ...causeOf(recording, workflow, status),
    ...(annotations[ANNOTATION.action] !== undefined && { action: annotations[ANNOTATION.action] }),
    ...(template !== undefined && { template }),
    ...valuesOf('parameters', workflow.spec.arguments?.parameters),
    ...valuesOf('outputs', status.outputs?.parameters),
    ...(status.progress !== undefined && { progress: status.progress }),
    ...(isSuspended(workflow) && { isSuspended: true }),
    ...(scheduledAt !== undefined && { scheduledAt }),
    ...(previous !== undefined && {
      repeats: { namespace: workflow.metadata.namespace ?? '', name: previous, uid: '' },
    }),
    ...timesOf(recording, '', status),
    [GIVEN]: givenTo(workflow),
  }
  recording.recorder.record(record, place)
}

/** A run itself mostly says no more than that a child of it failed. One that was told to end says so. */
function causeOf(recording: RunRecording, { metadata, spec }: Workflow, { phase, message, nodes }: WorkflowStatus) {
  if ((phase !== 'Failed' && phase !== 'Error') || spec.shutdown !== undefined) return {}
  const culprit = failedStep(Object.values(nodes ?? {}), node => {
    const { startedAt = recording.now, finishedAt = recording.now } = timesOf(recording, node.id, node)
    return { ...node, parent: node.boundaryID, begun: startedAt, ended: finishedAt }
  })
  if (!culprit || culprit.name === metadata.name || culprit.message === message) return {}
  return { cause: { step: culprit.displayName, message: culprit.message ?? culprit.phase } }
}

/** Changes of steps that no plan sees as changes: who resumes a step or tries a run again changes the status itself. `recorded` has the phases that
 *  are known to be recorded; an engine that begins anew knows none, and records them again. What becomes of pods is always planned. */
export function changedByOthers(
  { status }: Workflow,
  transitions: readonly Transition[],
  recorded: Map<string, string>,
): Transition[] {
  const planned = new Map(transitions.map(({ node }) => [node.id, node]))
  const changed = Object.values(status?.nodes ?? {}).filter(
    ({ id, type, phase }) => type !== 'Pod' && phase !== recorded.get(id) && !planned.has(id),
  )
  for (const { id, type, phase } of [...changed, ...planned.values()]) if (type !== 'Pod') recorded.set(id, phase)
  return changed.map(node => ({ node, from: undefined }))
}

/** A run is tried again: what it keeps is over and was recorded when it was known how long it took. A status has whole seconds. */
export function noteKept({ status }: Workflow, recorded: Map<string, string>): void {
  for (const { id, phase } of Object.values(status?.nodes ?? {})) if (isEnded(phase)) recorded.set(id, phase)
}

/** Steps that say anew what they wait for: a pod that cannot start, a lock that another holds. */
export function newMessages({ status: before }: Workflow, { status, transitions }: Plan): Transition[] {
  const known = before?.nodes ?? {}
  const told = new Set(transitions.map(({ node }) => node.id))
  return Object.values(status.nodes ?? {}).flatMap(node => {
    const old = known[node.id]
    const isNew = old !== undefined && old !== node && old.phase === node.phase && old.message !== node.message
    return isNew && !told.has(node.id) ? [{ node, from: node.phase }] : []
  })
}

/** Records that steps changed their phase. `areLast`: nothing more will be recorded of them, whether they have ended or not. */
export function recordSteps(
  recording: RunRecording,
  workflow: Workflow,
  transitions: readonly Transition[],
  { areLast = false } = {},
): void {
  const trace = traceOf(workflow)
  const run = runOf(workflow)
  const given = givenTo(workflow)
  for (const { node } of transitions) {
    const isPod = node.type === 'Pod'
    const place = { key: stepKey(run.uid, node.id), deleted: areLast || isEnded(node.phase) }
    const record: NewRecord = {
      kind: 'step',
      trace,
      run,
      step: node.id,
      name: node.name,
      type: node.type,
      phase: node.phase,
      attempt: attemptOf(node),
      displayName: node.displayName,
      ...(node.message !== undefined && { message: node.message }),
      ...(node.templateName !== undefined && { template: node.templateName }),
      ...(node.boundaryID !== undefined && { parent: node.boundaryID }),
      ...(node.children !== undefined && { children: node.children }),
      ...(attemptOf(node) > 1 && { replaces: replacedBy(node, Object.values(workflow.status?.nodes ?? {})) }),
      ...(isPod && {
        pod: podName(run.name, node.name, node.templateName ?? node.templateRef?.template ?? '', node.id),
      }),
      ...(node.outputs?.exitCode !== undefined && { exitCode: Number(node.outputs.exitCode) }),
      ...valuesOf('inputs', node.inputs?.parameters),
      ...valuesOf('outputs', outputsOf(node)),
      ...(node.inputs?.artifacts && { inputArtifacts: node.inputs.artifacts.map(referenceTo) }),
      ...(node.outputs?.artifacts && { outputArtifacts: node.outputs.artifacts.map(referenceTo) }),
      ...timesOf(recording, node.id, node),
      [GIVEN]: given,
    }
    recording.recorder.record(record, place)
  }
}

export const referenceOf = ({ apiVersion, kind, metadata }: KubeObject): ObjectReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  ...(metadata.uid !== undefined && { uid: metadata.uid }),
})

function outputsOf({ outputs }: NodeStatus): Parameter[] {
  const { parameters = [], result } = outputs ?? {}
  return result === undefined ? parameters : [...parameters, { name: 'result', value: result }]
}

/** Retries are children of a Retry node, called `name(0)`, `name(1)`, … */
function attemptOf({ name, nodeFlag }: NodeStatus): number {
  const number = nodeFlag?.retried ? /\((\d+)\)$/.exec(name)?.[1] : undefined
  return number === undefined ? 1 : Number(number) + 1
}

/** What did something in the attempt before: itself, or what is inside of it. */
function replacedBy(node: NodeStatus, nodes: readonly NodeStatus[]): string[] {
  const name = node.name.replace(/\(\d+\)$/, `(${attemptOf(node) - 2})`)
  const inside = new Set(nodes.filter(each => each.name === name).map(({ id }) => id))
  for (let known = -1; known !== inside.size; ) {
    known = inside.size
    for (const { id, boundaryID = '' } of nodes) if (inside.has(boundaryID)) inside.add(id)
  }
  return nodes.filter(({ id, type }) => inside.has(id) && isExecutable(type)).map(({ id }) => id)
}

/** What the mask of records has to know. Values that are cut do not tell whether they are a Secret. */
export function givenTo({ metadata, spec }: Workflow): Given {
  const parameters = textsOf(spec.arguments?.parameters)
  return { parameters, secrets: hiddenValues(metadata.annotations, parameters) }
}

/** A value that is long is in the Workflow's status; a record stays small. */
const LONGEST_VALUE = 8192

const textsOf = (parameters: readonly Parameter[] = [], longest?: number) =>
  parameters.map(({ name, value }) => ({
    name,
    ...(value !== undefined && value !== null && { value: String(value).slice(0, longest) }),
  }))

function valuesOf<F extends string>(
  field: F,
  parameters: readonly Parameter[] | undefined,
): Partial<Record<F, { name: string; value?: string }[]>> {
  if (!parameters || parameters.length === 0) return {}
  return { [field]: textsOf(parameters, LONGEST_VALUE) } as Partial<Record<F, { name: string; value?: string }[]>>
}

function timesOf(
  { times, now }: RunRecording,
  id: string,
  { startedAt, finishedAt }: { startedAt?: string | null; finishedAt?: string | null },
): { startedAt?: number; finishedAt?: number } {
  return {
    ...(startedAt && { startedAt: times.of(`${id}/startedAt`, startedAt, now) }),
    ...(finishedAt && { finishedAt: times.of(`${id}/finishedAt`, finishedAt, now) }),
  }
}

function templateOf({ spec, metadata }: Workflow): string | undefined {
  const cron = metadata.labels?.[LABEL.cronWorkflow]
  if (cron !== undefined) return `CronWorkflow/${cron}`
  const { name, clusterScope } = spec.workflowTemplateRef ?? {}
  if (name !== undefined) return `${clusterScope ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'}/${name}`
  return spec.entrypoint
}

/** A run that a CronWorkflow has made is called after its time; one that somebody makes from it has a random end. */
function scheduledTimeOf({ metadata: { name, labels = {}, annotations = {} } }: Workflow): number | undefined {
  const time = Date.parse(annotations[ANNOTATION.scheduledTime] ?? '')
  return name === nameForTime(labels[LABEL.cronWorkflow] ?? '', time) ? time : undefined
}
