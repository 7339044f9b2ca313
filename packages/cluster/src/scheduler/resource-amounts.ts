import { Quantity } from '@tiphys/expressions/quantity'

/** Amounts of resources by name: thousandths of a core for `cpu`, whole units for everything else. */
export type Amounts = ReadonlyMap<string, number>

/** Texts repeat in every pod of a workload; reading one is much dearer than finding it here. */
const known = new Map<string, number>()
const MOST_KNOWN = 4096

export function amountOf(resource: string, text: string | number): number {
  const key = resource === 'cpu' ? `cpu ${text}` : `${text}`
  const found = known.get(key)
  if (found !== undefined) return found
  const amount = Number(Quantity.parse(String(text)).scaledValue(resource === 'cpu' ? -3 : 0))
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, amount)
  return amount
}

export function amountsOf(resources: Readonly<Record<string, string | number>> | undefined): Map<string, number> {
  return new Map(Object.entries(resources ?? {}).map(([name, text]) => [name, amountOf(name, text)]))
}

export function addAmounts(sum: Map<string, number>, amounts: Amounts, sign: 1 | -1 = 1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + sign * amount)
}

export function raiseAmounts(highest: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) highest.set(name, Math.max(highest.get(name) ?? 0, amount))
}
