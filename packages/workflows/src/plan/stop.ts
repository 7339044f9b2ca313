import type { Run } from './run.ts'

/** Whether something may still begin or go on: a stopped workflow runs nothing but its exit handlers, a terminated one
 *  nothing. */
export function mayExecute(run: Run, isExit: boolean): boolean {
  return run.shutdown === '' || (run.shutdown === 'Stop' && isExit)
}

export const stoppedMessage = (run: Run) => `Stopped with strategy '${run.shutdown}'`

/** Exit handlers run beyond the workflow's deadline. */
export function isPastDeadline(run: Run, isExit: boolean): boolean {
  return !isExit && run.deadline !== undefined && run.now >= run.deadline
}
