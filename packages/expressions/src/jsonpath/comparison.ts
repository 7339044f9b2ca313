import { FloatConstant } from './go-value.ts'

type Kind = 'bool' | 'int' | 'float' | 'string'

const badType = 'invalid type for comparison'
const incompatible = 'incompatible types for comparison'

function kindOf(value: unknown): Kind | undefined {
  if (value instanceof FloatConstant) return 'float'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : undefined
}

/** Whether the comparison holds, or the text of the error when the two cannot be compared. */
export function compareValues(operator: string, left: unknown, right: unknown): boolean | string {
  if (!/^(<|>|==|!=|<=|>=)$/.test(operator)) return `unrecognized filter operator ${operator}`
  const [leftKind, rightKind] = [kindOf(left), kindOf(right)]
  if (leftKind === undefined || rightKind === undefined) return badType
  if (leftKind !== rightKind) return incompatible
  if (leftKind === 'bool') {
    if (operator === '==') return left === right
    return operator === '!=' ? left !== right : badType
  }
  return holds(operator, order(plain(left), plain(right)))
}

function plain(value: unknown): number | bigint | string {
  return value instanceof FloatConstant ? value.value : (value as number | bigint | string)
}

function order(left: number | bigint | string, right: number | bigint | string): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return left < right ? -1 : left > right ? 1 : 0
}

function holds(operator: string, comparison: number): boolean {
  switch (operator) {
    case '<':
      return comparison < 0
    case '>':
      return comparison > 0
    case '<=':
      return comparison <= 0
    case '>=':
      return comparison >= 0
    case '==':
      return comparison === 0
    default:
      return comparison !== 0
  }
}
