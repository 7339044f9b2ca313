import { type Client, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { WorkflowProblem } from '@tiphys/workflows'

const API_VERSION = 'argoproj.io/v1alpha1'
const CLUSTER_KIND = 'ClusterWorkflowTemplate'

export interface Source {
  kind: string
  namespace: string
  name: string
}

/** Reads what a run is started from. */
export const readSource = ({ kind, namespace, name }: Source, client: Client): Promise<KubeObject> =>
  client.get<KubeObject>({ ...kindRef(API_VERSION, kind), name, ...(kind !== CLUSTER_KIND && { namespace }) })

/** The Workflow that is made of a template or a CronWorkflow. */
export function workflowOf({ kind, metadata, spec }: KubeObject, namespace: string): KubeObject {
  const { workflowSpec } = (spec ?? {}) as { workflowSpec?: Record<string, unknown> }
  const reference = { name: metadata.name, ...(kind === CLUSTER_KIND && { clusterScope: true }) }
  return {
    apiVersion: API_VERSION,
    kind: 'Workflow',
    metadata: { generateName: `${metadata.name}-`, namespace },
    spec: kind === 'CronWorkflow' ? { ...workflowSpec } : { workflowTemplateRef: reference },
  }
}

/** The Workflow with other values for some of its parameters, each where it stands. */
export function withValues(workflow: KubeObject, values: Readonly<Record<string, string>> = {}): KubeObject {
  const spec = (workflow.spec ?? {}) as { arguments?: { parameters?: { name: string; valueFrom?: unknown }[] } }
  const before = spec.arguments?.parameters ?? []
  const names = new Set(before.map(({ name }) => name))
  const added = Object.entries(values).filter(([name]) => !names.has(name))
  if (Object.keys(values).length === 0) return workflow
  const parameters = [
    ...before.map(parameter => {
      if (!Object.hasOwn(values, parameter.name)) return parameter
      const { valueFrom: _, ...rest } = parameter
      return { ...rest, value: values[parameter.name] }
    }),
    ...added.map(([name, value]) => ({ name, value })),
  ]
  return { ...workflow, spec: { ...spec, arguments: { ...spec.arguments, parameters } } }
}

/** What the engine would refuse in a Workflow, before it is made. The templates that it refers to are read as the caller; where he may
 *  not, nothing is said. */
export async function problemsOf(workflow: KubeObject, client: Client): Promise<WorkflowProblem[]> {
  const { checkWorkflowObject } = await import('@tiphys/workflows')
  const namespace = workflow.metadata.namespace ?? 'default'
  const [asked, others] = [new Set<string>(), [] as KubeObject[]]
  for (;;) {
    const missing: Source[] = []
    const onMissing = (kind: string, name: string) => {
      if (name !== '' && !asked.has(`${kind}/${name}`)) missing.push({ kind, namespace, name })
      asked.add(`${kind}/${name}`)
    }
    const problems = checkWorkflowObject(workflow, others, { onMissing })
    const read = await Promise.allSettled(missing.map(source => readSource(source, client)))
    for (const answer of read)
      if (answer.status === 'fulfilled') others.push(answer.value)
      else if (!isNotFound(answer.reason)) return []
    if (!read.some(({ status }) => status === 'fulfilled')) return problems
  }
}
