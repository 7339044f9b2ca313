import type { Evaluation, Plan, Scope } from './evaluation.ts'
import { groupsType } from './go-type.ts'
import { add, checkKey, isLess, itemAt, lengthOf } from './operators.ts'
import { boolOf, type Planner } from './planner.ts'
import { sortValues } from './sorting.ts'
import { Fault } from './source.ts'
import type { BuiltinNode } from './syntax-tree.ts'
import { type ExprValue, isList, nilOf, tagged, typeOf } from './value.ts'

/** A loop over a collection, with what it needs to know. */
interface Loop {
  run: Evaluation
  scope: Scope
  length: number
  /** The predicate for the item at hand. */
  predicate: Plan
  /** The predicate as a bool. */
  test(): boolean
}

/** The builtins that take a predicate; undefined for others. */
export function collectionPlan(planner: Planner, node: BuiltinNode): Plan | undefined {
  const { name, position } = node
  const isPlain = planner.dialect === '1.15' && (name === 'sum' || name === 'sortBy')
  const [collectionNode, predicateNode, thirdNode] = node.arguments
  if (collectionNode === undefined || isPlain || loops[name] === undefined) return undefined
  const collection = planner.plan(collectionNode)
  const predicate = predicateNode === undefined ? currentItem : planner.plan(predicateNode)
  const third = thirdNode && planner.plan(thirdNode)
  const mapped = node.mapped && planner.plan(node.mapped)
  const body = loops[name]
  const isBackward = name === 'findLast' || name === 'findLastIndex'
  return run => {
    const values = collection(run)
    run.position = position
    const outer = run.scope
    const length = loopLength(values)
    const scope: Scope = { item: () => itemOf(values, scope.index), index: 0, accumulator: null }
    run.scope = scope
    if (isBackward) scope.index = length - 1
    const test = () => {
      const value = predicate(run)
      run.position = position
      return boolOf(value)
    }
    const result = body({ run, scope, length, predicate, test }, { node, third, mapped })
    run.position = position
    run.scope = outer
    return result
  }
}

const currentItem: Plan = run => run.scope?.item()

function loopLength(values: ExprValue): number {
  const length = lengthOf(values)
  if (length !== undefined) return length
  const kind = values === null || values === undefined ? 'zero' : typeOf(values)?.kind
  throw new Fault(`reflect: call of reflect.Value.Len on ${kind} Value`)
}

function itemOf(values: ExprValue, index: number): ExprValue {
  if (isList(values)) {
    if (index < values.length) return values[index] ?? null
    throw new Fault('reflect: slice index out of range')
  }
  if (typeof values === 'string' || values instanceof Uint8Array) return itemAt(values, index)
  throw new Fault('reflect: call of reflect.Value.Index on map Value')
}

interface Extras {
  node: BuiltinNode
  third: Plan | undefined
  mapped: Plan | undefined
}

function forEach({ run, scope, length }: Loop, work: () => boolean | undefined): void {
  while (scope.index < length) {
    run.step()
    if (work() === false) return
    scope.index++
  }
}

function forEachBackward({ run, scope }: Loop, work: () => boolean | undefined): void {
  while (scope.index >= 0) {
    run.step()
    if (work() === false) return
    scope.index--
  }
}

/** Whether the predicate gave `wanted` for an item. */
function search(loop: Loop, wanted: boolean): boolean {
  let isFound = false
  forEach(loop, () => {
    isFound = loop.test() === wanted
    return !isFound
  })
  return isFound
}

function count(loop: Loop, { node: { threshold } }: Extras): bigint {
  let found = 0n
  forEach(loop, () => {
    if (loop.test()) found++
    return threshold === undefined || found < threshold
  })
  return found
}

function filter(loop: Loop, { mapped, node }: Extras): ExprValue {
  const kept: ExprValue[] = []
  forEach(loop, () => {
    if (loop.test()) {
      kept.push((mapped === undefined ? itemHere(loop, node) : mapped(loop.run)) ?? null)
      // Upstream counts when it has them all; here an endless list cannot get that far.
      loop.run.step()
    }
    return undefined
  })
  loop.run.position = node.position
  loop.run.grow(kept.length)
  return kept
}

function itemHere({ run, scope }: Loop, { position }: BuiltinNode): ExprValue {
  run.position = position
  return scope.item()
}

function map(loop: Loop, { node }: Extras): ExprValue {
  const values: ExprValue[] = []
  forEach(loop, () => {
    values.push(loop.predicate(loop.run) ?? null)
    return undefined
  })
  loop.run.position = node.position
  loop.run.grow(loop.length)
  return values
}

function sum(loop: Loop, { node }: Extras): ExprValue {
  let total: ExprValue = 0n
  forEach(loop, () => {
    const value = loop.predicate(loop.run)
    loop.run.position = node.position
    total = add(value, total)
    if (typeof total === 'string') loop.run.text(total)
    return undefined
  })
  return total
}

function find(each: typeof forEach) {
  return (loop: Loop, { mapped, node }: Extras): ExprValue => {
    let found: ExprValue
    let isFound = false
    each(loop, () => {
      if (!loop.test()) return true
      isFound = true
      found = mapped === undefined ? itemHere(loop, node) : mapped(loop.run)
      return false
    })
    if (!isFound && node.throws === true) {
      loop.run.position = node.position
      throw new Fault('reflect: slice index out of range')
    }
    return found ?? null
  }
}

function findIndex(each: typeof forEach) {
  return (loop: Loop): ExprValue => {
    let found: bigint | null = null
    each(loop, () => {
      if (!loop.test()) return true
      found = BigInt(loop.scope.index)
      return false
    })
    return found
  }
}

function groupBy(loop: Loop, { node }: Extras): ExprValue {
  const groups = new Map<ExprValue, ExprValue[]>()
  forEach(loop, () => {
    const key = loop.predicate(loop.run)
    const item = itemHere(loop, node)
    checkKey(key, loop.run.dialect === '1.17' && groups.size === 0)
    const known = groups.get(key ?? null)
    if (known === undefined) groups.set(key ?? null, [item])
    else known.push(item)
    return undefined
  })
  // The older version makes no map before it has a first group.
  const isNone = loop.run.dialect === '1.15' && groups.size === 0
  return tagged(isNone ? nilOf(groups) : groups, groupsType)
}

function sortBy(loop: Loop, { node, third }: Extras): ExprValue {
  const { run } = loop
  const order = third === undefined ? 'asc' : third(run)
  run.position = node.position
  if (typeof order !== 'string') throw new Fault('sortBy order argument must be a string')
  if (order !== 'asc' && order !== 'desc') throw new Fault('unknown order, use asc or desc')
  const items: ExprValue[] = []
  const keys: ExprValue[] = []
  forEach(loop, () => {
    keys.push(loop.predicate(run))
    items.push(itemHere(loop, node))
    return undefined
  })
  run.position = node.position
  const isBefore = order === 'desc' ? (a: ExprValue, b: ExprValue) => isLess(b, a) : isLess
  const sorted = sortValues(items, keys, isBefore)
  run.grow(loop.length)
  return sorted
}

function reduce(loop: Loop, { node, third }: Extras): ExprValue {
  const { run, scope } = loop
  if (third !== undefined) scope.accumulator = third(run)
  else {
    run.position = node.position
    if (loop.length === 0 && run.dialect === '1.17') throw new Fault('reduce of empty array with no initial value')
    scope.accumulator = scope.item()
    scope.index++
  }
  forEach(loop, () => {
    scope.accumulator = loop.predicate(run)
    return undefined
  })
  return scope.accumulator ?? null
}

const loops: Readonly<Record<string, (loop: Loop, extras: Extras) => ExprValue>> = {
  all: loop => !search(loop, false),
  none: loop => !search(loop, true),
  any: loop => search(loop, true),
  one: (loop, extras) => count(loop, extras) === 1n,
  filter,
  map,
  count,
  sum,
  find: find(forEach),
  findIndex: findIndex(forEach),
  findLast: find(forEachBackward),
  findLastIndex: findIndex(forEachBackward),
  groupBy,
  sortBy,
  reduce,
}
