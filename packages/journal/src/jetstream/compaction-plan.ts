import { isPlain, type StreamMessage } from './stream-message.ts'

/** What compaction has to know of a message. */
export type Candidate = Pick<StreamMessage, 'position' | 'subject' | 'deleted'> & { hasParts: boolean }

export interface Purge {
  /** All messages before this position go… */
  before: number
  /** …or those of one subject. */
  subject?: string
}

export interface CompactionPlan {
  kept: number
  dropped: number
  /** The messages that nobody may see any more, although they are there until the purges are done. */
  leaving: Set<number>
  /** In an order that never leaves a key's old record without the newer one that replaced or ended it, for it takes the
   *  oldest first. */
  purges: Purge[]
  /** Positions of dropped records whose parts go with them. */
  parts: number[]
}

export interface Horizons {
  /** Of the compaction before: what has no key or ends one is invisible before it. */
  from: number
  to: number
  /** The last message is never purged, so that the stream cannot forget how far it has counted; see `isHidden`. */
  head: number
}

/** Whether a record can only be there because it was the last one when it was dropped. */
export function isHidden(
  { position, subject, deleted }: Pick<Candidate, 'position' | 'subject' | 'deleted'>,
  horizon: number,
): boolean {
  return position < horizon && (deleted || isPlain(subject))
}

/** Decides what goes of all messages before the new horizon. */
export function planCompaction(messages: Iterable<Candidate>, { from, to, head }: Horizons): CompactionPlan {
  const all = [...messages]
  const lastOfSubject = new Map<string, Candidate>()
  for (const message of all) lastOfSubject.set(message.subject, message)
  const stays = (message: Candidate) => lastOfSubject.get(message.subject) === message && !isHidden(message, to)

  const plan: CompactionPlan = { kept: 0, dropped: 0, leaving: new Set(), purges: [], parts: [] }
  const lastLeaving = new Map<string, number>()
  let firstKept: number | undefined
  for (const message of all) {
    if (stays(message)) {
      plan.kept++
      firstKept ??= message.position
      continue
    }
    if (!isHidden(message, from)) plan.dropped++
    plan.leaving.add(message.position)
    if (message.hasParts) plan.parts.push(message.position)
    if (firstKept !== undefined) lastLeaving.set(message.subject, message.position)
  }
  const before = Math.min(firstKept ?? to, head)
  if (all[0] && all[0].position < before) plan.purges.push({ before })
  for (const [subject, position] of lastLeaving) {
    const end = Math.min(position + 1, head)
    if (end > before) plan.purges.push({ before: end, subject })
  }
  return plan
}
