import { invalid } from '../field-error.ts'
import { Float64, goFloat } from './go-float.ts'
import type { Schema } from './schema.ts'
import { composite, Finding, isJsonInteger, Result } from './validate-result.ts'

const INT32_HIGH = 2 ** 31 - 1
const FLOAT32_HIGH = 3.4028234663852886e38

type Numeric = number | bigint

interface Comparison {
  bound: number
  /** The value and the bound as errors print them. */
  shown: Numeric | Float64
  text: string
  isWhole: boolean
}

/** Ranges and multiples. Whole numbers are compared with whole bounds: the real server cuts the fraction of a bound. */
export class NumberCheck {
  readonly #schema: Schema
  readonly #type: string
  readonly #format: string

  constructor(schema: Schema, types: readonly string[], format: string) {
    const only = types.length === 1 ? types[0] : undefined
    this.#schema = schema
    this.#type = only === 'integer' || only === 'number' ? only : ''
    this.#format = this.#type === '' ? '' : format
  }

  /** Whole numbers within whole bounds, and fractions where fractions are allowed. */
  surelyAccepts(value: number): boolean {
    if (!this.#fits(value) || (this.#type === 'integer' && !Number.isSafeInteger(value))) return false
    const { exclusiveMaximum, exclusiveMinimum, maximum = Infinity, minimum = -Infinity } = this.#schema
    if (exclusiveMaximum || exclusiveMinimum || !isPlainBound(maximum) || !isPlainBound(minimum)) return false
    return value >= minimum && value <= maximum
  }

  validate(value: Numeric, path: string): Result {
    const result = new Result()
    this.#checkRange(value, 'Checked', path, result)
    const { exclusiveMaximum = false, exclusiveMinimum = false, maximum, minimum, multipleOf } = this.#schema
    if (multipleOf !== undefined) this.#validateMultiple(value, multipleOf, path, result)
    if (minimum !== undefined) {
      const { bound, shown, text } = this.#compared(value, minimum, 'Minimum boundary', path, result)
      if (exclusiveMinimum ? value <= bound : value < bound) {
        this.#add(path, shown, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${text}`, result)
      }
    }
    if (maximum !== undefined) {
      const { bound, shown, text } = this.#compared(value, maximum, 'Maximum boundary', path, result)
      if (exclusiveMaximum ? value >= bound : value > bound) {
        this.#add(path, shown, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${text}`, result)
      }
    }
    result.matches++
    return result
  }

  /** A whole number is compared with the whole part of a bound that fits the type; otherwise both are doubles. */
  #compared(value: Numeric, bound: number, prefix: string, path: string, result: Result): Comparison {
    const isOfType = this.#checkRange(bound, prefix, path, result)
    if (!isOfType || !isWhole(value))
      return { bound, shown: new Float64(Number(value)), text: goFloat(bound), isWhole: false }
    const whole = Math.trunc(bound)
    return { bound: whole, shown: value, text: String(whole), isWhole: true }
  }

  #validateMultiple(value: Numeric, factor: number, path: string, result: Result): void {
    const { bound, shown, text, isWhole } = this.#compared(value, factor, 'MultipleOf', path, result)
    if (bound <= 0) {
      const message = `factor MultipleOf declared for ${path} must be positive: ${text}`
      result.add(new Finding(path, message, field => invalid(field, isWhole ? bound : new Float64(bound), message)))
    } else if (isWhole ? BigInt(value) % BigInt(bound) !== 0n : !isMultiple(Number(value), bound)) {
      this.#add(path, shown, `should be a multiple of ${text}`, result)
    }
  }

  #add(path: string, shown: unknown, text: string, result: Result): void {
    result.add(new Finding(path, `${path} in body ${text}`, (field, message) => invalid(field, shown, message)))
  }

  /** Whether a number fits the type and format. The finding names no field: the real server's does not. */
  #checkRange(value: Numeric, prefix: string, path: string, result: Result): boolean {
    if (this.#fits(value)) return true
    const format = this.#format === '' ? '(default format)' : `with format ${this.#format}`
    result.add(composite(`${prefix} value must be of type ${this.#type === '' ? '' : this.#type} ${format} in ${path}`))
    return false
  }

  #fits(value: Numeric): boolean {
    if (this.#type === 'integer') {
      if (this.#format === 'int32') return isWhole(value) && value >= -INT32_HIGH - 1 && value <= INT32_HIGH
      return typeof value === 'bigint' || (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63)
    }
    return this.#format !== 'float' || Math.abs(Number(value)) <= FLOAT32_HIGH
  }
}

const isPlainBound = (bound: number): boolean => Number.isSafeInteger(bound) || !Number.isFinite(bound)

const isWhole = (value: Numeric): boolean => typeof value === 'bigint' || Number.isSafeInteger(value)

const isMultiple = (value: number, factor: number): boolean =>
  isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor)
