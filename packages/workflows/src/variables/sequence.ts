import type { Sequence } from '../spec/template.ts'
import { checkCount, ItemsError, itemOfText, type LoopItem } from './json-items.ts'

/** The items of a `withSequence` without variables. Throws ItemsError. */
export function itemsOfSequence({ count, start, end, format }: Sequence): LoopItem[] {
  const from = integer(start, 'start') ?? 0
  let to = integer(end, 'end')
  if (to === undefined) {
    const length = integer(count, 'count')
    if (length === undefined) throw new ItemsError('withSequence has neither count nor end')
    if (length <= 0) return []
    to = from + length - 1
  }
  const length = Math.abs(to - from) + 1
  checkCount(length)
  const step = from <= to ? 1 : -1
  return Array.from({ length }, (_, index) => itemOfText(formatted(format, from + index * step)))
}

function integer(value: string | number | undefined, field: string): number | undefined {
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  if (!/^[+-]?\d+$/.test(String(value).trim()) || !Number.isSafeInteger(number)) {
    throw new ItemsError(`withSequence.${field}: ${JSON.stringify(value)} is no integer`)
  }
  return number
}

/** Go's verbs for integers, as far as sequences use them: %d, %03d, %5d, %x, %X, %o, %b, %c, %v. */
function formatted(format: string | undefined, value: number): string {
  if (format === undefined || format === '') return String(value)
  return format.replaceAll(/%(-)?(\+)?(0)?(\d+)?([dvxXobc%])/g, (_, left, plus, zero, width, verb: string) => {
    if (verb === '%') return '%'
    const digits = verbs[verb]?.(Math.abs(value)) ?? String(Math.abs(value))
    const sign = value < 0 ? '-' : plus === undefined ? '' : '+'
    const size = Number(width ?? 0)
    if (left !== undefined) return `${sign}${digits}`.padEnd(size)
    return zero === undefined ? `${sign}${digits}`.padStart(size) : sign + digits.padStart(size - sign.length, '0')
  })
}

const verbs: Readonly<Record<string, (value: number) => string>> = {
  x: value => value.toString(16),
  X: value => value.toString(16).toUpperCase(),
  o: value => value.toString(8),
  b: value => value.toString(2),
  c: value => String.fromCodePoint(value),
}
