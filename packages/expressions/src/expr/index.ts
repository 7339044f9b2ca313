export { eventEnvironment, expandKeys } from './argo/environment.ts'
export { ConditionError, evalBool } from './argo/eval-bool.ts'
export { argoFunctions } from './argo/functions.ts'
export { compileSelector, type JsonSelector } from './argo/json-selector.ts'
export { SelectorError } from './argo/selector-error.ts'
export type { ExprDialect } from './dialect.ts'
export { defaultLimits, type ExprLimits, type RunOptions } from './evaluation.ts'
export { type CompiledExpr, compileExpr, type ExprOptions, identifiersOf } from './expr.ts'
export { goJson, goText } from './go-print.ts'
export type { ExprReference } from './references.ts'
export { ExprError } from './source.ts'
export {
  Byte,
  Duration,
  type ExprFunction,
  type ExprObject,
  type ExprValue,
  Location,
  NamedInt,
  typeName,
} from './value.ts'
