import type { RunDetail, StepDetail } from '@tiphys/archive'

interface Span {
  from: number
  /** Undefined while it goes on. */
  to: number | undefined
}

/** When a step waited and when it ran. One that was left out did neither: its times only say when that was decided. */
export function timesOf(
  { phase, at, startedAt, finishedAt, changedAt }: StepDetail,
  isOver: boolean,
): { waited?: Span; ran?: Span } {
  if (phase === 'Omitted' || phase === 'Skipped') return {}
  const end = isOver ? changedAt : undefined
  return {
    waited: { from: at, to: startedAt ?? end },
    ...(startedAt === undefined ? {} : { ran: { from: startedAt, to: finishedAt ?? end } }),
  }
}

const FINAL = ['Succeeded', 'Failed', 'Error']
/** A status has whole seconds: what begins with a retry may have begun so much before it. */
const ROUGHLY_MS = 1000

/** The steps of a run as they are since it was last retried: what is done again has waited since then, not since the attempt before. */
export function sinceRetried(steps: readonly StepDetail[], history: RunDetail['history']): readonly StepDetail[] {
  const begun = history.findLast(
    ({ phase }, i) => !FINAL.includes(phase) && FINAL.includes(history[i - 1]?.phase ?? ''),
  )
  if (!begun) return steps
  return steps.map(step => {
    const { at, startedAt = step.changedAt } = step
    const isAgain = at < begun.at && startedAt >= begun.at - ROUGHLY_MS
    return isAgain ? { ...step, at: Math.min(begun.at, startedAt) } : step
  })
}
