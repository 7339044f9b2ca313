import type { Plan } from '../plan/plan.ts'
import type { Workflow } from '../spec/workflow.ts'
import { rfc3339 } from '../variables/creation-time.ts'
import { failedRun } from './failed-run.ts'

/** How a run ends whose Workflow was deleted: it has failed, and so has every step that was not over. Nobody
 *  can store it any more: it is there to be recorded. */
export function endOfDeleted(workflow: Workflow, now: number): Plan {
  const { metadata, status = {} } = workflow
  const message = `the Workflow was deleted before it ${status.phase ? 'ended' : 'began'}`
  return failedRun(workflow, message, metadata.deletionTimestamp ?? rfc3339(now))
}
