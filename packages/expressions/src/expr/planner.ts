import { compilePattern, PatternError } from '../re2/pattern.ts'
import { builtinsOf } from './builtins.ts'
import { callPlan } from './call-plan.ts'
import { collectionPlan } from './collection-plan.ts'
import type { ExprDialect } from './dialect.ts'
import type { Evaluation, Plan } from './evaluation.ts'
import { goPower } from './go-power.ts'
import { intsType } from './go-type.ts'
import {
  add,
  conversion,
  divide,
  fetch,
  isEqual,
  isIn,
  isLess,
  isLessOrEqual,
  isMore,
  isMoreOrEqual,
  lengthOf,
  modulo,
  multiply,
  negate,
  sliceValue,
  subtract,
  toFloat,
  toInt,
} from './operators.ts'
import { Fault } from './source.ts'
import type { BinaryNode, BuiltinNode, MapNode, MemberNode, Node, SliceNode, UnaryNode } from './syntax-tree.ts'
import { type ExprValue, isList, isNil, own, put, tagged, typeName } from './value.ts'

/** Stands for the value of a chain that ended early. */
export const shortcut: unique symbol = Symbol('nil in a chain')
export type Chained = ExprValue | typeof shortcut

/** Makes a checked tree ready to run. Throws Fault. */
export function plan(node: Node, dialect: ExprDialect): Plan {
  return new Planner(dialect).plan(node)
}

/** A value that must be a bool, or the fault of Go's type assertion. */
export function boolOf(value: ExprValue): boolean {
  if (typeof value !== 'boolean') throw new Fault(conversion(value, 'bool'))
  return value
}

export class Planner {
  readonly dialect: ExprDialect
  readonly #variables: { name: string; index: number }[] = []
  #variableCount = 0

  constructor(dialect: ExprDialect) {
    this.dialect = dialect
  }

  plan(node: Node): Plan {
    switch (node.kind) {
      case 'nil':
        return () => null
      case 'identifier':
        return this.#identifier(node.name, node.position)
      case 'integer':
      case 'float':
      case 'bool':
      case 'string':
      case 'bytes':
      case 'constant': {
        const { value } = node
        return () => value
      }
      case 'unary':
        return this.#unary(node)
      case 'binary':
        return this.#binary(node)
      case 'chain':
        return this.#chain(node.node)
      case 'member':
      case 'call': {
        const chained = this.chained(node)
        return run => chained(run) as ExprValue
      }
      case 'slice':
        return this.#slice(node)
      case 'builtin':
        return this.#builtin(node)
      case 'predicate':
        return this.plan(node.node)
      case 'pointer':
        return pointer(node.name, node.position)
      case 'let':
        return this.#let(node.name, node.value, node.body)
      case 'sequence':
        return this.#sequence(node.nodes)
      case 'conditional':
        return this.#conditional(node.condition, node.whenTrue, node.whenFalse, node.position)
      case 'array':
        return this.#array(node.nodes, node.position)
      case 'map':
        return this.#map(node)
    }
  }

  /** A plan that may end a chain early. */
  chained(node: Node): (run: Evaluation) => Chained {
    if (node.kind === 'member') return this.#member(node)
    return node.kind === 'call' ? callPlan(this, node) : this.plan(node)
  }

  #identifier(name: string, position: Node['position']): Plan {
    const variable = this.#variables.findLast(one => one.name === name)
    if (variable !== undefined) return run => run.variables[variable.index]
    if (name === '$env') return run => run.environment
    return run => {
      run.position = position
      if (run.environment !== null) return own(run.environment, name) ?? null
      if (run.dialect === '1.17') return null
      throw new Fault(`cannot fetch ${name} from <nil>`)
    }
  }

  #unary({ operator, operand, position }: UnaryNode): Plan {
    const value = this.plan(operand)
    if (operator === '+') return value
    const isNot = operator !== '-'
    return run => {
      const given = value(run)
      run.position = position
      return isNot ? !boolOf(given) : negate(given)
    }
  }

  #binary(node: BinaryNode): Plan {
    const { operator, position } = node
    if (operator === 'matches') return this.#matches(node)
    const [left, right] = [this.plan(node.left), this.plan(node.right)]
    switch (operator) {
      case 'or':
      case '||':
        return run => decided(run, left(run), true, position) ?? right(run)
      case 'and':
      case '&&':
        return run => decided(run, left(run), false, position) ?? right(run)
      case '??':
        return run => {
          const value = left(run)
          return isNil(value) ? right(run) : value
        }
      default: {
        const operate = operations[operator]
        if (operate === undefined) throw new Fault(`unknown operator (${operator})`, position)
        return run => {
          const a = left(run)
          const b = right(run)
          run.position = position
          run.step()
          return operate(a, b, run)
        }
      }
    }
  }

  #matches({ left, right, position }: BinaryNode): Plan {
    const text = this.plan(left)
    const known = right.kind === 'string' ? compilePattern(right.value) : undefined
    const source = this.plan(right)
    const isNew = this.dialect === '1.17'
    return run => {
      const value = text(run)
      const pattern = known ?? source(run)
      run.position = position
      run.step()
      if (isNew && (isNil(value) || (known === undefined && isNil(pattern as ExprValue)))) return false
      const compiled = known ?? patternOf(pattern as ExprValue)
      if (isNew && value instanceof Uint8Array) return compiled.test(Buffer.from(value).toString('utf8'))
      if (typeof value !== 'string') throw new Fault(conversion(value, isNew ? '[]uint8' : 'string'))
      return compiled.test(value)
    }
  }

  #chain(node: Node): Plan {
    const inner = this.chained(node)
    return run => {
      const value = inner(run)
      if (value === shortcut) return run.dialect === '1.17' ? null : run.cutShort
      return run.dialect === '1.17' && isNil(value) ? null : value
    }
  }

  #member({ base, property, isOptional, position }: MemberNode): (run: Evaluation) => Chained {
    const from = this.chained(base)
    const key = this.plan(property)
    return run => {
      const container = from(run)
      if (container === shortcut) return shortcut
      if (isOptional && isNil(container)) {
        run.cutShort = container
        return shortcut
      }
      const at = key(run)
      run.position = position
      run.step()
      return fetch(container, at, run.dialect)
    }
  }

  #slice({ base, from, to, position }: SliceNode): Plan {
    const value = this.plan(base)
    const [start, end] = [from && this.plan(from), to && this.plan(to)]
    return run => {
      const given = value(run)
      run.position = position
      const upTo = end === undefined ? sliceLength(given) : end(run)
      const after = start === undefined ? 0n : start(run)
      run.position = position
      run.step(isList(given) ? given.length : 1)
      return sliceValue(given, after, upTo)
    }
  }

  #builtin(node: BuiltinNode): Plan {
    const collection = collectionPlan(this, node)
    if (collection !== undefined) return collection
    const builtin = builtinsOf(this.dialect).get(node.name)
    if (builtin === undefined) throw new Fault(`unknown builtin ${node.name}`, node.position)
    const values = node.arguments.map(one => this.plan(one))
    const { position } = node
    return run => {
      const given = values.map(value => value(run))
      run.position = position
      run.step()
      return builtin(run, given)
    }
  }

  #let(name: string, value: Node, body: Node): Plan {
    const bound = this.plan(value)
    const index = this.#variableCount++
    this.#variables.push({ name, index })
    const rest = this.plan(body)
    this.#variables.pop()
    return run => {
      run.variables[index] = bound(run)
      return rest(run)
    }
  }

  #sequence(nodes: readonly Node[]): Plan {
    const plans = nodes.map(node => this.plan(node))
    return run => {
      let last: ExprValue = null
      for (const one of plans) last = one(run)
      return last
    }
  }

  #conditional(condition: Node, then: Node, otherwise: Node, position: Node['position']): Plan {
    const [test, yes, no] = [this.plan(condition), this.plan(then), this.plan(otherwise)]
    return run => {
      const value = test(run)
      run.position = position
      return boolOf(value) ? yes(run) : no(run)
    }
  }

  #array(nodes: readonly Node[], position: Node['position']): Plan {
    const items = nodes.map(node => this.plan(node))
    return run => {
      const values = items.map(item => item(run) ?? null)
      run.position = position
      run.grow(values.length)
      return values
    }
  }

  #map({ pairs, position }: MapNode): Plan {
    const plans = pairs.map(({ key, value }) => ({ key: this.plan(key), value: this.plan(value) }))
    return run => {
      const entries = plans.map(({ key, value }) => [key(run), value(run)] as const)
      run.position = position
      run.grow(entries.length)
      const object: Record<string, ExprValue> = {}
      // Go fills the map from the back, so that the first of two equal keys wins and the last bad key is reported.
      for (const [key, value] of entries.toReversed()) {
        if (typeof key !== 'string') throw new Fault(conversion(key, 'string'))
        put(object, key, value ?? null)
      }
      return object
    }
  }
}

/** The value that already decides `or` and `and`. */
function decided(
  run: Evaluation,
  value: ExprValue,
  deciding: boolean,
  position: Node['position'],
): boolean | undefined {
  run.position = position
  return boolOf(value) === deciding ? deciding : undefined
}

function sliceLength(value: ExprValue): bigint {
  const length = lengthOf(value)
  if (length === undefined) throw new Fault(`invalid argument for len (type ${typeName(value)})`)
  return BigInt(length)
}

function patternOf(source: ExprValue) {
  if (typeof source !== 'string') throw new Fault(conversion(source, 'string'))
  try {
    return compilePattern(source)
  } catch (error) {
    throw error instanceof PatternError ? new Fault(error.message) : error
  }
}

function pointer(name: string, position: Node['position']): Plan {
  if (name === 'index') return run => BigInt(run.scope?.index ?? 0)
  if (name === 'acc') return run => run.scope?.accumulator
  return run => {
    run.position = position
    return run.scope?.item()
  }
}

function range(from: ExprValue, to: ExprValue, run: Evaluation): ExprValue {
  const [first, last] = [toInt(from), toInt(to)]
  const size = BigInt.asIntN(64, last - first + 1n)
  run.grow(size > 0n ? Number(size) : 0)
  return tagged(
    Array.from({ length: size > 0n ? Number(size) : 0 }, (_, index) => first + BigInt(index)),
    intsType,
  )
}

/** contains, startsWith and endsWith: the newer version says false where a side is nil. */
function onText(test: (text: string, part: string) => boolean) {
  return (left: ExprValue, right: ExprValue, run: Evaluation): boolean => {
    if (run.dialect === '1.17' && (isNil(left) || isNil(right))) return false
    if (typeof left !== 'string') throw new Fault(conversion(left, 'string'))
    if (typeof right !== 'string') throw new Fault(conversion(right, 'string'))
    return test(left, right)
  }
}

type Operation = (left: ExprValue, right: ExprValue, run: Evaluation) => ExprValue

const operations: Readonly<Record<string, Operation>> = {
  '==': (left, right, { dialect }) => isEqual(left, right, dialect),
  '!=': (left, right, { dialect }) => !isEqual(left, right, dialect),
  '<': isLess,
  '>': isMore,
  '<=': isLessOrEqual,
  '>=': isMoreOrEqual,
  '+': (left, right, run) => {
    const sum = add(left, right)
    return typeof sum === 'string' ? run.text(sum) : sum
  },
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
  '**': (left, right) => goPower(toFloat(left), toFloat(right)),
  '^': (left, right) => goPower(toFloat(left), toFloat(right)),
  in: (left, right, run) => {
    if (isList(right)) run.step(right.length)
    return isIn(left, right, run.dialect)
  },
  '..': range,
  contains: onText((text, part) => text.includes(part)),
  startsWith: onText((text, part) => text.startsWith(part)),
  endsWith: onText((text, part) => text.endsWith(part)),
}
