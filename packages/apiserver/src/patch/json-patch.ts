import { stringifyJson } from '@tiphys/kube'
import { getOwn, isObject, jsonCopy, jsonEqual, jsonTypeName, setField } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { PatchFailure } from './patch-failure.ts'

export interface JsonPatch {
  operations: JsonPatchOperation[]
  /** Members that RFC 6902 does not know, as the server words them in warnings: `json patch unknown field "[0].foo"`. */
  unknownFields: string[]
}

/** One operation as it was sent: which members it needs is decided when it is applied. */
export type JsonPatchOperation = JsonObject

export interface JsonPatchLimits {
  operations: number
  /** Bytes of JSON that all `copy` operations together may add. */
  copiedBytes: number
}

export const JSON_PATCH_LIMITS: JsonPatchLimits = { operations: 10_000, copiedBytes: 3 * 1024 * 1024 }

const MEMBERS = new Set(['op', 'path', 'from', 'value'])

/** Reads the body of an `application/json-patch+json` request. Throws a `PatchFailure`. */
export function decodeJsonPatch(body: Json, limits: JsonPatchLimits = JSON_PATCH_LIMITS): JsonPatch {
  if (body === null) return { operations: [], unknownFields: [] }
  if (!Array.isArray(body)) throw cannotDecode(body, 'Go value of type []handlers.jsonPatchOp')
  const operations: JsonPatchOperation[] = []
  const unknownFields: string[] = []
  for (const [index, operation] of body.entries()) {
    if (operation === null) {
      operations.push({})
      continue
    }
    if (!isObject(operation)) throw cannotDecode(operation, 'Go value of type handlers.jsonPatchOp')
    for (const member of Object.keys(operation)) {
      if (!MEMBERS.has(member)) unknownFields.push(`json patch unknown field "[${index}].${member}"`)
    }
    for (const member of ['op', 'path', 'from']) {
      const value = getOwn(operation, member)
      if (value !== undefined && value !== null && typeof value !== 'string') {
        throw cannotDecode(value, `Go struct field jsonPatchOp.${member} of type string`)
      }
    }
    operations.push(operation)
  }
  if (operations.length > limits.operations) {
    throw PatchFailure.tooManyOperations(operations.length, limits.operations)
  }
  return { operations, unknownFields }
}

function cannotDecode(value: Json, target: string): PatchFailure {
  return PatchFailure.unreadable(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into ${target}`)
}

/** Applies the operations in order to a copy of `document`. Nothing is created on the way to a path. Throws a
 *  `PatchFailure` at the first operation that does not apply. */
export function applyJsonPatch(
  document: Json,
  patch: Pick<JsonPatch, 'operations'> | readonly JsonPatchOperation[],
  limits: JsonPatchLimits = JSON_PATCH_LIMITS,
): Json {
  const patching = new JsonPatching(jsonCopy(document), limits)
  for (const operation of 'operations' in patch ? patch.operations : patch) patching.apply(operation)
  return patching.document
}

type Container = Json[] | JsonObject

interface Place {
  container: Container
  key: string
}

class JsonPatching {
  document: Json
  private copiedBytes = 0
  private readonly limits: JsonPatchLimits

  constructor(document: Json, limits: JsonPatchLimits) {
    this.document = document
    this.limits = limits
  }

  apply(operation: JsonPatchOperation): void {
    const op = getOwn(operation, 'op')
    switch (op) {
      case 'add':
        return this.add(operation)
      case 'remove':
        return this.remove(operation)
      case 'replace':
        return this.replace(operation)
      case 'move':
        return this.move(operation)
      case 'copy':
        return this.copy(operation)
      case 'test':
        return this.test(operation)
      default:
        throw PatchFailure.unappliable(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`)
    }
  }

  private add(operation: JsonPatchOperation): void {
    const path = member(operation, 'path', 'add operation failed to decode path: missing value')
    const place = this.find(path)
    if (!place)
      throw PatchFailure.unappliable(`add operation does not apply: doc is missing path: "${path}": missing value`)
    insert(place, valueOf(operation), `error in add for path: '${path}'`)
  }

  private remove(operation: JsonPatchOperation): void {
    const path = member(operation, 'path', 'remove operation failed to decode path: missing value')
    const place = this.find(path)
    if (!place) {
      throw PatchFailure.unappliable(`remove operation does not apply: doc is missing path: "${path}": missing value`)
    }
    removeAt(place, `error in remove for path: '${path}'`)
  }

  private replace(operation: JsonPatchOperation): void {
    const path = member(
      operation,
      'path',
      'replace operation failed to decode path: operation missing path field: missing value',
    )
    if (path === '') {
      const value = valueOf(operation)
      if (typeof value !== 'object' || value === null) {
        throw PatchFailure.unappliable('replace operation value must be object or array: %!w(<nil>)')
      }
      this.document = value
      return
    }
    const place = this.find(path)
    if (!place) {
      throw PatchFailure.unappliable(`replace operation does not apply: doc is missing path: ${path}: missing value`)
    }
    const { container, key } = place
    if (!Array.isArray(container)) {
      // A key that is not there yet is accepted, as the real server's library does.
      setField(container, key, valueOf(operation))
      return
    }
    const at = existingIndex(container, key)
    if (typeof at === 'string') {
      throw PatchFailure.unappliable(`replace operation does not apply: doc is missing key: ${path}: missing value`)
    }
    container[at] = valueOf(operation)
  }

  private move(operation: JsonPatchOperation): void {
    const from = member(
      operation,
      'from',
      'move operation failed to decode from: operation, missing from field: missing value',
    )
    const source = this.find(from)
    if (!source) {
      throw PatchFailure.unappliable(`move operation does not apply: doc is missing from path: ${from}: missing value`)
    }
    const failing = `error in move for path: '${source.key}'`
    const value = read(source, failing)
    removeAt(source, failing)
    const path = member(
      operation,
      'path',
      'move operation failed to decode path: operation missing path field: missing value',
    )
    const place = this.find(path)
    if (!place) {
      throw PatchFailure.unappliable(
        `move operation does not apply: doc is missing destination path: ${path}: missing value`,
      )
    }
    insert(place, value ?? null, `error in move for path: '${path}'`)
  }

  private copy(operation: JsonPatchOperation): void {
    const from = member(
      operation,
      'from',
      'copy operation failed to decode from: operation, missing from field: missing value',
    )
    const source = this.find(from)
    if (!source) {
      throw PatchFailure.unappliable(`copy operation does not apply: doc is missing from path: ${from}: missing value`)
    }
    const value = read(source, `error in copy for from: '${from}'`)
    const path = member(operation, 'path', 'copy operation failed to decode path: missing value')
    const place = this.find(path)
    if (!place) {
      throw PatchFailure.unappliable(
        `copy operation does not apply: doc is missing destination path: ${path}: missing value`,
      )
    }
    if (value !== undefined && value !== null) this.countCopy(value)
    insert(place, jsonCopy(value ?? null), 'error while adding value during copy')
  }

  private countCopy(value: Json): void {
    this.copiedBytes += Buffer.byteLength(stringifyJson(value))
    if (this.copiedBytes > this.limits.copiedBytes) {
      throw PatchFailure.unappliable(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.copiedBytes}, exceeding the limit ${this.limits.copiedBytes}`,
      )
    }
  }

  private test(operation: JsonPatchOperation): void {
    const path = member(
      operation,
      'path',
      'test operation failed to decode path: operation missing path field: missing value',
    )
    const failed = `testing value ${path} failed: test failed`
    const expected = getOwn(operation, 'value') ?? null
    if (path === '') {
      if (!jsonEqual(this.document, expected)) throw PatchFailure.unappliable(failed)
      return
    }
    const place = this.find(path)
    if (!place) throw PatchFailure.unappliable(`test operation does not apply: is missing path: ${path}: missing value`)
    const actual = read(place, `error in test for path: '${path}'`) ?? null
    if (!jsonEqual(actual, expected)) throw PatchFailure.unappliable(failed)
  }

  /** The container that the last part of the path is looked up in; undefined when the way there is blocked. */
  private find(path: string): Place | undefined {
    const parts = path.split('/')
    if (parts.length < 2) return undefined
    let container = this.document as Container
    for (let i = 1; i < parts.length - 1; i++) {
      const part = decodePart(parts[i] as string)
      let next: Json | undefined
      if (Array.isArray(container)) {
        const at = existingIndex(container, part)
        if (typeof at === 'string') return undefined
        next = container[at]
      } else {
        next = getOwn(container, part)
      }
      if (typeof next !== 'object' || next === null) return undefined
      container = next
    }
    return { container, key: decodePart(parts[parts.length - 1] as string) }
  }
}

const decodePart = (part: string): string =>
  part.includes('~') ? part.replace(/~[01]/g, escape => (escape === '~1' ? '/' : '~')) : part

function member(operation: JsonPatchOperation, name: 'path' | 'from', missing: string): string {
  const value = getOwn(operation, name)
  if (typeof value !== 'string') throw PatchFailure.unappliable(missing)
  return value
}

/** Cloned, because one operation's value may be changed by a later one and the request may be retried. */
const valueOf = (operation: JsonPatchOperation): Json => jsonCopy(getOwn(operation, 'value') ?? null)

function read({ container, key }: Place, failing: string): Json | undefined {
  if (!Array.isArray(container)) return getOwn(container, key)
  const at = existingIndex(container, key)
  if (typeof at === 'string') throw PatchFailure.unappliable(`${failing}: ${at}`)
  return container[at]
}

function insert({ container, key }: Place, value: Json, failing: string): void {
  if (!Array.isArray(container)) return setField(container, key, value)
  if (key === '-') {
    container.push(value)
    return
  }
  const index = parseIndex(key)
  if (typeof index === 'string') {
    throw PatchFailure.unappliable(`${failing}: value was not a proper array index: '${key}': ${index}`)
  }
  const at = fromEnd(index, container.length + 1)
  if (at > container.length || at < 0) throw PatchFailure.unappliable(`${failing}: ${invalidIndex(index)}`)
  container.splice(at, 0, value)
}

function removeAt({ container, key }: Place, failing: string): void {
  if (Array.isArray(container)) {
    const at = existingIndex(container, key)
    if (typeof at === 'string') throw PatchFailure.unappliable(`${failing}: ${at}`)
    container.splice(at, 1)
    return
  }
  if (!Object.hasOwn(container, key)) {
    throw PatchFailure.unappliable(`${failing}: Unable to remove nonexistent key: ${key}: missing value`)
  }
  delete container[key]
}

/** The index of an element that exists, or what is wrong with the text. */
function existingIndex(list: Json[], text: string): number | string {
  const index = parseIndex(text)
  if (typeof index === 'string') return index
  const at = fromEnd(index, list.length)
  return at >= list.length || at < 0 ? invalidIndex(index) : at
}

/** Negative indices count from the end: not in the RFC, but the real server accepts them. */
const fromEnd = (index: number, length: number): number => (index < 0 ? index + length : index)

const invalidIndex = (index: number): string => `Unable to access invalid index: ${index}: invalid index referenced`

function parseIndex(text: string): number | string {
  if (!/^[+-]?[0-9]+$/.test(text)) return `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
  const index = Number(text)
  if (!Number.isSafeInteger(index)) return `strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`
  return index === 0 ? 0 : index
}
