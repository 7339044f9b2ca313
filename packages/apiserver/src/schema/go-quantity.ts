import { Quantity, QuantityError } from '@tiphys/expressions/quantity'

const MOST_REMEMBERED = 1000
const remembered = new Map<string, string>()

/** A quantity as Kubernetes writes it (`1000m` is `1`), or why the text is none. Clusters use few different ones. */
export function canonicalQuantity(text: string): { text: string } | { error: string } {
  const known = remembered.get(text)
  if (known !== undefined) return { text: known }
  try {
    const canonical = Quantity.parse(text).toString()
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    remembered.set(text, canonical)
    return { text: canonical }
  } catch (thrown) {
    if (thrown instanceof QuantityError) return { error: thrown.message }
    throw thrown
  }
}
