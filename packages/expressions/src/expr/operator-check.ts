import type { ExprDialect } from './dialect.ts'
import { boolType, durationType, floatType, intsType, intType, stringType, timeType } from './go-type.ts'
import {
  anything,
  arrayOf,
  isArray,
  isBool,
  isBytes,
  isDuration,
  isFloat,
  isIntegerIn,
  isNatureAssignable,
  isString,
  isTime,
  isUnknown,
  mayFit,
  type Nature,
  nilNature,
  typed,
  unknown,
} from './nature.ts'

/** What an operator gives for these operands, or undefined when it does not take them. */
export function binaryNature(operator: string, left: Nature, right: Nature, dialect: ExprDialect): Nature | undefined {
  const isInteger = isIntegerIn(dialect)
  const isNumber = (nature: Nature) => isInteger(nature) || isFloat(nature)
  const both = (test: (nature: Nature) => boolean) => test(left) && test(right)
  const isNew = dialect === '1.17'
  const nothingKnown = isNew ? unknown : anything
  const bool = typed(boolType)
  switch (operator) {
    case '==':
    case '!=':
      return isComparable(left, right, isNumber, isNew) ? bool : undefined
    case 'or':
    case '||':
    case 'and':
    case '&&':
      return both(isBool) || mayFit(left, right, isBool) ? bool : undefined
    case '<':
    case '>':
    case '<=':
    case '>=': {
      if (both(isNumber) || both(isString) || both(isTime) || (isNew && both(isDuration))) return bool
      const tests = [isNumber, isString, isTime, ...(isNew ? [isDuration] : [])]
      return mayFit(left, right, ...tests) ? bool : undefined
    }
    case '+':
      if (both(isNumber)) return combined(left, right, isNew)
      if (both(isString)) return typed(stringType)
      if ((isTime(left) && isDuration(right)) || (isDuration(left) && isTime(right))) return typed(timeType)
      if (isNew && both(isDuration)) return typed(durationType)
      return mayFit(left, right, isNumber, isString, isTime, isDuration) ? nothingKnown : undefined
    case '-':
      if (both(isNumber)) return combined(left, right, isNew)
      if (both(isTime)) return typed(durationType)
      if (isTime(left) && isDuration(right)) return typed(timeType)
      if (isNew && both(isDuration)) return typed(durationType)
      return mayFit(left, right, isNumber, isTime, ...(isNew ? [isDuration] : [])) ? nothingKnown : undefined
    case '*':
      if (both(isNumber)) return combined(left, right, isNew)
      if (isNew && both(nature => isNumber(nature) || isDuration(nature))) return typed(durationType)
      return mayFit(left, right, isNumber, ...(isNew ? [isDuration] : [])) ? nothingKnown : undefined
    case '/':
    case '**':
    case '^':
      return both(isNumber) || mayFit(left, right, isNumber) ? typed(floatType) : undefined
    case '%':
      if (both(isInteger)) return isNew ? typed(intType) : combined(left, right, false)
      if (!mayFit(left, right, isInteger)) return undefined
      return isNew ? typed(intType) : nothingKnown
    case 'matches':
      if (isNew && isBytes(left) && isString(right)) return bool
      return both(isString) || mayFit(left, right, isString) ? bool : undefined
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return both(isString) || mayFit(left, right, isString) ? bool : undefined
    case '..':
      if (!both(isInteger) && !mayFit(left, right, isInteger)) return undefined
      return isNew ? arrayOf(typed(intType)) : typed(intsType)
    case '??':
      return coalesced(left, right, nothingKnown)
    default:
      return undefined
  }
}

function isComparable(left: Nature, right: Nature, isNumber: (nature: Nature) => boolean, isNew: boolean): boolean {
  if (left.isNil === true || right.isNil === true || isUnknown(left) || isUnknown(right)) return true
  if (isNumber(left) && isNumber(right)) return true
  if (!isNew) return left.type?.kind === right.type?.kind
  return (isArray(left) && isArray(right)) || isNatureAssignable(left, right)
}

function combined(left: Nature, right: Nature, isNew: boolean): Nature {
  if (!isNew && left.type?.kind === right.type?.kind) return typed(left.type)
  return typed(isFloat(left) || isFloat(right) ? floatType : intType)
}

function coalesced(left: Nature, right: Nature, nothingKnown: Nature): Nature {
  if (left.isNil === true) return right.isNil === true ? nilNature : right
  if (right.isNil === true || isNatureAssignable(right, left)) return left
  return nothingKnown
}
