import type { Evaluate, Evaluation } from './evaluation.ts'
import { goTypeName } from './go-type-name.ts'
import { throughOptional } from './unstructured.ts'
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  listIndex,
  noOverloadFor,
  Optional,
  printValue,
  Uint,
} from './value.ts'

/** One step of a path: a field, a key or an index. */
export type Qualifier = ConstantQualifier | ComputedQualifier

interface ConstantQualifier {
  kind: 'constant'
  key: CelValue
  optional: boolean
  /** has(): answers whether the key is there instead of what it holds. */
  testOnly: boolean
}

interface ComputedQualifier {
  kind: 'computed'
  key: Attribute
  optional: boolean
}

/** A path into a value. Paths cost differently from calls: one for every step, and one for reading the whole. */
export type Attribute = PathAttribute | ConditionalAttribute

export class PathAttribute {
  readonly kind = 'path'
  readonly #base: Evaluate
  readonly #qualifiers: Qualifier[] = []

  /** `base` reads a variable, or evaluates the expression that the path starts from. */
  constructor(base: Evaluate) {
    this.#base = base
  }

  add(qualifier: Qualifier): void {
    this.#qualifiers.push(qualifier)
  }

  /** The function that walks the path. No qualifiers may be added once it is in use. */
  resolver(): Evaluate {
    const base = this.#base
    const steps = this.#qualifiers.map(compileStep)
    const startsOptional = this.#qualifiers.findIndex(qualifier => qualifier.optional)
    return evaluation => {
      const start = base(evaluation)
      if (start instanceof CelError) return start
      if (start instanceof Optional) return walkOptional(evaluation, start, steps)
      let value: CelValue = start
      for (let index = 0; index < steps.length; index++) {
        const step = steps[index] as Step
        if (index === startsOptional) return walkPresent(evaluation, value, steps.slice(index))
        value = step(evaluation, value, false) as CelValue
        if (value instanceof CelError) return value
      }
      return value
    }
  }
}

/** `condition ? whenTrue : whenFalse`, which later steps extend on both sides. */
export class ConditionalAttribute {
  readonly kind = 'conditional'
  readonly #condition: Evaluate
  readonly #whenTrue: Attribute
  readonly #whenFalse: Attribute

  constructor(condition: Evaluate, whenTrue: Attribute, whenFalse: Attribute) {
    this.#condition = condition
    this.#whenTrue = whenTrue
    this.#whenFalse = whenFalse
  }

  add(qualifier: Qualifier): void {
    this.#whenTrue.add(qualifier)
    this.#whenFalse.add(qualifier)
  }

  resolver(): Evaluate {
    const condition = this.#condition
    const whenTrue = this.#whenTrue.resolver()
    const whenFalse = this.#whenFalse.resolver()
    return evaluation => {
      const chosen = condition(evaluation)
      if (chosen === true) return whenTrue(evaluation)
      if (chosen === false) return whenFalse(evaluation)
      return noOverloadFor(chosen)
    }
  }
}

const absent = Symbol('absent')

/** Takes one step and charges for it. With `ifPresent` a missing key is `absent` and costs nothing. */
type Step = (evaluation: Evaluation, value: CelValue, ifPresent: boolean) => CelValue | typeof absent

function walkOptional(evaluation: Evaluation, start: Optional, steps: readonly Step[]): CelValue {
  if (start.value === undefined) return start
  return walkPresent(evaluation, throughOptional(start.value), steps)
}

function walkPresent(evaluation: Evaluation, start: CelValue, steps: readonly Step[]): CelValue {
  let value = start
  for (const step of steps) {
    const next = step(evaluation, value, true)
    if (next === absent) return Optional.none
    if (next instanceof CelError) return next
    value = next
  }
  return new Optional(value)
}

function compileStep(qualifier: Qualifier): Step {
  if (qualifier.kind === 'computed') return computedStep(qualifier.key.resolver())
  const { key, testOnly } = qualifier
  if (testOnly) return presenceStep(key)
  return (evaluation, value, ifPresent) => {
    const next = qualify(value, key, ifPresent)
    if (!ifPresent || isPresent(next)) evaluation.charge(1)
    return next
  }
}

function isPresent(value: CelValue | typeof absent): boolean {
  return value !== absent && !(value instanceof CelError)
}

function presenceStep(key: CelValue): Step {
  return (evaluation, value, ifPresent) => {
    const next = qualify(value, key, true)
    if (ifPresent) {
      if (isPresent(next)) evaluation.charge(1)
      return next
    }
    evaluation.charge(1)
    return next instanceof CelError ? next : next !== absent
  }
}

function computedStep(resolveKey: Evaluate): Step {
  return (evaluation, value, ifPresent) => {
    const key = resolveKey(evaluation)
    const next = key instanceof CelError ? key : isKey(key) ? qualify(value, key, ifPresent) : badKey(key)
    if (!ifPresent || isPresent(next)) evaluation.charge(1)
    return next
  }
}

function isKey(value: CelValue): boolean {
  return value !== null && (typeof value !== 'object' || value instanceof Uint)
}

function badKey(key: CelValue): CelError {
  return new CelError(`invalid qualifier type: ${goTypeName(key)}`)
}

function qualify(value: CelValue, key: CelValue, ifPresent: boolean): CelValue | typeof absent {
  if (value instanceof CelMap) {
    const found = value.find(key)
    if (found !== undefined) return found
    return ifPresent ? absent : new CelError(`no such key: ${printValue(key)}`)
  }
  if (value instanceof CelList) {
    const index = listIndex(key)
    if (index instanceof CelError) return index
    if (index >= 0 && index < value.size) return value.get(key)
    return ifPresent ? absent : new CelError(`index out of bounds: ${printValue(key)}`)
  }
  if (value instanceof CelError) return value
  return ifPresent ? absent : new CelError(`no such key: ${printValue(key)}`)
}
