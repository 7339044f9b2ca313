import { type EstimatedCall, type EstimatedNode, estimateCall } from './call-estimate.ts'
import type { CheckedExpression } from './checker.ts'
import type { DeclType } from './decl-type.ts'
import { type Estimate, fixed, largest, nothing, one, product, sum, union, unknownSize } from './estimate.ts'
import { accumulatorName, type CallExpr, type ComprehensionExpr, type Expr, qualifiedName } from './syntax-tree.ts'
import { stringLength } from './text-order.ts'
import { type CelType, dynType, isOptional, parameterOf } from './type.ts'
import { Uint } from './value.ts'

interface EntrySize {
  container: 'list' | 'map'
  key: Estimate
  value: Estimate
}

interface LocalVariable {
  path: readonly string[]
  size: Estimate | undefined
  entry: EntrySize | undefined
}

/** Bounds what an expression can cost before it runs. The sizes of variables come from the schema of `root`. */
export function estimateCost(checked: CheckedExpression, root: DeclType | undefined): Estimate {
  return new CostEstimator(checked, root).cost(checked.root)
}

const listCreation = fixed(10n)
const mapCreation = fixed(30n)
const structCreation = fixed(40n)
const nothingYet: Estimate = { min: largest, max: 0n }

class CostEstimator {
  readonly #checked: CheckedExpression
  readonly #root: DeclType | undefined
  readonly #paths = new Map<number, readonly string[]>()
  readonly #sizes = new Map<number, Estimate>()
  readonly #entrySizes = new Map<number, EntrySize>()
  readonly #locals = new Map<string, LocalVariable[]>()

  constructor(checked: CheckedExpression, root: DeclType | undefined) {
    this.#checked = checked
    this.#root = root
  }

  cost(expr: Expr): Estimate {
    switch (expr.kind) {
      case 'literal':
      case 'unspecified':
        return nothing
      case 'ident':
        this.#paths.set(expr.id, this.#local(expr.name)?.path ?? [expr.name])
        return one
      case 'select':
        return this.#selectCost(expr)
      case 'call':
        return this.#callCost(expr)
      case 'list':
        return this.#listCost(expr)
      case 'map':
        return this.#mapCost(expr)
      case 'struct':
        return sum(...expr.fields.map(field => this.cost(field.value)), structCreation)
      case 'comprehension':
        return isBind(expr) ? this.#bindCost(expr) : this.#comprehensionCost(expr)
    }
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #push(name: string, variable: LocalVariable): void {
    const stack = this.#locals.get(name) ?? []
    stack.push(variable)
    this.#locals.set(name, stack)
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop()
  }

  #type(expr: Expr): CelType {
    return this.#checked.types.get(expr.id) ?? dynType
  }

  #path(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined
    return local?.path ?? this.#paths.get(expr.id) ?? []
  }

  #selectCost(expr: Extract<Expr, { kind: 'select' }>): Estimate {
    if (this.#checked.identifiers.has(expr.id)) {
      const name = qualifiedName(expr) ?? ''
      this.#paths.set(expr.id, this.#local(name)?.path ?? [name])
      return one
    }
    const operand = this.cost(expr.operand)
    if (expr.testOnly) return operand
    this.#paths.set(expr.id, [...this.#path(expr.operand), expr.field])
    const { kind } = this.#type(expr.operand)
    return kind === 'map' || kind === 'struct' || kind === 'param' ? sum(operand, one) : operand
  }

  #node(expr: Expr): EstimatedNode {
    const path = this.#path(expr)
    const isAccumulator = path[0] === accumulatorName || path[0] === '__result__'
    return { expr, type: this.#type(expr), path: isAccumulator ? [] : path, size: this.#size(expr) }
  }

  #callCost(expr: CallExpr): Estimate {
    if (expr.function === 'dyn') return this.#dynCost(expr)
    const argCosts = expr.args.map(arg => this.cost(arg))
    const args = expr.args.map(arg => this.#node(arg))
    const overloads = this.#checked.overloads.get(expr.id) ?? []
    if (overloads.length === 0) return nothing
    const targetCost = expr.target === undefined ? nothing : this.cost(expr.target)
    const target = expr.target === undefined ? undefined : this.#node(expr.target)
    let cost = nothingYet
    let resultSize: Estimate | undefined
    for (const overload of overloads) {
      const call = this.#functionCost(expr, overload, target, args, argCosts)
      cost = union(cost, call.cost)
      if (call.resultSize !== undefined) {
        resultSize = resultSize === undefined ? call.resultSize : union(resultSize, call.resultSize)
      }
      const [aggregate] = expr.args
      if (aggregate !== undefined && (overload === 'index_list' || overload === 'index_map')) {
        resultSize = this.#entrySize(aggregate)?.value
        const step = overload === 'index_list' ? '@items' : '@values'
        this.#paths.set(expr.id, [...this.#path(aggregate), step])
      }
      resultSize ??= this.#size(expr)
    }
    if (resultSize !== undefined) this.#sizes.set(expr.id, resultSize)
    return sum(targetCost, cost)
  }

  #dynCost(expr: CallExpr): Estimate {
    const [arg] = expr.args as [Expr]
    const cost = this.cost(arg)
    this.#copySizes(expr, arg)
    return sum(one, cost)
  }

  #functionCost(
    expr: CallExpr,
    overload: string,
    target: EstimatedNode | undefined,
    args: readonly EstimatedNode[],
    argCosts: readonly Estimate[],
  ): EstimatedCall {
    if (overload === 'logical_and' || overload === 'logical_or') {
      const [left = nothing, right = nothing] = argCosts
      return { cost: { min: left.min, max: sum(left, right).max } }
    }
    if (overload === 'conditional') return this.#conditionalCost(expr, argCosts)
    if (overload === 'add_string' || overload === 'add_bytes' || overload === 'add_list') this.#joinEntries(expr)
    const call = estimateCall(expr.function, overload, { target, args }, node => this.#nodeSize(node))
    return { ...call, cost: sum(call.cost, ...argCosts) }
  }

  #conditionalCost(expr: CallExpr, argCosts: readonly Estimate[]): EstimatedCall {
    const [, whenTrue, whenFalse] = expr.args as [Expr, Expr, Expr]
    const [condition = nothing, left = nothing, right = nothing] = argCosts
    this.#setEntry(expr, unionEntries(this.#entrySize(whenTrue), this.#entrySize(whenFalse)))
    const resultSize = union(this.#size(whenTrue) ?? unknownSize, this.#size(whenFalse) ?? unknownSize)
    return { cost: sum(condition, union(left, right)), resultSize }
  }

  #joinEntries(expr: CallExpr): void {
    const [left, right] = expr.args as [Expr, Expr]
    this.#setEntry(expr, unionEntries(this.#entrySize(left), this.#entrySize(right)))
  }

  #listCost(expr: Extract<Expr, { kind: 'list' }>): Estimate {
    let value: Estimate = expr.elements.length === 0 ? nothing : nothingYet
    let cost = nothing
    for (const element of expr.elements) {
      cost = sum(cost, this.cost(element))
      value = union(value, this.#size(element) ?? unknownSize)
    }
    this.#entrySizes.set(expr.id, { container: 'list', key: one, value })
    return sum(cost, listCreation)
  }

  #mapCost(expr: Extract<Expr, { kind: 'map' }>): Estimate {
    const start = expr.entries.length === 0 ? nothing : nothingYet
    let [key, value]: [Estimate, Estimate] = [start, start]
    let cost = nothing
    for (const entry of expr.entries) {
      cost = sum(cost, this.cost(entry.key), this.cost(entry.value))
      key = union(key, this.#size(entry.key) ?? unknownSize)
      value = union(value, this.#size(entry.value) ?? unknownSize)
    }
    this.#entrySizes.set(expr.id, { container: 'map', key, value })
    return sum(cost, mapCreation)
  }

  #bindCost(expr: ComprehensionExpr): Estimate {
    const cost = sum(this.cost(expr.range), this.cost(expr.init))
    this.#pushAccumulator(expr)
    const result = this.cost(expr.result)
    this.#pop(expr.accuVar)
    this.#copySizes(expr, expr.result)
    return sum(cost, result)
  }

  #pushAccumulator({ accuVar, init }: ComprehensionExpr): void {
    this.#push(accuVar, { path: this.#path(init), size: this.#size(init), entry: this.#entrySize(init) })
  }

  #comprehensionCost(expr: ComprehensionExpr): Estimate {
    const start = sum(this.cost(expr.range), this.cost(expr.init))
    this.#pushAccumulator(expr)
    this.#pushIteration(expr)
    const round = sum(this.cost(expr.condition), this.cost(expr.step))
    this.#pop(expr.iterVar)
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2)
    const result = this.cost(expr.result)
    this.#pop(expr.accuVar)
    const rounds = this.#size(expr.range) ?? unknownSize
    if (expr.init.kind === 'literal') this.#setSize(expr, this.#size(expr.init))
    else if (expr.init.kind === 'list' || expr.init.kind === 'map') {
      this.#setSize(expr, rounds)
      this.#setEntry(expr, this.#entrySize(expr.step))
    }
    return sum(start, result, product(rounds, round))
  }

  #pushIteration({ range, iterVar, iterVar2 }: ComprehensionExpr): void {
    const entry = this.#entrySize(range)
    const isList = (entry?.container ?? this.#type(range).kind) === 'list'
    const path = this.#path(range)
    const value: LocalVariable = {
      path: [...path, isList ? '@items' : '@values'],
      size: entry?.value,
      entry: undefined,
    }
    const key: LocalVariable = { path: [...path, isList ? '@indices' : '@keys'], size: entry?.key, entry: undefined }
    if (iterVar2 === undefined) {
      this.#push(iterVar, isList ? value : key)
      return
    }
    this.#push(iterVar, key)
    this.#push(iterVar2, value)
  }

  #setSize(expr: Expr, size: Estimate | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size)
  }

  #setEntry(expr: Expr, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entrySizes.set(expr.id, entry)
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from))
    this.#setEntry(to, this.#entrySize(from))
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    const known = this.#entrySizes.get(expr.id)
    if (known !== undefined) return known
    return expr.kind === 'ident' ? this.#local(expr.name)?.entry : undefined
  }

  #size(expr: Expr): Estimate | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr)
    if (known !== undefined) return known
    const declared = this.#declaredSize(this.#path(expr))
    if (declared !== undefined) {
      this.#sizes.set(expr.id, declared)
      return declared
    }
    if (isScalar(this.#type(expr))) return one
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined
  }

  /** The size of a node as a call estimate asks for it: what is known of it, else what its path is declared as. */
  #nodeSize({ size, path }: EstimatedNode): Estimate {
    return size ?? this.#declaredSize(path) ?? unknownSize
  }

  /** What the schema says about the value at a path. The first part is the variable, whichever it is. */
  #declaredSize(path: readonly string[]): Estimate | undefined {
    if (this.#root === undefined || path.length === 0) return undefined
    let type: DeclType | undefined = this.#root
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') type = type.element
      else if (name === '@keys') type = type.key
      else type = type.fields?.get(name)
      if (type === undefined) return undefined
    }
    return { min: 0n, max: BigInt(type.maxElements) }
  }
}

function isBind({ range, condition, accuVar }: ComprehensionExpr): boolean {
  const isEmptyRange = range.kind === 'list' && range.elements.length === 0
  return isEmptyRange && condition.kind === 'literal' && condition.value === false && accuVar !== '__result__'
}

function unionEntries(left: EntrySize | undefined, right: EntrySize | undefined): EntrySize | undefined {
  if (left === undefined || right === undefined) return undefined
  return { container: left.container, key: union(left.key, right.key), value: union(left.value, right.value) }
}

function literalSize(expr: Expr): Estimate | undefined {
  if (expr.kind === 'list') return fixed(BigInt(expr.elements.length))
  if (expr.kind === 'map') return fixed(BigInt(expr.entries.length))
  if (expr.kind !== 'literal') return undefined
  const { value } = expr
  if (typeof value === 'string') return fixed(BigInt(stringLength(value)))
  if (value instanceof Uint8Array && !(value instanceof Uint)) return fixed(BigInt(value.length))
  return one
}

function isScalar(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true
    default:
      return isOptional(type) && isScalar(parameterOf(type, 0))
  }
}
