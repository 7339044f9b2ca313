export {
  Budget as TemplateBudget,
  TemplateExecutionError,
  TemplateLimitError,
  type TemplateLimits,
} from './budget.ts'
export type { CallContext, GoFunction } from './function.ts'
export { define as defineFunction } from './function.ts'
export { GoError } from './go-error.ts'
export { TemplateParseError } from './parser.ts'
export type { MissingKey } from './program.ts'
export { sprigFunctions } from './sprig/sprig.ts'
export { compileTemplate, type ExecuteOptions, type Template, type TemplateOptions } from './template.ts'
export { fromJson as toGoValue, GoInt, GoMap, GoSlice, type GoValue } from './value.ts'
