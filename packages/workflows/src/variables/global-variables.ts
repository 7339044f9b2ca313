import { goQuote } from '@tiphys/kube'
import type { NodeStatus, Outputs, Parameter, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { creationTimes, rfc3339 } from './creation-time.ts'
import { parametersJson, textOf } from './parameter-text.ts'
import { isUnder, type Scope, type ScopeEntry, Variables } from './scope.ts'

export interface GlobalsInput {
  workflow: Workflow
  spec: WorkflowSpec
  /** The Workflow's arguments with their values, in order. */
  parameters: readonly Parameter[]
  /** Labels and annotations with those of workflowMetadata. */
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
}

/** `workflow.*`, as far as it stays the same for the whole run. */
export function fixedGlobals({ workflow, spec, parameters, labels, annotations }: GlobalsInput): Variables {
  const { metadata } = workflow
  const variables = new Variables([
    ['workflow.name', metadata.name ?? ''],
    ['workflow.namespace', metadata.namespace ?? ''],
    ['workflow.mainEntrypoint', spec.entrypoint ?? ''],
    ['workflow.serviceAccountName', spec.serviceAccountName ?? ''],
    ['workflow.uid', metadata.uid ?? ''],
  ])
  if (typeof metadata.creationTimestamp === 'string') {
    const millis = Date.parse(metadata.creationTimestamp)
    variables.set('workflow.creationTimestamp', rfc3339(millis))
    for (const [letter, text] of creationTimes(millis)) variables.set(`workflow.creationTimestamp.${letter}`, text)
  }
  const scheduled = metadata.annotations?.['workflows.argoproj.io/scheduled-time']
  if (scheduled !== undefined) variables.set('workflow.scheduledTime', scheduled)
  if (spec.priority !== undefined) variables.set('workflow.priority', String(spec.priority))
  setAll(variables, 'workflow.labels', labels)
  setAll(variables, 'workflow.annotations', annotations)
  setParameters(variables, parameters)
  return variables
}

function setAll(variables: Variables, prefix: string, values: Readonly<Record<string, string>>): void {
  const json = JSON.stringify(values)
  variables.set(prefix, json).set(`${prefix}.json`, json)
  for (const [key, value] of Object.entries(values)) variables.set(`${prefix}.${key}`, value)
}

function setParameters(variables: Variables, parameters: readonly Parameter[]): void {
  const json = parametersJson(parameters)
  variables.set('workflow.parameters', json).set('workflow.parameters.json', json)
  for (const parameter of parameters) {
    const value = textOf(parameter.value)
    if (value !== undefined) variables.set(`workflow.parameters.${parameter.name}`, value)
  }
}

/** What changes while a run goes on. Computed when somebody asks. */
export interface Progressing {
  status(): string
  durationSeconds(): number
  outputs(): Outputs | undefined
  failures(): Iterable<FailedNode>
}

export interface FailedNode {
  node: NodeStatus
  templateName: string
  podName: string
}

export function progressingGlobals(run: Progressing): Scope {
  const get = (name: string) => {
    if (name === 'workflow.status') return run.status()
    if (name === 'workflow.duration') return run.durationSeconds().toFixed(6)
    if (name === 'workflow.failures') return failuresText(run.failures())
    if (!name.startsWith('workflow.outputs.parameters.')) return undefined
    const parameter = run.outputs()?.parameters?.find(({ name: own }) => name === `workflow.outputs.parameters.${own}`)
    return textOf(parameter?.value)
  }
  const artifact = (name: string) =>
    run.outputs()?.artifacts?.find(({ name: own }) => name === `workflow.outputs.artifacts.${own}`)
  return {
    get,
    artifact,
    *under(root): Generator<ScopeEntry> {
      if (root !== 'workflow') return
      for (const name of ['workflow.status', 'workflow.duration', 'workflow.failures'])
        yield [name, get(name) as string]
      for (const { name } of run.outputs()?.parameters ?? []) {
        const full = `workflow.outputs.parameters.${name}`
        const value = get(full)
        if (value !== undefined && isUnder(full, root)) yield [full, value]
      }
      for (const found of run.outputs()?.artifacts ?? []) yield [`workflow.outputs.artifacts.${found.name}`, found]
    },
  }
}

/** Quoted once more, as upstream has it, so that it can stand in a shell's argument. */
function failuresText(failures: Iterable<FailedNode>): string {
  const list = [...failures].map(({ node, templateName, podName }) => ({
    displayName: node.displayName,
    message: node.message ?? '',
    templateName,
    phase: node.phase,
    podName,
    finishedAt: node.finishedAt ?? null,
  }))
  return goQuote(list.length === 0 ? 'null' : JSON.stringify(list))
}
