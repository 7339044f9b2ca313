import { asError } from '@tiphys/env'
import type { AuditRecord, Recorder } from '@tiphys/journal/records'
import type { Caller } from './caller.ts'

export interface Deed {
  did: AuditRecord['did']
  target: AuditRecord['target']
  /** The event it is about. */
  trace?: string
}

/** Does it, and records who did it or was refused it. */
export async function audited<T>(recorder: Recorder, caller: Caller, deed: Deed, act: () => Promise<T>): Promise<T> {
  const common = {
    kind: 'audit' as const,
    trace: deed.trace ?? '',
    who: caller.user,
    groups: caller.groups,
    did: deed.did,
    target: deed.target,
  }
  try {
    const result = await act()
    recorder.record({ ...common, outcome: 'allowed' })
    return result
  } catch (error) {
    // Refused by the cluster, or impossible: it was not done, and the reason says why.
    recorder.record({ ...common, outcome: 'refused', reason: asError(error).message })
    throw error
  }
}
