import type { StepDetail } from '@tiphys/archive'

/** The steps without the groups that only hold together what begins at one time (`[0]`, `[1]`, …): what comes after a group comes
 *  after what led to it. A group that holds nothing stays, it may say why. */
export function withoutStepGroups(steps: readonly StepDetail[]): readonly StepDetail[] {
  const groups = new Map(
    steps
      .filter(({ type, children = [] }) => type === 'StepGroup' && children.length > 0)
      .map(step => [step.step, step]),
  )
  if (groups.size === 0) return steps
  const opened = (ids: readonly string[], depth = 0): string[] =>
    ids.flatMap(id => {
      const group = depth < 20 ? groups.get(id) : undefined
      return group ? opened(group.children ?? [], depth + 1) : [id]
    })
  return steps
    .filter(({ step }) => !groups.has(step))
    .map(step => (step.children?.some(id => groups.has(id)) ? { ...step, children: opened(step.children) } : step))
}
