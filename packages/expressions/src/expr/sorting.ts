import type { ExprValue } from './value.ts'

/** Up to here Go sorts by insertion; beyond, it leaves open how equal values are ordered. */
const insertionLimit = 12

/** Sorts items by their keys. Keys are compared in Go's order, since a comparison may fail. */
export function sortValues(
  items: readonly ExprValue[],
  keys: readonly ExprValue[],
  isBefore: (left: ExprValue, right: ExprValue) => boolean,
): ExprValue[] {
  const entries = items.map((item, index) => ({ item, key: keys[index] }))
  if (entries.length > insertionLimit)
    entries.sort((left, right) => (isBefore(left.key, right.key) ? -1 : isBefore(right.key, left.key) ? 1 : 0))
  else insertionSort(entries, (left, right) => isBefore(left.key, right.key))
  return entries.map(({ item }) => item)
}

function insertionSort<T>(list: T[], isBefore: (left: T, right: T) => boolean): void {
  for (let end = 1; end < list.length; end++) {
    for (let at = end; at > 0; at--) {
      const [left, right] = [list[at - 1] as T, list[at] as T]
      if (!isBefore(right, left)) break
      list[at - 1] = right
      list[at] = left
    }
  }
}
