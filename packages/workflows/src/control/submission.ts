import { TerminalFailure } from '@tiphys/env'
import { type Client, isAlreadyExists, type KubeObject } from '@tiphys/kube'
import {
  API_VERSION,
  CLUSTER_WORKFLOW_TEMPLATE,
  CRON_WORKFLOW,
  WORKFLOW,
  WORKFLOW_TEMPLATE,
} from '../engine/engine-context.ts'
import { constantMetadata } from '../plan/workflow-arguments.ts'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import type { Arguments, Parameter, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import type { SubmitOptions, WorkflowSource } from './workflow-control.ts'

/** Creates a Workflow; one that the same action has created already is answered. */
export async function submit(client: Client, workflow: KubeObject): Promise<KubeObject> {
  try {
    return await client.create(workflow)
  } catch (thrown) {
    const { name, namespace = 'default', annotations = {} } = workflow.metadata
    const action = annotations[ANNOTATION.action]
    if (!isAlreadyExists(thrown) || name === undefined || action === undefined) throw thrown
    const there = await client.get({ ...WORKFLOW, namespace, name })
    if (there.metadata.annotations?.[ANNOTATION.action] === action) return there
    throw thrown
  }
}

/** @param time What a run of a CronWorkflow takes for the time that it was scheduled for. */
export async function submitFrom(
  client: Client,
  from: WorkflowSource,
  options: SubmitOptions,
  time?: string,
): Promise<KubeObject> {
  const { spec, labels, annotations } = await source(client, from, time)
  return submit(client, withOptions(newWorkflow(from, spec, labels, annotations), options))
}

type Source = { spec: WorkflowSpec; labels: Record<string, string>; annotations: Record<string, string> }

async function source(client: Client, { kind, namespace, name }: WorkflowSource, time?: string): Promise<Source> {
  switch (kind.toLowerCase()) {
    case 'workflowtemplate':
    case 'workflowtemplates':
    case 'wftmpl': {
      const template = await client.get({ ...WORKFLOW_TEMPLATE, namespace, name })
      return {
        spec: { workflowTemplateRef: { name } },
        // Those with variables are known when the run begins.
        labels: { ...constantMetadata(template.spec).labels, [LABEL.workflowTemplate]: name },
        annotations: {},
      }
    }
    case 'clusterworkflowtemplate':
    case 'clusterworkflowtemplates':
    case 'cwft':
      await client.get({ ...CLUSTER_WORKFLOW_TEMPLATE, name })
      return {
        spec: { workflowTemplateRef: { name, clusterScope: true } },
        labels: { [LABEL.clusterWorkflowTemplate]: name },
        annotations: {},
      }
    case 'cronworkflow':
    case 'cronworkflows':
    case 'cronwf':
    case 'cwf': {
      const cron = await client.get({ ...CRON_WORKFLOW, namespace, name })
      const { workflowSpec, workflowMetadata = {} } = cron.spec
      return {
        spec: workflowSpec,
        labels: { ...workflowMetadata.labels, [LABEL.cronWorkflow]: name },
        annotations: {
          ...workflowMetadata.annotations,
          ...(time !== undefined && { [ANNOTATION.scheduledTime]: time }),
        },
      }
    }
    default:
      throw new TerminalFailure('workflow-source-unknown', {
        what: `No workflow can be made from the kind ${JSON.stringify(kind)}`,
        todo: 'Name a WorkflowTemplate, a ClusterWorkflowTemplate or a CronWorkflow',
      })
  }
}

function newWorkflow(
  { namespace, name }: WorkflowSource,
  spec: WorkflowSpec,
  labels: Record<string, string>,
  annotations: Record<string, string>,
): Workflow {
  return {
    apiVersion: API_VERSION,
    kind: 'Workflow',
    metadata: { generateName: `${name}-`, namespace, labels, annotations },
    spec,
  }
}

/** The Workflow with what was asked for beside it. */
export function withOptions(workflow: Workflow, options: SubmitOptions): Workflow {
  const { name, generateName, labels, annotations, parameters = {} } = options
  const { name: _, generateName: given, ...metadata } = workflow.metadata
  const { serviceAccountName, entrypoint, priority } = options
  return {
    ...workflow,
    metadata: {
      ...metadata,
      ...(name !== undefined
        ? { name }
        : { generateName: generateName ?? given ?? `${workflow.metadata.name ?? 'workflow'}-` }),
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
    },
    spec: {
      ...workflow.spec,
      ...(serviceAccountName !== undefined && { serviceAccountName }),
      ...(entrypoint !== undefined && { entrypoint }),
      ...(priority !== undefined && { priority }),
      ...(Object.keys(parameters).length > 0 && { arguments: withParameters(workflow.spec.arguments, parameters) }),
    },
  }
}

export function withParameters(before: Arguments | undefined, values: Readonly<Record<string, string>>): Arguments {
  const known: Parameter[] = (before?.parameters ?? []).map(parameter => {
    if (!Object.hasOwn(values, parameter.name)) return parameter
    const { valueFrom: _, ...rest } = parameter
    return { ...rest, value: values[parameter.name] ?? '' }
  })
  const names = new Set(known.map(({ name }) => name))
  const more = Object.entries(values).flatMap(([name, value]) => (names.has(name) ? [] : [{ name, value }]))
  return { ...before, parameters: [...known, ...more] }
}
