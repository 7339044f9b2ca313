import type { DeclType } from './decl-type.ts'
import { largest } from './estimate.ts'

/** What the rules of a custom resource definition may cost by estimate: one of them, and all of them together. */
export const ruleCostLimit = 10_000_000n
export const definitionCostLimit = 100_000_000n

/** What an expression may cost when it runs, and what all expressions of one request may. */
export const expressionCostBudget = 1_000_000
export const requestCostBudget = 10_000_000

const maxRequestBytes = 3 * 1024 * 1024

/** How many values of a type fit into one request: how often a rule on such values can run, when no limit is declared
 *  on the lists and maps around it. */
export function maxCardinality({ minSerializedSize }: DeclType): bigint {
  return BigInt(Math.floor(maxRequestBytes / (minSerializedSize + 1)))
}

/** What a rule can cost in one request: its own cost for each of the values it runs on. */
export function totalCost(cost: bigint, cardinality: bigint): bigint {
  const total = cost * cardinality
  return total > largest ? largest : total
}

/** Why a definition is refused: `what` is "estimated rule cost", "estimated messageExpression cost", or
 *  "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema". */
export function costErrorMessage(what: string, cost: bigint, limit: bigint): string {
  const excess = Number(cost) / Number(limit)
  const factor = excess > 100 ? 'more than 100x' : excess < 1.5 ? `${excess.toFixed(6)}x` : `${excess.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
