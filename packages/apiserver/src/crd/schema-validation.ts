import { child, type FieldError, forbidden, index, invalid, key, notSupported, required } from '../field-error.ts'
import { type CompiledRule, ruleCompiler } from '../schema/cel-compiler.ts'
import type { Schema, ValidationRule } from '../schema/schema.ts'
import { type CrdSchema, structuralObstacle, validateStructural } from '../schema/structural.ts'
import { validateDefaults } from './default-validation.ts'
import { resolveFieldPath } from './field-path.ts'
import { goRule, goSchema } from './internal-form.ts'
import { costExcess, RuleCosts, type RuleScope, rootScope } from './rule-cost.ts'

const EXPRESSION_COST_LIMIT = 10_000_000
const SCHEMA_COST_LIMIT = 100_000_000

export interface SchemaValidationOptions {
  /** The version has a status subresource: less is allowed at the root. */
  hasStatus: boolean
  /** The schema was accepted before: what its rules may cost is not asked again. */
  isUnchanged: boolean
}

/** Everything that must hold for the schema of a version of a CRD. */
export function validateCrdSchema(schema: CrdSchema, path: string, options: SchemaValidationOptions): FieldError[] {
  const at = child(path, 'openAPIV3Schema')
  const errors = options.hasStatus ? validateRootWithStatus(schema, at) : []
  if (schema.nullable) errors.push(forbidden(child(at, 'nullable'), 'nullable cannot be true at the root'))
  const obstacle = structuralObstacle(schema)
  let scope: RuleScope | undefined
  if (obstacle === undefined) {
    const found = validateStructural(schema, at)
    if (found.length === 0) found.push(...validateDefaults(schema, at))
    if (found.length === 0) scope = rootScope(schema)
    errors.push(...found)
  }
  const check = new SchemaCheck(options.isUnchanged)
  check.visit(schema, at, ROOT, scope)
  errors.push(...check.schemaErrors, ...check.ruleErrors)
  if (errors.length === 0 && obstacle !== undefined) errors.push(invalid(at, '', obstacle))
  if (scope) errors.push(...totalCostErrors(check.costs, at))
  return errors
}

function totalCostErrors(costs: RuleCosts, at: string): FieldError[] {
  if (costs.total <= SCHEMA_COST_LIMIT) return []
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
  const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  return [
    ...costs.mostExpensive.map(({ path }) => forbidden(path, detail)),
    forbidden(at, costExcess(name, costs.total, SCHEMA_COST_LIMIT)),
  ]
}

const ALLOWED_AT_ROOT: readonly (readonly [keyof Schema, string])[] = [
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
]

function validateRootWithStatus(schema: CrdSchema, at: string): FieldError[] {
  if (schema.type !== undefined && schema.type !== 'object') {
    const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalid(child(at, 'type'), schema.type, detail)]
  }
  const allowed = new Set<string>(ALLOWED_AT_ROOT.map(([name]) => name))
  if (Object.keys(schema).every(name => allowed.has(name))) return []
  const names = ALLOWED_AT_ROOT.map(([, name]) => name).join(' ')
  const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`
  return [invalid(at, goSchema(schema), detail)]
}

/** What the place in the schema means for what may be said there. */
interface Place {
  readonly isRoot: boolean
  readonly isInMetadata: boolean
  /** Why defaults are forbidden here. */
  readonly noDefaults: string | undefined
  /** The list or map whose elements cannot be found again in the old object. */
  readonly uncorrelatable: string | undefined
}

const ROOT: Place = { isRoot: true, isInMetadata: false, noDefaults: undefined, uncorrelatable: undefined }
const META_FIELDS = new Set(['metadata', 'kind', 'apiVersion'])
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const

class SchemaCheck {
  readonly schemaErrors: FieldError[] = []
  readonly ruleErrors: FieldError[] = []
  readonly costs = new RuleCosts()
  readonly #isUnchanged: boolean

  constructor(isUnchanged: boolean) {
    this.#isUnchanged = isUnchanged
  }

  visit(schema: CrdSchema, path: string, place: Place, scope: RuleScope | undefined): void {
    const before = this.schemaErrors.length
    this.#checkStandard(schema, path, place)
    this.#visitParts(schema, path, { ...place, isRoot: false }, place.isRoot, scope)
    this.schemaErrors.push(
      ...validateExtensions(schema, path),
      ...validateListKeys(schema, path),
      ...validateKeyFields(schema, path),
    )
    const rules = schema['x-kubernetes-validations'] ?? []
    const at = child(path, 'x-kubernetes-validations')
    for (const [i, rule] of rules.entries()) this.schemaErrors.push(...validateRuleTexts(rule, schema, index(at, i)))
    if (rules.length > 0 && scope && this.schemaErrors.length === before)
      this.#compileRules(schema, rules, at, place, scope)
  }

  #checkStandard(schema: CrdSchema, path: string, place: Place): void {
    const { items, type } = schema
    const errors = this.schemaErrors
    if (type !== undefined && !TYPES.includes(type)) errors.push(notSupported(child(path, 'type'), type, TYPES))
    if (schema.default !== undefined && place.noDefaults !== undefined) {
      errors.push(forbidden(child(path, 'default'), `must not be set ${place.noDefaults}`))
    }
    for (const name of UNSUPPORTED) {
      if (schema[name] !== undefined) errors.push(forbidden(child(path, name), `${name} is not supported`))
    }
    if ((type as string) === 'null') {
      errors.push(forbidden(child(path, 'type'), 'type cannot be set to null, use nullable as an alternative'))
    }
    if (Array.isArray(items))
      errors.push(forbidden(child(path, 'items'), 'items must be a schema object and not an array'))
    if (place.isInMetadata && schema['x-kubernetes-embedded-resource']) {
      errors.push(forbidden(child(path, 'x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'))
    }
    if (schema.uniqueItems) {
      const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
      errors.push(forbidden(child(path, 'uniqueItems'), detail))
    }
    const hasProperties = Object.keys(schema.properties ?? {}).length > 0
    if (hasProperties && schema.additionalProperties !== undefined && schema.additionalProperties !== true) {
      const detail = 'additionalProperties and properties are mutual exclusive'
      errors.push(forbidden(child(path, 'additionalProperties'), detail))
    }
  }

  #visitParts(schema: CrdSchema, path: string, place: Place, isRoot: boolean, scope: RuleScope | undefined): void {
    const { additionalProperties, allOf = [], anyOf = [], items, not, oneOf = [], properties = {} } = schema
    if (typeof additionalProperties === 'object') {
      const reason = 'inside additionalProperties applying to object metadata'
      const inside = place.isInMetadata ? { ...place, noDefaults: reason } : place
      this.visit(additionalProperties, child(path, 'additionalProperties'), inside, scope?.child(additionalProperties))
    }
    for (const [name, property] of Object.entries(properties)) {
      const isMeta = (isRoot || schema['x-kubernetes-embedded-resource'] === true) && META_FIELDS.has(name)
      const inside = {
        ...place,
        isInMetadata: place.isInMetadata || isMeta,
        noDefaults: isMeta && isRoot ? `in top-level ${name}` : place.noDefaults,
      }
      this.visit(property, key(child(path, 'properties'), name), inside, scope?.child(property))
    }
    if (not) this.visit(not, child(path, 'not'), place, undefined)
    for (const [i, part] of allOf.entries()) this.visit(part, index(child(path, 'allOf'), i), place, undefined)
    for (const [i, part] of oneOf.entries()) this.visit(part, index(child(path, 'oneOf'), i), place, undefined)
    for (const [i, part] of anyOf.entries()) this.visit(part, index(child(path, 'anyOf'), i), place, undefined)
    if (items && !Array.isArray(items)) {
      const isMap = schema['x-kubernetes-list-type'] === 'map'
      const inside = isMap ? place : { ...place, uncorrelatable: place.uncorrelatable ?? path }
      this.visit(items, child(path, 'items'), inside, scope?.child(items))
    }
  }

  #compileRules(schema: Schema, rules: readonly ValidationRule[], path: string, place: Place, scope: RuleScope): void {
    const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true
    const compile = ruleCompiler(schema, isResource)
    if (!compile) return
    for (const [i, rule] of rules.entries()) this.#reportRule(compile(rule), index(path, i), place, scope)
  }

  #reportRule(compiled: CompiledRule, path: string, place: Place, scope: RuleScope): void {
    const errors = this.ruleErrors
    const { rule } = compiled
    const at = child(path, 'rule')
    const cost = compiled.maxCost * (scope.maxCardinality ?? compiled.maxCardinality)
    this.#reportCost('estimated rule cost', cost, at)
    if (compiled.error !== undefined) errors.push(invalid(at, goRule(rule), compiled.error))
    const messageAt = child(path, 'messageExpression')
    if (compiled.messageError !== undefined) errors.push(invalid(messageAt, goRule(rule), compiled.messageError))
    else if (compiled.evaluateMessage)
      this.#reportCost('estimated messageExpression cost', compiled.messageMaxCost, messageAt)
    if (compiled.usesOldSelf) {
      if (place.uncorrelatable === undefined) return
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`
      errors.push(invalid(at, rule.rule, detail))
    } else if (rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule'
      errors.push(invalid(child(path, 'optionalOldSelf'), rule.optionalOldSelf, detail))
    }
  }

  #reportCost(name: string, cost: number, path: string): void {
    this.costs.observe(path, cost)
    if (this.#isUnchanged || cost <= EXPRESSION_COST_LIMIT) return
    this.ruleErrors.push(forbidden(path, costExcess(name, cost, EXPRESSION_COST_LIMIT)))
  }
}

function validateExtensions(schema: CrdSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const { items, type } = schema
  const mapType: string | undefined = schema['x-kubernetes-map-type']
  const listType: string | undefined = schema['x-kubernetes-list-type']
  const wrongType = (detail: string) =>
    type === undefined ? required(child(path, 'type'), detail) : invalid(child(path, 'type'), type, detail)
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'))
  }
  if (mapType !== undefined && type !== 'object')
    errors.push(wrongType('must be object if x-kubernetes-map-type is specified'))
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']))
  }
  if (listType !== undefined && type !== 'array')
    errors.push(wrongType('must be array if x-kubernetes-list-type is specified'))
  else if (listType === 'set' && items) errors.push(...validateSetItems(items, child(path, 'items')))
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    errors.push(notSupported(child(path, 'x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']))
  }
  return errors
}

/** Elements of a set are compared as a whole. */
function validateSetItems(items: Schema, path: string): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const listType = items['x-kubernetes-list-type']
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(child(path, 'x-kubernetes-list-type'), listType, detail)]
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalid(child(path, 'x-kubernetes-map-type'), listType ?? null, detail)]
  }
  return []
}

function validateListKeys(schema: CrdSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const listType = schema['x-kubernetes-list-type']
  const at = child(path, 'x-kubernetes-list-map-keys')
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const typeAt = child(path, 'x-kubernetes-list-type')
    errors.push(listType === undefined ? required(typeAt, detail) : invalid(typeAt, listType, detail))
  }
  if (listType !== 'map') return errors
  if (keys.length === 0) errors.push(required(at, 'must not be empty if x-kubernetes-list-type is map'))
  const { items } = schema
  if (!items) {
    errors.push(required(child(path, 'items'), 'must have a schema if x-kubernetes-list-type is map'))
    return errors
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalid(child(child(path, 'items'), 'type'), items.type ?? '', detail))
    return errors
  }
  for (const [i, name] of keys.entries()) {
    const property = items.properties?.[name]
    if (!property) errors.push(invalid(at, keys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.push(invalid(child(key(child(child(path, 'items'), 'properties'), name), 'type'), items.type, detail))
    }
    if (keys.indexOf(name) < i) errors.push(invalid(at, keys, 'must not contain duplicate entries'))
  }
  return errors
}

/** Keys must have a value in every element. */
function validateKeyFields(schema: CrdSchema, path: string): FieldError[] {
  const { items } = schema
  const listType = schema['x-kubernetes-list-type']
  if (!items || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  const itemsPath = child(path, 'items')
  if (items.nullable) {
    errors.push(
      forbidden(child(itemsPath, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    )
  }
  if (listType === 'set') return errors
  for (const name of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = items.properties?.[name]
    if (!property) continue
    const at = key(child(itemsPath, 'properties'), name)
    const reason = 'this property is in x-kubernetes-list-map-keys, so it'
    if (!items.required?.includes(name) && property.default === undefined) {
      errors.push(required(child(at, 'default'), `${reason} must have a default or be a required property`))
    }
    if (property.nullable) errors.push(forbidden(child(at, 'nullable'), `${reason} cannot be nullable`))
  }
  return errors
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const hasLineBreak = (text: string) => /[\n\r]/.test(text)

function validateRuleTexts(rule: ValidationRule, schema: CrdSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const { fieldPath = '', message = '', messageExpression = '', reason } = rule
  if (rule.rule.trim() === '') errors.push(required(child(path, 'rule'), 'rule is not specified'))
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(child(path, 'message'), message, 'must be non-empty if specified'))
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(child(path, 'message'), message, 'must not contain line breaks'))
  } else if (hasLineBreak(rule.rule.trim()) && message.trim() === '') {
    errors.push(required(child(path, 'message'), 'message must be specified if rule contains line breaks'))
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(child(path, 'messageExpression'), 'messageExpression must be non-empty if specified'))
  }
  if (reason !== undefined && !REASONS.includes(reason))
    errors.push(notSupported(child(path, 'reason'), reason, REASONS))
  const at = child(path, 'fieldPath')
  if (fieldPath !== '' && fieldPath.trim() === '') errors.push(invalid(at, fieldPath, 'must be non-empty if specified'))
  if (hasLineBreak(fieldPath)) errors.push(invalid(at, fieldPath, 'must not contain line breaks'))
  if (fieldPath !== '' && 'error' in resolveFieldPath(fieldPath, schema, { allowBrackets: true })) {
    errors.push(invalid(at, fieldPath, 'must be a valid path'))
  }
  return errors
}
