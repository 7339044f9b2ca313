import type { WorkflowSpec, WorkflowStatus } from '../spec/workflow.ts'

/** When a run that has ended is to be deleted, in milliseconds since the epoch; undefined: never. */
export function expiryOf({ ttlStrategy }: WorkflowSpec, { phase, finishedAt }: WorkflowStatus): number | undefined {
  if (!ttlStrategy || !finishedAt) return undefined
  const { secondsAfterCompletion, secondsAfterSuccess, secondsAfterFailure } = ttlStrategy
  const special = phase === 'Succeeded' ? secondsAfterSuccess : secondsAfterFailure
  const seconds = special ?? secondsAfterCompletion
  return seconds === undefined ? undefined : Date.parse(finishedAt) + seconds * 1000
}
