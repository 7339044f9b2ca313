import type { Evaluation } from './evaluation.ts'
import type { GoType, Signature } from './go-type.ts'
import { conversion } from './operators.ts'
import { type Chained, type Planner, shortcut } from './planner.ts'
import { Fault } from './source.ts'
import type { CallNode } from './syntax-tree.ts'
import { type ExprFunction, type ExprValue, tagged, typeName, typeOf } from './value.ts'

/** The call of a function of the environment or of a method. Arguments come before the function, as upstream has it. */
export function callPlan(planner: Planner, node: CallNode): (run: Evaluation) => Chained {
  const values = node.arguments.map(one => planner.plan(one))
  const callee = planner.chained(node.callee)
  const { position } = node
  const isTyped = typedCalls.test(node.callee.nature?.type?.name ?? '')
  return run => {
    const given = values.map(value => value(run))
    const called = callee(run)
    if (called === shortcut) return shortcut
    run.position = position
    run.step()
    const callable = functionOf(called, run)
    if (callable.signature === undefined) return invoke(callable, given)
    return invoke(callable, isTyped ? asserted(callable.signature, given) : reflected(callable.signature, given, run))
  }
}

/** Go's signatures for which upstream has a call without reflection, which words a wrong argument differently. */
const typedCalls =
  /^func\((|bool|float64|int|int, int|string|string, int|string, string|time\.Duration|time\.Time|interface \{\}|interface \{\}, interface \{\})\) (bool|float64|int|string|time\.Duration|time\.Time|\[\]string|\[\]uint8)$/

function functionOf(value: ExprValue, { dialect }: Evaluation): ExprFunction {
  if (typeof value === 'function') return value
  const isNothing = value === null || value === undefined
  if (dialect === '1.15')
    throw new Fault(`reflect: call of reflect.Value.Call on ${isNothing ? 'zero' : typeOf(value)?.kind} Value`)
  if (isNothing) throw new Fault('invalid operation: cannot call nil')
  throw new Fault(`invalid operation: cannot call non-function of type ${typeName(value)}`)
}

/** Whatever a function throws is the expression's fault. */
function invoke(callable: ExprFunction, given: readonly ExprValue[]): ExprValue {
  try {
    return callable(...(given as never[])) ?? null
  } catch (error) {
    if (error instanceof Fault || error instanceof RangeError) throw error
    throw new Fault(error instanceof Error ? error.message : String(error))
  }
}

function asserted({ parameters }: Signature, given: readonly ExprValue[]): readonly ExprValue[] {
  // Go takes them from the stack, the last one first.
  for (let index = parameters.length - 1; index >= 0; index--) {
    const parameter = parameters[index] as GoType
    if (parameter.kind !== 'interface' && typeName(given[index]) !== parameter.name)
      throw new Fault(conversion(given[index], parameter.name))
  }
  return given
}

function reflected({ parameters, isVariadic }: Signature, given: readonly ExprValue[], run: Evaluation): ExprValue[] {
  checkCount(parameters.length, isVariadic, given.length, run)
  return given.map((value, index) => {
    const last = parameters.length - 1
    const parameter = (isVariadic && index >= last ? parameters[last]?.elem : parameters[index]) as GoType
    if (parameter.kind === 'interface') return value ?? null
    if (value === null || value === undefined) {
      if (run.dialect === '1.17') return zeroOf(parameter)
      throw misused('interface {}', parameter, isVariadic && index >= last)
    }
    if (typeName(value) === parameter.name) return value
    throw misused(typeName(value), parameter, isVariadic && index >= last)
  })
}

function misused(given: string, { name }: GoType, isRest: boolean): Fault {
  return new Fault(
    isRest ? `reflect: cannot use ${given} as type ${name} in Call` : `reflect: Call using ${given} as type ${name}`,
  )
}

function checkCount(expected: number, isVariadic: boolean, given: number, { dialect }: Evaluation): void {
  const least = isVariadic ? expected - 1 : expected
  if (given >= least && (isVariadic || given === least)) return
  if (dialect === '1.15') throw new Fault(`reflect: Call with too ${given < least ? 'few' : 'many'} input arguments`)
  const wanted = isVariadic ? `at least ${least}` : `${least}`
  throw new Fault(`invalid number of arguments: expected ${wanted}, got ${given}`)
}

function zeroOf({ kind, name, ...type }: GoType): ExprValue {
  if (kind === 'string') return ''
  if (kind === 'bool') return false
  if (kind === 'int' || kind === 'int64') return 0n
  if (kind === 'float64') return 0
  return kind === 'slice' ? tagged([], { kind, name, ...type }) : null
}
