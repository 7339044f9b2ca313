import { intType } from './go-type.ts'
import { typed } from './nature.ts'
import type { Rewrite } from './optimizer.ts'
import type { BinaryNode, BuiltinNode, Node } from './syntax-tree.ts'

const keepNature = (node: Node) => (node.nature === undefined ? {} : { nature: node.nature })
const body = (node: Node) => (node.kind === 'predicate' ? node.node : node)

/** all(x, a) && all(x, b) is all(x, a && b). */
export function combinePredicates(node: Node): Node | undefined {
  if (node.kind !== 'binary' || !/^(and|or|&&|\|\|)$/.test(node.operator)) return undefined
  const { left, right } = node
  if (left.kind !== 'builtin' || right.kind !== 'builtin' || left.name !== right.name) return undefined
  const operator = combinedOperator(left.name, node.operator)
  const [collection, first] = left.arguments
  const [other, second] = right.arguments
  if (operator === undefined || collection === undefined || other === undefined) return undefined
  if (first === undefined || second === undefined) return undefined
  if (collection.nature?.type?.name !== other.nature?.type?.name || shape(collection) !== shape(other)) return undefined
  const both: Node = { kind: 'binary', operator, left: body(first), right: body(second), position: undefined }
  const predicate: Node = { kind: 'predicate', node: combinePredicates(both) ?? both, position: undefined }
  return {
    kind: 'builtin',
    name: left.name,
    arguments: [collection, predicate],
    position: undefined,
    ...keepNature(node),
  }
}

function combinedOperator(name: string, operator: string): string | undefined {
  const isAnd = operator === 'and' || operator === '&&'
  if (name === 'all') return isAnd ? operator : undefined
  if (name === 'any') return isAnd ? undefined : operator
  if (name !== 'none' || !isAnd) return undefined
  return operator === 'and' ? 'or' : '||'
}

/** A text that two nodes share when they are written alike. */
function shape(node: Node): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === 'position' || key === 'nature') return undefined
    if (typeof value === 'bigint') return `${value}n`
    return value instanceof Map ? [...value.keys()].map(String) : value
  })
}

const integer = (value: bigint): Node => ({
  kind: 'integer',
  value: BigInt.asIntN(64, value),
  position: undefined,
  nature: typed(intType),
})

interface Range {
  from: bigint
  to: bigint
}

function knownRange(node: Node | undefined): Range | undefined {
  if (node?.kind !== 'binary' || node.operator !== '..') return undefined
  if (node.left.kind !== 'integer' || node.right.kind !== 'integer') return undefined
  const [from, to] = [node.left.value, node.right.value]
  return to >= from ? { from, to } : undefined
}

/** Go divides what is left after overflow. */
const seriesOf = ({ from, to }: Range) => BigInt.asIntN(64, (to - from + 1n) * (from + to)) / 2n

/** sum(1..100), sum(1..100, # * 2) and reduce(1..100, # + #acc) are known beforehand. */
export function sumToNumber(node: Node): Node | undefined {
  if (node.kind !== 'builtin') return undefined
  const range = knownRange(node.arguments[0])
  if (range === undefined) return undefined
  if (node.name === 'reduce') return reduceRange(node, seriesOf(range))
  if (node.name !== 'sum') return undefined
  const [, predicate] = node.arguments
  const total = seriesOf(range)
  const value = predicate === undefined ? total : sumOf(body(predicate), total, range.to - range.from + 1n)
  return value === undefined ? undefined : integer(value)
}

function reduceRange({ arguments: [, predicate, start] }: BuiltinNode, total: bigint): Node | undefined {
  if (predicate === undefined || !isAccumulation(body(predicate))) return undefined
  if (start === undefined) return integer(total)
  return start.kind === 'integer' ? integer(start.value + total) : undefined
}

const isPointer = (node: Node, name: string) => node.kind === 'pointer' && node.name === name

function isAccumulation(node: Node): boolean {
  if (node.kind !== 'binary' || node.operator !== '+') return false
  const { left, right } = node
  return (isPointer(left, '') && isPointer(right, 'acc')) || (isPointer(left, 'acc') && isPointer(right, ''))
}

function sumOf(node: Node, total: bigint, count: bigint): bigint | undefined {
  if (isPointer(node, '')) return total
  if (node.kind !== 'binary') return undefined
  const { operator, left, right } = node
  const isPointerLeft = isPointer(left, '')
  const constant = isPointerLeft ? right : left
  if (constant.kind !== 'integer' || !(isPointerLeft || isPointer(right, ''))) return undefined
  if (operator === '*') return constant.value * total
  if (operator === '+') return total + count * constant.value
  if (operator !== '-') return undefined
  return isPointerLeft ? total - count * constant.value : count * constant.value - total
}

/** sum([a, b, c]) is a + (b + c), and sum(map(x, a)) is sum(x, a). */
export function sumToAdditions(node: Node): Node | undefined {
  if (node.kind !== 'builtin' || node.name !== 'sum' || node.arguments.length !== 1) return undefined
  const [list] = node.arguments
  if (list?.kind === 'array' && list.nodes.length >= 2) return { ...additions(list.nodes), ...keepNature(node) }
  if (list?.kind !== 'builtin' || list.name !== 'map' || list.arguments.length !== 2) return undefined
  return { kind: 'builtin', name: 'sum', arguments: list.arguments, position: undefined, ...keepNature(node) }
}

function additions(nodes: readonly Node[]): BinaryNode {
  const [left, right] = nodes as [Node, Node]
  const rest = nodes.length === 2 ? right : additions(nodes.slice(1))
  return { kind: 'binary', operator: '+', left, right: rest, position: undefined }
}

interface CountComparison {
  count: BuiltinNode
  operator: string
  limit: bigint
}

function countComparison(node: Node): CountComparison | undefined {
  if (node.kind !== 'binary' || node.right.kind !== 'integer') return undefined
  const { left: count, operator } = node
  if (count.kind !== 'builtin' || count.name !== 'count' || count.arguments.length !== 2) return undefined
  return { count, operator, limit: node.right.value }
}

/** count(x, a) > 0 is any(x, a); another count stops where the comparison is decided. */
export const combineCounts: readonly Rewrite[] = [
  node => {
    const compared = countComparison(node)
    if (compared === undefined) return undefined
    const { count, operator, limit } = compared
    if (!(operator === '>' && limit === 0n) && !(operator === '>=' && limit === 1n)) return undefined
    return { kind: 'builtin', name: 'any', arguments: count.arguments, position: undefined, ...keepNature(node) }
  },
  node => {
    const compared = countComparison(node)
    if (compared === undefined || compared.limit < 0n) return undefined
    const { count, operator, limit } = compared
    const isAtLimit = operator === '>=' || operator === '<'
    if (!isAtLimit && operator !== '>' && operator !== '<=') return undefined
    const threshold = isAtLimit ? limit : limit + 1n
    if (threshold > 1n) count.threshold = threshold
    return undefined
  },
]
