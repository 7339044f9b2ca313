import { type Attribute, ConditionalAttribute, PathAttribute } from './attribute.ts'
import { planCall, planEquality } from './call-plan.ts'
import type { CheckedExpression } from './checker.ts'
import type { Evaluate } from './evaluation.ts'
import { GrowingMap } from './functions/lists.ts'
import { goTypeName } from './go-type-name.ts'
import { evaluator, type Plan } from './plan.ts'
import { CelProgramError } from './source.ts'
import { type CallExpr, type ComprehensionExpr, type Expr, qualifiedName } from './syntax-tree.ts'
import {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  type CelValue,
  EntryMap,
  noOverloadFor,
  Optional,
  printValue,
  TypeValue,
  Uint,
} from './value.ts'

export interface PlannedProgram {
  evaluate: Evaluate
  slotCount: number
}

/** Turns a checked expression into closures. Throws CelProgramError when a constant in it cannot be computed. */
export function planProgram(checked: CheckedExpression, variables: readonly string[]): PlannedProgram {
  const planner = new Planner(checked, variables)
  const evaluate = evaluator(planner.plan(checked.root))
  return { evaluate, slotCount: planner.slotCount }
}

const listCost = 10
const mapCost = 30
const structCost = 40

const computed = (evaluate: Evaluate): Plan => ({ kind: 'computed', evaluate })

class Planner {
  slotCount = 0
  readonly #checked: CheckedExpression
  readonly #variables: ReadonlyMap<string, number>
  /** The loop variables in sight, innermost last. */
  readonly #scopes: Map<string, Evaluate>[] = []

  constructor(checked: CheckedExpression, variables: readonly string[]) {
    this.#checked = checked
    this.#variables = new Map(variables.map((name, index) => [name, index]))
  }

  plan(expr: Expr): Plan {
    switch (expr.kind) {
      case 'literal':
        return { kind: 'constant', value: expr.value }
      case 'ident':
        return this.#planIdent(expr.id, expr.name)
      case 'select':
        return this.#planSelect(expr)
      case 'call':
        return this.#planCall(expr)
      case 'list':
        return this.#planList(expr)
      case 'map':
        return this.#planMap(expr)
      case 'struct':
        return this.#planStruct(expr)
      case 'comprehension':
        return this.#planComprehension(expr)
      case 'unspecified':
        throw new CelProgramError('unsupported expr')
    }
  }

  #planIdent(id: number, writtenName: string): Plan {
    const name = this.#checked.identifiers.get(id) ?? writtenName
    const local = this.#localVariable(name)
    if (local !== undefined) return pathFrom(local)
    const index = this.#variables.get(name)
    if (index === undefined) {
      if (this.#checked.types.get(id)?.kind !== 'type') throw new CelProgramError(`no such attribute(s): ${name}`)
      if (name === 'duration' || name === 'timestamp') throw new CelProgramError(`reference to undefined type: ${name}`)
      return { kind: 'constant', value: new TypeValue(name) }
    }
    const missing = new CelError(`no such attribute(s): ${name}`)
    return pathFrom(evaluation => {
      const value = evaluation.variable(index)
      return value === undefined ? missing : value
    })
  }

  #localVariable(name: string): Evaluate | undefined {
    for (let depth = this.#scopes.length - 1; depth >= 0; depth--) {
      const variable = this.#scopes[depth]?.get(name)
      if (variable !== undefined) return variable
    }
    return undefined
  }

  /** The path that an operand is, or a new path that starts from the operand's value. */
  #pathOf(operand: Expr): Attribute {
    const plan = this.plan(operand)
    return plan.kind === 'attribute' && !plan.testOnly ? plan.attribute : new PathAttribute(evaluator(plan))
  }

  #planSelect(expr: Extract<Expr, { kind: 'select' }>): Plan {
    if (this.#checked.identifiers.has(expr.id)) return this.#planIdent(expr.id, qualifiedName(expr) ?? '')
    const attribute = this.#pathOf(expr.operand)
    attribute.add({ kind: 'constant', key: expr.field, optional: false, testOnly: expr.testOnly })
    return { kind: 'attribute', attribute, testOnly: expr.testOnly }
  }

  #planCall(expr: CallExpr): Plan {
    const operands = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    switch (expr.function) {
      case '_?_:_':
        return this.#planConditional(operands)
      case '_[_]':
        return this.#planIndex(operands, false)
      case '_?._':
      case '_[?_]':
        return this.#planIndex(operands, true)
      default:
    }
    const plans = operands.map(operand => this.plan(operand))
    switch (expr.function) {
      case '_&&_':
        return computed(logical(plans.map(evaluator), false))
      case '_||_':
        return computed(logical(plans.map(evaluator), true))
      case '_==_':
      case '_!=_':
        return computed(planEquality(expr.function, plans.map(evaluator)))
      case 'or':
      case 'orValue':
        return computed(optionalOr(plans.map(evaluator), expr.function === 'orValue'))
      default:
        return planCall(expr.function, this.#checked.overloads.get(expr.id) ?? [], plans)
    }
  }

  #planConditional(operands: readonly Expr[]): Plan {
    const [condition, whenTrue, whenFalse] = operands.map(operand => this.plan(operand)) as [Plan, Plan, Plan]
    const branch = (plan: Plan): Attribute =>
      plan.kind === 'attribute' ? plan.attribute : new PathAttribute(evaluator(plan))
    const attribute = new ConditionalAttribute(evaluator(condition), branch(whenTrue), branch(whenFalse))
    return { kind: 'attribute', attribute, testOnly: false }
  }

  #planIndex([operand, index]: readonly Expr[], optional: boolean): Plan {
    const attribute = this.#pathOf(operand as Expr)
    const key = this.plan(index as Expr)
    if (key.kind === 'constant') {
      if (typeof key.value === 'object' && !(key.value instanceof Uint)) {
        throw new CelProgramError(`invalid qualifier type: ${goTypeName(key.value)}`)
      }
      attribute.add({ kind: 'constant', key: key.value, optional, testOnly: false })
    } else {
      const path = key.kind === 'attribute' ? key.attribute : new PathAttribute(key.evaluate)
      attribute.add({ kind: 'computed', key: path, optional })
    }
    return { kind: 'attribute', attribute, testOnly: false }
  }

  #planList(expr: Extract<Expr, { kind: 'list' }>): Plan {
    const plans = expr.elements.map(element => this.plan(element))
    const { optionals } = expr
    if (plans.every(plan => plan.kind === 'constant')) {
      const elements = plans.map(plan => plan.value)
      return { kind: 'constant', value: new ArrayList(elements) }
    }
    const elements = plans.map(evaluator)
    return computed(evaluation => {
      const values: CelValue[] = []
      for (let index = 0; index < elements.length; index++) {
        const value = (elements[index] as Evaluate)(evaluation)
        const failure = value instanceof CelError ? value : undefined
        if (failure === undefined && !optionals.has(index)) {
          values.push(value)
          continue
        }
        if (value instanceof Optional) {
          if (value.value !== undefined) values.push(value.value)
          continue
        }
        evaluation.charge(listCost)
        return failure ?? notOptional(`list element from non-optional value ${printValue(value)}`)
      }
      evaluation.charge(listCost)
      return new ArrayList(values)
    })
  }

  #planMap(expr: Extract<Expr, { kind: 'map' }>): Plan {
    const keys = expr.entries.map(entry => this.plan(entry.key))
    const values = expr.entries.map(entry => this.plan(entry.value))
    const optionals = expr.entries.map(entry => entry.optional)
    const all = [...keys, ...values]
    const build = mapBuilder(keys.map(evaluator), values.map(evaluator), optionals)
    if (all.every(plan => plan.kind === 'constant')) {
      const constants = all.map(plan => plan.value)
      const entries = keys.map((_, index) => [constants[index], constants[keys.length + index]] as [CelValue, CelValue])
      return { kind: 'constant', value: EntryMap.of(entries) }
    }
    return computed(evaluation => {
      const map = build(evaluation)
      evaluation.charge(mapCost)
      return map
    })
  }

  /** Object types can be declared but not built: Kubernetes gives expressions no values of them. */
  #planStruct(expr: Extract<Expr, { kind: 'struct' }>): Plan {
    const values = expr.fields.map(field => evaluator(this.plan(field.value)))
    const failure = new CelError(`unknown type '${expr.typeName}'`)
    return computed(evaluation => {
      const broken = values.map(value => value(evaluation)).find(value => value instanceof CelError)
      evaluation.charge(structCost)
      return broken ?? failure
    })
  }

  #planComprehension(expr: ComprehensionExpr): Plan {
    const init = evaluator(this.plan(expr.init))
    const range = evaluator(this.plan(expr.range))
    const accuSlot = this.slotCount++
    const firstSlot = this.slotCount++
    const secondSlot = this.slotCount++
    const accumulator: Evaluate = evaluation => {
      const value = evaluation.slots[accuSlot]
      if (value !== undefined) return value
      const initial = growing(init(evaluation))
      evaluation.slots[accuSlot] = initial
      return initial
    }
    this.#scopes.push(new Map([[expr.accuVar, accumulator]]))
    const loop = new Map<string, Evaluate>([[expr.iterVar, slotReader(firstSlot)]])
    if (expr.iterVar2 !== undefined) loop.set(expr.iterVar2, slotReader(secondSlot))
    this.#scopes.push(loop)
    const condition = evaluator(this.plan(expr.condition))
    const step = evaluator(this.plan(expr.step))
    this.#scopes.pop()
    const result = evaluator(this.plan(expr.result))
    this.#scopes.pop()
    const pairs = expr.iterVar2 !== undefined
    return computed(evaluation => {
      const { slots } = evaluation
      slots[accuSlot] = undefined
      const aggregate = range(evaluation)
      if (aggregate instanceof CelError) return aggregate
      if (!(aggregate instanceof CelList) && !(aggregate instanceof CelMap)) return notIterable(aggregate, pairs)
      for (const [first, second] of iterate(aggregate, pairs)) {
        slots[firstSlot] = first
        slots[secondSlot] = second
        if (condition(evaluation) === false) break
        slots[accuSlot] = step(evaluation)
      }
      return finished(result(evaluation))
    })
  }
}

function pathFrom(base: Evaluate): Plan {
  return { kind: 'attribute', attribute: new PathAttribute(base), testOnly: false }
}

function slotReader(slot: number): Evaluate {
  return evaluation => evaluation.slots[slot] as CelValue
}

/** `&&` stops at the first false, `||` at the first true; an error counts only when nothing stops the evaluation. */
function logical(terms: readonly Evaluate[], deciding: boolean): Evaluate {
  return evaluation => {
    let failure: CelError | undefined
    for (const term of terms) {
      const value = term(evaluation)
      if (value === deciding) return deciding
      if (typeof value !== 'boolean') failure ??= noOverloadFor(value)
    }
    return failure ?? !deciding
  }
}

function optionalOr([left, right]: readonly Evaluate[], unwraps: boolean): Evaluate {
  return evaluation => {
    const value = (left as Evaluate)(evaluation)
    if (!(value instanceof Optional)) return value
    if (value.value === undefined) return (right as Evaluate)(evaluation)
    return unwraps ? value.value : value
  }
}

function notOptional(what: string): CelError {
  return new CelError(`cannot initialize optional ${what}`)
}

function mapBuilder(keys: readonly Evaluate[], values: readonly Evaluate[], optionals: readonly boolean[]): Evaluate {
  return evaluation => {
    const map = new EntryMap()
    for (let index = 0; index < keys.length; index++) {
      const key = (keys[index] as Evaluate)(evaluation)
      if (key instanceof CelError) return key
      const value = (values[index] as Evaluate)(evaluation)
      if (value instanceof CelError) return value
      if (optionals[index] !== true) map.set(key, value)
      else if (!(value instanceof Optional)) {
        return notOptional(`entry '${printValue(key)}' from non-optional value ${printValue(value)}`)
      } else if (value.value === undefined) map.delete(key)
      else map.set(key, value.value)
    }
    return map
  }
}

/** A list that only the fold that builds it can see, so that `+` may append in place. */
class GrowingList extends ArrayList {
  override concat(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    for (const element of other) this.elements.push(element)
    return this
  }
}

function growing(initial: CelValue): CelValue {
  if (initial instanceof CelList && initial.size === 0) return new GrowingList([])
  return initial instanceof CelMap && initial.size === 0 ? new GrowingMap() : initial
}

function finished(value: CelValue): CelValue {
  if (value instanceof GrowingList) return new ArrayList(value.elements)
  if (value instanceof GrowingMap) return EntryMap.of([...value.keys()].map(key => [key, value.find(key) ?? null]))
  return value
}

function* iterate(aggregate: CelList | CelMap, pairs: boolean): Generator<[CelValue, CelValue]> {
  if (aggregate instanceof CelList) {
    for (let index = 0; index < aggregate.size; index++) {
      const element = aggregate.at(index)
      yield pairs ? [BigInt(index), element] : [element, null]
    }
    return
  }
  for (const key of aggregate.keys()) yield [key, pairs ? (aggregate.find(key) ?? null) : null]
}

function notIterable(value: CelValue, pairs: boolean): CelError {
  const type = goTypeName(value)
  return new CelError(pairs ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`)
}
