import type { Attribute } from './attribute.ts'
import type { Evaluate } from './evaluation.ts'
import { type CelValue, Optional } from './value.ts'

/** A planned expression. Constants and paths stay visible as such, because what is around them plans differently. */
export type Plan =
  | { kind: 'constant'; value: CelValue }
  | { kind: 'attribute'; attribute: Attribute; testOnly: boolean }
  | { kind: 'computed'; evaluate: Evaluate }

/** The closure of a plan, which also charges for reading a path. */
export function evaluator(plan: Plan): Evaluate {
  switch (plan.kind) {
    case 'constant': {
      const { value } = plan
      return () => value
    }
    case 'computed':
      return plan.evaluate
    case 'attribute': {
      const resolve = plan.attribute.resolver()
      const cost = (plan.attribute.kind === 'conditional' ? 0 : 1) - (plan.testOnly ? 1 : 0)
      if (plan.testOnly) {
        return evaluation => {
          const value = resolve(evaluation)
          evaluation.charge(cost)
          return value instanceof Optional ? value.value !== undefined : value
        }
      }
      if (cost === 0) return resolve
      return evaluation => {
        const value = resolve(evaluation)
        evaluation.charge(cost)
        return value
      }
    }
  }
}
