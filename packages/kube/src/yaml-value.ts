import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import { formatGoFloat, formatGoFloat32 } from './go-float.ts'
import { goQuote } from './go-quote.ts'
import { resolveScalar, ScalarError, type ScalarValue } from './yaml-scalar.ts'

/** Something in a document that Go's decoder does not take. The text is Go's, without its prefix. */
export class YamlValueError extends Error {}

/** Something that YAML has and JSON has not. Go finds it after the document was read, and says it without a prefix. */
export class JsonMismatch extends Error {}

export interface ConvertedDocument {
  value: unknown
  /** Go's words for every key given twice, with its line. */
  duplicateKeys: string[]
}

/** Turns a parsed document into the JSON value that Go's decoder makes of it. */
export function convertDocument(document: Document.Parsed, text: string, lines: LineCounter): ConvertedDocument {
  const converter = new Converter(text, lines)
  converter.linkAliases(document.contents)
  const value = document.contents === null ? null : converter.convert(document.contents)
  return { value, duplicateKeys: converter.duplicateKeys }
}

// An alias repeats work that was written once: Go's decoder stops when nearly all of the work is repetition.
const ALIASES_BEFORE_CHECK = 100
const NODES_BEFORE_CHECK = 1000
const SMALL_DOCUMENT = 400_000
const LARGE_DOCUMENT = 4_000_000

function allowedAliasRatio(nodes: number): number {
  if (nodes <= SMALL_DOCUMENT) return 0.99
  if (nodes >= LARGE_DOCUMENT) return 0.1
  return 0.99 - (0.89 * (nodes - SMALL_DOCUMENT)) / (LARGE_DOCUMENT - SMALL_DOCUMENT)
}

class Converter {
  readonly duplicateKeys: string[] = []
  readonly #text: string
  readonly #lines: LineCounter
  readonly #targets = new Map<Alias, Node>()
  /** Aliases that are being followed: one that leads to itself never ends. */
  readonly #following = new Set<Alias>()
  #nodes = 0
  #aliased = 0

  constructor(text: string, lines: LineCounter) {
    this.#text = text
    this.#lines = lines
  }

  /** An alias means the nearest anchor of its name before it, also when the name is used again later. */
  linkAliases(root: Node | null): void {
    const anchors = new Map<string, Node>()
    const waiting: (Node | null | undefined)[] = [root]
    while (waiting.length > 0) {
      const node = waiting.pop()
      if (!node) continue
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (!target) throw new YamlValueError(`unknown anchor '${node.source}' referenced`)
        this.#targets.set(node, target)
        continue
      }
      if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) anchors.set(node.anchor, node)
      const children = isMap(node)
        ? pairsOf(node).flatMap(({ key, value }) => [key, value])
        : isSeq(node)
          ? node.items
          : []
      for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i] as Node | null)
    }
  }

  convert(node: Node | null | undefined): unknown {
    this.#count()
    if (!node) return null
    if (isAlias(node)) return this.#follow(node, target => this.convert(target))
    if (isScalar(node)) return toJsonValue(this.#resolve(node))
    if (isSeq(node)) return (node.items as Node[]).map(item => this.convert(item))
    const target: Target = { object: {}, keys: new Set() }
    this.#fill(target, node)
    return target.object
  }

  #fill(target: Target, mapping: YAMLMap): void {
    for (const pair of pairsOf(mapping)) {
      if (isMergeKey(pair.key)) this.#merge(target, pair.value)
      else this.#setField(target, this.#keyOf(pair.key, pair.value), pair.value)
    }
  }

  /** What is merged overrides what stands above it and is overridden by what stands below. */
  #merge(target: Target, node: Node | null): void {
    if (node && isSeq(node)) {
      for (const item of (node.items as Node[]).toReversed()) this.#mergeOne(target, item)
    } else {
      this.#mergeOne(target, node)
    }
  }

  #mergeOne(target: Target, node: Node | null): void {
    const source = node && isAlias(node) ? this.#targets.get(node) : node
    if (!source || !isMap(source)) {
      throw new YamlValueError('map merge requires map or sequence of maps as the value')
    }
    this.#count()
    if (node && isAlias(node)) {
      this.#follow(node, () => {
        this.#count()
        this.#fill(target, source)
      })
    } else {
      this.#fill(target, source)
    }
  }

  #setField({ object, keys }: Target, { text, shown }: Key, node: Node | null): void {
    const value = this.convert(node)
    if (keys.has(shown)) this.duplicateKeys.push(`line ${this.#lineOf(node)}: key ${shown} already set in map`)
    keys.add(shown)
    // Defined, not assigned: a key named __proto__ is data like any other.
    Object.defineProperty(object, text, { value, enumerable: true, configurable: true, writable: true })
  }

  #keyOf(node: Node | null, valueNode: Node | null): Key {
    this.#count()
    if (node && isAlias(node)) return this.#follow(node, target => this.#keyOf(target, valueNode))
    if (node && !isScalar(node)) throw new YamlValueError(`invalid map key: ${describe(this.convert(node))}`)
    const resolved: ScalarValue = node ? this.#resolve(node) : { type: 'null', value: null }
    switch (resolved.type) {
      case 'str':
      case 'timestamp':
        return { text: resolved.value, shown: goQuote(resolved.value) }
      case 'int':
        if (resolved.value > GREATEST_INT64) break
        return { text: String(resolved.value), shown: String(resolved.value) }
      case 'float':
        // Go prints such a key with the precision of a 32-bit number.
        return { text: formatGoFloat32(resolved.value), shown: formatGoFloat(resolved.value) }
      case 'bool':
        return { text: String(resolved.value), shown: String(resolved.value) }
    }
    const [type, key] =
      resolved.type === 'null' ? ['%!s(<nil>)', '<nil>'] : ['uint64', `0x${resolved.value.toString(16)}`]
    throw new JsonMismatch(
      `unsupported map key of type: ${type}, key: ${key}, value: ${describe(this.convert(valueNode))}`,
    )
  }

  #resolve(node: Scalar): ScalarValue {
    try {
      const text = this.#textOf(node)
      return resolveScalar(text, node.tag, node.type === 'PLAIN' || node.type === undefined)
    } catch (thrown) {
      if (thrown instanceof ScalarError) throw new YamlValueError(thrown.message)
      throw thrown
    }
  }

  #textOf({ value, type, range }: Scalar): string {
    const text = typeof value === 'string' ? value : ''
    const [start, end] = range ?? [0, 0]
    if (type === 'QUOTE_DOUBLE' && /(?<!\\)(?:\\\\)*\\\//.test(this.#text.slice(start, end))) {
      throw new YamlValueError('found unknown escape character') // `\/` came with YAML 1.2
    }
    // The library ends a block with a line break that the text does not have.
    const isCutOff = end >= this.#text.length && !this.#text.endsWith('\n')
    return isCutOff && type?.startsWith('BLOCK') ? text.replace(/\n$/, '') : text
  }

  #follow<R>(alias: Alias, then: (target: Node) => R): R {
    if (this.#following.has(alias)) throw new YamlValueError(`anchor '${alias.source}' value contains itself`)
    this.#following.add(alias)
    const result = then(this.#targets.get(alias) as Node)
    this.#following.delete(alias)
    return result
  }

  #count(): void {
    this.#nodes++
    if (this.#following.size > 0) this.#aliased++
    if (
      this.#aliased > ALIASES_BEFORE_CHECK &&
      this.#nodes > NODES_BEFORE_CHECK &&
      this.#aliased / this.#nodes > allowedAliasRatio(this.#nodes)
    ) {
      throw new YamlValueError('document contains excessive aliasing')
    }
  }

  #lineOf(node: Node | null): number {
    return this.#lines.linePos(node?.range?.[0] ?? 0).line
  }
}

/** An object under construction. Go tells the keys 1 and "1" apart, JSON does not. */
interface Target {
  object: Record<string, unknown>
  keys: Set<string>
}

interface Key {
  text: string
  /** As Go shows it in a message. */
  shown: string
}

const GREATEST_INT64 = 2n ** 63n - 1n

function pairsOf(mapping: YAMLMap): Pair<Node | null, Node | null>[] {
  return mapping.items as Pair<Node | null, Node | null>[]
}

function isMergeKey(node: Node | null): boolean {
  if (!node || !isScalar(node) || node.value !== '<<') return false
  return node.tag === undefined ? node.type === 'PLAIN' : node.tag === 'tag:yaml.org,2002:merge'
}

function toJsonValue(scalar: ScalarValue): unknown {
  if (scalar.type === 'int') return toJsonNumber(scalar.value)
  if (scalar.type !== 'float') return scalar.value
  if (!Number.isFinite(scalar.value)) {
    const shown = Number.isNaN(scalar.value) ? 'NaN' : scalar.value > 0 ? '+Inf' : '-Inf'
    throw new JsonMismatch(`json: unsupported value: ${shown}`)
  }
  const digits = String(scalar.value)
  return /^-?\d+$/.test(digits) ? toJsonNumber(BigInt(digits)) : scalar.value
}

/** A whole number travels as JSON digits from here on, so it is an int64 when it fits one. */
function toJsonNumber(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value
}

/** Roughly as Go shows a value (`%#v`). */
function describe(value: unknown): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(describe).join(', ')}}`
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([key, field]) => `${goQuote(key)}:${describe(field)}`)
    return `map[interface {}]interface {}{${fields.join(', ')}}`
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}
