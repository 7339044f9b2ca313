import type { ExprDialect } from './dialect.ts'

export interface ParameterForm {
  isPredicate: boolean
  isOptional: boolean
}

const expression: ParameterForm = { isPredicate: false, isOptional: false }
const predicate: ParameterForm = { isPredicate: true, isOptional: false }
const optional = (form: ParameterForm): ParameterForm => ({ ...form, isOptional: true })

type Form = readonly [string, readonly ParameterForm[]]

const both: readonly Form[] = 'all none any one filter map find findIndex findLast findLastIndex groupBy'
  .split(' ')
  .map((name): Form => [name, [expression, predicate]])
const forms: Readonly<Record<ExprDialect, ReadonlyMap<string, readonly ParameterForm[]>>> = {
  '1.17': new Map<string, readonly ParameterForm[]>([
    ...both,
    ['count', [expression, optional(predicate)]],
    ['sum', [expression, optional(predicate)]],
    ['sortBy', [expression, predicate, optional(expression)]],
    ['reduce', [expression, predicate, optional(expression)]],
  ]),
  '1.15': new Map<string, readonly ParameterForm[]>([
    ...both,
    ['count', [expression, predicate]],
    ['reduce', [expression, predicate, optional(expression)]],
  ]),
}

/** The builtins that take a predicate, with what they take. */
export const predicateForms = (dialect: ExprDialect) => forms[dialect]

const common =
  'len type abs ceil floor round int float string trim trimPrefix trimSuffix upper lower split splitAfter replace repeat ' +
  'join indexOf lastIndexOf hasPrefix hasSuffix max min mean median toJSON fromJSON toBase64 fromBase64 now duration date ' +
  'first last get take keys values toPairs fromPairs sort'
const newer = 'timezone reverse uniq concat flatten bitand bitor bitxor bitnand bitshl bitshr bitushr bitnot'
const names: Readonly<Record<ExprDialect, ReadonlySet<string>>> = {
  '1.17': new Set([...forms['1.17'].keys(), ...common.split(' '), ...newer.split(' ')]),
  '1.15': new Set([...forms['1.15'].keys(), ...common.split(' '), 'sum', 'sortBy']),
}

export const builtinNames = (dialect: ExprDialect) => names[dialect]
