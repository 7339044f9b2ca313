import { ANNOTATION } from '../pods/labels.ts'
import type { NodeStatus } from '../spec/workflow.ts'
import type { Run } from './run.ts'

/** Whether something may still begin or go on: a stopped workflow runs nothing but its exit handlers, a terminated one
 *  nothing. */
export function mayExecute(run: Run, isExit: boolean): boolean {
  return run.shutdown === '' || (run.shutdown === 'Stop' && isExit)
}

export const stoppedMessage = (run: Run) => `Stopped with strategy '${run.shutdown}'`

/** The same of the whole run, with what whoever stopped it has to say. */
export function endMessage(run: Run): string {
  const said = run.workflow.metadata.annotations?.[ANNOTATION.stopMessage]
  return said === undefined ? stoppedMessage(run) : `${stoppedMessage(run)}: ${said}`
}

/** What a pod is told that is not made any more, or has to end. */
const shutdownMessage = (run: Run) => `workflow shutdown with strategy: ${run.shutdown}`

export const deadlineMessage = 'Step exceeded its deadline'

/** Why a pod may not begin or go on. */
export function refusalOf(run: Run, isExit: boolean): string | undefined {
  if (!mayExecute(run, isExit)) return shutdownMessage(run)
  return isPastDeadline(run, isExit) ? deadlineMessage : undefined
}

/** Whether a node was told to end while its pod ran: its message remembers it. The pod's exit code does not count then, or a
 *  program that ends in peace when it is asked to would make a success of what was not carried out. */
export function wasToldToEnd({ phase, message = '' }: NodeStatus): boolean {
  return phase === 'Running' && (message === deadlineMessage || message.startsWith('workflow shutdown with strategy: '))
}

/** Exit handlers run beyond the workflow's deadline. */
export function isPastDeadline(run: Run, isExit: boolean): boolean {
  return !isExit && run.deadline !== undefined && run.now >= run.deadline
}
