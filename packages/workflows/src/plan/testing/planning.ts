import type { Template, Workflow, WorkflowSpec } from '../../spec/workflow.ts'
import type { CreatePod } from '../action.ts'
import type { Observed, ObservedPod } from '../observed.ts'
import { type Plan, plan, type TemplateSource } from '../plan.ts'

/** When runs begin. */
export const start = Date.parse('2026-03-29T12:00:00Z')
export const nothing: TemplateSource = { get: () => undefined }
export const leaf: Template = { name: 'leaf', container: { image: 'x', command: ['true'] } }

export function workflowOf(spec: WorkflowSpec, metadata: Workflow['metadata'] = {}): Workflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run', namespace: 'team', uid: 'u1', creationTimestamp: '2026-03-29T12:00:00Z', ...metadata },
    spec,
  }
}

interface Step {
  observed?: Observed
  now?: number
  templates?: TemplateSource
  hold?: string
}

/** Plans on from a plan: the status is stored as JSON in between. */
export function next(
  workflow: Workflow,
  { observed = {}, now = start, templates = nothing, hold }: Step = {},
): { plan: Plan; workflow: Workflow } {
  const planned = plan({ workflow, templates, observed, now, ...(hold === undefined ? {} : { hold }) })
  const status = JSON.parse(JSON.stringify(planned.status)) as NonNullable<Workflow['status']>
  return { plan: planned, workflow: { ...workflow, status } }
}

export const kinds = ({ actions }: Plan) => actions.map(action => action.do)
export const pods = ({ actions }: Plan) => actions.filter((action): action is CreatePod => action.do === 'createPod')
export const ended = (name: string, phase: ObservedPod['phase'] = 'Succeeded'): ObservedPod => ({
  name,
  phase,
  outcome: { exitCode: phase === 'Succeeded' ? 0 : 1 },
})

export const single = workflowOf({ entrypoint: 'leaf', templates: [leaf] })
