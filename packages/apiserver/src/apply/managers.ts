import type { KubeObject, ManagedFieldsEntry } from '@tiphys/kube'
import { jsonEqual } from '../json-value.ts'
import {
  decodeFieldSet,
  difference,
  EMPTY,
  type FieldSet,
  fieldSet,
  isEmpty,
  rememberCanonical,
  union,
} from './field-set.ts'
import { UNTRACKED, UNTRACKED_METADATA } from './field-type.ts'
import { compareText, fieldElement } from './path-element.ts'

/** Who owns which fields. Updates of one manager are told apart by version and subresource, applies by subresource. */
export interface Manager {
  name: string
  operation: 'Apply' | 'Update'
  /** The version that `fields` are written in. */
  apiVersion: string
  subresource: string
  time: string | undefined
  fields: FieldSet
}

export type Managers = Map<string, Manager>

/** The identity of a manager. Also the order in which conflicts are told. */
export function managerId({ name, operation, apiVersion, subresource }: Omit<Manager, 'time' | 'fields'>): string {
  const who = name === '' ? '' : `"manager":${JSON.stringify(name)},`
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`
  const part = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`
  return `{${who}"operation":"${operation}"${version}${part}}`
}

/** Throws a SyntaxError for entries that say nothing sensible. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | null | undefined): Managers {
  const managers: Managers = new Map()
  for (const [index, entry] of (entries ?? []).entries()) {
    const { operation, apiVersion = '', fieldsType = '' } = entry
    if (operation !== 'Apply' && operation !== 'Update') throw new SyntaxError('operation must be `Apply` or `Update`')
    if (apiVersion === '') throw new SyntaxError('apiVersion must not be empty')
    if ((fieldsType as string) === '') throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`)
    if (fieldsType !== 'FieldsV1') {
      throw new SyntaxError(`invalid fieldsType "${String(fieldsType)}" in managed fields entry ${index}`)
    }
    const manager: Manager = {
      name: entry.manager ?? '',
      operation,
      apiVersion,
      subresource: entry.subresource ?? '',
      time: entry.time,
      fields: decodeFieldSet(entry.fieldsV1),
    }
    managers.set(managerId(manager), manager)
  }
  return managers
}

/** The managers an update starts from: those the client sent, if it sent sensible ones, else those of the live object.
 *  An empty list, or one with an empty entry, forgets everybody. */
export function managersOfUpdate(live: KubeObject | undefined, next: KubeObject, subresource: string): Managers {
  const known = live?.metadata.managedFields
  const sent = next.metadata.managedFields
  if (subresource === '' && sent !== undefined && sent !== null) {
    if (isReset(sent)) return new Map()
    // Clients mostly send back what they read; the stored entries are read already and can be shared.
    if (known === undefined || !jsonEqual(sent, known)) {
      const managers = decodeOrNone(sent)
      if (managers.size > 0) return managers
    }
  }
  return decodeOrNone(known)
}

const isReset = (entries: ManagedFieldsEntry[]): boolean =>
  entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] as ManagedFieldsEntry).length === 0)

function decodeOrNone(entries: ManagedFieldsEntry[] | null | undefined): Managers {
  try {
    return decodeManagers(entries)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return new Map() // entries that cannot be read own nothing; the write goes on without them
  }
}

/** Undefined when nobody owns anything. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined
  const sorted = [...managers.values()]
  if (sorted.length > 1) sorted.sort(compareManagers)
  return sorted.map(encodeManager)
}

export function encodeManager({ name, operation, apiVersion, subresource, time, fields }: Manager): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {}
  if (name !== '') entry.manager = name
  entry.operation = operation
  entry.apiVersion = apiVersion
  if (time !== undefined) entry.time = time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = rememberCanonical(fields)
  if (subresource !== '') entry.subresource = subresource
  return entry
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

const seconds = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000))

const MOST_UPDATERS = 10

/** Keeps at most ten managers of updates: the oldest of each version become one. */
export function capUpdaters(managers: Managers): void {
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update')
  let excess = updaters.length - MOST_UPDATERS
  if (excess <= 0) return
  updaters.sort(([aId, a], [bId, b]) => seconds(a.time) - seconds(b.time) || compareText(aId, bId))
  const firstOfVersion = new Map<string, string>()
  for (const [id, manager] of updaters) {
    if (excess <= 0) return
    const first = firstOfVersion.get(manager.apiVersion)
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id)
      continue
    }
    const bucket: Manager = { ...manager, name: 'ancient-changes', subresource: '' }
    const bucketId = managerId(bucket)
    const older = managers.get(bucketId) ?? managers.get(first)
    if (!managers.has(bucketId)) managers.delete(first)
    managers.delete(id)
    managers.set(bucketId, { ...bucket, fields: union(manager.fields, older?.fields ?? EMPTY) })
    excess--
  }
}

/** Comparisons leave these out where they know the type; objects without a schema, and configurations, name them. */
const NEVER_OWNED = fieldSet(
  ['f:metadata'],
  ...[...UNTRACKED].map(name => [fieldElement(name)]),
  ...[...UNTRACKED_METADATA].map(name => ['f:metadata', fieldElement(name)]),
)

export const withoutNeverOwned = (fields: FieldSet): FieldSet => difference(fields, NEVER_OWNED)

/** Adds fields to a manager, as of `manager.time`. */
export function addFields(managers: Managers, manager: Manager): void {
  if (isEmpty(manager.fields)) return
  const id = managerId(manager)
  const previous = managers.get(id)
  managers.set(id, previous === undefined ? manager : { ...manager, fields: union(previous.fields, manager.fields) })
}
