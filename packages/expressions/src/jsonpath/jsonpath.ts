import { compareValues } from './comparison.ts'
import { FloatConstant, goJson, goPrint, goTypeOf, isObject, noValue } from './go-value.ts'
import type { ListNode, Node } from './node.ts'
import { parseTemplate } from './parser.ts'

export { JsonPathSyntaxError } from './parser.ts'

/** A template failed on the data it was given. */
export class JsonPathError extends Error {
  /** Where the walk was when it failed; an existence filter counts that as found. */
  readonly reached: readonly unknown[]

  constructor(message: string, reached: readonly unknown[] = []) {
    super(message)
    this.name = 'JsonPathError'
    this.reached = reached
  }
}

export interface JsonPathOptions {
  /** A missing key gives nothing instead of an error. */
  allowMissingKeys?: boolean
  /** Prints every result as an indented JSON array, as `-o jsonpath-as-json` does. */
  outputJson?: boolean
}

/** A compiled template of kubectl's JSONPath dialect. */
export interface JsonPath {
  /** The values of every action and text in the template. Throws JsonPathError. */
  findResults(data: unknown, options?: JsonPathOptions): unknown[][]
  /** The text that kubectl prints. Throws JsonPathError. */
  print(data: unknown, options?: JsonPathOptions): string
  /** The first value of the first action, missing keys allowed: a printer column. Undefined when there is none. */
  first(data: unknown): unknown
}

/** Compiles a template such as `{.items[*].metadata.name}`. Throws JsonPathSyntaxError. */
export function compileJsonPath(template: string): JsonPath {
  const root = parseTemplate(template)
  const fields = plainFields(root)
  const findResults = (data: unknown, options: JsonPathOptions = {}): unknown[][] =>
    new Execution(root.nodes, options.allowMissingKeys ?? false).run(data)
  return {
    findResults,
    print: (data, options = {}) =>
      findResults(data, options)
        .map(results => printResults(results, options.outputJson ?? false))
        .join(''),
    first: data => (fields === undefined ? firstResult(findResults, data) : followFields(fields, data)),
  }
}

/** The field names of a template that is one action of plain fields, as most printer columns are. */
function plainFields({ nodes }: ListNode): string[] | undefined {
  const [action] = nodes
  if (nodes.length !== 1 || action?.kind !== 'list' || action.nodes.length === 0) return undefined
  const names = action.nodes.map(node => (node.kind === 'field' ? node.name : undefined))
  return names.every(name => name !== undefined) ? names : undefined
}

function followFields(fields: readonly string[], data: unknown): unknown {
  let value = data
  for (const name of fields) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function firstResult(find: JsonPath['findResults'], data: unknown): unknown {
  try {
    return find(data, { allowMissingKeys: true })[0]?.[0]
  } catch (error) {
    // A column that does not fit its object is empty.
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}

function printResults(results: readonly unknown[], outputJson: boolean): string {
  if (outputJson) return `${goJson(results, '    ')}\n`
  return results.map(printResult).join(' ')
}

/** One value as the printers show it: text for scalars, JSON for objects and lists. */
export function printResult(value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'object' && !(value instanceof FloatConstant) ? goJson(value) : goPrint(value)
}

class Execution {
  readonly #nodes: readonly Node[]
  readonly #allowMissingKeys: boolean
  #begun = 0
  #inRange = 0
  #ended = 0
  #lastEnd = -1

  constructor(nodes: readonly Node[], allowMissingKeys: boolean) {
    this.#nodes = nodes
    this.#allowMissingKeys = allowMissingKeys
  }

  run(data: unknown, from = 0): unknown[][] {
    const full: unknown[][] = []
    for (let index = from; index < this.#nodes.length; index++) {
      const results = this.#walk([data], this.#nodes[index] as Node)
      if (this.#ended > 0 && this.#ended <= this.#inRange) {
        this.#ended--
        this.#lastEnd = index
        break
      }
      if (this.#begun === 0) {
        full.push(results)
        continue
      }
      this.#begun--
      this.#inRange++
      // An empty range is still walked once, without a value, to find where it ends.
      if (results.length === 0) this.run(noValue, index + 1)
      for (const value of results) full.push(...this.run(value, index + 1))
      this.#inRange--
      if (this.#lastEnd > index) index = this.#lastEnd
    }
    return full
  }

  #walk(input: unknown[], node: Node): unknown[] {
    switch (node.kind) {
      case 'list':
        return node.nodes.reduce((values, inner) => this.#walk(values, inner), input)
      case 'text':
        return [node.text]
      case 'constant':
        return input.map(() => (node.isFloat ? new FloatConstant(node.value as number) : node.value))
      case 'identifier':
        return this.#identifier(input, node.name)
      case 'field':
        return this.#field(input, node.name)
      case 'array':
        return input.flatMap(value => slice(value, node.bounds, input))
      case 'union':
        return node.alternatives.flatMap(alternative => this.#walk(input, alternative))
      case 'wildcard':
        return input.flatMap(children)
      case 'recursive':
        return descend(input)
      case 'filter':
        return input.flatMap(value => this.#filter(value, node, input))
    }
  }

  #identifier(input: unknown[], name: string): unknown[] {
    if (name === 'range') {
      this.#begun++
      return input
    }
    if (name !== 'end') throw new JsonPathError(`unrecognized identifier ${name}`, input)
    if (this.#inRange === 0) throw new JsonPathError('not in range, nothing to end')
    this.#ended++
    return []
  }

  #field(input: readonly unknown[], name: string): unknown[] {
    if (input.length === 0) return []
    const results: unknown[] = []
    for (const value of input) {
      if (isObject(value) && Object.hasOwn(value, name)) results.push(value[name])
    }
    if (results.length === 0 && !this.#allowMissingKeys) throw new JsonPathError(`${name} is not found`)
    return results
  }

  #filter(
    value: unknown,
    { left, right, operator }: Extract<Node, { kind: 'filter' }>,
    input: readonly unknown[],
  ): unknown[] {
    if (!Array.isArray(value)) {
      throw new JsonPathError(`${goPrint(value)} is not array or slice and cannot be filtered`, input)
    }
    if (operator === 'exists') return value.filter(element => this.#exists(element, left))
    return value.filter(element => {
      const leftValue = this.#only(this.#walk([element], left))
      if (leftValue === undefined) return false
      const rightValue = this.#only(this.#walk([element], right))
      if (rightValue === undefined) return false
      const result = compareValues(operator, leftValue.value, rightValue.value)
      if (typeof result === 'string') throw new JsonPathError(result)
      return result
    })
  }

  #exists(element: unknown, path: ListNode): boolean {
    try {
      return this.#walk([element], path).length > 0
    } catch (error) {
      if (error instanceof JsonPathError) return error.reached.length > 0
      throw error
    }
  }

  #only(values: readonly unknown[]): { value: unknown } | undefined {
    if (values.length > 1) throw new JsonPathError('can only compare one element at a time')
    return values.length === 0 ? undefined : { value: values[0] }
  }
}

type Bounds = Extract<Node, { kind: 'array' }>['bounds']

function slice(value: unknown, [start, stop, step]: Bounds, input: readonly unknown[]): unknown[] {
  const failure = (message: string): JsonPathError => new JsonPathError(message, input)
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw failure(`${goTypeOf(value)} is not array or slice`)
  const { length } = value
  const fromEnd = (position: number): number => (position < 0 ? position + length : position)
  const first = start.isKnown ? fromEnd(start.value) : 0
  let last = stop.isKnown ? stop.value : length
  if (last < 0 || (last === 0 && stop.isDerived)) last += length
  if (first === last) return []
  const outOfBounds = (index: number): JsonPathError =>
    failure(`array index out of bounds: index ${index}, length ${length}`)
  if (first >= length || first < 0) throw outOfBounds(first)
  if (last > length || last < 0) throw outOfBounds(last - 1)
  if (first > last) throw failure(`starting index ${first} is greater than ending index ${last}`)
  if (step.isKnown && step.value <= 0) throw failure('step must be > 0')
  const stride = step.isKnown ? step.value : 1
  return value.slice(first, last).filter((_, index) => index % stride === 0)
}

/** The values directly under a value; those of a string are its bytes. */
function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (isObject(value)) return Object.values(value)
  return typeof value === 'string' ? [...Buffer.from(value, 'utf8')] : []
}

/** Every value and everything under it that has something under it, parents first. */
function descend(input: readonly unknown[]): unknown[] {
  const found: unknown[] = []
  const open = [...input].reverse()
  while (open.length > 0) {
    const value = open.pop()
    const under = children(value)
    if (under.length === 0) continue
    found.push(value)
    for (let index = under.length - 1; index >= 0; index--) open.push(under[index])
  }
  return found
}
