import type { Declaration } from './declarations.ts'
import type { ExprDialect } from './dialect.ts'
import { anyType, arrayType, type GoType, isAssignable } from './go-type.ts'

/** What the checker knows of a value. Without a type and not nil, it may be anything. */
export interface Nature {
  readonly type?: GoType
  readonly isNil?: boolean
  /** What a list holds, where that says more than the type. */
  readonly elem?: Nature
  /** The builtin that a name stands for. */
  readonly builtin?: Declaration
}

export const unknown: Nature = {}
export const nilNature: Nature = { isNil: true }
export const anything: Nature = { type: anyType }

export const isUnknown = ({ type, isNil }: Nature) =>
  (type === undefined && isNil !== true) || type?.kind === 'interface'
export const isBool = ({ type }: Nature) => type?.kind === 'bool'
export const isString = ({ type }: Nature) => type?.kind === 'string'
export const isBytes = ({ type }: Nature) => type?.name === '[]uint8'
export const isArray = ({ type }: Nature) => type?.kind === 'slice' || type?.kind === 'array'
export const isMapNature = ({ type }: Nature) => type?.kind === 'map'
export const isTime = ({ type }: Nature) => type?.name === 'time.Time'
export const isDuration = ({ type }: Nature) => type?.name === 'time.Duration'
export const isFloat = ({ type }: Nature) => type?.kind === 'float64'

/** The older version takes every type that is an integer underneath, a duration too. */
export function isIntegerIn(dialect: ExprDialect): (nature: Nature) => boolean {
  if (dialect === '1.17') return ({ type }) => /^(int|int64|uint8)$/.test(type?.name ?? '')
  return ({ type }) => /^(int|int64|uint8)$/.test(type?.kind ?? '')
}

export type NatureTest = (nature: Nature) => boolean

/** Whether one side is unknown and the other could fit it. */
export function mayFit(left: Nature, right: Nature, ...tests: NatureTest[]): boolean {
  const passes = (nature: Nature) => tests.some(test => test(nature))
  if (isUnknown(left)) return isUnknown(right) || passes(right)
  return isUnknown(right) && passes(left)
}

export function isNatureAssignable(from: Nature, to: Nature): boolean {
  if (from.isNil === true && /^(ptr|interface|func|map|slice)$/.test(to.type?.kind ?? '')) return true
  return from.type !== undefined && to.type !== undefined && isAssignable(from.type, to.type)
}

export const arrayOf = (elem: Nature): Nature => ({ type: arrayType, elem })

export function elemOf({ type, elem }: Nature): Nature {
  if (type?.kind === 'slice' || type?.kind === 'array') return elem ?? typed(type.elem)
  return type?.kind === 'map' || type?.kind === 'ptr' ? typed(type.elem) : unknown
}

export const keyOf = ({ type }: Nature): Nature => (type?.kind === 'map' ? typed(type.key) : unknown)

export const typed = (type: GoType | undefined): Nature => (type === undefined ? unknown : { type })

/** A pointer counts as what it points to. */
export const deref = (nature: Nature): Nature => (nature.type?.kind === 'ptr' ? typed(nature.type.elem) : nature)
