import type { KubeObject, ManagedFieldsEntry } from '@tiphys/kube'
import { jsonEqual } from '../json-value.ts'

/** The managedFields to store for `next`: those of `live` when the two objects differ in nothing but the times of their
 *  managers. A write that changes nothing is then seen to change nothing. */
export function keepTimesOfUnchanged(live: KubeObject, next: KubeObject): ManagedFieldsEntry[] | undefined {
  const before = live.metadata.managedFields
  const after = next.metadata.managedFields
  if (before === undefined || after === undefined || before.length !== after.length) return after
  if (after.every((entry, index) => entry.time === before[index]?.time)) return after
  const onlyTimesDiffer = after.every((entry, index) => isSameButTime(before[index] as ManagedFieldsEntry, entry))
  if (!onlyTimesDiffer) return after
  const untimed = { ...next, metadata: { ...next.metadata, managedFields: before } }
  return jsonEqual(live, untimed) ? before : after
}

function isSameButTime({ time: _a, ...a }: ManagedFieldsEntry, { time: _b, ...b }: ManagedFieldsEntry): boolean {
  return jsonEqual(a, b)
}
