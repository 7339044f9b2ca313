import type { ExprDialect } from './dialect.ts'
import { goPower } from './go-power.ts'
import { boolType, floatType, type GoType, intsType, intType, stringType } from './go-type.ts'
import { type Nature, typed } from './nature.ts'
import { combineCounts, combinePredicates, sumToAdditions, sumToNumber } from './optimizer-sums.ts'
import { Fault } from './source.ts'
import { type BinaryNode, type BuiltinNode, changeChildren, type Node, type UnaryNode } from './syntax-tree.ts'
import { type ExprValue, tagged } from './value.ts'

/** What a node becomes, or undefined when it stays. */
export type Rewrite = (node: Node) => Node | undefined

/** Rewrites the tree as upstream does. Much of it can be seen from outside: `x and false` does not look at x, a wrong
 *  operand is reported where the rewritten node stands. Throws Fault for `1 % 0`. */
export function optimize(node: Node, dialect: ExprDialect): Node {
  let tree = rewriteAll(node, inArray)
  for (let rounds = 0; rounds <= 1000; rounds++) {
    let isChanged = false
    tree = rewriteAll(tree, one => {
      const folded = fold(one)
      isChanged ||= folded !== undefined
      return folded
    })
    if (!isChanged) break
  }
  for (const rewrite of rewrites[dialect]) tree = rewriteAll(tree, rewrite)
  return tree
}

/** From the leaves to the root; what takes a node's place also takes its position. */
function rewriteAll(node: Node, rewrite: Rewrite): Node {
  changeChildren(node, child => rewriteAll(child, rewrite))
  const replaced = rewrite(node)
  if (replaced === undefined) return node
  replaced.position = node.position
  return replaced
}

export const withNature = (node: Node): { nature?: Nature } =>
  node.nature === undefined ? {} : { nature: node.nature }

function inArray(node: Node): Node | undefined {
  if (node.kind !== 'binary' || node.operator !== 'in' || node.right.kind !== 'array') return undefined
  const { nodes } = node.right
  if (nodes.length === 0) return undefined
  const isInt = node.left.nature?.type?.kind === 'int' && nodes.every(one => one.kind === 'integer')
  if (!isInt && !nodes.every(one => one.kind === 'string')) return undefined
  const keys = nodes.map((one): [ExprValue, ExprValue] => [(one as { value: ExprValue }).value, null])
  const type: GoType = {
    kind: 'map',
    name: `map[${isInt ? 'int' : 'string'}]struct {}`,
    key: isInt ? intType : stringType,
  }
  const right: Node = { kind: 'constant', value: tagged(new Map(keys), type), position: undefined, nature: typed(type) }
  return { ...node, right }
}

const integer = (value: bigint): Node => ({
  kind: 'integer',
  value: BigInt.asIntN(64, value),
  position: undefined,
  nature: typed(intType),
})
const float = (value: number): Node => ({ kind: 'float', value, position: undefined, nature: typed(floatType) })
const bool = (value: boolean): Node => ({ kind: 'bool', value, position: undefined, nature: typed(boolType) })

function fold(node: Node): Node | undefined {
  if (node.kind === 'unary') return foldUnary(node)
  if (node.kind === 'binary') return foldBinary(node)
  if (node.kind === 'array') return foldArray(node.nodes)
  return node.kind === 'builtin' ? foldFilters(node) : undefined
}

function foldUnary({ operator, operand }: UnaryNode): Node | undefined {
  if (operand.kind === 'bool') return operator === '!' || operator === 'not' ? bool(!operand.value) : undefined
  if (operand.kind === 'integer') {
    if (operator === '-') return integer(-operand.value)
    return operator === '+' ? integer(operand.value) : undefined
  }
  if (operand.kind !== 'float') return undefined
  if (operator === '-') return float(-operand.value)
  return operator === '+' ? float(operand.value) : undefined
}

function foldBinary(node: BinaryNode): Node | undefined {
  const { operator, left, right } = node
  if (/^(and|&&)$/.test(operator)) return foldLogic(node, true)
  if (/^(or|\|\|)$/.test(operator)) return foldLogic(node, false)
  if (left.kind === 'integer' && right.kind === 'integer') return foldIntegers(node, left.value, right.value)
  if (left.kind === 'string' && right.kind === 'string') {
    if (operator === '==') return bool(left.value === right.value)
    if (operator !== '+') return undefined
    return { kind: 'string', value: left.value + right.value, position: undefined, nature: typed(stringType) }
  }
  if (left.kind === 'bool' && right.kind === 'bool')
    return operator === '==' ? bool(left.value === right.value) : undefined
  if (!isNumber(left) || !isNumber(right)) return undefined
  const value = arithmetic(operator, Number(left.value), Number(right.value))
  return value === undefined ? undefined : float(value)
}

const isNumber = (node: Node) => node.kind === 'integer' || node.kind === 'float'

function foldIntegers(node: BinaryNode, left: bigint, right: bigint): Node | undefined {
  switch (node.operator) {
    case '+':
      return integer(left + right)
    case '-':
      return integer(left - right)
    case '*':
      return integer(left * right)
    case '%':
      if (right === 0n) throw new Fault('integer divide by zero', node.position)
      return integer(left % right)
    case '==':
      return bool(left === right)
    default: {
      const value = arithmetic(node.operator, Number(left), Number(right))
      return value === undefined ? undefined : float(value)
    }
  }
}

function arithmetic(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '**':
    case '^':
      return goPower(left, right)
    default:
      return undefined
  }
}

/** `neutral` is true for `and`, whose other value decides at once. */
function foldLogic({ left, right }: BinaryNode, neutral: boolean): Node | undefined {
  if (left.kind === 'bool' && left.value === neutral) return right
  if (right.kind === 'bool' && right.value === neutral) return left
  return left.kind === 'bool' || right.kind === 'bool' ? bool(!neutral) : undefined
}

function foldArray(nodes: readonly Node[]): Node | undefined {
  if (nodes.length === 0) return undefined
  const values: ExprValue[] = []
  for (const node of nodes) {
    if (node.kind !== 'integer' && node.kind !== 'float' && node.kind !== 'string' && node.kind !== 'bool')
      return undefined
    values.push(node.value)
  }
  return { kind: 'constant', value: values, position: undefined }
}

const predicateBody = (node: Node) => (node.kind === 'predicate' ? node.node : node)

/** filter(filter(x, a), b) is filter(x, a && b). */
function foldFilters(node: BuiltinNode): Node | undefined {
  const [inner, outer] = node.arguments
  if (node.name !== 'filter' || inner?.kind !== 'builtin' || inner.name !== 'filter' || outer === undefined)
    return undefined
  const [collection, first] = inner.arguments as [Node, Node]
  const both: Node = {
    kind: 'binary',
    operator: '&&',
    left: predicateBody(first),
    right: predicateBody(outer),
    position: undefined,
  }
  const predicate: Node = { kind: 'predicate', node: both, position: undefined }
  return {
    kind: 'builtin',
    name: 'filter',
    arguments: [collection, predicate],
    position: undefined,
    ...withNature(node),
  }
}

function inRange(node: Node): Node | undefined {
  if (node.kind !== 'binary' || node.operator !== 'in' || node.left.nature?.type?.kind !== 'int') return undefined
  const range = node.right
  if (range.kind !== 'binary' || range.operator !== '..') return undefined
  if (range.left.kind !== 'integer' || range.right.kind !== 'integer') return undefined
  const compare = (operator: string, right: Node): Node => ({
    kind: 'binary',
    operator,
    left: node.left,
    right,
    position: undefined,
  })
  return { ...node, operator: 'and', left: compare('>=', range.left), right: compare('<=', range.right) }
}

/** A range of the older version whose ends are known is made beforehand. */
function constantRange(node: Node): Node | undefined {
  if (node.kind !== 'binary' || node.operator !== '..') return undefined
  if (node.left.kind !== 'integer' || node.right.kind !== 'integer') return undefined
  const from = node.left.value
  const size = node.right.value - from + 1n
  // One beyond the memory budget is left for the run to refuse.
  if (size > 1_000_000n) return undefined
  const values = Array.from({ length: Math.max(Number(size), 0) }, (_, index) => from + BigInt(index))
  return { kind: 'constant', value: tagged(values, intsType), position: undefined }
}

const isFilter = (node: Node | undefined): node is BuiltinNode => node?.kind === 'builtin' && node.name === 'filter'

/** map(filter(x, a), b) goes through x once. */
function filterMap(mayUseIndex: boolean): Rewrite {
  return node => {
    if (node.kind !== 'builtin' || node.name !== 'map') return undefined
    const [filter, predicate] = node.arguments
    if (predicate?.kind !== 'predicate' || !isFilter(filter)) return undefined
    if (filter.mapped !== undefined || (!mayUseIndex && usesIndex(predicate))) return undefined
    return { ...filter, mapped: predicate.node, ...withNature(node) }
  }
}

function usesIndex(node: Node): boolean {
  let isFound = node.kind === 'pointer' && node.name === 'index'
  changeChildren(node, child => {
    isFound ||= usesIndex(child)
    return child
  })
  return isFound
}

function filterLength(node: Node): Node | undefined {
  if (node.kind !== 'builtin' || node.name !== 'len' || node.arguments.length !== 1) return undefined
  const [filter] = node.arguments
  if (!isFilter(filter)) return undefined
  return { kind: 'builtin', name: 'count', arguments: filter.arguments, position: undefined, ...withNature(node) }
}

/** filter(...)[0] and first(filter(...)) stop at the first that passes; the same for the last. */
function filterEnd(name: 'find' | 'findLast', builtin: 'first' | 'last', index: bigint): Rewrite {
  return node => {
    const isIndexed =
      node.kind === 'member' && !node.isOptional && node.property.kind === 'integer' && node.property.value === index
    const isCalled = node.kind === 'builtin' && node.name === builtin && node.arguments.length === 1
    if (!isIndexed && !isCalled) return undefined
    const filter = node.kind === 'member' ? node.base : node.arguments[0]
    if (!isFilter(filter)) return undefined
    return { ...filter, name, throws: isIndexed, ...withNature(node) }
  }
}

const rewrites: Readonly<Record<ExprDialect, readonly Rewrite[]>> = {
  '1.15': [
    inRange,
    constantRange,
    filterMap(true),
    filterLength,
    filterEnd('findLast', 'last', -1n),
    filterEnd('find', 'first', 0n),
  ],
  '1.17': [
    inRange,
    filterMap(false),
    filterLength,
    filterEnd('findLast', 'last', -1n),
    filterEnd('find', 'first', 0n),
    combinePredicates,
    sumToNumber,
    sumToAdditions,
    ...combineCounts,
  ],
}
