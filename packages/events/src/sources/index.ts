import type { Problem } from '../problem.ts'
import { calendarSource } from './calendar-source.ts'
import { fileSource } from './file-source.ts'
import { genericSource } from './generic-source.ts'
import { natsSource } from './nats-source.ts'
import { redisSource } from './redis-source.ts'
import { redisStreamSource } from './redis-stream-source.ts'
import { resourceSource } from './resource-source.ts'
import type { SourceType } from './source.ts'
import { withFilter } from './source-filter.ts'
import { isUnsupportedType, unsupportedMessage } from './unsupported-type.ts'
import { webhookSource } from './webhook-source.ts'

/** The types of event sources, by their key in `spec` of an EventSource. */
const SOURCE_TYPES: readonly SourceType[] = [
  resourceSource,
  withFilter(webhookSource),
  withFilter(calendarSource),
  withFilter(fileSource),
  withFilter(natsSource),
  withFilter(redisSource),
  withFilter(redisStreamSource),
  withFilter(genericSource),
]

const OTHER_FIELDS = new Set(['eventBusName', 'template', 'service', 'replicas'])

/** One entry of an EventSource, ready to be checked and started. */
export interface SourceEntry {
  type: SourceType
  name: string
  spec: unknown
}

export interface SourceEntries {
  entries: readonly SourceEntry[]
  /** Entries of types that Tiphys does not have: accepted, reported, not run. */
  unsupported: readonly { type: string; name: string; message: string }[]
  /** What is wrong with the entries and beside them; paths are relative to `spec`. */
  problems: readonly Problem[]
}

/** Finds the entries in `spec` of an EventSource. Two entries of one name are one subject on the bus, which upstream
 *  refuses too. */
export function sourceEntries(spec: Readonly<Record<string, unknown>>, types = SOURCE_TYPES): SourceEntries {
  const entries: SourceEntry[] = []
  const unsupported: { type: string; name: string; message: string }[] = []
  const problems: Problem[] = []
  const names = new Set<string>()
  for (const [field, value] of Object.entries(spec)) {
    if (OTHER_FIELDS.has(field) || value === undefined || value === null) continue
    const type = types.find(known => known.type === field)
    if (!type && !isUnsupportedType(field)) {
      problems.push({ path: field, message: `unknown field "${field}"`, severity: 'warning' })
      continue
    }
    if (typeof value !== 'object' || Array.isArray(value)) {
      problems.push({ path: field, message: 'must have entries by their names', severity: 'error' })
      continue
    }
    for (const [name, entry] of Object.entries(value)) {
      const path = `${field}.${name}`
      if (names.has(name))
        problems.push({ path, message: `more than one "${name}" found: names must be unique`, severity: 'error' })
      names.add(name)
      if (!type) unsupported.push({ type: field, name, message: unsupportedMessage(field) })
      else {
        entries.push({ type, name, spec: entry })
        for (const problem of checkEntry(type, entry))
          problems.push({ ...problem, path: problem.path === '' ? path : `${path}.${problem.path}` })
      }
    }
  }
  return { entries, unsupported, problems }
}

/** Why nothing comes from an entry, as far as its EventSource says; nothing when it can run. */
export function whyNoEntry(spec: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const has = ([, entries]: readonly [string, unknown]) =>
    typeof entries === 'object' && entries !== null && Object.hasOwn(entries, name)
  const fields = Object.entries(spec)
    .filter(has)
    .map(([field]) => field)
  if (fields.some(field => SOURCE_TYPES.some(({ type }) => type === field))) return undefined
  const unsupported = fields.find(isUnsupportedType)
  return unsupported === undefined ? 'which does not exist' : `but ${unsupportedMessage(unsupported)}`
}

function checkEntry(type: SourceType, entry: unknown): readonly Problem[] {
  if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return type.check(entry)
  return [{ path: '', message: 'must have fields', severity: 'error' }]
}
