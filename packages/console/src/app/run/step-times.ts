import type { StepDetail } from '@tiphys/archive'

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
