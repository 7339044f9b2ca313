import { isSecret, LAST_APPLIED, SECRET_FIELDS, withoutSecretValues } from './mask.ts'
import { MASKED } from './secrets.ts'
import type { Change, Json } from './trace-record.ts'

/** What machines keep for themselves changes with every write, and says nothing of what was wanted. */
const METADATA_NOISE = new Set(['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink'])
const STATUS_NOISE = new Set([
  'observedGeneration',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastHeartbeatTime',
  'lastProbeTime',
])
const [MOST_CHANGES, MOST_CHARACTERS, LONGEST_VALUE] = [100, 24_000, 500]
/** Deeper than what a person reads. */
const DEEPEST = 64

/** What is different between an object as it was read and as a write left it: single fields, in the order of their names.
 *
 *  - A path is `spec.ports[0].name`, and `metadata.labels["app.kubernetes.io/name"]` where a name is no word.
 *  - Values are no maps and no lists but empty ones, so that a path tells all that is in them. Those of Secrets are masked,
 *    wherever in the object a Secret is; long texts are cut, and integers that a number does not hold are texts.
 *  - There are a hundred at most; a last one says how many more there were. */
export function changesOf(before: object, after: object): readonly Change[] {
  const comparison = new Comparison()
  comparison.compare(before, after, { path: '', depth: 0, isHidden: false, isStatus: false })
  return comparison.changes()
}

interface Place {
  path: string
  depth: number
  isHidden: boolean
  isStatus: boolean
}

type Fields = Readonly<Record<string, unknown>>

class Comparison {
  readonly #changes: Change[] = []
  #characters = 0
  #more = 0

  changes(): readonly Change[] {
    return this.#more === 0 ? this.#changes : [...this.#changes, { path: '…', to: `${this.#more} more` }]
  }

  compare(before: unknown, after: unknown, place: Place): void {
    if (before === after || place.depth > DEEPEST) return
    if (isFields(before) && isFields(after)) return this.#compareFields(before, after, place)
    if (Array.isArray(before) && Array.isArray(after)) return this.#compareItems(before, after, place)
    if (!isFull(before) && !isFull(after)) return this.#add(before, after, place)
    // What was there went, field by field, and something of another shape came.
    if (isFull(before)) this.compare(before, Array.isArray(before) ? [] : {}, place)
    else if (before !== undefined) this.#add(before, undefined, place)
    if (isFull(after)) this.compare(Array.isArray(after) ? [] : {}, after, place)
    else if (after !== undefined) this.#add(undefined, after, place)
  }

  #compareFields(before: Fields, after: Fields, { path, depth, isHidden, isStatus }: Place): void {
    const isOfSecret = isSecret(before) || isSecret(after)
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      if (path === 'metadata' ? METADATA_NOISE.has(name) : isStatus && STATUS_NOISE.has(name)) continue
      // It tells all of the object a second time.
      if (name === LAST_APPLIED) continue
      this.compare(own(before, name), own(after, name), {
        path: isWord(name) ? `${path}${path === '' ? '' : '.'}${name}` : `${path}[${JSON.stringify(name)}]`,
        depth: depth + 1,
        isHidden: isHidden || (isOfSecret && SECRET_FIELDS.includes(name)),
        isStatus: isStatus || (path === '' && name === 'status'),
      })
    }
  }

  #compareItems(before: readonly unknown[], after: readonly unknown[], place: Place): void {
    for (let i = 0; i < Math.max(before.length, after.length); i++)
      this.compare(before[i], after[i], { ...place, path: `${place.path}[${i}]`, depth: place.depth + 1 })
  }

  #add(before: unknown, after: unknown, { path, isHidden }: Place): void {
    const change: Change = {
      path,
      ...(before !== undefined && { from: isHidden ? MASKED : shown(before) }),
      ...(after !== undefined && { to: isHidden ? MASKED : shown(after) }),
    }
    const characters = path.length + lengthOf(change.from) + lengthOf(change.to)
    if (this.#changes.length === MOST_CHANGES || this.#characters + characters > MOST_CHARACTERS)
      return void this.#more++
    this.#characters += characters
    this.#changes.push(change)
  }
}

/** Also `__proto__` is a name. */
const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

const isWord = (name: string): boolean => /^[\w$-]+$/.test(name)

/** A scalar, an empty map or an empty list. */
function shown(value: unknown): Json {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'string' || value.length <= LONGEST_VALUE) return value as Json
  const left = withoutSecretValues(value)
  if (left.length <= LONGEST_VALUE) return left
  return `${left.slice(0, LONGEST_VALUE).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const lengthOf = (value: Json | undefined): number => (typeof value === 'string' ? value.length : 8)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFull = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
