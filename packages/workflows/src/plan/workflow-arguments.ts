import { isLabelValue } from '../spec/label-value.ts'
import type { Artifact, Parameter, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { textOf } from '../variables/parameter-text.ts'
import type { Scope } from '../variables/scope.ts'
import { containsTags, hasTags, replaceText, substitute } from '../variables/substitution.ts'
import { readConfigMapKey } from './config-map.ts'
import type { ResolvedArguments } from './inputs.ts'
import { NodeFault, type Run } from './run.ts'

/** Annotation of Workflows that a trigger made: their arguments hold what an event brought. */
const eventAnnotation = 'tiphys.dev/event'

/** The Workflow's arguments with their values. Undefined: a ConfigMap has to be read first. Throws NodeFault. */
export function workflowParameters(run: Run, scope: Scope): Parameter[] | undefined {
  const parameters: Parameter[] = []
  let isWaiting = false
  for (const [index, parameter] of (run.spec.arguments?.parameters ?? []).entries()) {
    const path = `spec.arguments.parameters[${index}]`
    const value = valueOf(run, parameter, scope, path)
    if (value === undefined) isWaiting = true
    else parameters.push(checked({ ...parameter, value }, path))
  }
  return isWaiting ? undefined : parameters
}

function valueOf(run: Run, parameter: Parameter, scope: Scope, path: string): string | undefined {
  const written = textOf(parameter.value)
  if (written !== undefined)
    return isFromEvent(run.workflow) ? written : replaceText(written, scope, { ...run.env, path, lenient: true })
  const { valueFrom } = parameter
  if (valueFrom?.configMapKeyRef !== undefined) {
    return readConfigMapKey(run, valueFrom.configMapKeyRef, textOf(valueFrom.default), `parameter ${parameter.name}`)
  }
  const fallback = textOf(valueFrom?.default) ?? textOf(parameter.default)
  if (fallback !== undefined) return fallback
  throw new NodeFault(`${path}: the parameter ${parameter.name} has neither value nor valueFrom`)
}

/** What an event brought is data, also where it looks like a variable. */
const isFromEvent = ({ metadata }: Workflow) => metadata.annotations?.[eventAnnotation] !== undefined

function checked(parameter: Parameter, path: string): Parameter {
  const allowed = parameter.enum?.map(String)
  const value = textOf(parameter.value) ?? ''
  if (allowed === undefined || allowed.length === 0 || allowed.includes(value)) return parameter
  throw new NodeFault(
    `${path}: ${JSON.stringify(value)} is not one of ${allowed.map(text => JSON.stringify(text)).join(', ')}`,
  )
}

/** What the Workflow gives to its entrypoint, and to exit handlers. */
export function workflowArguments(run: Run): ResolvedArguments {
  const artifacts = new Map<string, Artifact>()
  for (const artifact of run.spec.arguments?.artifacts ?? []) {
    artifacts.set(
      artifact.name,
      substitute(artifact, run.globals, { ...run.env, path: `spec.arguments.artifacts.${artifact.name}` }),
    )
  }
  return { parameters: new Map(run.parameters.map((parameter: Parameter) => [parameter.name, parameter])), artifacts }
}

/** Labels and annotations that `workflowMetadata` adds to the Workflow. */
export interface MetadataAdditions {
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
}

function plainMetadata({ workflowMetadata }: WorkflowSpec): MetadataAdditions {
  return { labels: workflowMetadata?.labels ?? {}, annotations: workflowMetadata?.annotations ?? {} }
}

/** Those of them that are as they are written. */
export function constantMetadata(spec: WorkflowSpec): MetadataAdditions {
  const all = plainMetadata(spec)
  if (!containsTags(spec.workflowMetadata)) return all
  return { labels: withoutTags(all.labels), annotations: withoutTags(all.annotations) }
}

const withoutTags = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !hasTags(value)))

/** All of them, with variables put in. What is not known when a run begins stays as it is written. Throws NodeFault. */
export function resolvedMetadata(run: Run, scope: Scope): MetadataAdditions {
  const written = plainMetadata(run.spec)
  if (!containsTags(run.spec.workflowMetadata)) return written
  const path = 'spec.workflowMetadata'
  const found = substitute(written, scope, { ...run.env, path, lenient: true })
  for (const [name, value] of Object.entries(found.labels)) checkLabel(value, `${path}.labels.${name}`)
  return found
}

/** `labelsFrom`: labels that are computed from variables. Throws NodeFault. */
export function computedLabels(run: Run): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const [name, { expression }] of Object.entries(run.spec.workflowMetadata?.labelsFrom ?? {})) {
    const path = `spec.workflowMetadata.labelsFrom.${name}`
    const value = run.evaluate(expression, run.globals, path)
    if (typeof value !== 'string') throw new NodeFault(`${path}: ${expression} is no text`)
    checkLabel(value, path)
    labels[name] = value
  }
  return labels
}

function checkLabel(value: string, path: string): void {
  if (!isLabelValue(value)) throw new NodeFault(`${path}: ${JSON.stringify(value)} is no valid label value`)
}
