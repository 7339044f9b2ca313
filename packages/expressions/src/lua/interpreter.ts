import { concatenate, type Operators } from './operators.ts'
import type { Expression, Field, FunctionBody, Local, Reference, Statement } from './syntax-tree.ts'
import { isTruthy, LuaFunction, LuaTable, type LuaValue } from './value.ts'

interface Cell {
  value: LuaValue
}

/** One call of a function of the script. */
export interface Frame {
  readonly slots: (LuaValue | Cell)[]
  readonly upvalues: readonly Cell[]
  readonly varargs: LuaValue[]
  /** Where the script is, for error messages. */
  line: number
  returned: LuaValue[]
}

type Evaluate = (frame: Frame) => LuaValue
type EvaluateMany = (frame: Frame) => LuaValue[]
/** Why a block was left before its end. */
type Exit = undefined | 'break' | 'return' | { label: string }
type Execute = (frame: Frame) => Exit
type Assign = (frame: Frame, value: LuaValue) => void

/** Turns the function of a script into a function of the machine. */
export function compileFunction(body: FunctionBody, operators: Operators): (upvalues: readonly Cell[]) => LuaFunction {
  return new Compiler(operators).function(body)
}

class Compiler {
  readonly #operators: Operators

  constructor(operators: Operators) {
    this.#operators = operators
  }

  function(body: FunctionBody): (upvalues: readonly Cell[]) => LuaFunction {
    const operators = this.#operators
    const run = this.#block(body.block)
    const { params, isVariadic, slots } = body
    return upvalues =>
      new LuaFunction(args => {
        const frame: Frame = {
          slots: Array.from({ length: slots }),
          upvalues,
          varargs: isVariadic ? args.slice(params.length) : [],
          line: 0,
          returned: [],
        }
        params.forEach((local, at) => declare(frame, local, args[at]))
        operators.enter(frame)
        run(frame)
        return frame.returned
      }, false)
  }

  #block(statements: Statement[]): Execute {
    const steps = statements.map(statement => this.#statement(statement))
    const labels = new Map(
      statements.flatMap((statement, at) => (statement.kind === 'label' ? [[statement.label, at] as const] : [])),
    )
    return frame => {
      for (let at = 0; at < steps.length; at++) {
        const exit = (steps[at] as Execute)(frame)
        if (exit === undefined) continue
        const target = typeof exit === 'object' ? labels.get(exit.label) : undefined
        if (target === undefined) return exit
        this.#operators.spend(1)
        at = target
      }
      return undefined
    }
  }

  #statement(statement: Statement): Execute {
    switch (statement.kind) {
      case 'local': {
        const values = this.#many(statement.values)
        return frame => {
          const list = values(frame)
          statement.locals.forEach((local, at) => declare(frame, local, list[at]))
          return undefined
        }
      }
      case 'local function': {
        const value = this.#single(statement.body)
        const assign = this.#assignment({ kind: 'local', local: statement.local }, statement.line)
        return frame => {
          declare(frame, statement.local, undefined)
          assign(frame, value(frame))
          return undefined
        }
      }
      case 'assign':
        return this.#assign(statement.targets, statement.values)
      case 'call': {
        const call = this.#multiple(statement.call) as EvaluateMany
        return frame => {
          call(frame)
          return undefined
        }
      }
      case 'do':
        return this.#block(statement.block)
      case 'if':
        return this.#if(statement)
      case 'return': {
        const [only] = statement.values
        if (statement.values.length === 1 && only?.kind === 'call') return this.#tailCall(only)
        const values = this.#many(statement.values)
        return frame => {
          frame.returned = values(frame)
          return 'return'
        }
      }
      case 'break':
        return () => 'break'
      case 'goto': {
        const exit = { label: statement.label }
        return () => exit
      }
      case 'label':
        return () => undefined
      default:
        return this.#loop(statement)
    }
  }

  #tailCall({ callee, args, name, line }: Extract<Expression, { kind: 'call' }>): Execute {
    const operators = this.#operators
    const [target, list] = [this.#single(callee), this.#many(args)]
    return frame => {
      const [called, given] = [target(frame), list(frame)]
      frame.line = line
      if (called instanceof LuaFunction && !called.isNative) operators.tailCall(called, given, name)
      else frame.returned = operators.call(called, given, name)
      return 'return'
    }
  }

  #if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>): Execute {
    const compiled = branches.map(({ condition, block }) => ({
      condition: this.#single(condition),
      block: this.#block(block),
    }))
    const last = this.#block(otherwise)
    return frame => {
      for (const { condition, block } of compiled) if (isTruthy(condition(frame))) return block(frame)
      return last(frame)
    }
  }

  #loop(statement: Extract<Statement, { kind: 'while' | 'repeat' | 'for' | 'for in' }>): Execute {
    const operators = this.#operators
    const block = this.#block(statement.block)
    /** Undefined to go on, otherwise how the loop ends. */
    const iterate = (frame: Frame): { exit: Exit } | undefined => {
      operators.spend(1)
      const exit = block(frame)
      return exit === undefined ? undefined : { exit: exit === 'break' ? undefined : exit }
    }
    switch (statement.kind) {
      case 'while': {
        const condition = this.#single(statement.condition)
        return frame => {
          while (isTruthy(condition(frame))) {
            const ended = iterate(frame)
            if (ended !== undefined) return ended.exit
          }
          return undefined
        }
      }
      case 'repeat': {
        const condition = this.#single(statement.condition)
        return frame => {
          do {
            const ended = iterate(frame)
            if (ended !== undefined) return ended.exit
          } while (!isTruthy(condition(frame)))
          return undefined
        }
      }
      case 'for':
        return this.#numericFor(statement, iterate)
      case 'for in':
        return this.#genericFor(statement, iterate)
    }
  }

  #numericFor(
    { local, from, to, step, line }: Extract<Statement, { kind: 'for' }>,
    iterate: (frame: Frame) => { exit: Exit } | undefined,
  ): Execute {
    const operators = this.#operators
    const [first, last] = [this.#single(from), this.#single(to)]
    const increment = step === undefined ? () => 1 : this.#single(step)
    const number = (frame: Frame, value: LuaValue, what: string): number => {
      frame.line = line
      if (typeof value !== 'number') throw operators.error(`for statement ${what} must be a number`)
      return value
    }
    return frame => {
      const [start, end, by] = [first(frame), last(frame), increment(frame)]
      let value = number(frame, start, 'init')
      const difference = number(frame, by, 'step')
      const limit = number(frame, end, 'limit')
      for (; difference > 0 ? value <= limit : value >= limit; value += difference) {
        declare(frame, local, value)
        const ended = iterate(frame)
        if (ended !== undefined) return ended.exit
      }
      return undefined
    }
  }

  #genericFor(
    { locals, values, line }: Extract<Statement, { kind: 'for in' }>,
    iterate: (frame: Frame) => { exit: Exit } | undefined,
  ): Execute {
    const operators = this.#operators
    const list = this.#many(values)
    return frame => {
      const [iterator, state, initial] = list(frame)
      let control = initial
      for (;;) {
        frame.line = line
        const results = operators.call(iterator, [state, control], '?')
        control = results[0]
        if (control === undefined) return undefined
        locals.forEach((local, at) => declare(frame, local, results[at]))
        const ended = iterate(frame)
        if (ended !== undefined) return ended.exit
      }
    }
  }

  #assign(targets: Expression[], values: Expression[]): Execute {
    const [target] = targets
    if (targets.length === 1 && values.length === 1 && target?.kind === 'name') {
      const assign = this.#assignment(target.reference, target.line)
      const value = this.#single(values[0] as Expression)
      return frame => {
        assign(frame, value(frame))
        return undefined
      }
    }
    const prepared = targets.map(expression => this.#prepareTarget(expression))
    const list = this.#many(values)
    return frame => {
      const assigns = prepared.map(prepare => prepare(frame))
      const results = list(frame)
      assigns.forEach((assign, at) => assign(results[at]))
      return undefined
    }
  }

  /** Evaluates what the target is, before any value is assigned. */
  #prepareTarget(target: Expression): (frame: Frame) => (value: LuaValue) => void {
    const operators = this.#operators
    if (target.kind === 'index') {
      const [object, key] = [this.#single(target.object), this.#single(target.key)]
      return frame => {
        const [found, at] = [object(frame), key(frame)]
        return value => {
          frame.line = target.line
          operators.setIndex(found, at, value)
        }
      }
    }
    const assign = this.#assignment((target as Extract<Expression, { kind: 'name' }>).reference, target.line)
    return frame => value => assign(frame, value)
  }

  #assignment(reference: Reference, line: number): Assign {
    if (reference.kind === 'upvalue')
      return (frame, value) => {
        ;(frame.upvalues[reference.index] as Cell).value = value
      }
    if (reference.kind === 'global')
      return (frame, value) => {
        frame.line = line
        this.#operators.setIndex(this.#operators.globals, reference.name, value)
      }
    const { local } = reference
    return (frame, value) => {
      if (local.isCaptured) (frame.slots[local.slot] as Cell).value = value
      else frame.slots[local.slot] = value
    }
  }

  /** All values of a list: the last expression may have several. */
  #many(expressions: Expression[]): EvaluateMany {
    const last = expressions.at(-1)
    const multiple = last === undefined ? undefined : this.#multiple(last)
    const singles = (multiple === undefined ? expressions : expressions.slice(0, -1)).map(expression =>
      this.#single(expression),
    )
    if (multiple === undefined) return frame => singles.map(evaluate => evaluate(frame))
    if (singles.length === 0) return multiple
    return frame => [...singles.map(evaluate => evaluate(frame)), ...multiple(frame)]
  }

  /** Undefined when the expression has exactly one value. */
  #multiple(expression: Expression): EvaluateMany | undefined {
    const operators = this.#operators
    if (expression.kind === 'varargs') return frame => frame.varargs
    if (expression.kind === 'call') {
      const callee = this.#single(expression.callee)
      const args = this.#many(expression.args)
      const { name, line } = expression
      return frame => {
        const [called, given] = [callee(frame), args(frame)]
        frame.line = line
        return operators.call(called, given, name)
      }
    }
    if (expression.kind === 'method') {
      const object = this.#single(expression.object)
      const args = this.#many(expression.args)
      const { name, line } = expression
      return frame => {
        const self = object(frame)
        frame.line = line
        const called = operators.index(self, name)
        const given = [self, ...args(frame)]
        frame.line = line
        return operators.call(called, given, name)
      }
    }
    return undefined
  }

  #single(expression: Expression): Evaluate {
    const operators = this.#operators
    switch (expression.kind) {
      case 'constant': {
        const { value } = expression
        return () => value
      }
      case 'name':
        return this.#variable(expression.reference)
      case 'index': {
        const [object, key] = [this.#single(expression.object), this.#single(expression.key)]
        const { line } = expression
        return frame => {
          const [found, at] = [object(frame), key(frame)]
          if (found instanceof LuaTable) {
            const value = found.get(at)
            if (value !== undefined) return value
          }
          frame.line = line
          return operators.index(found, at)
        }
      }
      case 'function':
        return this.#closure(expression.body)
      case 'table':
        return this.#table(expression.fields, expression.line)
      case 'binary':
        return this.#binary(expression)
      case 'unary': {
        const operand = this.#single(expression.operand)
        const { line, operator } = expression
        if (operator === 'not') return frame => !isTruthy(operand(frame))
        return frame => {
          const value = operand(frame)
          frame.line = line
          return operator === '-' ? operators.negate(value) : operators.length(value)
        }
      }
      case 'single':
        return this.#single(expression.inner)
      default: {
        const multiple = this.#multiple(expression) as EvaluateMany
        return frame => multiple(frame)[0]
      }
    }
  }

  #variable(reference: Reference): Evaluate {
    if (reference.kind === 'upvalue') return frame => (frame.upvalues[reference.index] as Cell).value
    if (reference.kind === 'global') return () => this.#operators.index(this.#operators.globals, reference.name)
    const { local } = reference
    return frame => {
      const found = frame.slots[local.slot]
      return local.isCaptured ? (found as Cell).value : (found as LuaValue)
    }
  }

  #closure(body: FunctionBody): Evaluate {
    const make = this.function(body)
    return frame =>
      make(
        body.captured.map(({ from }) =>
          typeof from === 'number' ? (frame.upvalues[from] as Cell) : (frame.slots[from.slot] as Cell),
        ),
      )
  }

  #table(fields: Field[], line: number): Evaluate {
    const operators = this.#operators
    const positional = fields.filter(({ key }) => key === undefined).map(({ value }) => value)
    const isLastPositional = fields.at(-1)?.key === undefined
    const items = isLastPositional
      ? this.#many(positional)
      : (
          singles => (frame: Frame) =>
            singles.map(evaluate => evaluate(frame))
        )(positional.map(value => this.#single(value)))
    const keyed = fields.flatMap(({ key, value }) =>
      key === undefined ? [] : [{ key: this.#single(key), value: this.#single(value) }],
    )
    return frame => {
      const table = new LuaTable()
      for (const { key, value } of keyed) {
        const [at, item] = [key(frame), value(frame)]
        frame.line = line
        operators.rawSet(table, at, item)
      }
      const list = items(frame)
      operators.spend(list.length / 8)
      list.forEach((item, at) => table.set(at + 1, item))
      return table
    }
  }

  #binary({ operator, left, right, line }: Extract<Expression, { kind: 'binary' }>): Evaluate {
    const operators = this.#operators
    const [a, b] = [this.#single(left), this.#single(right)]
    if (operator === 'and')
      return frame => {
        const value = a(frame)
        return isTruthy(value) ? b(frame) : value
      }
    if (operator === 'or')
      return frame => {
        const value = a(frame)
        return isTruthy(value) ? value : b(frame)
      }
    const at = (apply: (x: LuaValue, y: LuaValue) => LuaValue): Evaluate => {
      return frame => {
        const [x, y] = [a(frame), b(frame)]
        frame.line = line
        return apply(x, y)
      }
    }
    switch (operator) {
      case '==':
        return at((x, y) => operators.equals(x, y))
      case '~=':
        return at((x, y) => !operators.equals(x, y))
      case '<':
        return at((x, y) => operators.lessThan(x, y))
      case '>':
        return at((x, y) => operators.lessThan(y, x))
      case '<=':
        return at((x, y) => operators.lessOrEqual(x, y))
      case '>=':
        return at((x, y) => operators.lessOrEqual(y, x))
      case '..':
        return at((x, y) => concatenate(operators, x, y))
      default:
        return at((x, y) => operators.arithmetic(operator, x, y))
    }
  }
}

function declare(frame: Frame, local: Local, value: LuaValue): void {
  frame.slots[local.slot] = local.isCaptured ? { value } : value
}
