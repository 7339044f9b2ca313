import type { StepDetail } from '@tiphys/archive'

/** Whether it waits to be resumed, by somebody or by the time. */
export const isSuspended = ({ type, phase }: Pick<StepDetail, 'type' | 'phase'>): boolean =>
  type === 'Suspend' && phase === 'Running'

/** Its phase in the word that fits: nothing runs in a step that waits to be resumed. */
export const stateOf = (step: Pick<StepDetail, 'type' | 'phase'>): string =>
  isSuspended(step) ? 'Suspended' : step.phase
