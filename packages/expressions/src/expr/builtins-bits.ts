import type { Builtin } from './builtins.ts'
import { integerOf } from './operators.ts'
import { Fault } from './source.ts'
import { type ExprValue, typeName } from './value.ts'

function integerFor(name: string, value: ExprValue): bigint {
  const integer = integerOf(value)
  if (integer === undefined) throw new Fault(`cannot use ${typeName(value)} as argument (type int) to call ${name}`)
  return integer
}

function bits(name: string, calculate: (left: bigint, right: bigint) => bigint): [string, Builtin] {
  return [name, (_run, [left, right]) => BigInt.asIntN(64, calculate(integerFor(name, left), integerFor(name, right)))]
}

const shift = (name: string, calculate: (value: bigint, by: bigint) => bigint) =>
  bits(name, (value, by) => {
    if (by < 0n) throw new Fault(`invalid operation: negative shift count ${by} (type int)`)
    return calculate(value, by > 64n ? 64n : by)
  })

export const bitBuiltins: Readonly<Record<string, Builtin>> = Object.fromEntries([
  bits('bitand', (left, right) => left & right),
  bits('bitor', (left, right) => left | right),
  bits('bitxor', (left, right) => left ^ right),
  bits('bitnand', (left, right) => left & ~right),
  shift('bitshl', (value, by) => value << by),
  shift('bitshr', (value, by) => value >> by),
  shift('bitushr', (value, by) => BigInt.asUintN(64, value) >> by),
  ['bitnot', ((_run, [value]) => ~integerFor('bitnot', value)) satisfies Builtin],
])
