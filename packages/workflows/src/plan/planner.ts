import type { Plan, PlanInput } from './plan.ts'

/** Decides what comes next for a run. Pure: the same input gives the same plan. */
export function plan({ workflow }: PlanInput): Plan {
  throw new Error(`planning ${workflow.metadata.name ?? ''} is not there yet`)
}
