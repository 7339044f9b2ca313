import type { FieldError } from '../field-error.ts'
import type { Correlation } from './ratchet.ts'
import type { Json } from './schema.ts'
import type { StructuralNode } from './structural-node.ts'

export interface CelRulesOptions {
  path?: string
  correlation?: Correlation | undefined
  warnings?: string[] | undefined
}

export interface CelRules {
  validate(value: Json, old: Json | undefined, options?: CelRulesOptions): FieldError[]
}

export function compileCelRules(_node: StructuralNode, _options?: { isResourceRoot: boolean }): CelRules | undefined {
  return undefined
}
