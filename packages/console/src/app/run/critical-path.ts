import type { StepDetail } from '@tiphys/archive'

/** The steps that the whole had to wait for: from the one that ended last back to the start, each time to the predecessor that
 *  ended last. */
export function criticalPath(steps: readonly StepDetail[]): ReadonlySet<string> {
  const byId = new Map(steps.map(step => [step.step, step]))
  const before = new Map<string, StepDetail[]>()
  for (const step of steps) {
    for (const child of step.children ?? []) {
      const list = before.get(child)
      if (list) list.push(step)
      else before.set(child, [step])
    }
    const parent = step.parent === undefined ? undefined : byId.get(step.parent)
    if (parent && !before.has(step.step)) before.set(step.step, [parent])
  }
  const endOf = (step: StepDetail) => step.finishedAt ?? step.changedAt
  const isLeaf = ({ type }: StepDetail) => type === 'Pod' || type === 'HTTP' || type === 'Suspend' || type === 'Plugin'
  const path = new Set<string>()
  let step = steps
    .filter(isLeaf)
    .reduce<StepDetail | undefined>((last, each) => (!last || endOf(each) > endOf(last) ? each : last), undefined)
  while (step && !path.has(step.step)) {
    path.add(step.step)
    step = (before.get(step.step) ?? []).reduce<StepDetail | undefined>(
      (last, each) => (!last || endOf(each) > endOf(last) ? each : last),
      undefined,
    )
  }
  return path
}
