import { goQuote } from '@tiphys/kube'
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../field-error.ts'
import { getOwn, isObject, jsonEqual } from '../json-value.ts'
import { compilePattern } from './pattern.ts'
import type { Correlation } from './ratchet.ts'
import type { Json, JsonObject, Schema } from './schema.ts'
import { formatCheck, isKnownFormat } from './string-format.ts'
import { NumberCheck } from './validate-number.ts'
import { composite, Finding, isJsonInteger, Result } from './validate-result.ts'

/** Checks values against a custom resource's schema. The words and their choice are those of the real server's validator,
 *  with its oddities: which of several failed alternatives is reported depends on how much of each did match. */
export interface ValueValidator {
  validate(value: Json): FieldError[]
  /** What did not change since `old` is allowed to stay wrong. */
  validateUpdate(value: Json, correlation: Correlation | undefined): FieldError[]
}

/** `field` is put before every field in the errors, not before the names in their texts. */
export function compileValidator(schema: Schema, field = ''): ValueValidator {
  const validator = new SchemaValidator(schema, true)
  const errors = (result: Result) => result.findings.map(finding => finding.toFieldError(field))
  return {
    validate: value => (validator.surelyAccepts(value) ? [] : errors(validator.validate(value, '', undefined))),
    validateUpdate: (value, correlation) =>
      validator.surelyAccepts(value) ? [] : errors(validator.validateRatcheting(value, '', correlation)),
  }
}

/** For defaults inside a CRD: formats that the server does not know are not left out, int-or-string has no type. */
export function compileDefaultValidator(schema: Schema, field: string): (value: Json) => FieldError[] {
  const validator = new SchemaValidator(schema, false)
  return value => validator.validate(value, '', undefined).findings.map(finding => finding.toFieldError(field))
}

const invalidFinding = (path: string, value: unknown, text: string): Finding =>
  new Finding(path, `${path} in body ${text}`, (field, message) => invalid(field, value, message))

const COMPLEX = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'uniqueItems',
  'multipleOf',
  'minProperties',
  'maxProperties',
] as const

const failed = (finding: Finding): Result => new Result().add(finding)

class SchemaValidator {
  readonly #schema: Schema
  readonly #types: readonly string[]
  readonly #format: string
  readonly #checkFormat: ((text: string) => boolean) | undefined
  readonly #number: NumberCheck
  readonly #properties: Map<string, SchemaValidator>
  readonly #additional: SchemaValidator | undefined
  readonly #items: SchemaValidator | undefined
  readonly #allOf: SchemaValidator[]
  readonly #anyOf: SchemaValidator[]
  readonly #oneOf: SchemaValidator[]
  readonly #not: SchemaValidator | undefined
  /** The schema says nothing that needs a comparison of alternatives or a look at formats. */
  readonly #isSimple: boolean

  constructor(schema: Schema, isForValues: boolean) {
    const compile = (part: Schema) => new SchemaValidator(part, isForValues)
    this.#schema = schema
    this.#types =
      isForValues && schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : []
    const format = schema.format ?? ''
    this.#format = !isForValues || isKnownFormat(format, this.#types) ? format : ''
    this.#checkFormat = formatCheck(this.#format)
    this.#number = new NumberCheck(schema, this.#types, this.#format)
    this.#properties = new Map(Object.entries(schema.properties ?? {}).map(([name, part]) => [name, compile(part)]))
    this.#additional =
      typeof schema.additionalProperties === 'object' ? compile(schema.additionalProperties) : undefined
    this.#items = schema.items === undefined ? undefined : compile(schema.items)
    this.#allOf = (schema.allOf ?? []).map(compile)
    this.#anyOf = (schema.anyOf ?? []).map(compile)
    this.#oneOf = (schema.oneOf ?? []).map(compile)
    this.#not = schema.not === undefined ? undefined : compile(schema.not)
    const isOpen = schema.additionalProperties !== false
    this.#isSimple =
      isOpen && this.#types.length < 2 && !this.#checkFormat && COMPLEX.every(name => schema[name] === undefined)
  }

  /** Whether nothing is wrong, without finding out what. False may also mean that only `validate` can tell. */
  surelyAccepts(value: Json): boolean {
    const schema = this.#schema
    if (value === null) return schema.nullable === true && schema.enum === undefined
    if (!this.#isSimple) return false
    if (schema.enum !== undefined && !(typeof value === 'string' && schema.enum.includes(value))) return false
    const [type] = this.#types
    switch (typeof value) {
      case 'string':
        return (type === undefined || type === 'string') && this.#validateString(value, '').isValid
      case 'number':
        return (type === undefined || type === 'integer' || type === 'number') && this.#number.surelyAccepts(value)
      case 'boolean':
        return type === undefined || type === 'boolean'
      case 'object':
        return Array.isArray(value) ? this.#surelyAcceptsItems(value, type) : this.#surelyAcceptsFields(value, type)
      default:
        return false
    }
  }

  #surelyAcceptsItems(items: readonly Json[], type: string | undefined): boolean {
    const { maxItems = Infinity, minItems = 0 } = this.#schema
    if ((type !== undefined && type !== 'array') || items.length > maxItems || items.length < minItems) return false
    const validator = this.#items
    return validator === undefined || items.every(item => validator.surelyAccepts(item))
  }

  #surelyAcceptsFields(value: JsonObject, type: string | undefined): boolean {
    if (type !== undefined && type !== 'object') return false
    for (const name of this.#schema.required ?? []) if (!Object.hasOwn(value, name)) return false
    for (const key of Object.keys(value)) {
      const validator = this.#properties.get(key) ?? this.#additional
      if (validator !== undefined && !validator.surelyAccepts(value[key] as Json)) return false
    }
    return true
  }

  validateRatcheting(value: Json, path: string, correlation: Correlation | undefined): Result {
    const result = this.validate(value, path, correlation)
    if (result.isValid || !correlation?.isUnchanged()) return result
    const ratcheted = new Result()
    ratcheted.matches = result.matches
    return ratcheted
  }

  validate(value: Json, path: string, correlation: Correlation | undefined): Result {
    const result = new Result()
    if (value === null) {
      return result.merge(this.#validateType(value, path)).merge(this.#validateEnum(value, path))
    }
    const apply = (part: Result) => {
      result.merge(part)
      result.matches++
    }
    if (this.#types.length > 0 || this.#format !== '') apply(this.#validateType(value, path))
    apply(this.#validateAlternatives(value, path))
    if (typeof value === 'string') {
      apply(this.#validateString(value, path))
      if (this.#checkFormat !== undefined) apply(this.#validateFormat(value, path))
    }
    if (typeof value === 'number' || typeof value === 'bigint') apply(this.#number.validate(value, path))
    if (Array.isArray(value)) apply(this.#validateItems(value, path, correlation))
    apply(this.#validateEnum(value, path))
    if (isObject(value)) apply(this.#validateProperties(value, path, correlation))
    result.matches++
    return result
  }

  #validateType(value: Json, path: string): Result {
    const types = this.#types
    if (value === null) {
      if (types.length > 0 && this.#schema.nullable !== true) return this.#typeMismatch(path, types.join(','), 'null')
      return matched()
    }
    const { type, format } = typeOf(value)
    const isWholeFloat = type === 'number' && isJsonInteger(value as number) && types.includes('integer')
    const isIntegerForNumber = type === 'integer' && types.includes('number')
    const isText = type === 'string' || type === 'array'
    const wanted = this.#format
    if (
      !isText &&
      wanted !== '' &&
      !(types.includes(type) || format === wanted || isWholeFloat || isIntegerForNumber)
    ) {
      return this.#typeMismatch(path, wanted, format)
    }
    if (isText && wanted !== '' && !types.includes('number') && !types.includes('integer')) return matched()
    if (types.includes(type) || isWholeFloat || isIntegerForNumber) return matched()
    return this.#typeMismatch(path, types.join(','), type)
  }

  #typeMismatch(path: string, wanted: string, found: string): Result {
    const message = `${path} in body must be of type ${wanted}: ${goQuote(found)}`
    return failed(new Finding(path, message, field => typeInvalid(field, found, message)))
  }

  #validateString(value: string, path: string): Result {
    const { maxLength, minLength, pattern } = this.#schema
    const length = maxLength === undefined && minLength === undefined ? 0 : countCharacters(value)
    if (maxLength !== undefined && length > maxLength) {
      const message = `${path} in body should be at most ${maxLength} chars long`
      return failed(new Finding(path, message, field => tooLong(field, maxLength)))
    }
    if (minLength !== undefined && length < minLength) {
      return failed(invalidFinding(path, value, `should be at least ${minLength} chars long`))
    }
    if (pattern === undefined || pattern === '') return new Result()
    const compiled = compilePattern(pattern)
    if ('error' in compiled) {
      return failed(invalidFinding(path, value, `should match '${pattern}, but pattern is invalid: ${compiled.error}'`))
    }
    return compiled.test(value) ? new Result() : failed(invalidFinding(path, value, `should match '${pattern}'`))
  }

  #validateFormat(value: string, path: string): Result {
    return this.#checkFormat?.(value) ? new Result() : this.#typeMismatch(path, this.#format, value)
  }

  #validateEnum(value: Json, path: string): Result {
    const allowed = this.#schema.enum ?? []
    if (allowed.length === 0) return new Result()
    if (value !== null && allowed.some(candidate => candidate !== null && equalInEnum(value, candidate)))
      return new Result()
    const texts = allowed.map(candidate => (typeof candidate === 'string' ? candidate : JSON.stringify(candidate)))
    const message = `${path} in body should be one of [${texts.join(' ')}]`
    return failed(new Finding(path, message, field => notSupported(field, value, texts)))
  }

  #validateItems(items: readonly Json[], path: string, correlation: Correlation | undefined): Result {
    const result = new Result()
    for (let i = 0; this.#items && i < items.length; i++) {
      result.merge(this.#items.validateRatcheting(items[i] as Json, `${path}[${i}]`, correlation?.index(i)))
    }
    const { maxItems, minItems, uniqueItems } = this.#schema
    if (minItems !== undefined && items.length < minItems) {
      result.add(invalidFinding(path, items.length, `should have at least ${minItems} items`))
    }
    if (maxItems !== undefined && items.length > maxItems) {
      const message = `${path} in body should have at most ${maxItems} items`
      result.add(new Finding(path, message, field => tooMany(field, items.length, maxItems)))
    }
    if (uniqueItems && items.some((item, i) => items.slice(0, i).some(other => jsonEqual(item, other)))) {
      result.add(invalidFinding(path, '', "shouldn't contain duplicates"))
    }
    result.matches++
    return result
  }

  #validateProperties(value: JsonObject, path: string, correlation: Correlation | undefined): Result {
    const result = new Result()
    const keys = Object.keys(value)
    const { additionalProperties, maxProperties, minProperties, required: needed = [] } = this.#schema
    if (minProperties !== undefined && keys.length < minProperties) {
      result.add(invalidFinding(path, keys.length, `should have at least ${minProperties} properties`))
    }
    if (maxProperties !== undefined && keys.length > maxProperties) {
      const message = `${path} in body should have at most ${maxProperties} properties`
      result.add(new Finding(path, message, field => tooMany(field, keys.length, maxProperties)))
    }
    for (const key of keys) {
      const property = this.#properties.get(key)
      const field = value[key] as Json
      const at = property !== undefined && path === '' ? key : `${path}.${key}`
      if (property !== undefined) {
        const isTypeMeta = path === '' && (key === 'kind' || key === 'apiVersion')
        result.merge(property.validateRatcheting(field, at, isTypeMeta ? undefined : correlation?.key(key)))
      } else if (additionalProperties === false) {
        const message = `${path}.${key} in body is a forbidden property`
        result.add(new Finding(path, message, name => invalid(name, key, message)))
      } else if (this.#additional) {
        result.merge(this.#additional.validateRatcheting(field, at, correlation?.key(key)))
      }
    }
    for (const name of needed) {
      if (getOwn(value, name) !== undefined) continue
      const at = `${path}.${name}`
      result.add(new Finding(at, `${at} in body is required`, field => required(field)))
    }
    return result
  }

  #validateAlternatives(value: Json, path: string): Result {
    const main = new Result()
    if (this.#anyOf.length > 0) this.#validateAnyOf(value, path, main)
    if (this.#oneOf.length > 0) this.#validateOneOf(value, path, main)
    if (this.#allOf.length > 0) this.#validateAllOf(value, path, main)
    if (this.#not?.validate(value, path, undefined).isValid) {
      main.add(composite(`${goQuote(path)} must not validate the schema (not)`))
    }
    main.matches++
    return main
  }

  #validateAnyOf(value: Json, path: string, main: Result): void {
    let best: Result | undefined
    for (const alternative of this.#anyOf) {
      const result = alternative.validate(value, path, undefined)
      if (result.isValid) {
        main.merge(result)
        return
      }
      if (best === undefined || result.matches > best.matches) best = result
    }
    main.add(composite(`${goQuote(path)} must validate at least one schema (anyOf)`))
    if (best) main.merge(best)
  }

  #validateOneOf(value: Json, path: string, main: Result): void {
    let best: Result | undefined
    const valid: Result[] = []
    for (const alternative of this.#oneOf) {
      const result = alternative.validate(value, path, undefined)
      if (result.isValid) valid.push(result)
      else if (valid.length === 0 && (best === undefined || result.matches > best.matches)) best = result
    }
    if (valid.length === 1) {
      main.merge(valid[0] as Result)
      return
    }
    const count = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
    main.add(composite(`${goQuote(path)} must validate one and only one schema (oneOf). ${count}`))
    if (valid.length === 0 && best) main.merge(best)
  }

  #validateAllOf(value: Json, path: string, main: Result): void {
    let valid = 0
    for (const part of this.#allOf) {
      const result = part.validate(value, path, undefined)
      if (result.isValid) valid++
      main.merge(result)
    }
    if (valid === this.#allOf.length) return
    main.add(
      composite(`${goQuote(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`),
    )
  }
}

/** Characters beyond the first 65,536 are two units of a JavaScript string. */
function countCharacters(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) <= 0xffff) continue
    count--
    i++
  }
  return count
}

function matched(): Result {
  const result = new Result()
  result.matches = 1
  return result
}

/** JSON's own type of a value, and the format that Go's representation of it has. */
function typeOf(value: Json): { type: string; format: string } {
  if (Array.isArray(value)) return { type: 'array', format: '' }
  switch (typeof value) {
    case 'string':
      return { type: 'string', format: '' }
    case 'boolean':
      return { type: 'boolean', format: '' }
    case 'bigint':
      return { type: 'integer', format: 'int64' }
    case 'number':
      return Number.isSafeInteger(value) ? { type: 'integer', format: 'int64' } : { type: 'number', format: 'float64' }
    default:
      return { type: 'object', format: '' }
  }
}

/** A value of the enum in the value's own number type counts. */
function equalInEnum(value: Json, candidate: Json): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return (typeof candidate === 'number' || typeof candidate === 'bigint') && Number(value) === Number(candidate)
  }
  return jsonEqual(value, candidate)
}
