import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts'

/** What Go calls the type of a CEL value; a few error texts show it. */
export function goTypeName(value: CelValue): string {
  switch (typeof value) {
    case 'string':
      return 'types.String'
    case 'bigint':
      return 'types.Int'
    case 'number':
      return 'types.Double'
    case 'boolean':
      return 'types.Bool'
    default:
      return value === null ? 'types.Null' : goObjectName(value)
  }
}

function goObjectName(value: Exclude<CelValue, string | bigint | number | boolean | null>): string {
  if (value instanceof OpaqueValue) return value.goType
  if (value instanceof CelList) return '*types.baseList'
  if (value instanceof CelMap) return '*types.baseMap'
  if (value instanceof Uint8Array) return 'types.Bytes'
  if (value instanceof Uint) return 'types.Uint'
  if (value instanceof Duration) return 'types.Duration'
  if (value instanceof Timestamp) return 'types.Timestamp'
  if (value instanceof Optional) return '*types.Optional'
  if (value instanceof TypeValue) return '*types.Type'
  return value instanceof CelError ? '*types.Err' : 'ref.Val'
}
