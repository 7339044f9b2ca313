import type { JqValue } from './value.ts'

export type Query =
  | { kind: 'identity' }
  | { kind: 'literal'; value: JqValue }
  | { kind: 'index'; target: Query; key: Query }
  | { kind: 'slice'; target: Query; from?: Query; to?: Query }
  | { kind: 'iterate'; target: Query }
  | { kind: 'call'; name: string; args: Query[] }
  | { kind: 'variable'; name: string }
  | { kind: 'object'; fields: ObjectField[] }
  | { kind: 'array'; items?: Query }
  | { kind: 'unary'; operator: '+' | '-'; operand: Query }
  | { kind: 'if'; condition: Query; consequence: Query; otherwise?: Query }
  | { kind: 'try'; body: Query; handler?: Query }
  | { kind: 'reduce'; source: Query; pattern: Pattern; initial: Query; update: Query }
  | { kind: 'foreach'; source: Query; pattern: Pattern; initial: Query; update: Query; extract?: Query }
  | { kind: 'label'; name: string; body: Query }
  | { kind: 'break'; name: string }
  | { kind: 'pipe'; left: Query; right: Query }
  | { kind: 'comma'; left: Query; right: Query }
  | { kind: 'and'; left: Query; right: Query }
  | { kind: 'or'; left: Query; right: Query }
  | { kind: 'alternative'; left: Query; right: Query }
  | { kind: 'binary'; operator: string; left: Query; right: Query }
  | { kind: 'update'; operator: string; left: Query; right: Query }
  | { kind: 'bind'; source: Query; patterns: Pattern[]; body: Query }
  | { kind: 'define'; definition: Definition; body: Query }
  | { kind: 'group'; body: Query }
  /** A program of definitions alone. */
  | { kind: 'missing' }

export interface Definition {
  readonly name: string
  /** With a `$` where the parameter is a value. */
  readonly params: readonly string[]
  readonly body: Query
}

/** A key that is a query is evaluated; without a value the field is copied from the input. */
export interface ObjectField {
  readonly key: Query
  readonly value: Query
}

export type Pattern =
  | { kind: 'name'; name: string }
  | { kind: 'items'; items: Pattern[] }
  | { kind: 'fields'; fields: PatternField[] }

export interface PatternField {
  readonly key: Query
  /** `{$name}` and `{$name: pattern}` bind the field itself. */
  readonly name?: string
  readonly value?: Pattern
}

export interface Program {
  readonly imports: readonly string[]
  readonly query: Query
}
