import { goQuote } from '@tiphys/kube'
import { resolveFieldPath } from '../crd/field-path.ts'
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  formatFieldError,
  index,
  invalid,
  key,
  OMITTED_VALUE,
  required,
} from '../field-error.ts'
import { getOwn, isObject } from '../json-value.ts'
import { type CompiledRule, ruleCompiler } from './cel-compiler.ts'
import { type Correlation, KeyedList } from './ratchet.ts'
import type { Json, Schema, ValidationRule } from './schema.ts'
import type { StructuralNode } from './structural-node.ts'

export interface CelRulesOptions {
  /** Where the value stands; the root by default. */
  path?: string
  /** On updates: failures of rules about parts that did not change become warnings. */
  correlation?: Correlation | undefined
  warnings?: string[] | undefined
}

/** All x-kubernetes-validations of a schema. */
export interface CelRules {
  /** `old` is undefined on creation: rules about it are skipped, unless they take it as optional. */
  validate(value: Json, old: Json | undefined, options?: CelRulesOptions): FieldError[]
}

const OBJECT_COST_BUDGET = 10_000_000
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run'
const LONGEST_MESSAGE = 5 * 1024

/** undefined when the schema has no rules. */
export function compileCelRules(node: StructuralNode, { isResourceRoot = true } = {}): CelRules | undefined {
  const root = compileNode(node, isResourceRoot)
  if (!root) return undefined
  return {
    validate(value, old, { correlation, path = '', warnings } = {}) {
      const evaluation = new RuleEvaluation(warnings)
      evaluation.validate(root, path, value, old, { current: correlation, parent: undefined })
      return evaluation.errors
    },
  }
}

/** The part of a schema that has rules in it. */
interface RuleNode {
  readonly node: StructuralNode
  readonly rules: readonly LocatedRule[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additional: RuleNode | undefined
  readonly items: RuleNode | undefined
}

interface LocatedRule extends CompiledRule {
  /** Where its errors point, below the value. */
  readonly fieldPath: string
}

function compileNode(node: StructuralNode, isResource: boolean): RuleNode | undefined {
  const inner = (part: StructuralNode | undefined) => part && compileNode(part, part.isEmbeddedResource)
  const rules = compileRules(node.schema, isResource)
  const properties = new Map<string, RuleNode>()
  for (const [name, property] of node.properties) {
    const compiled = inner(property)
    if (compiled) properties.set(name, compiled)
  }
  const [additional, items] = [inner(node.additional), inner(node.items)]
  if (rules.length === 0 && properties.size === 0 && !additional && !items) return undefined
  return { node, rules, properties, additional, items }
}

function compileRules(schema: Schema, isResource: boolean): LocatedRule[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  const compile = rules.length === 0 ? undefined : ruleCompiler(schema, isResource)
  if (!compile) return []
  return rules.map(rule => ({ ...compile(rule), fieldPath: fieldPathOf(rule, schema) }))
}

function fieldPathOf({ fieldPath = '' }: ValidationRule, schema: Schema): string {
  const target = fieldPath === '' ? undefined : resolveFieldPath(fieldPath, schema, { allowBrackets: true })
  return target && 'path' in target ? target.path : ''
}

/** A value's counterpart in the old object, and its parent's where it has none itself. */
interface Counterpart {
  current: Correlation | undefined
  parent: Correlation | undefined
}

class OutOfBudget extends Error {}

/** One pass over one object: what failed, and what it cost so far. */
class RuleEvaluation {
  readonly errors: FieldError[] = []
  readonly #warnings: string[] | undefined
  #budget = OBJECT_COST_BUDGET

  constructor(warnings: string[] | undefined) {
    this.#warnings = warnings
  }

  validate(root: RuleNode, path: string, value: Json, old: Json | undefined, counterpart: Counterpart): void {
    try {
      this.#visit(root, path, value, old, counterpart)
    } catch (thrown) {
      if (!(thrown instanceof OutOfBudget)) throw thrown
    }
  }

  #visit(rules: RuleNode, path: string, value: Json, old: Json | undefined, counterpart: Counterpart): void {
    if (value === null) return
    this.#evaluateRules(rules, path, value, old ?? undefined, counterpart)
    if (Array.isArray(value)) {
      if (!rules.items) return
      const oldItems = new KeyedList(rules.node, Array.isArray(old) ? old : [])
      for (const [i, item] of value.entries()) {
        this.#visit(rules.items, index(path, i), item, oldItems.get(item), atIndex(counterpart, i))
      }
      return
    }
    if (!isObject(value)) return
    for (const name of Object.keys(value)) {
      const property = rules.properties.get(name)
      const part = property ?? (rules.node.properties.has(name) ? undefined : rules.additional)
      if (!part) continue
      const at = property ? child(path, name) : key(path, name)
      const before = isObject(old) ? getOwn(old, name) : undefined
      this.#visit(part, at, value[name] as Json, before, atKey(counterpart, name))
    }
  }

  #evaluateRules(
    { node, rules }: RuleNode,
    path: string,
    value: Json,
    old: Json | undefined,
    counterpart: Counterpart,
  ): void {
    if (rules.length === 0) return
    const type = node.schema.type ?? ''
    if (this.#budget <= 0) throw this.#exhausted(path, type, OUT_OF_BUDGET)
    for (const compiled of rules) this.#evaluateRule(compiled, path, type, value, old, counterpart)
  }

  #evaluateRule(
    compiled: LocatedRule,
    path: string,
    type: string,
    value: Json,
    old: Json | undefined,
    counterpart: Counterpart,
  ): void {
    const { evaluate, rule, usesOldSelf } = compiled
    if (compiled.error !== undefined) {
      this.errors.push(invalid(path, type, `rule compile error: ${compiled.error}`))
      return
    }
    if (!evaluate || (usesOldSelf && old === undefined && !rule.optionalOldSelf)) return
    const result = evaluate(value, old)
    if (result.cost > this.#budget) throw this.#exhausted(path, type, OUT_OF_BUDGET)
    this.#budget -= result.cost
    if ('error' in result) {
      this.#reportEvaluationError(result.error, path, type, rule)
      return
    }
    if (result.value === true) return
    const at = compiled.fieldPath === '' ? path : child(path, compiled.fieldPath)
    const isRatcheted = !usesOldSelf && isUnchanged(counterpart)
    const report = (error: FieldError) => {
      if (isRatcheted) this.#warnings?.push(formatFieldError(error))
      else this.errors.push(error)
    }
    const detail = this.#message(compiled, at, type, value, old, report)
    const shown = type === 'object' || type === 'array' ? OMITTED_VALUE : value
    report(errorForReason(at, shown, detail, rule.reason))
  }

  #reportEvaluationError(error: string, path: string, type: string, rule: ValidationRule): void {
    const name = ruleName(rule)
    if (error.startsWith('no such overload')) {
      const detail = `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
      this.errors.push(invalid(path, type, detail))
    } else if (error.startsWith('operation cancelled: actual cost limit exceeded')) {
      const detail = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`
      throw this.#exhausted(path, type, detail)
    } else this.errors.push(invalid(path, type, `${error} evaluating rule: ${name}`))
  }

  /** The message that the rule computes, or else its own, or else one about the rule. */
  #message(
    compiled: LocatedRule,
    path: string,
    type: string,
    value: Json,
    old: Json | undefined,
    report: (error: FieldError) => void,
  ): string {
    const { evaluateMessage, rule } = compiled
    const fallback = rule.message ? rule.message.trim() : `failed rule: ${ruleName(rule)}`
    if (!evaluateMessage) return fallback
    const result = evaluateMessage(value, old)
    if (result.cost > this.#budget) {
      const detail =
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
      report(invalid(path, type, detail))
      throw new OutOfBudget()
    }
    this.#budget -= result.cost
    if ('error' in result) {
      if (!result.error.startsWith('operation cancelled: actual cost limit exceeded')) return fallback
      const expression = goQuote(rule.messageExpression ?? '')
      const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${expression}`
      report(invalid(path, type, detail))
      throw new OutOfBudget()
    }
    const message = typeof result.value === 'string' ? result.value.trim() : ''
    const isUsable = message !== '' && !message.includes('\n') && Buffer.byteLength(message) <= LONGEST_MESSAGE
    return isUsable ? message : fallback
  }

  #exhausted(path: string, type: string, detail: string): OutOfBudget {
    this.errors.push(invalid(path, type, detail))
    return new OutOfBudget()
  }
}

const ruleName = ({ message, rule }: ValidationRule): string => (message ? message.trim() : rule.trim())

function errorForReason(field: string, value: unknown, detail: string, reason: string | undefined): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail)
    case 'FieldValueRequired':
      return required(field, detail)
    case 'FieldValueDuplicate':
      return duplicate(field, value)
    default:
      return invalid(field, value, detail)
  }
}

const isUnchanged = ({ current, parent }: Counterpart): boolean => (current ?? parent)?.isUnchanged() ?? false

function atKey(counterpart: Counterpart, name: string): Counterpart {
  const { current, parent } = counterpart
  if (current === undefined) return counterpart
  if (parent === undefined && (name === 'apiVersion' || name === 'kind'))
    return { current: undefined, parent: undefined }
  return { current: current.key(name), parent: current }
}

function atIndex(counterpart: Counterpart, i: number): Counterpart {
  const { current } = counterpart
  return current === undefined ? counterpart : { current: current.index(i), parent: current }
}
