import { systemEnv } from '@tiphys/env'
import type { WorkflowControl } from '@tiphys/events'

/** What people do with runs, through the API. */
export async function workflowControl(): Promise<WorkflowControl> {
  const { createWorkflowControl } = await import('@tiphys/workflows')
  return createWorkflowControl({ env: systemEnv })
}
