import type { RunItem } from '@tiphys/archive'

/** Why there is a run: the id of an event, else in words who or what started it. A run that no event started is traced by itself. */
export function originOf({ trace, run, scheduledAt }: RunItem): { event: string } | { words: string } {
  if (trace !== '' && trace !== run.uid) return { event: trace }
  return { words: scheduledAt === undefined ? 'by hand' : 'by schedule' }
}

/** `1`, `2 · retried`, `1 · resubmitted` */
export function attemptWords({ attempt, repeats }: Pick<RunItem, 'attempt' | 'repeats'>): string {
  if (attempt > 1) return `${attempt} · retried`
  return repeats ? `${attempt} · resubmitted` : String(attempt)
}

/** The same at length, for the one who hovers. */
export function attemptTitle({ attempt, repeats }: Pick<RunItem, 'attempt' | 'repeats'>): string | undefined {
  const retried = attempt === 2 ? 'Retried once' : `Retried ${attempt - 1} times`
  const sentences = [
    ...(attempt > 1 ? [`${retried}: steps that had succeeded were kept.`] : []),
    ...(repeats ? [`Resubmitted from ${repeats.namespace}/${repeats.name}.`] : []),
  ]
  return sentences.length === 0 ? undefined : sentences.join(' ')
}

/** How long it waited before it began; of one that was retried only the last beginning is known. */
export function queueTime({ attempt, at, startedAt }: RunItem): { from: number; to: number } | undefined {
  return attempt > 1 || startedAt === undefined ? undefined : { from: at, to: Math.max(at, startedAt) }
}
