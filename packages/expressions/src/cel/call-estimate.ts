import { type Estimate, fixed, largest, one, product, scaled, sum } from './estimate.ts'
import type { Expr } from './syntax-tree.ts'
import { type CelType, isSameType, parameterOf } from './type.ts'

/** An operand of a call whose cost is estimated. */
export interface EstimatedNode {
  expr: Expr | undefined
  type: CelType
  /** The variable and the steps from it, where the operand is such a path. */
  path: readonly string[]
  size: Estimate | undefined
}

export interface EstimatedCall {
  cost: Estimate
  resultSize?: Estimate | undefined
}

export interface Operands {
  target: EstimatedNode | undefined
  args: readonly EstimatedNode[]
}

type SizeOf = (node: EstimatedNode) => Estimate

const perCharacter = 0.1
const perPatternCharacter = 0.25

/** What a call itself can cost, without its operands. */
export function estimateCall(
  functionName: string,
  overloadId: string,
  operands: Operands,
  sizeOf: SizeOf,
): EstimatedCall {
  return (
    extensionEstimate(overloadId, operands, sizeOf) ??
    kubernetesEstimate(functionName, overloadId, operands, sizeOf) ??
    standardEstimate(overloadId, operands) ?? { cost: one }
  )
}

const unit: EstimatedCall = { cost: one }
const listCreation = fixed(10n)

function allocating(factor: number, size: Estimate): EstimatedCall {
  return { cost: sum(scaled(size, factor), one, listCreation), resultSize: size }
}

function extensionEstimate(overloadId: string, { target, args }: Operands, sizeOf: SizeOf): EstimatedCall | undefined {
  const [first, second] = args
  switch (overloadId) {
    case 'list_slice': {
      if (target === undefined || first === undefined || second === undefined) return undefined
      const start = literalInt(first) ?? 0n
      const end = literalInt(second) ?? sizeOf(target).max
      return allocating(1, fixed(BigInt.asUintN(64, end - start)))
    }
    case 'lists_range':
      return first === undefined ? undefined : allocating(1, fixed(literalInt(first) ?? largest))
    case 'list_reverse':
      return target === undefined ? undefined : allocating(1, sizeOf(target))
    case 'list_flatten':
    case 'list_flatten_int': {
      if (target === undefined) return undefined
      const depth = first === undefined ? 1n : (literalInt(first) ?? largest)
      return allocating(Number(depth), sizeOf(target))
    }
    case 'list_distinct':
      return target === undefined ? undefined : allocating(2, product(sizeOf(target), sizeOf(target)))
    case 'list_sets_contains_list':
    case 'list_sets_intersects_list':
    case 'list_sets_equivalent_list': {
      if (first === undefined || second === undefined) return undefined
      const factor = overloadId === 'list_sets_equivalent_list' ? 2 : 1
      return { cost: sum(scaled(product(sizeOf(first), sizeOf(second)), factor), one) }
    }
    default:
  }
  const sort = /^list_(.*)_(sort|sortByAssociatedKeys)$/.exec(overloadId)
  const sorted = sort?.[2] === 'sort' ? target : first
  if (sort === null || sorted === undefined) return undefined
  const factor = sort[1] === 'string' || sort[1] === 'bytes' ? 2 + perCharacter : 2
  return allocating(factor, product(sizeOf(sorted), sizeOf(sorted)))
}

function literalInt({ expr }: EstimatedNode): bigint | undefined {
  if (expr?.kind !== 'literal' || typeof expr.value !== 'bigint') return undefined
  return expr.value < 0n ? 0n : expr.value
}

const unitFunctions = new Set(
  (
    'serviceAccount path group resource subresource namespace name allowed reason error errored ' +
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast ' +
    'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub ' +
    'major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery'
  ).split(' '),
)

const addressSize: Estimate = { min: 4n, max: 16n }

function kubernetesEstimate(
  functionName: string,
  overloadId: string,
  { target, args }: Operands,
  sizeOf: SizeOf,
): EstimatedCall | undefined {
  if (unitFunctions.has(functionName)) return unit
  const [first, second] = args
  const traversal = (node: EstimatedNode): Estimate => scaled(sizeOf(node), perCharacter)
  switch (functionName) {
    case 'check':
      return { cost: fixed(350_000n) }
    case 'fieldSelector':
    case 'labelSelector':
      return args.length === 1 && first !== undefined ? { cost: selectorCost(sizeOf(first)) } : undefined
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target === undefined ? undefined : { cost: searchCost(target, sizeOf) }
    case 'url':
      return first === undefined ? undefined : { cost: traversal(first), resultSize: sizeOf(first) }
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target === undefined ? undefined : { cost: traversal(target), resultSize: sizeOf(target) }
    case 'replace':
      if (target === undefined || first === undefined || second === undefined) return undefined
      return replaceEstimate(sizeOf(target), sizeOf(first), sizeOf(second))
    case 'split': {
      if (target === undefined) return undefined
      const size = sizeOf(target)
      const limit =
        second?.expr?.kind === 'literal' && typeof second.expr.value === 'bigint' ? second.expr.value : undefined
      const max = limit === undefined ? size.max : BigInt.asUintN(64, limit)
      return { cost: scaled(size, 2 * perCharacter), resultSize: { min: 0n, max } }
    }
    case 'join':
      return target === undefined ? undefined : joinEstimate(target, first, sizeOf)
    case 'find':
    case 'findAll': {
      if (target === undefined || first === undefined) return undefined
      const cost = patternCost(sizeOf(target), sizeOf(first))
      return { cost, resultSize: { min: 0n, max: sizeOf(target).max } }
    }
    case 'ip':
      if (overloadId === 'cidr_ip') return unit
      return first === undefined ? undefined : { cost: traversal(first) }
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return first === undefined ? undefined : { cost: traversal(first) }
    case 'ip.isCanonical':
      return first === undefined ? undefined : { cost: scaled(sizeOf(first), 2 * perCharacter) }
    case 'containsIP':
    case 'containsCIDR': {
      if (first === undefined) return undefined
      const comparison = scaled(sum(addressSize, addressSize), perCharacter)
      const extra = functionName === 'containsCIDR' ? [scaled(addressSize, perCharacter), one] : []
      const parsing = overloadId.endsWith('_string') ? [traversal(first)] : []
      return { cost: sum(comparison, ...extra, ...parsing) }
    }
    case 'validate':
      return first === undefined ? undefined : { cost: scaled(traversal(first), 128 * perPatternCharacter) }
    case '_==_':
      return equalityEstimate(args)
    default:
      return undefined
  }
}

function selectorCost(length: Estimate): Estimate {
  return sum(listCreation, scaled(length, perCharacter), scaled(scaled(length, 0.5), 50))
}

function elementOf(list: EstimatedNode): EstimatedNode | undefined {
  if (list.type.parameters.length === 0) return undefined
  const path = list.path.length === 0 ? [] : [...list.path, '@items']
  return { expr: undefined, type: parameterOf(list.type, 0), path, size: undefined }
}

/** Every element is looked at once; strings among them are read. A target without elements is a string itself. */
function searchCost(target: EstimatedNode, sizeOf: SizeOf): Estimate {
  const element = elementOf(target)
  if (element === undefined) return scaled(sizeOf(target), perCharacter)
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes'
  const perElement = isText ? sum(one, scaled(sizeOf(element), perCharacter)) : one
  return product(sizeOf(target), perElement)
}

function patternCost(text: Estimate, pattern: Estimate): Estimate {
  return product(scaled(sum(text, one), perCharacter), scaled(pattern, perPatternCharacter))
}

function replaceEstimate(text: Estimate, old: Estimate, replacement: Estimate): EstimatedCall {
  const plusOne = (amount: bigint): bigint => (amount < largest ? amount + 1n : amount)
  const quotient = (amount: bigint, divisor: bigint): bigint => {
    const value = Math.ceil(Number(amount) / Number(divisor))
    return value >= 2 ** 64 ? largest : BigInt(value)
  }
  let [maxCount, maxKept, minCount, minKept] = [0n, 0n, 0n, 0n]
  if (old.min === 0n) [maxCount, maxKept] = [plusOne(text.max), text.max]
  else if (replacement.max <= old.min) maxKept = text.max
  else maxCount = quotient(text.max, old.min)
  if (old.max === 0n) [minCount, minKept] = [plusOne(text.min), text.min]
  else if (old.max <= replacement.min) minKept = text.min
  else minCount = quotient(text.min, old.max)
  const inserted = product({ min: minCount, max: maxCount }, replacement)
  return { cost: scaled(text, 2 * perCharacter), resultSize: sum(inserted, { min: minKept, max: maxKept }) }
}

function joinEstimate(list: EstimatedNode, separator: EstimatedNode | undefined, sizeOf: SizeOf): EstimatedCall {
  const length = sizeOf(list)
  const element = elementOf(list)
  let size: Estimate = element === undefined ? { min: 0n, max: 0n } : product(length, sizeOf(element))
  if (separator !== undefined) {
    const gaps = (count: bigint): bigint => (count > 0n ? count - 1n : 0n)
    size = sum(size, product(sizeOf(separator), { min: gaps(length.min), max: gaps(length.max) }))
  }
  return { cost: scaled(size, perCharacter), resultSize: size }
}

const constantEquality = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
])

function equalityEstimate([left, right]: readonly EstimatedNode[]): EstimatedCall | undefined {
  if (left === undefined || right === undefined || !isSameType(left.type, right.type)) return undefined
  const { kind, name } = left.type
  if (kind !== 'struct' && kind !== 'opaque') return undefined
  if (constantEquality.has(name)) return unit
  if (name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1n, max: 64n }, perCharacter) }
  if (name === 'kubernetes.URL') {
    return { cost: scaled({ min: 1n, max: right.size?.max ?? 1n }, perCharacter) }
  }
  return undefined
}

/** The rules of CEL itself look only at what is known of the operands, not at their paths. */
function standardEstimate(overloadId: string, { target, args }: Operands): EstimatedCall | undefined {
  const known = (node: EstimatedNode | undefined): Estimate => node?.size ?? { min: 0n, max: largest }
  const [first, second] = args
  switch (overloadId) {
    case 'string_format':
      return target === undefined ? undefined : { cost: scaled(known(target), perCharacter) }
    case 'string_to_bytes': {
      const size = known(first)
      const resultSize = { min: size.min, max: BigInt.asUintN(64, size.max * 4n) }
      return { cost: scaled(size, perCharacter), resultSize }
    }
    case 'bytes_to_string': {
      const size = known(first)
      return { cost: scaled(size, perCharacter), resultSize: { min: size.min / 4n, max: size.max } }
    }
    case 'strings_quote': {
      const size = known(first)
      const resultSize = { min: BigInt.asUintN(64, size.min + 2n), max: BigInt.asUintN(64, size.max * 2n + 2n) }
      return { cost: scaled(size, perCharacter), resultSize }
    }
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: scaled(known(first), perCharacter) }
    case 'in_list':
      return { cost: scaled(known(second), 1) }
    case 'matches_string':
      return { cost: patternCost(known(target), known(first)) }
    case 'contains_string':
      return { cost: product(scaled(known(target), perCharacter), scaled(known(first), perCharacter)) }
    case 'add_string':
    case 'add_bytes': {
      const resultSize = sum(known(first), known(second))
      return { cost: scaled(resultSize, perCharacter), resultSize }
    }
    case 'add_list':
      return { cost: one, resultSize: sum(known(first), known(second)) }
    default:
      return isOrdering(overloadId) ? { cost: comparisonCost(known(first), known(second)) } : undefined
  }
}

function isOrdering(overloadId: string): boolean {
  return /^((less|greater)(_equals)?_(string|bytes)|equals|not_equals)$/.test(overloadId)
}

function comparisonCost(left: Estimate, right: Estimate): Estimate {
  const max = left.max < right.max ? left.max : right.max
  return scaled({ min: max > 0n ? 1n : 0n, max }, perCharacter)
}
