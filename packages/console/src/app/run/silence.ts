import type { StepDetail } from '@tiphys/archive'

/** What stands for others, or only waits, never writes anything. */
const WITHOUT_OUTPUT: Readonly<Record<string, string>> = {
  Steps: 'is made of other steps: choose one of them to see its output',
  DAG: 'is made of other steps: choose one of them to see its output',
  Retry: 'is made of its attempts: choose one of them to see its output',
  Suspend: 'only waits, and writes no output',
}

/** Why a step has no output, and where to look instead. */
export function silenceOf(
  { name, displayName = name, type, finishedAt }: Pick<StepDetail, 'name' | 'displayName' | 'type' | 'finishedAt'>,
  isOver: boolean,
): string {
  const silence = finishedAt === undefined && !isOver ? 'has written no output yet' : 'wrote no output'
  return `The step ${displayName} ${WITHOUT_OUTPUT[type] ?? silence}.`
}
