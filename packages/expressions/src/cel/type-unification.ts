import { type CelType, dynType, isDyn, isSameType, listType, mapType, opaqueType, parameterOf, typeOf } from './type.ts'

/** What the free type parameters of a check are bound to so far. A trial that fails is taken back. */
export class Bindings {
  readonly #types = new Map<string, CelType>()
  readonly #changes: (readonly [string, CelType | undefined])[] = []

  get(parameter: CelType): CelType | undefined {
    return this.#types.get(parameter.name)
  }

  set(parameter: CelType, type: CelType): void {
    this.#changes.push([parameter.name, this.#types.get(parameter.name)])
    this.#types.set(parameter.name, type)
  }

  /** Keeps the bindings that `trial` makes when it succeeds. */
  attempt(trial: () => boolean): boolean {
    const start = this.#changes.length
    if (trial()) return true
    for (const [name, previous] of this.#changes.splice(start).reverse()) {
      if (previous === undefined) this.#types.delete(name)
      else this.#types.set(name, previous)
    }
    return false
  }
}

function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error'
}

/** Whether `actual` may stand where `expected` is wanted, with the bindings that make it so. */
export function unify(bindings: Bindings, actual: CelType, expected: CelType): boolean {
  return bindings.attempt(() => assignable(bindings, actual, expected))
}

export function unifyAll(bindings: Bindings, actual: readonly CelType[], expected: readonly CelType[]): boolean {
  return bindings.attempt(() => allAssignable(bindings, actual, expected))
}

function allAssignable(bindings: Bindings, left: readonly CelType[], right: readonly CelType[]): boolean {
  if (left.length !== right.length) return false
  return left.every((type, index) => {
    const other = right[index]
    return other !== undefined && assignable(bindings, type, other)
  })
}

function assignable(bindings: Bindings, left: CelType, right: CelType): boolean {
  if (right.kind === 'param') {
    const bound = bind(bindings, left, right)
    if (bound.valid) return true
    if (bound.hadBinding) return false
  }
  if (left.kind === 'param') return bind(bindings, right, left).valid
  if (isDynOrError(left) || isDynOrError(right)) return true
  if (left.kind === 'null') return isNullable(right)
  if (right.kind === 'null') return isNullable(left)
  switch (left.kind) {
    case 'type':
      return right.kind === 'type'
    case 'opaque':
    case 'list':
    case 'map':
      return (
        left.kind === right.kind &&
        left.name === right.name &&
        allAssignable(bindings, left.parameters, right.parameters)
      )
    default:
      return left.kind === right.kind && left.name === right.name
  }
}

/** Objects, optionals, timestamps and durations compare with null although they are never declared nullable. */
function isNullable(type: CelType): boolean {
  return (
    type.kind === 'null' ||
    type.kind === 'opaque' ||
    type.kind === 'struct' ||
    type.kind === 'duration' ||
    type.kind === 'timestamp'
  )
}

function bind(bindings: Bindings, type: CelType, parameter: CelType): { valid: boolean; hadBinding: boolean } {
  if (type.kind === parameter.kind && isSameType(type, parameter)) return { valid: true, hadBinding: true }
  const bound = bindings.get(parameter)
  if (bound !== undefined) {
    if (isSameType(type, bound)) return { valid: true, hadBinding: true }
    if (!assignable(bindings, type, bound)) return { valid: false, hadBinding: true }
    const widened = mostGeneral(type, bound)
    if (!occursIn(bindings, parameter, widened)) bindings.set(parameter, widened)
    return { valid: true, hadBinding: true }
  }
  if (occursIn(bindings, parameter, type)) return { valid: false, hadBinding: false }
  bindings.set(parameter, type)
  return { valid: true, hadBinding: false }
}

function occursIn(bindings: Bindings, parameter: CelType, within: CelType): boolean {
  if (isSameType(parameter, within)) return true
  switch (within.kind) {
    case 'param': {
      const bound = bindings.get(within)
      return bound !== undefined && occursIn(bindings, parameter, bound)
    }
    case 'opaque':
    case 'list':
    case 'map':
    case 'type':
      return within.parameters.some(inner => occursIn(bindings, parameter, inner))
    default:
      return false
  }
}

export function mostGeneral(left: CelType, right: CelType): CelType {
  return isAtLeastAsGeneral(left, right) ? left : right
}

function isAtLeastAsGeneral(left: CelType, right: CelType): boolean {
  if (isDyn(left) || left.kind === 'param') return true
  if (isDyn(right) || right.kind === 'param') return false
  if (left.kind !== right.kind) return false
  switch (left.kind) {
    case 'opaque':
      if (left.name !== right.name || left.parameters.length !== right.parameters.length) return false
      return left.parameters.every((inner, index) => isAtLeastAsGeneral(inner, parameterOf(right, index)))
    case 'list':
    case 'map':
      return left.parameters.every((inner, index) => isAtLeastAsGeneral(inner, parameterOf(right, index)))
    case 'type':
      return true
    default:
      return isSameType(left, right)
  }
}

/** The type with its bound parameters filled in; `freeBecomesDyn` also replaces the unbound ones. */
export function substitute(bindings: Bindings, type: CelType, freeBecomesDyn: boolean): CelType {
  if (type.kind === 'param') {
    const bound = bindings.get(type)
    if (bound !== undefined) return substitute(bindings, bound, freeBecomesDyn)
    return freeBecomesDyn ? dynType : type
  }
  if (type.parameters.length === 0) return type
  const parameters = type.parameters.map(inner => substitute(bindings, inner, freeBecomesDyn))
  const [first = dynType, second = dynType] = parameters
  switch (type.kind) {
    case 'list':
      return listType(first)
    case 'map':
      return mapType(first, second)
    case 'type':
      return typeOf(first)
    default:
      return opaqueType(type.name, ...parameters)
  }
}
