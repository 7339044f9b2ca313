import { compilePattern } from '../re2/pattern.ts'
import type { CheckedExpression } from './checker.ts'
import { dispatch } from './functions/dispatch.ts'
import { FormatError, interpolate, type Verb, verbErrors } from './functions/format-string.ts'
import { CelCompileError, type CelIssue } from './source.ts'
import { type CallExpr, childrenOf, type Expr } from './syntax-tree.ts'
import { type CelKind, type CelType, dynType, formatType, isEquivalentType, parameterOf } from './type.ts'
import { CelError } from './value.ts'

/** Checks literals that the type checker lets pass: durations, times, patterns, mixed lists, format strings. */
export function validate(checked: CheckedExpression): void {
  const issues: CelIssue[] = []
  const report = (id: number, message: string): void => {
    issues.push(checked.source.issue(checked.offsets.get(id), message))
  }
  // One after the other over the whole expression: issues at the same place keep this order.
  for (const validator of [validateLiterals, validateAggregates, validateFormats]) {
    visit(checked.root, false, (expr, insideFormat) => validator(checked, expr, report, insideFormat))
  }
  if (issues.length > 0) throw new CelCompileError(checked.source, issues)
}

function visit(expr: Expr, insideFormat: boolean, validator: (expr: Expr, insideFormat: boolean) => void): void {
  const isFormat = insideFormat || (expr.kind === 'call' && expr.function === 'format')
  for (const child of childrenOf(expr)) visit(child, isFormat, validator)
  validator(expr, insideFormat)
}

type Report = (id: number, message: string) => void

function typeAt(checked: CheckedExpression, expr: Expr): CelType {
  return checked.types.get(expr.id) ?? dynType
}

function validateLiterals(_checked: CheckedExpression, expr: Expr, report: Report): void {
  if (expr.kind !== 'call') return
  const [first] = expr.args
  const name = expr.function
  if (first?.kind !== 'literal') return
  const isTime = name === 'duration' || name === 'timestamp'
  if (isTime && dispatch(name, [])(first.value) instanceof CelError) report(first.id, `invalid ${name} argument`)
  if (name === 'matches' && typeof first.value === 'string' && !isPattern(first.value)) {
    report(first.id, 'invalid matches argument')
  }
}

/** Lists and maps have one type of elements, except among the arguments of format. */
function validateAggregates(checked: CheckedExpression, expr: Expr, report: Report, insideFormat: boolean): void {
  if (insideFormat) return
  if (expr.kind === 'list') validateList(checked, expr, report)
  if (expr.kind === 'map') validateMap(checked, expr, report)
}

function validateFormats(checked: CheckedExpression, expr: Expr, report: Report): void {
  if (expr.kind !== 'call' || expr.function !== 'format' || expr.args.length !== 1) return
  const { target } = expr
  const [args] = expr.args
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || args?.kind !== 'list') return
  validateFormat(checked, expr, target.value, args.elements, report)
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text)
    return true
  } catch {
    // The question is only whether it compiles.
    return false
  }
}

function mismatch(expected: CelType, actual: CelType): string {
  return `expected type '${formatType(expected)}' but found '${formatType(actual)}'`
}

function validateList(checked: CheckedExpression, list: Extract<Expr, { kind: 'list' }>, report: Report): void {
  let expected: CelType | undefined
  for (const [index, element] of list.elements.entries()) {
    const declared = typeAt(checked, element)
    const type = list.optionals.has(index) ? parameterOf(declared, 0) : declared
    expected ??= type
    if (isEquivalentType(expected, type)) continue
    report(element.id, mismatch(expected, type))
    return
  }
}

function validateMap(checked: CheckedExpression, map: Extract<Expr, { kind: 'map' }>, report: Report): void {
  let expectedKey: CelType | undefined
  let expectedValue: CelType | undefined
  for (const { key, value, optional } of map.entries) {
    const keyType = typeAt(checked, key)
    const declared = typeAt(checked, value)
    const valueType = optional ? parameterOf(declared, 0) : declared
    expectedKey ??= keyType
    expectedValue ??= valueType
    if (!isEquivalentType(expectedKey, keyType)) report(key.id, mismatch(expectedKey, keyType))
    if (!isEquivalentType(expectedValue, valueType)) report(value.id, mismatch(expectedValue, valueType))
  }
}

const integers: readonly CelKind[] = ['int', 'uint']

const allowedKinds: Readonly<Record<Verb, readonly CelKind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: integers,
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: [...integers, 'bool'],
  x: [...integers, 'string', 'bytes'],
  X: [...integers, 'string', 'bytes'],
  o: integers,
}

function validateFormat(
  checked: CheckedExpression,
  call: CallExpr,
  template: string,
  args: readonly Expr[],
  report: Report,
): void {
  try {
    const { used } = interpolate(
      template,
      index => index < args.length,
      (verb, _precision, index) => {
        const wrong = findWrongArgument(checked, verb, args[index] as Expr)
        if (wrong !== undefined) throw new FormatError(verbErrors[verb] + typeAt(checked, wrong).name, wrong.id)
        return ''
      },
    )
    if (args.length > used) {
      report(call.id, `too many arguments supplied to string.format (expected ${used}, got ${args.length})`)
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    report(error.argument ?? call.id, error.message)
  }
}

/** The argument that a clause cannot print; %s also looks into list and map literals. */
function findWrongArgument(checked: CheckedExpression, verb: Verb, arg: Expr): Expr | undefined {
  const { kind } = typeAt(checked, arg)
  if (kind !== 'dyn' && !allowedKinds[verb].includes(kind)) return arg
  if (verb !== 's' || (arg.kind !== 'list' && arg.kind !== 'map')) return undefined
  for (const child of childrenOf(arg)) {
    const wrong = findWrongArgument(checked, verb, child)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
