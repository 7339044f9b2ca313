import type { ExprDialect } from './dialect.ts'
import {
  anyMapType,
  anyType,
  arrayType,
  boolType,
  durationType,
  errorType,
  floatsType,
  floatType,
  funcType,
  type GoKind,
  type GoType,
  groupsType,
  intsType,
  intType,
  isAssignable,
  locationType,
  looseFunction,
  stringsType,
  stringType,
  timeType,
} from './go-type.ts'

/** How the checker sees a builtin: by overloads, or by a function that takes the types of the arguments and gives that of
 *  the result. It throws an Error with the problem. */
export interface Declaration {
  readonly name: string
  readonly overloads?: readonly GoType[]
  readonly validate?: (types: readonly (GoType | undefined)[]) => GoType
  /** What a name of a builtin is that is not called. */
  readonly type: GoType
}

const numeric: readonly GoKind[] = ['int', 'int64', 'uint8', 'float64']
const lists: readonly GoKind[] = ['interface', 'slice', 'array']

const kindOf = (type: GoType | undefined) => (type?.kind === 'ptr' ? type.elem?.kind : type?.kind)
const isKind = (type: GoType | undefined, kinds: readonly GoKind[]) => {
  const kind = kindOf(type)
  return kind !== undefined && kinds.includes(kind)
}
const shown = (type: GoType | undefined) => type?.name ?? '%!s(<nil>)'

type Types = readonly (GoType | undefined)[]

function expectCount(types: Types, expected: number, text = `${expected}`): void {
  if (types.length !== expected) throw new Error(`invalid number of arguments (expected ${text}, got ${types.length})`)
}

/** Takes one argument of these kinds. */
function one(kinds: readonly GoKind[], result: (type: GoType) => GoType, refuse: (name: string) => string) {
  return (types: Types): GoType => {
    expectCount(types, 1)
    const [type] = types
    if (type === undefined || !isKind(type, kinds)) throw new Error(refuse(shown(type)))
    return result(type)
  }
}

const rounding = (name: string) =>
  one(
    [...numeric, 'interface'],
    () => floatType,
    type => `invalid argument for ${name} (type ${type})`,
  )

/** max and min, and in the newer version mean and median. */
function aggregate(name: string, takesLists: boolean) {
  return (types: Types): GoType => {
    if (types.length === 0) throw new Error(`not enough arguments to call ${name}`)
    for (const type of types) {
      if (isKind(type, takesLists ? lists : ['interface'])) return anyType
      if (!isKind(type, numeric)) throw new Error(`invalid argument for ${name} (type ${shown(type)})`)
    }
    return types[0] as GoType
  }
}

const elementOf = (which: string) =>
  one(
    lists,
    type => type.elem ?? anyType,
    type => `cannot get ${which} element from ${type}`,
  )

function take(types: Types): GoType {
  expectCount(types, 2)
  const [list, count] = types
  if (list === undefined || !isKind(list, lists)) throw new Error(`cannot take from ${shown(list)}`)
  if (!isKind(count, ['interface', 'int', 'int64'])) throw new Error(`cannot take ${shown(count)} elements`)
  return list
}

const ofMap = (refuse: (name: string) => string) => one(['interface', 'map'], () => arrayType, refuse)
const ofList = (result: GoType, refuse: (name: string) => string) => one(lists, () => result, refuse)

function concat(types: Types): GoType {
  if (types.length === 0) throw new Error('invalid number of arguments (expected at least 1, got 0)')
  for (const type of types) if (!isKind(type, lists)) throw new Error(`cannot concat ${shown(type)}`)
  return arrayType
}

function now(types: Types): GoType {
  const [zone] = types
  if (types.length === 0 || (types.length === 1 && zone !== undefined && isAssignable(zone, locationType)))
    return timeType
  throw new Error(`invalid number of arguments (expected 0, got ${types.length})`)
}

function date(types: Types): GoType {
  if (types.length < 1) throw new Error(`invalid number of arguments (expected at least 1, got ${types.length})`)
  const rest = types[0] !== undefined && isAssignable(types[0], locationType) ? types.length - 1 : types.length
  if (rest > 3) throw new Error(`invalid number of arguments (expected at most 3, got ${rest})`)
  return timeType
}

/** sort and sortBy of the older version, by field. */
const sorted = (least: number) => (types: Types) => {
  if (types.length !== least && types.length !== least + 1)
    throw new Error(`invalid number of arguments (expected ${least} or ${least + 1}, got ${types.length})`)
  if (!isKind(types[0], lists)) throw new Error(`cannot sort ${shown(types[0])}`)
  for (const type of types.slice(1)) {
    if (!isKind(type, ['string', 'interface']))
      throw new Error(`invalid argument for sort (expected string, got ${shown(types[1])})`)
  }
  return arrayType
}

const text = stringType
const textToText = funcType([text], [text])
const twoTextsToText = funcType([text, text], [text])
const predicateOf = (result: GoType) => funcType([anyType], [result])

const overloads: Readonly<Record<string, readonly GoType[]>> = {
  all: [funcType([arrayType, predicateOf(boolType)], [boolType])],
  none: [funcType([arrayType, predicateOf(boolType)], [boolType])],
  any: [funcType([arrayType, predicateOf(boolType)], [boolType])],
  one: [funcType([arrayType, predicateOf(boolType)], [boolType])],
  filter: [funcType([arrayType, predicateOf(boolType)], [arrayType])],
  map: [funcType([arrayType, predicateOf(anyType)], [arrayType])],
  find: [funcType([arrayType, predicateOf(boolType)], [anyType])],
  findIndex: [funcType([arrayType, predicateOf(boolType)], [intType])],
  findLast: [funcType([arrayType, predicateOf(boolType)], [anyType])],
  findLastIndex: [funcType([arrayType, predicateOf(boolType)], [intType])],
  count: [funcType([arrayType, predicateOf(boolType)], [intType])],
  sum: [funcType([arrayType, predicateOf(boolType)], [intType])],
  groupBy: [funcType([arrayType, predicateOf(anyType)], [groupsType])],
  sortBy: [funcType([arrayType, predicateOf(boolType), text], [arrayType])],
  reduce: [funcType([arrayType, funcType([anyType, anyType], [anyType]), anyType], [anyType])],
  type: [funcType([anyType], [text])],
  string: [funcType([anyType], [text])],
  trim: [textToText, twoTextsToText],
  trimPrefix: [twoTextsToText, textToText],
  trimSuffix: [twoTextsToText, textToText],
  upper: [textToText],
  lower: [textToText],
  split: [funcType([text, text], [stringsType]), funcType([text, text, intType], [stringsType])],
  splitAfter: [funcType([text, text], [stringsType]), funcType([text, text, intType], [stringsType])],
  replace: [funcType([text, text, text, intType], [text]), funcType([text, text, text], [text])],
  repeat: [funcType([text, intType], [text])],
  join: [
    funcType([stringsType, text], [text]),
    funcType([arrayType, text], [text]),
    funcType([arrayType], [text]),
    funcType([stringsType, text], [text]),
    funcType([stringsType], [text]),
  ],
  indexOf: [funcType([text, text], [intType])],
  lastIndexOf: [funcType([text, text], [intType])],
  hasPrefix: [funcType([text, text], [boolType])],
  hasSuffix: [funcType([text, text], [boolType])],
  toJSON: [funcType([anyType], [text])],
  fromJSON: [funcType([text], [anyType])],
  toBase64: [textToText],
  fromBase64: [textToText],
  duration: [funcType([text], [durationType, errorType])],
}

const overloadsOf: Readonly<Record<ExprDialect, Readonly<Record<string, readonly GoType[]>>>> = {
  '1.17': {
    ...overloads,
    timezone: [funcType([text], [locationType, errorType])],
    sort: [
      ...[arrayType, intsType, floatsType, stringsType].map(list => funcType([list, text], [arrayType])),
      ...[arrayType, floatsType, stringsType, intsType].map(list => funcType([list], [arrayType])),
    ],
    ...Object.fromEntries(
      ['bitand', 'bitor', 'bitxor', 'bitnand', 'bitshl', 'bitshr', 'bitushr'].map(name => [
        name,
        [funcType([intType, intType], [intType])],
      ]),
    ),
    bitnot: [funcType([intType], [intType])],
  },
  '1.15': {
    ...Object.fromEntries(Object.entries(overloads).filter(([name]) => name !== 'sum' && name !== 'sortBy')),
    now: [funcType([], [timeType])],
    date: [1, 2, 3].map(count =>
      funcType(
        Array.from({ length: count }, () => text),
        [timeType],
      ),
    ),
  },
}

const common: Readonly<Record<string, (types: Types) => GoType>> = {
  len: one(
    ['array', 'map', 'slice', 'string', 'interface'],
    () => intType,
    type => `invalid argument for len (type ${type})`,
  ),
  abs: one(
    [...numeric, 'interface'],
    type => type,
    type => `invalid argument for abs (type ${type})`,
  ),
  ceil: rounding('ceil'),
  floor: rounding('floor'),
  int: one(
    [...numeric, 'interface', 'string'],
    () => intType,
    type => `invalid argument for int (type ${type})`,
  ),
  float: one(
    [...numeric, 'interface', 'string'],
    () => floatType,
    type => `invalid argument for float (type ${type})`,
  ),
  first: elementOf('first'),
  last: elementOf('last'),
  take,
  keys: ofMap(type => `cannot get keys from ${type}`),
  values: ofMap(type => `cannot get values from ${type}`),
  toPairs: ofMap(type => `cannot transform ${type} to pairs`),
  fromPairs: ofList(anyMapType, type => `cannot transform ${type} from pairs`),
}

const validatorsOf: Readonly<Record<ExprDialect, Readonly<Record<string, (types: Types) => GoType>>>> = {
  '1.17': {
    ...common,
    round: rounding('round'),
    max: aggregate('max', true),
    min: aggregate('min', true),
    mean: aggregate('mean', true),
    median: aggregate('median', true),
    now,
    date,
    reverse: ofList(arrayType, type => `cannot reverse ${type}`),
    uniq: ofList(arrayType, type => `cannot uniq ${type}`),
    flatten: ofList(arrayType, type => `cannot flatten ${type}`),
    concat,
  },
  '1.15': {
    ...common,
    round: rounding('floor'),
    max: aggregate('max', false),
    min: aggregate('min', false),
    sum: ofList(anyType, type => `cannot sum ${type}`),
    mean: ofList(floatType, type => `cannot avg ${type}`),
    median: ofList(floatType, type => `cannot median ${type}`),
    sort: sorted(1),
    sortBy: sorted(2),
  },
}

const declared = { '1.17': declare('1.17'), '1.15': declare('1.15') }

function declare(dialect: ExprDialect): ReadonlyMap<string, Declaration> {
  const all = new Map<string, Declaration>()
  for (const [name, types] of Object.entries(overloadsOf[dialect]))
    all.set(name, { name, overloads: types, type: dialect === '1.17' ? (types[0] ?? looseFunction) : looseFunction })
  for (const [name, validate] of Object.entries(validatorsOf[dialect]))
    all.set(name, { name, validate, type: looseFunction })
  all.set('get', { name: 'get', type: looseFunction })
  return all
}

export const declarationsOf = (dialect: ExprDialect) => declared[dialect]
