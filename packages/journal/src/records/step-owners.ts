import type { StepRecord } from './trace-record.ts'

/** Steps by what they belong to, as a person wrote them; under undefined those that belong to no other. The groups of `steps` are how
 *  the engine counts, and are left out; attempts belong to what is tried again, the items of a loop to the loop. */
export function stepsByOwner<S extends Pick<StepRecord, 'type'>>(
  steps: readonly S[],
  linksOf: (step: S) => { id: string; parent: string | undefined; children: readonly string[] | undefined },
): ReadonlyMap<string | undefined, readonly S[]> {
  const shown = new Map(steps.flatMap(step => (step.type === 'StepGroup' ? [] : [[linksOf(step).id, step] as const])))
  const owners = new Map<string, string>()
  for (const [id, step] of shown)
    if (step.type === 'Retry' || step.type === 'TaskGroup')
      for (const child of linksOf(step).children ?? []) owners.set(child, id)
  const below = new Map<string | undefined, S[]>()
  for (const [id, step] of shown) {
    const owner = owners.get(id) ?? linksOf(step).parent
    const place = owner !== undefined && owner !== id && shown.has(owner) ? owner : undefined
    below.set(place, [...(below.get(place) ?? []), step])
  }
  return below
}
