import type { Lookup } from './template-library.ts'
import type { Workflow, WorkflowSpec } from './workflow.ts'

/** Something wrong in a manifest, with its place. */
export interface Problem {
  path: string
  message: string
}

export function checkWorkflow(_workflow: Workflow, spec: WorkflowSpec, _templates: Lookup): Problem[] {
  return spec.entrypoint === undefined || spec.entrypoint === ''
    ? [{ path: 'spec.entrypoint', message: 'is required' }]
    : []
}
