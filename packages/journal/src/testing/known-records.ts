import type { Entry, JournalRecord } from '../journal.ts'

/** What a journal was found to hold. */
export interface Found {
  head: number
  horizon: number
  entries: Entry[]
}

/** The record that a test appends at a position, so that a reader knows what must be there without being told. */
export function knownRecord(position: number): JournalRecord {
  const data = `${position}:${'x'.repeat((position * 37) % 400)}`
  if (position % 5 === 0) return { data }
  return { key: `key ${position % 7}`, data, deleted: position % 11 === 0 }
}

/** Says what is wrong with a journal of known records that had acknowledged everything up to `acknowledged` and was never
 *  asked to compact past `horizon`; nothing if all is well. */
export function findProblem(found: Found, acknowledged: number, horizon: number): string | undefined {
  if (found.head < acknowledged) return `record ${found.head + 1} is lost, ${acknowledged} was acknowledged`
  if (found.horizon > horizon) return `the horizon is ${found.horizon}, at most ${horizon} was asked for`
  const expected = positionsLeft(found.head, found.horizon)
  for (let i = 0; i < Math.max(expected.length, found.entries.length); i++) {
    const [entry, position] = [found.entries[i], expected[i]]
    if (entry?.position !== position) return `found record ${entry?.position} where ${position} was expected`
    if (entry && !isKnown(entry)) return `record ${entry.position} is not what was appended`
  }
  return undefined
}

function isKnown({ position, key, data, deleted }: Entry): boolean {
  const record = knownRecord(position)
  return key === record.key && deleted === (record.deleted ?? false) && data.toString() === record.data
}

function positionsLeft(head: number, horizon: number): number[] {
  const lastOfKey = new Map<string, number>()
  for (let position = 1; position < horizon; position++) {
    const { key, deleted } = knownRecord(position)
    if (key === undefined) continue
    if (deleted) lastOfKey.delete(key)
    else lastOfKey.set(key, position)
  }
  const left = [...lastOfKey.values()].sort((a, b) => a - b)
  for (let position = horizon; position <= head; position++) left.push(position)
  return left
}
