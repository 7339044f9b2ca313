import type { LifecycleHook } from './workflow.ts'

export interface ExitHook extends LifecycleHook {
  /** Where it is written. */
  readonly field: 'onExit' | 'hooks.exit'
}

/** The exit handler of a step, or of a Workflow. As upstream, `onExit` goes before `hooks.exit`. */
export function exitHook({
  hooks,
  onExit,
}: {
  hooks?: Record<string, LifecycleHook>
  onExit?: string
}): ExitHook | undefined {
  if (onExit !== undefined && onExit !== '') return { template: onExit, field: 'onExit' }
  return hooks?.exit === undefined ? undefined : { ...hooks.exit, field: 'hooks.exit' }
}

/** An exit handler that is given nothing has the Workflow's arguments, also that of a step, as upstream has it. */
export const isGivenNothing = ({ arguments: args }: LifecycleHook): boolean =>
  (args?.parameters ?? []).length + (args?.artifacts ?? []).length === 0
