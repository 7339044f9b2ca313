import { type FailureOptions, TerminalFailure } from '@tiphys/env'

export const missingArtifact = (key: string): TerminalFailure =>
  new TerminalFailure('artifact-missing', { what: `There is no artifact under ${key}` })

export const refusedArtifact = (what: string, options: Omit<FailureOptions, 'what'> = {}): TerminalFailure =>
  new TerminalFailure('artifact-refused', { what, ...options })
