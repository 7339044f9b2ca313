/** A local variable; one that an inner function uses lives in a cell of its own. */
export interface Local {
  readonly slot: number
  isCaptured: boolean
}

export type Reference =
  | { kind: 'local'; local: Local }
  | { kind: 'upvalue'; index: number }
  | { kind: 'global'; name: string }

export type Expression = { readonly line: number } & (
  | { kind: 'constant'; value: undefined | boolean | number | string }
  | { kind: 'varargs' }
  | { kind: 'function'; body: FunctionBody }
  | { kind: 'name'; reference: Reference }
  | { kind: 'index'; object: Expression; key: Expression }
  | { kind: 'call'; callee: Expression; args: Expression[]; name: string }
  | { kind: 'method'; object: Expression; name: string; args: Expression[] }
  | { kind: 'table'; fields: Field[] }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'unary'; operator: string; operand: Expression }
  /** One value, however many the inner expression has. */
  | { kind: 'single'; inner: Expression }
)

/** Without a key the value takes the next place in the array. */
export interface Field {
  readonly key?: Expression
  readonly value: Expression
}

export interface Captured {
  /** Of the function around: a local variable, or one that it has captured itself. */
  readonly from: Local | number
}

export interface FunctionBody {
  readonly params: Local[]
  readonly isVariadic: boolean
  readonly block: Statement[]
  readonly captured: Captured[]
  readonly slots: number
}

export type Statement = { readonly line: number } & (
  | { kind: 'local'; locals: Local[]; values: Expression[] }
  | { kind: 'local function'; local: Local; body: Expression }
  | { kind: 'assign'; targets: Expression[]; values: Expression[] }
  | { kind: 'call'; call: Expression }
  | { kind: 'do'; block: Statement[] }
  | { kind: 'while'; condition: Expression; block: Statement[] }
  | { kind: 'repeat'; block: Statement[]; condition: Expression }
  | { kind: 'if'; branches: { condition: Expression; block: Statement[] }[]; otherwise: Statement[] }
  | { kind: 'for'; local: Local; from: Expression; to: Expression; step?: Expression; block: Statement[] }
  | { kind: 'for in'; locals: Local[]; values: Expression[]; block: Statement[] }
  | { kind: 'return'; values: Expression[] }
  | { kind: 'break' }
  | { kind: 'goto'; label: string }
  | { kind: 'label'; label: string }
)
