const FAILED_PHASES: readonly string[] = ['Failed', 'Error']

/** What tells which step a failure is due to. */
export interface StepOutcome {
  id: string
  type: string
  phase: string
  parent?: string | undefined
  children?: readonly string[] | undefined
  /** When it began and when it ended, as far as that is known. */
  begun: number
  ended: number
}

/** The failed step below which none has failed: the others have failed because of it. */
export function failedStep<S>(steps: readonly S[], outcomeOf: (step: S) => StepOutcome): S | undefined {
  const outcomes = steps.map(step => ({ ...outcomeOf(step), of: step }))
  const failed = outcomes.filter(({ phase }) => FAILED_PHASES.includes(phase))
  const parents = new Set(failed.flatMap(({ parent }) => (parent === undefined ? [] : [parent])))
  const failedIds = new Set(failed.map(({ id }) => id))
  const leaves = failed.filter(
    ({ id, children, type }) => !parents.has(id) && (type === 'Pod' || !children?.some(child => failedIds.has(child))),
  )
  // The first to fail is the reason; of equals a pod says more than a group.
  const isTriedAgain = triedAgain(outcomes)
  const decisive = leaves.filter(leaf => !isTriedAgain(leaf))
  const isForgiven = failed.every(isTriedAgain)
  const byTime = (decisive.length > 0 || isForgiven ? decisive : leaves).toSorted((a, b) => a.ended - b.ended)
  return (byTime.find(({ type }) => type === 'Pod') ?? byTime[0])?.of
}

/** Whether a step belongs to an attempt after which there was another: that one decided. */
function triedAgain(steps: readonly StepOutcome[]): (step: StepOutcome) => boolean {
  const byId = new Map(steps.map(step => [step.id, step]))
  const parents = new Map<string, string>()
  for (const { id, parent } of steps) if (parent !== undefined) parents.set(id, parent)
  // An attempt belongs to the template, as all steps of it do; that it is one, only the step tells that makes them.
  for (const { id, type, children = [] } of steps)
    if (type === 'Retry') for (const child of children) parents.set(child, id)
  const last = new Map<string, StepOutcome>()
  for (const step of steps) {
    const parent = parents.get(step.id)
    if (parent === undefined || byId.get(parent)?.type !== 'Retry') continue
    const known = last.get(parent)
    if (!known || step.begun >= known.begun) last.set(parent, step)
  }
  return ({ id }) => {
    // Whoever wrote the records may have made a ring of them.
    const seen = new Set<string>()
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = parents.get(at)) {
      seen.add(at)
      const newest = last.get(parents.get(at) ?? '')
      if (newest && newest.id !== at) return true
    }
    return false
  }
}
