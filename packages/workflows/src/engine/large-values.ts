import { createHash } from 'node:crypto'
import type { NodeStatus, WorkflowStatus } from '../spec/workflow.ts'

/** A value that is kept in the artifact store instead of the status. */
export interface StoredValue {
  key: string
  bytes: number
}

/** Shorter texts stay where they are. */
const LONGEST_KEPT = 4096
const SHOWN = 200

/** Takes long texts out of what nodes, and the run as a whole, were given and have given: in their place stands how they begin and
 *  where the whole is. `table` says it by the place in the status; `values` has the texts by key. */
export function withoutLargeValues(
  status: WorkflowStatus,
  prefix: string,
): { status: WorkflowStatus; values: ReadonlyMap<string, string> } {
  const values = new Map<string, string>()
  const table: Record<string, StoredValue> = {}
  const take = (text: string, place: string): string => {
    if (text.length <= LONGEST_KEPT) return text
    const bytes = Buffer.byteLength(text)
    const key = `${prefix}/${createHash('sha256').update(text).digest('hex')}`
    values.set(key, text)
    table[place] = { key, bytes }
    return shownAs(text, { key, bytes })
  }
  const nodes = mapObject(status.nodes ?? {}, (node, id) => ofNode(node, `nodes/${id}`, take))
  const outputs = status.outputs === undefined ? undefined : mapTexts(status.outputs, 'outputs', take)
  return {
    status: { ...status, nodes, ...(outputs !== undefined && { outputs }), storedValues: table },
    values,
  }
}

/** The keys of everything that `withLargeValues` needs. */
export const largeValueKeys = ({ storedValues = {} }: WorkflowStatus): string[] => [
  ...new Set(Object.values(storedValues).map(({ key }) => key)),
]

/** Puts the texts back where they were. What somebody else has written in a place since is left there. */
export function withLargeValues(status: WorkflowStatus, values: ReadonlyMap<string, string>): WorkflowStatus {
  const { storedValues: table = {}, ...rest } = status
  const put = (text: string, place: string): string => {
    const stored = Object.hasOwn(table, place) ? table[place] : undefined
    const value = stored && values.get(stored.key)
    return stored && value !== undefined && text === shownAs(value, stored) ? value : text
  }
  const nodes = mapObject(status.nodes ?? {}, (node, id) => ofNode(node, `nodes/${id}`, put))
  const outputs = status.outputs === undefined ? undefined : mapTexts(status.outputs, 'outputs', put)
  return { ...rest, nodes, ...(outputs !== undefined && { outputs }) }
}

const shownAs = (text: string, { key, bytes }: StoredValue): string =>
  `${text.slice(0, SHOWN)}… (${bytes} bytes, kept in the artifact store as ${key})`

type Change = (text: string, place: string) => string

function ofNode(node: NodeStatus, place: string, change: Change): NodeStatus {
  const inputs = mapTexts(node.inputs, `${place}/inputs`, change)
  const outputs = mapTexts(node.outputs, `${place}/outputs`, change)
  if (inputs === node.inputs && outputs === node.outputs) return node
  return { ...node, ...(inputs !== undefined && { inputs }), ...(outputs !== undefined && { outputs }) }
}

/** The same value where nothing changes. */
function mapTexts<T>(value: T, place: string, change: Change): T {
  if (typeof value === 'string') return change(value, place) as T
  if (Array.isArray(value)) {
    const items = value.map((item, index) => mapTexts(item as unknown, `${place}/${index}`, change))
    return items.some((item, index) => item !== value[index]) ? (items as T) : value
  }
  if (typeof value !== 'object' || value === null) return value
  return mapObject(value as Record<string, unknown>, (item, name) => mapTexts(item, `${place}/${name}`, change)) as T
}

function mapObject<V>(object: Record<string, V>, change: (value: V, name: string) => V): Record<string, V> {
  let changed: Record<string, V> | undefined
  for (const [name, value] of Object.entries(object)) {
    const next = change(value, name)
    if (next === value) continue
    changed ??= { ...object }
    changed[name] = next
  }
  return changed ?? object
}
