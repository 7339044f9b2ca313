import { encode, preview } from './encoding.ts'
import { type JqValue, typeOf } from './value.ts'

/** The text is no jq program, or names what is not defined. The message is gojq's. */
export class JqSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JqSyntaxError'
  }
}

/** The program failed. The message is gojq's; `value` is what `try … catch` hands to its handler. */
export class JqError extends Error {
  readonly value: JqValue

  constructor(message: string, value: JqValue = message) {
    super(message)
    this.name = 'JqError'
    this.value = value
  }
}

/** `halt` or `halt_error` ended the program; no `try` catches it. */
export class JqHalt extends JqError {
  readonly exitCode: number

  constructor(value: JqValue, exitCode: number) {
    super(`halt ${errorText(value)}`, value)
    this.name = 'JqHalt'
    this.exitCode = exitCode
  }
}

/** The program wants more time, memory or depth than it is given; no `try` catches it. */
export class JqLimitError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JqLimitError'
  }
}

export function errorText(value: JqValue): string {
  return `error: ${typeof value === 'string' ? value : encode(value)}`
}

export function typePreview(value: JqValue): string {
  return value === null ? 'null' : `${typeOf(value)} (${preview(value)})`
}

export const expectedObject = (value: JqValue) => new JqError(`expected an object but got: ${typePreview(value)}`)
export const expectedArray = (value: JqValue) => new JqError(`expected an array but got: ${typePreview(value)}`)
export const keyNotString = (key: JqValue) =>
  new JqError(`expected a string for object key but got: ${typePreview(key)}`)
export const arrayIndexNotNumber = (key: JqValue) =>
  new JqError(`expected a number for indexing an array but got: ${typePreview(key)}`)
export const stringIndexNotNumber = (key: JqValue) =>
  new JqError(`expected a number for indexing a string but got: ${typePreview(key)}`)
export const expectedStartEnd = (key: JqValue) =>
  new JqError(`expected "start" and "end" for slicing but got: ${typePreview(key)}`)

function call(name: string, args: JqValue[]): string {
  return args.length === 0 ? name : `${name}(${args.map(preview).join('; ')})`
}

/** `name(args) cannot be applied to` a value of the wrong type. */
export function notApplicable(name: string, value: JqValue, ...args: JqValue[]): JqError {
  return new JqError(`${call(name, args)} cannot be applied to: ${typePreview(value)}`)
}

/** The same, with the reason why. */
export function failedOn(reason: string, name: string, value: JqValue, ...args: JqValue[]): JqError {
  return new JqError(`${call(name, args)} cannot be applied to ${preview(value)}: ${reason}`)
}
