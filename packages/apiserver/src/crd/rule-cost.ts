import type { Schema } from '../schema/schema.ts'

/** Where a rule stands, as far as its cost goes: how many values of the schema one object can hold. */
export interface RuleScope {
  /** undefined when nothing bounds it but the size of a request. */
  readonly maxCardinality: number | undefined
  child(schema: Schema): RuleScope
}

export const rootScope = (schema: Schema): RuleScope => scopeOf(schema, 1)

function scopeOf(schema: Schema, maxCardinality: number | undefined): RuleScope {
  return {
    maxCardinality,
    child(part) {
      const elements = maxElements(schema)
      return scopeOf(
        part,
        maxCardinality === undefined || elements === undefined ? undefined : maxCardinality * elements,
      )
    },
  }
}

/** How many values of a part's schema one value can hold. */
function maxElements({ additionalProperties, maxItems, maxProperties, type }: Schema): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(maxItems, 0)
  if (type !== 'object' || additionalProperties === undefined) return 1
  return maxProperties === undefined ? undefined : Math.max(maxProperties, 0)
}

const MOST_NAMED = 4
const SMALLEST_NAMED = 1_000_000

/** What all rules of a schema together may cost, and which of them cost most. */
export class RuleCosts {
  total = 0
  mostExpensive: { path: string; cost: number }[] = []

  observe(path: string, cost: number): void {
    this.total += cost
    if (cost < SMALLEST_NAMED) return
    this.mostExpensive = [...this.mostExpensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, MOST_NAMED)
  }
}

export function costExcess(name: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
