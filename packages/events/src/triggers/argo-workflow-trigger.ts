import { Failure, TerminalFailure } from '@tiphys/env'
import { isAlreadyExists, isNotFound, type KubeObject, type ObjectRef, stringifyJson } from '@tiphys/kube'
import type { Problem } from '../problem.ts'
import type { TriggerParameter } from '../sensor/parameters.ts'
import { problemsOf } from '../sources/shape.ts'
import { type ArgoArguments, readArguments, WORKFLOW_OPERATIONS, type WorkflowOperation } from './argo-arguments.ts'
import { awaitLabels } from './k8s-policy.ts'
import { MOST_SALTS, nameTaken, withParameters } from './k8s-trigger.ts'
import { isFields } from './merge.ts'
import { checkObjectSource, fetchObject, OBJECT_SOURCE_SHAPE, type ObjectSource } from './object-source.ts'
import { doneNote, generatedName, isMadeBy, notedParameters, parametersIn, provenanceOf } from './provenance.ts'
import { PARAMETERS_SHAPE, type TriggerHost, type TriggerOutcome, type TriggerType } from './trigger.ts'
import { apiFailure, invalidTrigger } from './trigger-failures.ts'
import type { SubmitOptions, WorkflowControl, WorkflowRef } from './workflow-control.ts'
import { described, originLabels, writtenOf } from './written-object.ts'

/** `argoWorkflow` of a trigger's template, as manifests write it. */
export interface ArgoWorkflowSpec {
  /** The Workflow to submit, or the kind and name of what the operation is about. */
  source?: ObjectSource
  operation?: string
  parameters?: readonly TriggerParameter[]
  /** As the `argo` command takes them; see `argo-arguments.ts`. */
  args?: readonly string[]
}

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' } as const
const SUBMITTABLE = ['WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow']

/** Submits Workflows and controls them. What an operation makes has a name derived from the action's key, so that a repeat
 *  finds it; what it does to a Workflow is noted there. Beyond upstream, parameters reach a Workflow that is made from a
 *  template: they are what the parameters of the trigger set in `spec.arguments` of the source. */
export const argoWorkflowTrigger: TriggerType<ArgoWorkflowSpec> = {
  type: 'argoWorkflow',
  check: spec => [
    ...problemsOf(spec, {
      source: OBJECT_SOURCE_SHAPE,
      operation: 'string',
      parameters: PARAMETERS_SHAPE,
      args: ['string'],
    }),
    ...checkObjectSource(spec.source, 'source'),
    ...checkOperation(spec),
  ],
  async execute(spec, host) {
    const operation = operationOf(spec)
    const { arguments: options, problems } = readArguments(spec.args ?? [], operation)
    const problem = problems.find(({ severity }) => severity === 'error')
    if (problem) throw invalidTrigger(`${problem.path}: ${problem.message}`)
    const control = host.workflows ?? refuse()
    const source = withParameters(await fetchObject(spec.source, host), spec.parameters ?? [], host)
    const name = source.metadata.name ?? source.metadata.generateName ?? ''
    try {
      const done = await carryOut(operation, source, options, control, host)
      const [written] = done.written ?? []
      if (host.policy?.k8s?.labels && written) await awaitLabels(written, host.policy.k8s, host)
      return done
    } catch (thrown) {
      throw apiFailure(thrown, `Cannot ${operation} ${source.kind} ${name}`)
    }
  },
}

function checkOperation(spec: ArgoWorkflowSpec): Problem[] {
  const { operation = '', args } = spec
  if (operation !== '' && !isOperation(operation))
    return [
      {
        path: 'operation',
        message: `unknown operation ${operation}: it is one of ${WORKFLOW_OPERATIONS.join(', ')}`,
        severity: 'error',
      },
    ]
  if (!Array.isArray(args) || args.some(argument => typeof argument !== 'string')) return []
  return [...readArguments(args, operationOf(spec)).problems]
}

const isOperation = (text: string): text is WorkflowOperation =>
  (WORKFLOW_OPERATIONS as readonly string[]).includes(text)

function operationOf({ operation = '' }: ArgoWorkflowSpec): WorkflowOperation {
  if (operation === '') return 'submit'
  if (isOperation(operation)) return operation
  throw invalidTrigger(`operation: unknown operation ${operation}`)
}

function refuse(): never {
  throw new TerminalFailure('trigger-no-workflows', {
    what: 'No Workflow can be submitted or controlled',
    why: 'nothing here runs Workflows',
    todo: 'Run the workflow engine together with the event engine',
  })
}

function carryOut(
  operation: WorkflowOperation,
  source: KubeObject,
  options: ArgoArguments,
  control: WorkflowControl,
  host: TriggerHost,
): Promise<TriggerOutcome> {
  if (operation === 'submit') return submit(source, options, control, host)
  const { name } = source.metadata
  if (!name) throw invalidTrigger(`failed to execute the workflow ${operation} operation, no name is given`)
  const ref = { namespace: source.metadata.namespace || host.sensor.namespace, name }
  if (operation === 'submit-from') return submitFrom(source, ref, options, control, host)
  if (source.kind !== 'Workflow')
    throw invalidTrigger(`Cannot ${operation} ${source.kind} ${name}`, { why: 'it is no Workflow' })
  if (operation === 'resubmit') return resubmit(ref, options, control, host)
  return change(operation, ref, options, control, host)
}

async function submit(
  source: KubeObject,
  options: ArgoArguments,
  control: WorkflowControl,
  host: TriggerHost,
): Promise<TriggerOutcome> {
  if (source.kind !== 'Workflow')
    throw invalidTrigger(`Cannot submit ${source.kind} ${source.metadata.name ?? ''}`, {
      why: 'only a Workflow can be submitted',
      todo: SUBMITTABLE.includes(source.kind) ? 'Use the operation submit-from' : 'Use a k8s trigger to create it',
    })
  const workflow = withArguments(source, options, host)
  const { name, generateName, ...metadata } = workflow.metadata
  if (!name && !generateName)
    throw invalidTrigger('failed to trigger the workflow, neither name nor generateName is given')
  return makeOnce({ name, prefix: generateName }, metadata.namespace as string, host, named =>
    control.submit(host.client, { ...workflow, metadata: { ...metadata, name: named } }),
  )
}

/** The Workflow as it is submitted. */
function withArguments(source: KubeObject, options: ArgoArguments, host: TriggerHost): KubeObject {
  const { parameters = {}, serviceAccountName, entrypoint, priority } = options
  const { name, generateName, ...metadata } = source.metadata
  const spec = isFields(source.spec) ? source.spec : {}
  const given = withValues(spec.arguments, parameters)
  return {
    ...source,
    metadata: {
      ...metadata,
      ...named(
        options.name ?? (options.generateName === undefined ? name : undefined),
        options.generateName ?? generateName,
      ),
      namespace: metadata.namespace || host.sensor.namespace,
      labels: { ...metadata.labels, ...options.labels, ...originLabels(host) },
      annotations: { ...metadata.annotations, ...provenanceOf(host, given.parameters) },
    },
    spec: {
      ...spec,
      ...(serviceAccountName !== undefined && { serviceAccountName }),
      ...(entrypoint !== undefined && { entrypoint }),
      ...(priority !== undefined && { priority }),
      ...(Object.keys(parameters).length > 0 && { arguments: given }),
    },
  }
}

const named = (name: string | undefined, generateName: string | undefined) => ({
  ...(name !== undefined && { name }),
  ...(generateName !== undefined && { generateName }),
})

/** `arguments` of a Workflow in which the parameters have these values. */
function withValues(given: unknown, values: Readonly<Record<string, string>>): { parameters: unknown[] } {
  const before = isFields(given) ? given : {}
  const listed = Array.isArray(before.parameters) ? (before.parameters as unknown[]) : []
  const isReplaced = (parameter: unknown) => isFields(parameter) && Object.hasOwn(values, String(parameter.name))
  return { ...before, parameters: [...listed.filter(parameter => !isReplaced(parameter)), ...listOf(values)] }
}

const listOf = (values: Readonly<Record<string, string>> = {}) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

function submitFrom(
  source: KubeObject,
  ref: WorkflowRef,
  options: ArgoArguments,
  control: WorkflowControl,
  host: TriggerHost,
): Promise<TriggerOutcome> {
  const kind = SUBMITTABLE.find(known => known.toLowerCase() === source.kind.toLowerCase())
  if (kind === undefined)
    throw invalidTrigger(`invalid kind ${source.kind}`, { why: `submit-from is for ${SUBMITTABLE.join(', ')}` })
  const parameters = { ...parametersOf(source), ...options.parameters }
  return makeOnce(newName(ref.name, options), ref.namespace, host, name =>
    control.submitFrom(
      host.client,
      { kind, ...ref },
      { ...submitOptions({ ...options, parameters }, host), parameters, name },
    ),
  )
}

/** The values in `spec.arguments` of what a Workflow is made from, where the parameters of the trigger have set them. */
function parametersOf(source: KubeObject): Record<string, string> {
  const given = parametersIn(source)
  if (given === undefined || given === null) return {}
  if (!Array.isArray(given)) throw invalidTrigger('spec.arguments.parameters of the source is no list')
  const values = (given as unknown[]).flatMap((parameter, i): [string, string][] => {
    if (!isFields(parameter) || typeof parameter.name !== 'string' || parameter.name === '')
      throw invalidTrigger(`spec.arguments.parameters[${i}] of the source has no name`, {
        todo: 'List the parameters with their names in the source, so that the trigger sets values of what is there',
      })
    const { name, value } = parameter
    if (value === undefined || value === null) return []
    return [[name, typeof value === 'string' ? value : stringifyJson(value)]]
  })
  return Object.fromEntries(values)
}

function resubmit(
  ref: WorkflowRef,
  options: ArgoArguments,
  control: WorkflowControl,
  host: TriggerHost,
): Promise<TriggerOutcome> {
  return makeOnce(newName(ref.name, options), ref.namespace, host, name =>
    control.resubmit(host.client, ref, {
      ...submitOptions(options, host),
      ...(options.parameters && { parameters: options.parameters }),
      ...(options.memoized !== undefined && { memoized: options.memoized }),
      name,
    }),
  )
}

const newName = (from: string, { name, generateName }: ArgoArguments) => ({ name, prefix: generateName ?? `${from}-` })

function submitOptions(options: ArgoArguments, host: TriggerHost): SubmitOptions {
  const { serviceAccountName, entrypoint, priority } = options
  return {
    labels: { ...options.labels, ...originLabels(host) },
    annotations: provenanceOf(host, listOf(options.parameters)),
    ...(serviceAccountName !== undefined && { serviceAccountName }),
    ...(entrypoint !== undefined && { entrypoint }),
    ...(priority !== undefined && { priority }),
  }
}

/** Makes a Workflow under its name, or under one that the action's key decides. What the same action made before is what
 *  this one wanted; when the name is somebody else's, another is tried where that is possible. */
async function makeOnce(
  { name, prefix = '' }: { name?: string | undefined; prefix?: string | undefined },
  namespace: string,
  host: TriggerHost,
  make: (name: string) => Promise<KubeObject>,
): Promise<TriggerOutcome> {
  for (let salt = 0; salt < (name ? 1 : MOST_SALTS); salt++) {
    const made = await attempt({ ...WORKFLOW, namespace, name: name || generatedName(prefix, host.actionKey, salt) })
    if (made) return made
  }
  throw nameTaken({ ...WORKFLOW, namespace, name: name || `${prefix}…` })

  async function attempt(ref: ObjectRef): Promise<TriggerOutcome | undefined> {
    let made: KubeObject
    try {
      made = await make(ref.name)
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown
      made = await host.client.get(ref, { signal: host.signal })
      if (!isMadeBy(made, host.actionKey)) return undefined
      return { summary: `${described(made)} was created by this action before`, written: [writtenOf(made, 'create')] }
    }
    if (!isMadeBy(made, host.actionKey)) return undefined
    return { summary: `created ${described(made)}`, written: [writtenOf(made, 'create')] }
  }
}

const DONE = {
  resume: 'resumed',
  retry: 'retried',
  suspend: 'suspended',
  terminate: 'terminated',
  stop: 'stopped',
} as const

/** Does something to a Workflow, once for an action. */
async function change(
  operation: keyof typeof DONE,
  ref: WorkflowRef,
  options: ArgoArguments,
  control: WorkflowControl,
  host: TriggerHost,
): Promise<TriggerOutcome> {
  const { client, signal } = host
  const workflow = { ...WORKFLOW, ...ref }
  const live = await client.get(workflow, { signal })
  const note = doneNote(live, host)
  if (note.isDone) return { summary: `${described(workflow)} was ${DONE[operation]} by this action before` }
  const { nodeFieldSelector, message, restartSuccessful, parameters } = options
  const annotations = { [note.annotation]: note.value, ...notedParameters(host, listOf(parameters)) }
  const changed = await control[operation](client, ref, {
    annotations,
    ...(nodeFieldSelector !== undefined && { nodeFieldSelector }),
    ...(message !== undefined && { message }),
    ...(restartSuccessful !== undefined && { restartSuccessful }),
    ...(parameters !== undefined && { parameters }),
  })
  const noted =
    changed.metadata.annotations?.[note.annotation] === note.value
      ? changed
      : await noteDone(workflow, annotations, host)
  return {
    summary: `${DONE[operation]} ${described(workflow)}`,
    written: [writtenOf(noted ?? changed, 'update', live)],
  }
}

async function noteDone(
  workflow: ObjectRef,
  annotations: Readonly<Record<string, string>>,
  { client, signal, env }: TriggerHost,
): Promise<KubeObject | undefined> {
  try {
    return await client.patch(workflow, { type: 'merge', patch: { metadata: { annotations } } }, { signal })
  } catch (thrown) {
    // It is done, which a missing note does not undo: without it a repeat does it again, at worst.
    if (!(thrown instanceof Failure)) throw thrown
    if (!isNotFound(thrown)) env.log.warn(`it is not noted what was done to ${described(workflow)}`, { error: thrown })
    return undefined
  }
}
