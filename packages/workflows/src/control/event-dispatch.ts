import { asError, type Env } from '@tiphys/env'
import { type ExprObject, type ExprValue } from '@tiphys/expressions/expr'
import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import { API_VERSION } from '../engine/engine-context.ts'
import { LABEL } from '../pods/labels.ts'
import type { WorkflowEventBinding } from '../spec/event-binding.ts'
import { compiled, evaluateOver, expressionText } from '../variables/expression.ts'
import { submitFrom } from './submission.ts'
import type { SubmitOptions } from './workflow-control.ts'

export const EVENT_BINDING = kindRef<WorkflowEventBinding>(API_VERSION, 'WorkflowEventBinding')

/** What somebody sent to start Workflows with. */
export interface WorkflowEvent {
  namespace: string
  /** Says which event it is; it may be empty. */
  discriminator: string
  payload: unknown
  /** The request's headers that begin with `x-`, by their names in lower case. */
  metadata: Readonly<Record<string, readonly string[]>>
}

/** What a binding has made of an event. */
export interface DispatchedEvent {
  binding: string
  workflow?: string
  /** Why nothing came of it: in words, with the field's path. */
  problem?: string
}

/** Gives an event to the WorkflowEventBindings of its namespace; each whose selector is true submits its template. Everything is
 *  done with the rights of the client. A binding that fails keeps the others from nothing. */
export async function dispatchEvent(
  client: Client,
  event: WorkflowEvent,
  { env, instanceId }: { env: Pick<Env, 'clock' | 'random'>; instanceId?: string },
): Promise<DispatchedEvent[]> {
  const { namespace } = event
  const { items } = await client.list({ ...EVENT_BINDING, namespace })
  const scope: ExprObject = { ...event } as unknown as ExprObject
  const evaluate = (source: string, path: string): ExprValue => {
    try {
      return evaluateOver(source, scope, { now: env.clock.now(), random: env.random })
    } catch (thrown) {
      throw new Error(`${path}: failed to evaluate ${source}: ${asError(thrown).message}`, { cause: thrown })
    }
  }
  const done: DispatchedEvent[] = []
  for (const binding of items) {
    const { name = '', labels = {} } = binding.metadata
    if (labels[LABEL.instanceId] !== instanceId) continue
    try {
      const { selector } = binding.spec.event
      if (!isTrue(selector, evaluate(selector, 'spec.event.selector'))) continue
      const workflow = await submitBinding(client, binding, evaluate)
      done.push({ binding: name, ...(workflow && { workflow: workflow.metadata.name ?? '' }) })
    } catch (thrown) {
      done.push({ binding: name, problem: asError(thrown).message })
    }
  }
  return done
}

function isTrue(selector: string, value: ExprValue): boolean {
  if (typeof value === 'boolean') return value
  throw new Error(`spec.event.selector: ${selector} is ${expressionText(value)}, neither true nor false`)
}

type Evaluate = (source: string, path: string) => ExprValue

/** Undefined where the binding submits nothing. */
async function submitBinding(
  client: Client,
  { metadata, spec: { submit } }: WorkflowEventBinding,
  evaluate: Evaluate,
): Promise<KubeObject | undefined> {
  if (!submit) return undefined
  const { name = '', clusterScope = false } = submit.workflowTemplateRef ?? {}
  if (name === '') throw new Error('spec.submit.workflowTemplateRef.name is missing')
  const text = (source: string, path: string): string => {
    const value = evaluate(source, path)
    if (typeof value !== 'string') throw new Error(`${path}: ${source} is ${expressionText(value)}, and not a text`)
    return value
  }
  const texts = (values: Readonly<Record<string, string>> = {}, path: string) =>
    Object.fromEntries(Object.entries(values).map(([key, source]) => [key, text(source, `${path}.${key}`)]))
  const parameters = (submit.arguments?.parameters ?? []).map((parameter, index) => {
    const path = `spec.submit.arguments.parameters[${index}].valueFrom.event`
    const source = parameter.valueFrom?.event
    if (source === undefined) throw new Error(`${path} is missing: it says what of the event becomes ${parameter.name}`)
    return [parameter.name, expressionText(evaluate(source, path))] as const
  })
  const own = submit.metadata ?? {}
  const options: SubmitOptions = {
    ...(own.name !== undefined && { name: text(own.name, 'spec.submit.metadata.name') }),
    ...(own.generateName !== undefined && { generateName: own.generateName }),
    labels: {
      ...texts(own.labels, 'spec.submit.metadata.labels'),
      ...instanceLabel(metadata.labels),
    },
    annotations: texts(own.annotations, 'spec.submit.metadata.annotations'),
    parameters: Object.fromEntries(parameters),
  }
  const kind = clusterScope ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'
  return submitFrom(client, { kind, namespace: metadata.namespace ?? '', name }, options)
}

/** What it makes is for the same engine. */
function instanceLabel(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const id = labels[LABEL.instanceId]
  return id === undefined ? {} : { [LABEL.instanceId]: id }
}

/** What is wrong with a binding whatever the event is. */
export function bindingProblems({ spec }: WorkflowEventBinding): string[] {
  const problems: string[] = []
  const check = (source: string, path: string) => {
    try {
      compiled(source)
    } catch (thrown) {
      problems.push(`${path}: ${asError(thrown).message}`)
    }
  }
  check(spec.event.selector, 'spec.event.selector')
  const { submit } = spec
  if (submit && !submit.workflowTemplateRef?.name) problems.push('spec.submit.workflowTemplateRef.name is missing')
  for (const [index, { name, valueFrom }] of (submit?.arguments?.parameters ?? []).entries()) {
    const path = `spec.submit.arguments.parameters[${index}].valueFrom.event`
    if (valueFrom?.event === undefined) problems.push(`${path} is missing: it says what of the event becomes ${name}`)
    else check(valueFrom.event, path)
  }
  return problems
}
