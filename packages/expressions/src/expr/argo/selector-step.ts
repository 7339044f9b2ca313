import { compareStrings } from '../../cel/text-order.ts'
import { byteLength } from '../operators.ts'
import { type ExprValue, int64, isList, isObject, NamedInt, own, typeOf } from '../value.ts'
import { SelectorError } from './selector-error.ts'
import { compileScript, type Script } from './selector-script.ts'

export interface Step {
  readonly type: string
  /** Applies itself and those that follow. */
  apply(root: ExprValue, current: ExprValue, next: readonly Step[]): ExprValue
}

export type Bound = bigint | Script | undefined

const goOn = (root: ExprValue, value: ExprValue, next: readonly Step[]): ExprValue => {
  const [first, ...rest] = next
  return first === undefined ? value : first.apply(root, value, rest)
}

export const startStep =
  (steps: readonly Step[]) =>
  (root: ExprValue, current: ExprValue): ExprValue =>
    goOn(root, current, steps)

const isNothing = (value: ExprValue): value is null | undefined => value === null || value === undefined

function wrongTarget(type: string, value: ExprValue, expected: string): SelectorError {
  const got = isNothing(value) ? 'nil' : typeOf(value)?.kind
  return new SelectorError(`${type}: invalid token target. expected [${expected}] got [${got}]`, 'token')
}

const collections = 'array map slice'
const sortedKeys = (object: object) => Object.keys(object).sort(compareStrings)
const childrenOf = (value: ExprValue): readonly ExprValue[] | undefined => {
  if (isList(value)) return value
  return isObject(value) ? sortedKeys(value).map(key => own(value, key)) : undefined
}

/** The results of the steps that follow, without those that fail or are nil. */
function each(root: ExprValue, values: readonly ExprValue[], next: readonly Step[]): ExprValue[] {
  if (next.length === 0) return [...values]
  return values.flatMap(value => {
    const result = attempt(() => goOn(root, value, next))
    return isNothing(result) ? [] : [result]
  })
}

/** A step that may find several leaves out those that the rest of the path does not fit. */
function attempt(work: () => ExprValue): ExprValue {
  try {
    return work()
  } catch (error) {
    if (error instanceof SelectorError) return null
    throw error
  }
}

/** After a range or a union an index picks from what was found; any other step goes on from each. */
function fromSelected(root: ExprValue, values: readonly ExprValue[], next: readonly Step[]): ExprValue {
  return next[0]?.type === 'index' ? goOn(root, values, next) : each(root, values, next)
}

export const rootStep: Step = { type: 'root', apply: (root, _current, next) => goOn(root, root, next) }
export const currentStep: Step = { type: 'current', apply: (root, current, next) => goOn(root, current, next) }

export const wildcardStep: Step = {
  type: 'wildcard',
  apply(root, current, next) {
    const children = childrenOf(current)
    if (children === undefined) throw wrongTarget('wildcard', current, collections)
    return each(root, children, next)
  },
}

export const recursiveStep: Step = {
  type: 'recursive',
  apply(root, current, next) {
    const found: ExprValue[] = []
    const visit = (value: ExprValue) => {
      if (isNothing(value)) return
      if (next.length === 0) found.push(value)
      else {
        const result = attempt(() => goOn(root, value, next))
        if (isList(result)) found.push(...result)
        else if (!isNothing(result)) found.push(result)
      }
      for (const child of childrenOf(value) ?? []) visit(child)
    }
    visit(current)
    return found
  },
}

export const lengthStep: Step = {
  type: 'length',
  apply(root, current, next) {
    if (isObject(current) && Object.hasOwn(current, 'length')) return goOn(root, own(current, 'length'), next)
    const length = typeof current === 'string' ? byteLength(current) : childrenOf(current)?.length
    if (length === undefined) throw wrongTarget('length', current, 'array map slice string')
    return goOn(root, int64(BigInt(length)), next)
  },
}

export function keyStep(key: string): Step {
  return {
    type: 'key',
    apply(root, current, next) {
      if (!isObject(current)) throw wrongTarget('key', current, 'map')
      if (!Object.hasOwn(current, key)) throw new SelectorError(`key: invalid token key '${key}' not found`, 'token')
      return goOn(root, own(current, key) ?? null, next)
    },
  }
}

export function indexStep(index: bigint): Step {
  return {
    type: 'index',
    apply(root, current, next) {
      if (!isList(current)) throw wrongTarget('index', current, 'array slice')
      const at = index < 0n ? index + BigInt(current.length) : index
      if (at < 0n || at >= BigInt(current.length)) throw new SelectorError('index: invalid token out of range', 'token')
      return goOn(root, current[Number(at)] ?? null, next)
    },
  }
}

/** A whole number, as scripts give it. */
function wholeOf(value: ExprValue): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  if (value instanceof NamedInt) return value.value
  return typeof value === 'bigint' ? value : undefined
}

/** Runs a script for an argument; what goes wrong is the token's. */
function argumentOf(type: string, script: Script, root: ExprValue, current: ExprValue): ExprValue {
  try {
    return script(root, current)
  } catch (error) {
    if (!(error instanceof SelectorError) || error.family === 'token') throw error
    const reason = error.family === 'expression' ? error.message : `invalid expression. ${error.message}`
    throw new SelectorError(`${type}: invalid token ${reason}`, 'token')
  }
}

function boundOf(given: bigint | Script, root: ExprValue, current: ExprValue): bigint {
  if (typeof given === 'bigint') return given
  const value = argumentOf('range', given, root, current)
  const whole = wholeOf(value)
  if (whole !== undefined) return whole
  const got = isNothing(value) ? 'nil' : typeOf(value)?.kind
  throw new SelectorError(`range: invalid token unexpected expression result. expected [int] got [${got}]`, 'token')
}

export function rangeStep(from: Bound, to: Bound, step: Bound): Step {
  return {
    type: 'range',
    apply(root, current, next) {
      if (!isList(current)) throw wrongTarget('range', current, 'array slice')
      const length = BigInt(current.length)
      const within = (given: Bound, missing: bigint) => {
        if (given === undefined) return missing
        const value = boundOf(given, root, current)
        const at = value < 0n ? value + length : value
        return at < 0n ? 0n : at > length ? length : at
      }
      const [start, end] = [Number(within(from, 0n)), Number(within(to, length))]
      const by = step === undefined ? 1 : Number(boundOf(step, root, current))
      if (by === 0) throw new SelectorError('range: invalid token out of range', 'token')
      const values: ExprValue[] = []
      if (by > 0) for (let at = start; at < end; at += by) values.push(current[at])
      else for (let at = end - 1; at >= start; at += by) values.push(current[at])
      return fromSelected(root, values, next)
    },
  }
}

export function unionStep(parts: readonly (bigint | string | Script)[]): Step {
  return {
    type: 'union',
    apply(root, current, next) {
      const wanted = parts.map(part => unionPart(part, root, current))
      const other = wanted.find(one => typeof one !== typeof wanted[0])
      if (other !== undefined) {
        const [got, expected] = typeof other === 'string' ? ['string', 'int'] : ['int', 'string']
        throw new SelectorError(`union: invalid token argument. expected [${expected}] got [${got}]`, 'token')
      }
      return fromSelected(root, typeof wanted[0] === 'string' ? byKey(current, wanted) : byIndex(current, wanted), next)
    },
  }
}

function unionPart(part: bigint | string | Script, root: ExprValue, current: ExprValue): bigint | string {
  const value = typeof part === 'function' ? argumentOf('union', part, root, current) : part
  if (typeof value === 'string') return value
  const whole = wholeOf(value)
  if (whole !== undefined) return whole
  const got = isNothing(value) ? 'nil' : typeOf(value)?.kind
  throw new SelectorError(`union: invalid token argument. expected [int string] got [${got}]`, 'token')
}

function byKey(current: ExprValue, keys: readonly (bigint | string)[]): ExprValue[] {
  if (!isObject(current)) throw wrongTarget('union', current, 'map')
  return keys.flatMap(key => (Object.hasOwn(current, key as string) ? [own(current, key as string)] : []))
}

function byIndex(current: ExprValue, indexes: readonly (bigint | string)[]): ExprValue[] {
  if (!isList(current)) throw wrongTarget('union', current, 'array slice')
  return indexes.flatMap(index => {
    const at = Number(index) < 0 ? Number(index) + current.length : Number(index)
    return at >= 0 && at < current.length ? [current[at]] : []
  })
}

export function filterStep(text: string): Step {
  const script = compileScript(text)
  return {
    type: 'filter',
    apply(root, current, next) {
      if (text === '') throw new SelectorError('invalid expression. is empty', 'expression')
      const children = childrenOf(current)
      if (children === undefined) throw wrongTarget('filter', current, collections)
      const kept = children.filter(child => isTruthy(attempt(() => script(root, child))))
      return fromSelected(root, kept, next)
    },
  }
}

function isTruthy(value: ExprValue): boolean {
  if (isNothing(value)) return false
  if (typeof value === 'string') return value.replace(/^(['"])([^]*)\1$/, '$2') !== ''
  if (value instanceof NamedInt) return value.value !== 0n
  const children = childrenOf(value)
  return children === undefined ? Boolean(value) : children.length > 0
}

export function scriptStep(script: Script): Step {
  return {
    type: 'script',
    apply(root, current, next) {
      let value: ExprValue
      try {
        value = script(root, current)
      } catch (error) {
        if (!(error instanceof SelectorError) || error.family === 'expression') throw error
        throw new SelectorError(`invalid expression. ${error.message}`, 'expression')
      }
      if (typeof value === 'string') return keyStep(value).apply(root, current, next)
      const whole = wholeOf(value)
      if (whole !== undefined) return indexStep(whole).apply(root, current, next)
      const got = isNothing(value) ? 'nil' : typeOf(value)?.kind
      throw new SelectorError(`unexpected expression result. expected [int string] got [${got}]`, 'other')
    },
  }
}
