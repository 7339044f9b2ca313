import type { NewRecord, ObjectReference, Recorder, RunReference } from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'
import { podName } from '../plan/node-id.ts'
import type { Transition } from '../plan/plan.ts'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import type { NodeStatus, Parameter, Workflow, WorkflowStatus } from '../spec/workflow.ts'
import type { PreciseTimes } from './precise-times.ts'

/** The event that a run began with; a run that nothing but a person started is its own. */
export const traceOf = ({ metadata }: KubeObject): string =>
  metadata.annotations?.[ANNOTATION.event] ?? metadata.uid ?? ''

export const runOf = ({ metadata: { namespace = '', name = '', uid = '' } }: KubeObject): RunReference => ({
  namespace,
  name,
  uid,
})

/** Where records go, and how precisely they tell when. */
export interface RunRecording {
  recorder: Recorder
  times: PreciseTimes
  /** When what is recorded was found out. */
  now: number
}

/** Records that a run changed its phase. */
export function recordRun(recording: RunRecording, workflow: Workflow, status: WorkflowStatus): void {
  const { annotations = {}, labels = {} } = workflow.metadata
  const previous = labels[LABEL.previousWorkflow]
  const template = templateOf(workflow)
  const record: NewRecord = {
    kind: 'run',
    trace: traceOf(workflow),
    run: runOf(workflow),
    phase: status.phase ?? '',
    ...(status.message !== undefined && { message: status.message }),
    ...(annotations[ANNOTATION.action] !== undefined && { action: annotations[ANNOTATION.action] }),
    ...(template !== undefined && { template }),
    ...valuesOf('parameters', workflow.spec.arguments?.parameters),
    ...valuesOf('outputs', status.outputs?.parameters),
    ...(status.progress !== undefined && { progress: status.progress }),
    ...(previous !== undefined && {
      repeats: { namespace: workflow.metadata.namespace ?? '', name: previous, uid: '' },
    }),
    ...timesOf(recording, '', status),
  }
  recording.recorder.record(record)
}

/** Records that steps changed their phase. */
export function recordSteps(recording: RunRecording, workflow: Workflow, transitions: readonly Transition[]): void {
  const trace = traceOf(workflow)
  const run = runOf(workflow)
  for (const { node } of transitions) {
    const isPod = node.type === 'Pod'
    recording.recorder.record({
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
      ...(isPod && {
        pod: podName(run.name, node.name, node.templateName ?? node.templateRef?.template ?? '', node.id),
      }),
      ...(node.outputs?.exitCode !== undefined && { exitCode: Number(node.outputs.exitCode) }),
      ...valuesOf('inputs', node.inputs?.parameters),
      ...valuesOf('outputs', outputsOf(node)),
      ...timesOf(recording, node.id, node),
    })
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

/** A value that is long is in the Workflow's status; a record stays small. */
const LONGEST_VALUE = 8192

function valuesOf<F extends string>(
  field: F,
  parameters: readonly Parameter[] | undefined,
): Partial<Record<F, { name: string; value?: string }[]>> {
  if (!parameters || parameters.length === 0) return {}
  const values = parameters.map(({ name, value }) => ({
    name,
    ...(value !== undefined && value !== null && { value: String(value).slice(0, LONGEST_VALUE) }),
  }))
  return { [field]: values } as Partial<Record<F, { name: string; value?: string }[]>>
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
