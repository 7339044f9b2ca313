import { parseJson } from '@tiphys/kube'
import type { GoType, Json } from '../schema/schema.ts'
import { signed, WireReader } from './wire.ts'

type Scalar = NonNullable<GoType['scalar']>

/** The JSON form of types that have a message of their own and are no objects in JSON. Undefined: as if it were absent. */
export function readScalarMessage(scalar: Scalar, bytes: Buffer): Json | undefined {
  const fields = new Map<number, bigint | Buffer>()
  const reader = new WireReader(bytes)
  while (!reader.atEnd) {
    const { number, type } = reader.tag()
    if (type === 0) fields.set(number, reader.varint())
    else if (type === 2) fields.set(number, reader.bytes())
    else reader.skip(type)
  }
  const number = (field: number) => Number(signed((fields.get(field) as bigint | undefined) ?? 0n))
  const text = (field: number) => (fields.get(field) as Buffer | undefined)?.toString() ?? ''
  switch (scalar) {
    case 'Time':
      return fields.size === 0 ? undefined : `${new Date(number(1) * 1000).toISOString().slice(0, 19)}Z`
    case 'MicroTime':
      return fields.size === 0 ? undefined : microTime(number(1), number(2))
    case 'Duration':
      return goDuration((fields.get(1) as bigint | undefined) ?? 0n)
    case 'Quantity':
      return text(1) === '' ? '0' : text(1)
    case 'IntOrString':
      return number(1) === 1 ? text(3) : number(2)
    default: {
      const raw = text(1)
      return raw === '' ? undefined : (parseJson(raw) as Json)
    }
  }
}

function microTime(seconds: number, nanos: number): string {
  const micros = String(Math.floor(nanos / 1000)).padStart(6, '0')
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${micros}Z`
}

/** Nanoseconds as Go prints a duration: `1h0m0s`, `1.5s`, `100ms`. */
function goDuration(value: bigint): string {
  const nanos = BigInt.asIntN(64, value)
  if (nanos === 0n) return '0s'
  const sign = nanos < 0n ? '-' : ''
  const size = nanos < 0n ? -nanos : nanos
  const fraction = (unit: bigint, name: string) => `${sign}${decimal(size, unit)}${name}`
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return fraction(1_000n, 'µs')
  if (size < 1_000_000_000n) return fraction(1_000_000n, 'ms')
  const seconds = decimal(size % 60_000_000_000n, 1_000_000_000n)
  const minutes = size / 60_000_000_000n
  if (minutes === 0n) return `${sign}${seconds}s`
  if (minutes < 60n) return `${sign}${minutes}m${seconds}s`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`
}

function decimal(value: bigint, unit: bigint): string {
  const rest = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return rest === '' ? String(value / unit) : `${value / unit}.${rest}`
}
