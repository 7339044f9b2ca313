import { Quantity } from '@tiphys/expressions/quantity'

const ZERO = Quantity.of(0n)
const MILLI = -3
const MOST_REMEMBERED = 1000
const remembered = new Map<string, Quantity>()

/** Reads a quantity that has been accepted already; anything else counts as zero. Clusters use few different ones. */
export function quantityOf(text: string | number): Quantity {
  const key = String(text)
  const known = remembered.get(key)
  if (known !== undefined) return known
  const quantity = Quantity.isValid(key) ? Quantity.parse(key) : ZERO
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(key, quantity)
  return quantity
}

export const compareQuantities = (left: string | number, right: string | number): number =>
  quantityOf(left).compare(quantityOf(right))

export const isZeroQuantity = (text: string | number): boolean => quantityOf(text).isZero
export const isNegativeQuantity = (text: string | number): boolean => quantityOf(text).sign() < 0
export const isWholeQuantity = (text: string | number): boolean => quantityOf(text).scaledValue(MILLI) % 1000n === 0n

export const addQuantities = (left: string, right: string): string => quantityOf(left).add(quantityOf(right)).toString()

export function maxQuantity(left: string, right: string): string {
  return compareQuantities(left, right) >= 0 ? left : right
}

/** Resources are counted in thousandths at the finest: anything finer is rounded up when an object is read. */
export function roundUpResourceList(resources: Record<string, string> | undefined): void {
  for (const [name, text] of Object.entries(resources ?? {})) {
    const quantity = quantityOf(text)
    const rounded = quantity.roundUp(MILLI)
    if (!rounded.equals(quantity)) (resources as Record<string, string>)[name] = rounded.toString()
  }
}
