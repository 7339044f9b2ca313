import type { KubeObject } from '@tiphys/kube'
import { OPEN, type Schema } from './schema.ts'
import { CRON_WORKFLOW_SPEC, EVENT_BINDING_SPEC, WORKFLOW_SPEC } from './workflow-schema.ts'

interface Names {
  kind: string
  plural: string
  shortNames: readonly string[]
  scope?: 'Cluster'
}

interface Column {
  name: string
  type: 'string' | 'integer' | 'boolean' | 'date'
  jsonPath: string
  description?: string
  priority?: number
}

const GROUP = 'argoproj.io'

/** As upstream, without a status subresource: a Workflow may be created with a status (a memoized resubmit is), and labels
 *  and status are written in one request. */
function definition(names: Names, spec: Schema, columns: readonly Column[] = [], status?: Schema): KubeObject {
  const { kind, plural, shortNames, scope = 'Namespaced' } = names
  const version = {
    name: 'v1alpha1',
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        required: ['metadata', 'spec'],
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object' },
          spec,
          ...(status && { status }),
        },
      },
    },
    ...(columns.length > 0 && { additionalPrinterColumns: columns }),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames },
      versions: [version],
    },
  }
}

/** The CustomResourceDefinitions of what this package runs. A field that nobody knows is refused by name under strict
 *  validation; what Kubernetes itself describes (parts of pods) is handed on to it. */
export const workflowDefinitions: readonly KubeObject[] = [
  definition(
    { kind: 'Workflow', plural: 'workflows', shortNames: ['wf'] },
    WORKFLOW_SPEC,
    [
      { name: 'Status', type: 'string', jsonPath: '.status.phase', description: 'Status of the workflow' },
      { name: 'Age', type: 'date', jsonPath: '.status.startedAt', description: 'When the workflow was started' },
      {
        name: 'Message',
        type: 'string',
        jsonPath: '.status.message',
        description: 'Human readable message about the workflow',
      },
    ],
    OPEN,
  ),
  definition({ kind: 'WorkflowTemplate', plural: 'workflowtemplates', shortNames: ['wftmpl'] }, WORKFLOW_SPEC),
  definition(
    {
      kind: 'ClusterWorkflowTemplate',
      plural: 'clusterworkflowtemplates',
      shortNames: ['clusterwftmpl', 'cwft'],
      scope: 'Cluster',
    },
    WORKFLOW_SPEC,
  ),
  definition(
    { kind: 'CronWorkflow', plural: 'cronworkflows', shortNames: ['cwf', 'cronwf'] },
    CRON_WORKFLOW_SPEC,
    [
      { name: 'Schedules', type: 'string', jsonPath: '.spec.schedules' },
      { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
      { name: 'Last', type: 'date', jsonPath: '.status.lastScheduledTime' },
    ],
    OPEN,
  ),
  definition(
    { kind: 'WorkflowEventBinding', plural: 'workfloweventbindings', shortNames: ['wfeb'] },
    EVENT_BINDING_SPEC,
  ),
]
