import { goQuote } from '@tiphys/kube'
import type { NodeStatus, Outputs, Parameter, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { creationLetters, creationTime, rfc3339 } from './creation-time.ts'
import { parametersJson, textOf } from './parameter-text.ts'
import { isUnder, type Scope, type ScopeEntry } from './scope.ts'

export interface GlobalsInput {
  workflow: Workflow
  spec: WorkflowSpec
  /** The Workflow's arguments with their values, in order. */
  parameters: readonly Parameter[]
  /** Labels and annotations with those of workflowMetadata. */
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
}

/** `workflow.*`, as far as it stays the same for the whole run. A run is planned often and reads few of them: each is computed
 *  when it is asked for. */
export function fixedGlobals({ workflow, spec, parameters, labels, annotations }: GlobalsInput): Scope {
  const { metadata } = workflow
  const created = typeof metadata.creationTimestamp === 'string' ? Date.parse(metadata.creationTimestamp) : undefined
  const byName: Readonly<Record<string, () => string | undefined>> = {
    'workflow.name': () => metadata.name ?? '',
    'workflow.namespace': () => metadata.namespace ?? '',
    'workflow.mainEntrypoint': () => spec.entrypoint ?? '',
    'workflow.serviceAccountName': () => spec.serviceAccountName ?? '',
    'workflow.uid': () => metadata.uid ?? '',
    'workflow.creationTimestamp': () => (created === undefined ? undefined : rfc3339(created)),
    'workflow.scheduledTime': () => metadata.annotations?.['workflows.argoproj.io/scheduled-time'],
    'workflow.priority': () => (spec.priority === undefined ? undefined : String(spec.priority)),
    'workflow.labels': () => JSON.stringify(labels),
    'workflow.labels.json': () => JSON.stringify(labels),
    'workflow.annotations': () => JSON.stringify(annotations),
    'workflow.annotations.json': () => JSON.stringify(annotations),
    'workflow.parameters': () => parametersJson(parameters),
    'workflow.parameters.json': () => parametersJson(parameters),
  }
  const rests: readonly (readonly [string, (rest: string) => string | undefined, () => Iterable<string>])[] = [
    [
      'workflow.parameters.',
      rest => textOf(parameters.find(({ name }) => name === rest)?.value),
      () => parameters.map(({ name }) => name),
    ],
    ['workflow.labels.', rest => own(labels, rest), () => Object.keys(labels)],
    ['workflow.annotations.', rest => own(annotations, rest), () => Object.keys(annotations)],
    [
      'workflow.creationTimestamp.',
      rest => (created === undefined ? undefined : creationTime(created, rest)),
      () => (created === undefined ? [] : creationLetters),
    ],
  ]
  const get = (name: string): string | undefined => {
    if (!name.startsWith('workflow.')) return undefined
    for (const [prefix, find] of rests) {
      const value = name.startsWith(prefix) ? find(name.slice(prefix.length)) : undefined
      if (value !== undefined) return value
    }
    return own(byName, name)?.()
  }
  return {
    get,
    artifact: () => undefined,
    *under(root, members): Generator<ScopeEntry> {
      if (root !== 'workflow') return
      const isWanted = (name: string) => members === undefined || members.has(name.split('.')[1] ?? '')
      const names = [
        ...Object.keys(byName),
        ...rests.flatMap(([prefix, , list]) => (isWanted(prefix) ? [...list()].map(rest => prefix + rest) : [])),
      ]
      for (const name of names) {
        const value = isWanted(name) ? get(name) : undefined
        if (value !== undefined) yield [name, value]
      }
    },
  }
}

function own<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
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
