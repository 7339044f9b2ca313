import type { Env } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import type { LogStore, Recorder } from '@tiphys/journal/records'
import { type Client, kindRef, type OutboundAccess } from '@tiphys/kube'

import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { CronWorkflow, Workflow, WorkflowSpec, WorkflowTemplate } from '../spec/workflow.ts'

export const API_VERSION = 'argoproj.io/v1alpha1'
export const WORKFLOW = kindRef<Workflow>(API_VERSION, 'Workflow')
export const WORKFLOW_TEMPLATE = kindRef<WorkflowTemplate>(API_VERSION, 'WorkflowTemplate')
export const CLUSTER_WORKFLOW_TEMPLATE = kindRef<WorkflowTemplate>(API_VERSION, 'ClusterWorkflowTemplate')
export const CRON_WORKFLOW = kindRef<CronWorkflow>(API_VERSION, 'CronWorkflow')
export const POD = kindRef('v1', 'Pod')

export interface WorkflowEngineOptions {
  env: Env
  /** The engine's own identity. */
  client: Client
  /** Who resource templates act as; by default the ServiceAccount, by impersonation. */
  actAs?: (account: { namespace: string; name: string }) => Client
  recorder: Recorder
  /** Where the recorder stores: tells which runs the last engine left whose end it has not recorded. */
  records?: Pick<Journal, 'read'>
  /** Where the output of containers is kept. */
  logs: LogStore
  /** Where artifacts are kept. */
  artifacts: ArtifactStore
  /** Served; all when left out. */
  namespaces?: readonly string[]
  /** Only Workflows with this label `workflows.argoproj.io/controller-instanceid` are run; without one, only those without it. */
  instanceId?: string
  /** What images run that a manifest gives no command for. Needed only where the command has to be wrapped. */
  entrypoints?: (image: string) => { command: readonly string[]; args?: readonly string[] } | undefined
  access?: { outbound?: OutboundAccess }
  /** How many runs are under way at once. A namespace's label `workflows.argoproj.io/parallelism-limit` wins over `namespace`. */
  parallelism?: { engine?: number; namespace?: number }
  /** What every Workflow gets where it says nothing itself. */
  defaults?: WorkflowSpec
  /** What brings input artifacts into pods: has `sh` and `tar`, and `git` where artifacts come from there. */
  artifactImage?: string
}

/** The client of a ServiceAccount. */
export function serviceAccountClient(
  { client, actAs }: Pick<WorkflowEngineOptions, 'client' | 'actAs'>,
  namespace: string,
  name: string,
): Client {
  if (actAs) return actAs({ namespace, name })
  return client.as({
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  })
}
