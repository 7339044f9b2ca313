/** What a CEL expression or variable may hold, as the checker sees it.
 *  `struct` covers declared object types and the Kubernetes library types; `opaque` covers optionals and net types. */
export type CelKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint'

export interface CelType {
  readonly kind: CelKind
  /** The name that `type(x)` and overload errors show. */
  readonly name: string
  readonly parameters: readonly CelType[]
}

const none: readonly CelType[] = []
const simple = (kind: CelKind, name: string): CelType => ({ kind, name, parameters: none })

export const boolType = simple('bool', 'bool')
export const bytesType = simple('bytes', 'bytes')
export const doubleType = simple('double', 'double')
export const durationType = simple('duration', 'google.protobuf.Duration')
export const dynType = simple('dyn', 'dyn')
export const anyType = simple('any', 'google.protobuf.Any')
export const errorType = simple('error', 'error')
export const intType = simple('int', 'int')
export const nullType = simple('null', 'null_type')
export const stringType = simple('string', 'string')
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp')
export const uintType = simple('uint', 'uint')
export const typeType = simple('type', 'type')

export const listType = (element: CelType): CelType => ({ kind: 'list', name: 'list', parameters: [element] })
export const mapType = (key: CelType, value: CelType): CelType => ({
  kind: 'map',
  name: 'map',
  parameters: [key, value],
})
export const objectType = (name: string): CelType => simple('struct', name)
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => ({ kind: 'opaque', name, parameters })
export const optionalType = (value: CelType): CelType => opaqueType('optional_type', value)
export const typeParameter = (name: string): CelType => simple('param', name)
export const typeOf = (type: CelType): CelType => ({ kind: 'type', name: 'type', parameters: [type] })

/** The parameter at `index`; every list, map and optional has its parameters by construction. */
export function parameterOf(type: CelType, index: number): CelType {
  return type.parameters[index] ?? dynType
}

export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any'
}

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type'
}

/** The type inside an optional, or undefined for any other type. */
export function unwrapOptional(type: CelType): CelType | undefined {
  return isOptional(type) ? parameterOf(type, 0) : undefined
}

export function isSameType(left: CelType, right: CelType): boolean {
  return sameShape(left, right, true)
}

/** Like isSameType, but type parameters match whatever their names. */
export function isEquivalentType(left: CelType, right: CelType): boolean {
  return sameShape(left, right, false)
}

function sameShape(left: CelType, right: CelType, parameterNamesCount: boolean): boolean {
  if (left === right) return true
  if (left.kind !== right.kind || left.parameters.length !== right.parameters.length) return false
  if ((parameterNamesCount || left.kind !== 'param') && left.name !== right.name) return false
  return left.parameters.every((parameter, index) =>
    sameShape(parameter, parameterOf(right, index), parameterNamesCount),
  )
}

/** The type as compile errors print it: `map(string, list(int))`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'any':
      return 'any'
    case 'duration':
      return 'duration'
    case 'timestamp':
      return 'timestamp'
    case 'error':
      return '!error!'
    case 'null':
      return 'null'
    default:
      if (type.parameters.length === 0) return type.name
      return `${type.name}(${type.parameters.map(formatType).join(', ')})`
  }
}

/** An argument list as "no matching overload" errors print it: `string.(int)` for a receiver call, `(int, int)` else. */
export function formatSignature(types: readonly CelType[], receiver: boolean): string {
  const [target, ...rest] = types
  if (receiver && target !== undefined) return `${formatType(target)}.(${rest.map(formatType).join(', ')})`
  return `(${types.map(formatType).join(', ')})`
}
