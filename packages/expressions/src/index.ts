export { type DeclType, declTypeFromSchema } from './cel/decl-type.ts'
export { escapePropertyName, unescapePropertyName } from './cel/escaping.ts'
export type { Estimate as CostEstimate } from './cel/estimate.ts'
export { CelCostError } from './cel/evaluation.ts'
export {
  type AuthorizationCheck,
  type AuthorizationDecision,
  type Authorizer,
  AuthorizerValue,
  authorizerType,
  requestResourceValue,
  resourceCheckType,
} from './cel/functions/authorization.ts'
export {
  type CelEnv,
  CelEvaluationError,
  type CelProgram,
  type CelResult,
  compileCel,
  type DeclaredVariable,
  type EvaluateOptions,
} from './cel/program.ts'
export {
  costErrorMessage,
  definitionCostLimit,
  expressionCostBudget,
  maxCardinality,
  requestCostBudget,
  ruleCostLimit,
  totalCost,
} from './cel/rule-budget.ts'
export type { StructuralSchema } from './cel/schema.ts'
export { CelCompileError, type CelIssue, CelProgramError } from './cel/source.ts'
export {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  isSameType,
  listType,
  mapType,
  nullType,
  objectType,
  optionalType,
  stringType,
  timestampType,
  uintType,
} from './cel/type.ts'
export { plainValue } from './cel/typed-value.ts'
export type { CelValue } from './cel/value.ts'
export { CronError, type CronField, type CronOptions, type CronSchedule, parseCron } from './cron.ts'
export { DurationError, formatDuration, parseDuration } from './duration.ts'
export {
  compileJsonPath,
  type JsonPath,
  JsonPathError,
  type JsonPathOptions,
  JsonPathSyntaxError,
  printResult as printJsonPathResult,
} from './jsonpath/jsonpath.ts'
export { Quantity, QuantityError, type QuantityFormat } from './quantity.ts'
export { compilePattern, type Pattern, PatternError } from './re2/pattern.ts'
export { loadTimeZone, type TimeZone, TimeZoneError, utc } from './time-zone.ts'
