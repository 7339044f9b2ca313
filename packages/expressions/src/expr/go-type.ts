export type GoKind =
  | 'bool'
  | 'int'
  | 'int64'
  | 'uint8'
  | 'float64'
  | 'string'
  | 'interface'
  | 'slice'
  | 'array'
  | 'map'
  | 'func'
  | 'struct'
  | 'ptr'

/** A Go type. Two are the same when their names are. */
export interface GoType {
  readonly kind: GoKind
  readonly name: string
  readonly elem?: GoType
  readonly key?: GoType
  readonly signature?: Signature
}

export interface Signature {
  readonly parameters: readonly GoType[]
  /** The last parameter takes any number of arguments. */
  readonly isVariadic: boolean
  readonly results: readonly GoType[]
}

export const anyType: GoType = { kind: 'interface', name: 'interface {}' }
export const boolType: GoType = { kind: 'bool', name: 'bool' }
export const intType: GoType = { kind: 'int', name: 'int' }
export const int64Type: GoType = { kind: 'int64', name: 'int64' }
export const uint8Type: GoType = { kind: 'uint8', name: 'uint8' }
export const floatType: GoType = { kind: 'float64', name: 'float64' }
export const stringType: GoType = { kind: 'string', name: 'string' }
export const errorType: GoType = { kind: 'struct', name: 'error' }
export const timeType: GoType = { kind: 'struct', name: 'time.Time' }
export const durationType: GoType = { kind: 'int64', name: 'time.Duration' }
export const monthType: GoType = { kind: 'int', name: 'time.Month' }
export const weekdayType: GoType = { kind: 'int', name: 'time.Weekday' }
export const locationType: GoType = {
  kind: 'ptr',
  name: '*time.Location',
  elem: { kind: 'struct', name: 'time.Location' },
}

export const sliceOf = (elem: GoType): GoType => ({ kind: 'slice', name: `[]${elem.name}`, elem })
export const mapOf = (key: GoType, elem: GoType): GoType => ({
  kind: 'map',
  name: `map[${key.name}]${elem.name}`,
  key,
  elem,
})

export const arrayType = sliceOf(anyType)
export const intsType = sliceOf(intType)
export const floatsType = sliceOf(floatType)
export const stringsType = sliceOf(stringType)
export const bytesType = sliceOf(uint8Type)
export const pairType: GoType = { kind: 'array', name: '[2]interface {}', elem: anyType }
export const pairsType = sliceOf(pairType)
export const mapType = mapOf(stringType, anyType)
export const anyMapType = mapOf(anyType, anyType)
export const groupsType = mapOf(anyType, arrayType)

export function funcType(parameters: readonly GoType[], results: readonly GoType[], isVariadic = false): GoType {
  const inside = parameters.map(({ name }, index) =>
    isVariadic && index === parameters.length - 1 ? `...${name.slice(2)}` : name,
  )
  const outside = results.map(({ name }) => name)
  const after = outside.length === 0 ? '' : outside.length === 1 ? ` ${outside[0]}` : ` (${outside.join(', ')})`
  return {
    kind: 'func',
    name: `func(${inside.join(', ')})${after}`,
    signature: { parameters, isVariadic, results },
  }
}

/** What a function with no declared signature is. */
export const looseFunction = funcType([arrayType], [anyType, errorType], true)

export const isAssignable = (from: GoType, to: GoType) => to.kind === 'interface' || from.name === to.name

/** The package path and name, of the types that have one. */
export function packageTypeName(type: GoType): string | undefined {
  return type.name.startsWith('time.') ? type.name : undefined
}
