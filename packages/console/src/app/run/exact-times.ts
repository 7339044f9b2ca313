import type { RunDetail, StepDetail } from '@tiphys/archive'

/** A status has whole seconds, cut off; its record has the millisecond in which it was heard of. Where the two say the same, the
 *  record is more exact. */
function exact(time: number | undefined, recorded: number | undefined): number | undefined {
  if (time === undefined || recorded === undefined || time % 1000 !== 0) return time
  return recorded >= time && recorded < time + 1000 ? recorded : time
}

/** The run with the most exact times that are known, its steps too. */
export function withExactTimes(run: RunDetail): RunDetail {
  const [first, last] = [run.history[0], run.history.at(-1)]
  return {
    ...run,
    ...defined('startedAt', exact(run.startedAt, first?.at)),
    ...defined('finishedAt', exact(run.finishedAt, last?.at)),
    steps: { ...run.steps, items: run.steps.items.map(exactStep) },
  }
}

const exactStep = (step: StepDetail): StepDetail => ({
  ...step,
  ...defined('startedAt', exact(step.startedAt, step.at)),
  ...defined('finishedAt', exact(step.finishedAt, step.changedAt)),
})

const defined = <F extends string>(field: F, time: number | undefined) =>
  (time === undefined ? {} : { [field]: time }) as Partial<Record<F, number>>
