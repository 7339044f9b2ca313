import { MASKED, type Secrets, secretsOf } from './secrets.ts'
import {
  type Change,
  type DecisionRecord,
  GIVEN,
  type Given,
  isObject,
  type Json,
  type Parameter,
  type RunRecord,
  type StepRecord,
  type TraceRecord,
} from './trace-record.ts'

export interface Mask {
  /** Takes out of a record what nobody may read. Gives back the same record, unchanged, when there is nothing. */
  <R extends TraceRecord>(record: R): R
  /** What it would mask of a payload; undefined when that is nothing. */
  secretsIn?(payload: string): Secrets | undefined
}

/** The annotation in which kubectl keeps an object as text. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
export const SECRET_FIELDS: readonly string[] = ['data', 'stringData']
/** A Secret calls itself one, and so does a list: in JSON, in JSON that is a text in JSON, however often, and in base64, whichever bytes come before.
 *  They begin with what is rare, for every payload is looked through. */
const SIGNS = ['Secret"', 'Secret\\', 'SecretList', 'lNlY3Jld', 'TZWNyZX', 'U2VjcmV0']
/** `{` and `[` in base64 are `e` and `W`. It may have been cut. */
const IN_BASE64 = /^[eW][\w+/]{15,}={0,2}…?$/
const MAY_BE_JSON = /^(?:\s*["[{]|[eW][\w+/]{15})/
/** Deeper than anything the API server accepts; what lies below is not stored. */
const DEEPEST = 200
/** Longer ones are not looked through for the sake of what was made of them. */
const LONGEST_PAYLOAD = 256 * 1024

export interface MaskOptions {
  /** Fields to mask beside those of Secrets: a name at any depth (`password`), or a path (`spec.auth.token`), which
   *  matches wherever it ends so. Upper and lower case are the same. */
  fields?: readonly string[]
}

/** Masks the `data` and `stringData` of every Secret in a record, wherever it is in a body, and the named fields. */
export function createMask({ fields = [] }: MaskOptions = {}): Mask {
  const walker = new Walker(fields.map(field => field.toLowerCase().split('.')))
  return Object.assign(<R extends TraceRecord>(record: R) => walker.record(record), {
    secretsIn: (payload: string) => walker.secretsIn(payload),
  })
}

/** A text without the values of Secrets in it, as the mask leaves it. Whoever cuts a text asks before: what is left may not say of itself what it
 *  is. */
export const withoutSecretValues = (text: string): string => SECRETS_ALONE.text(text)

/** What runs and steps are given and give. */
type Lists = Partial<Record<'parameters' | 'inputs' | 'outputs', readonly Parameter[]>>

type Members = Readonly<Record<string, Json | undefined>>

class Walker {
  readonly #fields: readonly string[][]
  /** What is masked, while somebody asks for it. */
  #found: (string | number)[] | undefined
  /** Records of one moment share what their run was given. */
  readonly #given = new WeakMap<Given, { secrets: Secrets | undefined }>()

  constructor(fields: readonly string[][]) {
    this.#fields = fields
  }

  record<R extends TraceRecord>(record: R): R {
    if (record.kind === 'event' && record.body !== undefined) {
      const masked = changed(record, 'body', this.#value(record.body, [], 0))
      if (masked === record || record.key === undefined) return masked
      // A path may lead to the key.
      return changed(masked, 'key', this.#hiddenIn(record.body).redact(record.key))
    }
    if (record.kind === 'decision') return this.#decision(record) as R
    if (record.kind === 'run' || record.kind === 'step') return this.#ofRun(record) as R
    if (record.kind === 'write' && record.diff) {
      const isOfSecret = record.object.kind === 'Secret'
      const secrets = this.#secretsOf(record[GIVEN])
      const diff = record.diff.map(change => withoutSecrets(this.#field(change, isOfSecret, ['from', 'to']), secrets))
      return diff.some((change, i) => change !== record.diff?.[i]) ? { ...record, diff } : record
    }
    return record
  }

  #ofRun(record: RunRecord | StepRecord): RunRecord | StepRecord {
    const secrets = this.#secretsOf(record[GIVEN])
    const lists = record.kind === 'run' ? (['parameters', 'outputs'] as const) : (['inputs', 'outputs'] as const)
    const masked = this.#parameters(record, lists, secrets)
    return secrets ? retold(masked, text => secrets.redact(text)) : masked
  }

  #secretsOf(given: Given | undefined): Secrets | undefined {
    if (!given) return undefined
    const known = this.#given.get(given)
    if (known) return known.secrets
    const found: (string | number)[] = [...(given.secrets ?? [])]
    this.#found = found
    for (const { name, value } of given.parameters ?? []) {
      if (value === undefined) continue
      if (this.#isNamed([name.toLowerCase()])) this.#hide(value, MASKED)
      else this.#value(value, [], 0)
    }
    this.#found = undefined
    const secrets = found.length > 0 ? secretsOf(found) : undefined
    this.#given.set(given, { secrets })
    return secrets
  }

  secretsIn(payload: string): Secrets | undefined {
    if (!this.#mayHide(payload)) return undefined
    const value = parsed(payload)
    if (value === undefined || this.#value(value, [], 0) === value) return undefined
    return this.#hiddenIn(value)
  }

  #hiddenIn(value: Json): Secrets {
    const found: (string | number)[] = []
    this.#found = found
    this.#value(value, [], 0)
    this.#found = undefined
    return secretsOf(found)
  }

  #mayHide(payload: string): boolean {
    return this.#fields.length > 0 || SIGNS.some(sign => payload.includes(sign))
  }

  /** What runs and steps are given and give are texts; a whole object often is one of them. */
  #parameters<R extends TraceRecord>(record: R, lists: readonly (keyof Lists)[], secrets: Secrets | undefined): R {
    let result = record
    for (const list of lists) {
      const parameters = (record as Lists)[list]
      const masked = parameters?.map(parameter => {
        const { name, value } = parameter
        if (value === undefined) return parameter
        const left = this.#isNamed([name.toLowerCase()]) ? MASKED : this.text(value)
        return changed(parameter, 'value', secrets?.redact(left) ?? left)
      })
      if (masked?.some((parameter, i) => parameter !== parameters?.[i])) result = changed(result, list, masked)
    }
    return result
  }

  /** A text that may be JSON, or JSON in base64, as brokers' messages are in events. */
  text(text: string): string {
    if (!MAY_BE_JSON.test(text) || !this.#mayHide(text)) return text
    if (!IN_BASE64.test(text)) return this.#json(text) ?? this.#unread(text)
    const decoded = Buffer.from(text, 'base64').toString('utf8')
    // Whole: nobody could see in base64 that something is masked.
    return (this.#json(decoded) ?? this.#unread(decoded)) === decoded ? text : MASKED
  }

  /** What begins like JSON and is none was cut; where it names what is masked nobody knows how far that goes. */
  #unread(text: string): string {
    if (!/^\s*[[{]/.test(text)) return text
    const lower = text.toLowerCase()
    const isNamed = this.#fields.some(field => lower.includes(`"${field.at(-1)}"`))
    return isNamed || SIGNS.some(sign => text.includes(sign)) ? MASKED : text
  }

  /** What is left of JSON; undefined for a text that is none. */
  #json(text: string): string | undefined {
    const value = parsed(text)
    if (value === undefined) return undefined
    const masked = this.#value(value, [], 0)
    return masked === value ? text : JSON.stringify(masked)
  }

  #decision(decision: DecisionRecord): DecisionRecord {
    const { payload, ...rest } = decision
    const { inputs, filters, transform, object } = rest
    const isOfSecret = object?.kind === 'Secret'
    const isLong = payload !== undefined && payload.length > LONGEST_PAYLOAD
    const secrets = payload === undefined || isLong ? undefined : this.secretsIn(payload)
    // Nobody knows by which names a transformation calls what it was given.
    const isUnknown = isLong ? this.#mayHide(payload) : secrets !== undefined && transform !== undefined
    const isUntold = (value: Json) => isUnknown || secrets?.areIn(value) === true
    let result: DecisionRecord = payload === undefined ? decision : rest
    if (inputs) {
      const masked = inputs.map(input =>
        input.value !== undefined && isUntold(input.value)
          ? { ...input, value: MASKED }
          : this.#field(input, isOfSecret, ['value']),
      )
      if (masked.some((input, i) => input !== inputs[i])) result = { ...result, inputs: masked }
    }
    if (filters) {
      // What a field is compared with tells what is in it.
      const isHidden = (path: string) => this.#isHidden(partsOf(path), isOfSecret)
      const masked = filters.map(one =>
        one.paths?.some(isHidden) || secrets?.areIn(one.says) ? { ...one, says: MASKED } : one,
      )
      if (masked.some((one, i) => one !== filters[i])) result = { ...result, filters: masked }
    }
    if (transform) {
      const output = isUnknown ? MASKED : this.#value(transform.output, [], 0)
      result = { ...result, transform: { output } }
    }
    return result
  }

  #isHidden(parts: readonly string[], isOfSecret: boolean): boolean {
    if (isOfSecret && parts.some(part => SECRET_FIELDS.includes(part) || part === 'annotations')) return true
    return this.#isInNamed(parts.map(part => part.toLowerCase()))
  }

  /** Something that says by a path what its values are. */
  #field<F extends { path: string }>(field: F, isOfSecret: boolean, names: readonly (keyof F & string)[]): F {
    const parts = partsOf(field.path)
    const path = parts.map(part => part.toLowerCase())
    const isHidden = this.#isHidden(parts, isOfSecret)
    const isText = parts.at(-1) === LAST_APPLIED
    let result = field
    for (const name of names) {
      const value = field[name] as Json | undefined
      if (value === undefined) continue
      const masked =
        isText && typeof value === 'string' ? (this.#json(value) ?? MASKED) : this.#value(value, path, path.length)
      result = changed(result, name, isHidden ? MASKED : masked)
    }
    return result
  }

  #value(value: Json, path: readonly string[], depth: number): Json {
    if (typeof value === 'string') {
      const masked = this.text(value)
      return masked === value ? value : this.#hide(value, masked)
    }
    if (typeof value !== 'object' || value === null) return value
    if (depth > DEEPEST) return '(too deep)'
    if (Array.isArray(value)) {
      const items = value.map(item => this.#value(item, path, depth + 1))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    return isObject(value) ? this.#object(value, path, depth) : value
  }

  /** This is done for every field of every event: the way to it is only remembered where somebody asks for it. */
  #object(object: Members, path: readonly string[], depth: number, isOfSecret = isSecret(object)): Json {
    const hasNamed = this.#fields.length > 0
    let result = object
    for (const name in object) {
      const value = object[name]
      if (value === undefined) continue
      const below = hasNamed ? [...path, name.toLowerCase()] : path
      let masked: Json
      if (hasNamed && this.#isNamed(below)) masked = this.#hide(value, MASKED)
      else if (isOfSecret && SECRET_FIELDS.includes(name)) masked = this.#hide(value, maskValues(value))
      else if (name === LAST_APPLIED && typeof value === 'string') masked = this.#json(value) ?? MASKED
      else if (name === 'items' && isSecret(object, 'SecretList')) masked = this.#secrets(value, below, depth + 1)
      else masked = this.#value(value, below, depth + 1)
      if (masked !== value) result = changed(result, name, masked)
    }
    return result
  }

  /** In a list that says what they are, they do not say it themselves. */
  #secrets(items: Json, path: readonly string[], depth: number): Json {
    if (!Array.isArray(items)) return this.#value(items, path, depth)
    const masked = items.map((item: Json) =>
      isObject(item) ? this.#object(item, path, depth, true) : this.#value(item, path, depth),
    )
    return masked.some((item, i) => item !== items[i]) ? masked : items
  }

  #hide(value: Json, masked: Json): Json {
    if (this.#found) this.#found.push(...leavesOf(value))
    return masked
  }

  /** Whether it is a named field or below one; the places in lists are no names. */
  #isInNamed(path: readonly string[]): boolean {
    if (this.#fields.length === 0) return false
    const names = path.filter(part => !/^(?:\d+|#)$/.test(part))
    return [path, names].some(parts => parts.some((_, i) => this.#isNamed(parts.slice(0, i + 1))))
  }

  #isNamed(path: readonly string[]): boolean {
    return this.#fields.some(field => field.every((part, i) => path[path.length - field.length + i] === part))
  }
}

const SECRETS_ALONE = new Walker([])

export function isSecret(
  { apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown },
  called = 'Secret',
): boolean {
  return kind === called && (apiVersion === 'v1' || apiVersion === undefined)
}

const PART = /\["(?:[^"\\]|\\.)*"\]|(?:\\.|[^\\.|,:{}()[\]])+/g

/** The names in a path, as changes write it (`labels["a.b/c"].d[0]`) or a filter (`labels.a\.b/c`). */
function partsOf(path: string): string[] {
  return (path.match(PART) ?? []).map(part => part.replace(/^\["|"\]$/g, '').replace(/\\(.)/g, '$1'))
}

/** The record in other words. What a step is called tells the item that it is for. */
function retold(record: RunRecord | StepRecord, tell: (text: string) => string): RunRecord | StepRecord {
  const message = record.message !== undefined && { message: tell(record.message) }
  if (record.kind === 'run') {
    const { cause } = record
    return { ...record, ...message, ...(cause && { cause: { step: tell(cause.step), message: tell(cause.message) } }) }
  }
  const { name, displayName } = record
  return {
    ...record,
    ...message,
    name: tell(name),
    ...(displayName !== undefined && { displayName: tell(displayName) }),
  }
}

/** A change, without what they are in. */
function withoutSecrets(change: Change, secrets: Secrets | undefined): Change {
  if (!secrets) return change
  const { from, to } = change
  const isIn = (value: Json | undefined) => value !== undefined && secrets.areIn(value)
  if (!isIn(from) && !isIn(to)) return change
  return { ...change, ...(isIn(from) && { from: MASKED }), ...(isIn(to) && { to: MASKED }) }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function leavesOf(value: Json): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(one => (one === undefined ? [] : leavesOf(one)))
}

/** The names stay, for they tell what is there. */
function maskValues(value: Json): Json {
  if (!isObject(value)) return MASKED
  return Object.fromEntries(Object.keys(value).map(name => [name, MASKED]))
}

/** A copy with one field replaced, unless it is the same. Also a field called `__proto__` is only a field. */
function changed<T extends object>(object: T, name: string, value: unknown): T {
  if ((object as Record<string, unknown>)[name] === value) return object
  const copy = { ...object }
  Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true })
  return copy
}
