import { compareStrings } from '../cel/text-order.ts'
import { parseGoFloat } from './go-float.ts'
import type { Query } from './path.ts'
import { exists, parseBool, type Value } from './value.ts'
import { matchesWildcard } from './wildcard.ts'
import type { WorkLimit } from './work-limit.ts'

/** Whether the value at a query's path is what the query asks for. */
export function isSelected(value: Value, { operator, operand }: Query, limit: WorkLimit): boolean {
  if (operand.startsWith('~')) {
    const truth = isLike(value, operand.slice(1))
    if (truth === undefined) return false
    return operator === '' || compareBoolean(truth, operator, 'true')
  }
  if (!exists(value)) return false
  if (operator === '') return true
  switch (value.type) {
    case 'String':
      return compareText(value.str, operator, operand, limit)
    case 'Number':
      return compareOrder(difference(value.num, parseGoFloat(operand) ?? 0), operator)
    case 'True':
    case 'False':
      return compareBoolean(value.type === 'True', operator, operand)
    default:
      return false
  }
}

/** What a `~` operand asks of a value; undefined when there is no such question. */
function isLike(value: Value, kind: string): boolean | undefined {
  const text = value.type === 'String' ? parseBool(value.str) : undefined
  switch (kind) {
    case '*':
      return exists(value)
    case 'null':
      return value.type === 'Null'
    case 'true':
      return value.type === 'True' || text === true || (value.type === 'Number' && value.num !== 0)
    case 'false':
      return (
        value.type === 'Null' ||
        value.type === 'False' ||
        text === false ||
        (value.type === 'Number' && value.num === 0)
      )
    default:
      return undefined
  }
}

function compareText(text: string, operator: string, operand: string, limit: WorkLimit): boolean {
  if (operator === '%') return matchesWildcard(text, operand, limit)
  if (operator === '!%') return !matchesWildcard(text, operand, limit)
  return compareOrder(compareStrings(text, operand), operator)
}

/** NaN when the numbers have no order. */
function difference(left: number, right: number): number {
  return left === right ? 0 : left < right ? -1 : left > right ? 1 : Number.NaN
}

function compareOrder(order: number, operator: string): boolean {
  switch (operator) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    default:
      return false
  }
}

/** Among booleans false comes before true; an operand that is neither has a place of its own. */
function compareBoolean(value: boolean, operator: string, operand: string): boolean {
  switch (operator) {
    case '=':
      return operand === String(value)
    case '!=':
      return operand !== String(value)
    case '>':
      return value && operand === 'false'
    case '>=':
      return value
    case '<':
      return !value && operand === 'true'
    case '<=':
      return !value
    default:
      return false
  }
}
