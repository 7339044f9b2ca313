/** A condition of an object's status, as it is wanted. */
export interface WantedCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
}

/** A condition as it is stored. */
export interface StoredCondition extends Partial<WantedCondition> {
  type: string
  lastTransitionTime?: string
}

/** Something that does not work, and where: an entry, a trigger, or the object itself (an empty part). What is about the
 *  same part for the same reason is the same trouble, whatever the words. */
export interface Trouble {
  part: string
  reason: string
  message: string
}

export const troubleKey = ({ part, reason }: Trouble): string => `${part}\n${reason}`

/** One condition for everything that does not work now. */
export function healthCondition(troubles: readonly Trouble[]): WantedCondition {
  const [first] = troubles
  if (!first) return { type: 'Healthy', status: 'True', reason: 'Working', message: 'Everything works' }
  const words = troubles.slice(0, MOST).map(({ part, message }) => (part === '' ? message : `${part}: ${message}`))
  const more = troubles.length > MOST ? [`and ${troubles.length - MOST} more`] : []
  return { type: 'Healthy', status: 'False', reason: first.reason, message: [...words, ...more].join('; ') }
}

/** So many are told in one message. */
const MOST = 5

export function problemCondition(
  type: string,
  problems: readonly { path: string; message: string }[],
  reasons: { good: string; bad: string },
): WantedCondition {
  if (problems.length === 0) return { type, status: 'True', reason: reasons.good, message: '' }
  const words = problems.slice(0, MOST).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const more = problems.length > MOST ? [`and ${problems.length - MOST} more`] : []
  return { type, status: 'False', reason: reasons.bad, message: [...words, ...more].join('; ') }
}

/** The conditions to store: those of others stay, the time of those that have not changed stays too. */
export function mergeConditions(
  stored: readonly StoredCondition[],
  wanted: readonly WantedCondition[],
  now: string,
): StoredCondition[] {
  const types = new Set(wanted.map(({ type }) => type))
  const kept = stored.filter(({ type }) => !types.has(type))
  const set = wanted.map(condition => {
    const before = stored.find(({ type }) => type === condition.type)
    const isSame = before?.status === condition.status && before.lastTransitionTime !== undefined
    return { ...condition, lastTransitionTime: isSame ? (before.lastTransitionTime as string) : now }
  })
  return [...kept, ...set]
}

/** Whether a stored condition says the same but for its words. */
export function isSameCondition(stored: StoredCondition | undefined, wanted: WantedCondition): boolean {
  return stored?.status === wanted.status && stored.reason === wanted.reason
}
