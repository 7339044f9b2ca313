import type { Uint } from './value.ts'

export type Literal = null | boolean | bigint | number | string | Uint8Array | Uint

/** A node of a parsed expression. Ids are unique in one expression; types, references and positions hang on them. */
export type Expr =
  | { kind: 'literal'; id: number; value: Literal }
  | { kind: 'ident'; id: number; name: string }
  | { kind: 'select'; id: number; operand: Expr; field: string; testOnly: boolean }
  | CallExpr
  | { kind: 'list'; id: number; elements: Expr[]; optionals: ReadonlySet<number> }
  | { kind: 'map'; id: number; entries: MapEntry[] }
  | { kind: 'struct'; id: number; typeName: string; fields: StructField[] }
  | ComprehensionExpr
  | { kind: 'unspecified'; id: number }

export interface CallExpr {
  kind: 'call'
  id: number
  function: string
  target: Expr | undefined
  args: Expr[]
}

export interface MapEntry {
  id: number
  key: Expr
  value: Expr
  optional: boolean
}

export interface StructField {
  id: number
  name: string
  value: Expr
  optional: boolean
}

/** A fold: `accu` starts as `init`, becomes `step` for every element while `condition` is not false, ends as `result`. */
export interface ComprehensionExpr {
  kind: 'comprehension'
  id: number
  range: Expr
  iterVar: string
  iterVar2: string | undefined
  accuVar: string
  init: Expr
  condition: Expr
  step: Expr
  result: Expr
}

export const accumulatorName = '@result'

export function childrenOf(expr: Expr): Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap(entry => [entry.key, entry.value])
    case 'struct':
      return expr.fields.map(field => field.value)
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
    default:
      return []
  }
}

/** `a.b.c` as a dotted name, when the expression is nothing but identifiers and selections. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const operand = qualifiedName(expr.operand)
  return operand === undefined ? undefined : `${operand}.${expr.field}`
}
