import type { Builtin } from './builtins.ts'
import type { ExprDialect } from './dialect.ts'
import type { Evaluation } from './evaluation.ts'
import { integerOf, isLess, isMore } from './operators.ts'
import { Fault } from './source.ts'
import { Byte, Duration, type ExprValue, isList, NamedInt, typeName, typeOf } from './value.ts'

type IsBetter = (best: ExprValue, other: ExprValue) => boolean

const isNumber = (value: ExprValue) => typeof value === 'number' || integerOf(value) !== undefined

/** Lists as Go's reflection knows them; bytes are one too. */
function itemsOf(value: ExprValue): readonly ExprValue[] | undefined {
  if (isList(value)) return value
  return value instanceof Uint8Array ? [...value].map(byte => new Byte(byte)) : undefined
}

function extreme(name: string, isBetter: IsBetter): Builtin {
  const refuse = (value: ExprValue) => new Fault(`invalid argument for ${name} (type ${typeName(value)})`)
  const search = (run: Evaluation, values: readonly ExprValue[]): ExprValue => {
    let best: ExprValue = null
    const offer = (value: ExprValue) => {
      if (value !== null && value !== undefined && (best === null || isBetter(best, value))) best = value
    }
    for (const value of values) {
      const items = itemsOf(value)
      run.step(items?.length ?? 1)
      if (items !== undefined) {
        for (const item of items) {
          if (isNumber(item)) offer(item)
          else if (itemsOf(item) === undefined) throw refuse(item)
          else offer(search(run, [item]))
        }
      } else if (isNumber(value) || value instanceof Duration || value instanceof NamedInt) offer(value)
      else if (values.length === 1) return value ?? null
      else throw refuse(value)
    }
    return best
  }
  return search
}

/** Every number in lists of lists. */
function numbersIn(name: string, run: Evaluation, values: readonly ExprValue[]): number[] {
  return values.flatMap(value => {
    run.step()
    if (typeof value === 'number') return [value]
    const integer = integerOf(value) ?? (value instanceof Duration ? value.nanos : undefined)
    if (integer !== undefined) return [Number(integer)]
    const items = itemsOf(value)
    if (items === undefined) throw new Fault(`invalid argument for ${name} (type ${typeName(value)})`)
    return numbersIn(name, run, items)
  })
}

const mean = (numbers: readonly number[]) =>
  numbers.length === 0 ? 0 : numbers.reduce((total, one) => total + one, 0) / numbers.length

function median(numbers: readonly number[]): number {
  if (numbers.length === 0) return 0
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** The items of the one list that the older version takes, as numbers. */
function flatNumbers(name: string, run: Evaluation, value: ExprValue): (number | bigint)[] {
  const items = itemsOf(value)
  if (items === undefined) throw new Fault(`cannot ${name} ${kindText(value)}`)
  run.step(items.length)
  return items.map(item => {
    const number = typeof item === 'number' ? item : item instanceof Duration ? item.nanos : item
    if (typeof number !== 'number' && typeof number !== 'bigint') throw new Fault(`cannot ${name} ${kindText(item)}`)
    return number
  })
}

/** The kind of a value, as Go's reflection names it. */
export function kindText(value: ExprValue): string {
  if (value === null || value === undefined) return 'invalid'
  return typeOf(value)?.kind ?? 'invalid'
}

/** An item of a list that is nil is an empty interface to the older version's reflection. */
const itemKind = (message: string) => message.replace(/ invalid$/, ' interface')

function sum(run: Evaluation, [value]: readonly ExprValue[]): ExprValue {
  const numbers = withItemKinds(value, () => flatNumbers('sum', run, value))
  let whole = 0n
  for (const [index, number] of numbers.entries()) {
    if (typeof number === 'bigint') whole = BigInt.asIntN(64, whole + number)
    else return numbers.slice(index).reduce<number>((total, one) => total + Number(one), Number(whole))
  }
  return whole
}

function withItemKinds<T>(list: ExprValue, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault && itemsOf(list) !== undefined) throw new Fault(itemKind(error.message))
    throw error
  }
}

/** max and min of the older version compare the arguments as they are. */
const plainExtreme =
  (isBetter: IsBetter): Builtin =>
  (_run, values) => {
    let best: ExprValue = null
    for (const value of values) if (best === null || isBetter(best, value)) best = value ?? null
    return best
  }

export function aggregateBuiltins(dialect: ExprDialect): Record<string, Builtin> {
  if (dialect === '1.17')
    return {
      max: extreme('max', isLess),
      min: extreme('min', isMore),
      mean: (run, values) => mean(numbersIn('mean', run, values)),
      median: (run, values) => median(numbersIn('median', run, values)),
    }
  return {
    max: plainExtreme(isLess),
    min: plainExtreme(isMore),
    sum,
    mean: (run, [value]) => mean(withItemKinds(value, () => flatNumbers('mean', run, value)).map(Number)),
    median: (run, [value]) => median(withItemKinds(value, () => flatNumbers('median', run, value)).map(Number)),
  }
}
