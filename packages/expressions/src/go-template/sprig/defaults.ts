import type { Budget } from '../budget.ts'
import { define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { decodeJson, encodeJson, type JsonStyle } from '../go-json.ts'
import { truth } from '../held.ts'
import { type GoValue, kindOf, typeOf } from '../value.ts'
import { deepEqual } from './equality.ts'

/** Whether a value is what its type begins with: nothing, zero, false or without content. */
export const isEmpty = (value: GoValue): boolean => !truth(value)

/** The functions without `must` in their names give nothing instead of an error. */
function orElse(absent: GoValue, read: () => GoValue): GoValue {
  try {
    return read()
  } catch (error) {
    if (error instanceof GoError) return absent
    throw error
  }
}

const encoders = (style: JsonStyle) => {
  const encode = (budget: Budget, value: GoValue) => encodeJson(budget, value, style)
  return {
    lenient: define(['any'], ({ budget }, value) => orElse('', () => encode(budget, value))),
    strict: define(['any'], ({ budget }, value) => encode(budget, value)),
  }
}

const plain = encoders({})
const pretty = encoders({ indent: '  ' })
const raw = encoders({ isRaw: true })

export const defaultFunctions: Readonly<Record<string, GoFunction>> = {
  default: define(['any', '...any'], (_, absent, ...given) => (isEmpty(given[0]) ? absent : given[0])),
  empty: define(['any'], (_, value) => isEmpty(value)),
  coalesce: define(['...any'], (_, ...values) => values.find(value => !isEmpty(value)) ?? null),
  all: define(['...any'], (_, ...values) => !values.some(isEmpty)),
  any: define(['...any'], (_, ...values) => values.some(value => !isEmpty(value))),
  ternary: define(['any', 'any', 'bool'], (_, yes, no, condition) => (condition ? yes : no)),
  fromJson: define(['string'], (_, text) => orElse(null, () => decodeJson(text))),
  mustFromJson: define(['string'], (_, text) => decodeJson(text)),
  toJson: plain.lenient,
  mustToJson: plain.strict,
  toPrettyJson: pretty.lenient,
  mustToPrettyJson: pretty.strict,
  toRawJson: raw.strict,
  mustToRawJson: raw.strict,
  typeOf: define(['any'], (_, value) => typeOf(value)),
  typeIs: define(['string', 'any'], (_, type, value) => type === typeOf(value)),
  typeIsLike: define(['string', 'any'], (_, type, value) => type === typeOf(value) || `*${type}` === typeOf(value)),
  kindOf: define(['any'], (_, value) => kindOf(value)),
  kindIs: define(['string', 'any'], (_, kind, value) => kind === kindOf(value)),
  deepEqual: define(['any', 'any'], ({ budget }, left, right) => deepEqual(budget, left, right)),
  fail: define(['string'], (_, message) => {
    throw new GoError(message)
  }),
}
