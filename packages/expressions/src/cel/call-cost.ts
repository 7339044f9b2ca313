import { CelInternalError } from './evaluation.ts'
import { NamedFormat } from './functions/formats.ts'
import { canAdd } from './functions/operators.ts'
import { goTypeName } from './go-type-name.ts'
import { CelList, CelMap, type CelValue, OpaqueValue, Optional, sizeOf } from './value.ts'

/** What a call costs at run time: a fixed amount, or an amount that depends on its operands and its result. */
export type CallCost = number | ((args: readonly CelValue[], result: CelValue) => number)

const perCharacter = 0.1
const perPatternCharacter = 0.25
const listCreation = 10
const structCreation = 40

function size(value: CelValue | undefined): number {
  return value === undefined ? 1 : (sizeOf(value) ?? 1)
}

/** As `size`, but an optional counts as what it holds. */
function innerSize(value: CelValue | undefined): number {
  return value instanceof Optional && value.value !== undefined ? innerSize(value.value) : size(value)
}

function traversal(value: CelValue | undefined, factor = perCharacter): number {
  return Math.ceil(size(value) * factor)
}

const unitCost = new Set(
  (
    'serviceAccount path group resource subresource namespace name allowed reason error errored ' +
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast ' +
    'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub ' +
    'major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery'
  ).split(' '),
)

const firstOperandTraversal: CallCost = args => traversal(args[0])
const doubleTraversal: CallCost = args => Math.ceil(size(args[0]) * 2 * perCharacter)
const deepTraversal: CallCost = args => deepSize(args[0])

/** By function name: what Kubernetes sets for its libraries and for the string functions. */
const kubernetesCosts: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[...unitCost].map(name => [name, 1] as const),
  ['check', 350_000],
  ['fieldSelector', args => selectorCost(size(args[1]))],
  ['labelSelector', args => selectorCost(size(args[1]))],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map(name => [name, deepTraversal] as const),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'cidr', 'isIP', 'isCIDR'].map(
    name => [name, firstOperandTraversal] as const,
  ),
  ...['quantity', 'isQuantity', 'semver', 'isSemver'].map(name => [name, firstOperandTraversal] as const),
  ['replace', doubleTraversal],
  ['split', doubleTraversal],
  ['ip.isCanonical', doubleTraversal],
  ['join', (_, result) => Math.ceil(size(result) * 2 * perCharacter)],
  ['find', regexCost],
  ['findAll', regexCost],
  ['validate', validationCost],
])

function regexCost(args: readonly CelValue[]): number {
  const text = Math.ceil((1 + size(args[0])) * perCharacter)
  return text * Math.ceil(size(args[1]) * perPatternCharacter)
}

function validationCost(args: readonly CelValue[]): number {
  const [format, text] = args
  if (!(format instanceof NamedFormat)) return 1
  return Math.ceil((1 + size(text)) * perCharacter) * Math.ceil(format.regexSize * perPatternCharacter)
}

function selectorCost(length: number): number {
  const requirements = Math.ceil(length * 0.5)
  return listCreation + Math.ceil(length * perCharacter) + Math.ceil(requirements * (listCreation + structCreation))
}

function deepSize(value: CelValue | undefined): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter)
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter)
  let total = 0
  if (value instanceof CelList) {
    for (const element of value) total += deepSize(element)
    return total
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) total += deepSize(key) + deepSize(value.find(key))
    return total
  }
  return 1
}

/** By overload id: what the list and set extensions set themselves. They come before Kubernetes' costs. */
const extensionCosts: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['list_slice', (_, result) => allocation(1, size(result))],
  ['lists_range', (_, result) => allocation(1, size(result))],
  ['list_reverse', (_, result) => allocation(1, size(result))],
  ['list_flatten', args => allocation(1, size(args[0]))],
  ['list_flatten_int', args => allocation(depthOf(args[1]), size(args[0]))],
  ['list_distinct', args => selfCompare(args[0])],
  ['list_sets_contains_list', args => 1 + size(args[0]) * size(args[1])],
  ['list_sets_intersects_list', args => 1 + size(args[0]) * size(args[1])],
  ['list_sets_equivalent_list', args => 1 + size(args[0]) * size(args[1]) * 2],
])

function depthOf(depth: CelValue | undefined): number {
  if (typeof depth === 'bigint') return Number(depth)
  const type = goTypeName(depth ?? null)
  throw new CelInternalError(`interface conversion: ref.Val is ${type}, not types.Int`)
}

function allocation(factor: number, elements: number): number {
  return Math.floor(elements * factor) + 1 + listCreation
}

/** cel-go takes the operand for a list without looking, and breaks off when it is none. */
function notALister(value: CelValue): CelInternalError {
  const missing = canAdd(value) ? 'Contains' : 'Add'
  return new CelInternalError(
    `interface conversion: ${goTypeName(value)} is not traits.Lister: missing method ${missing}`,
  )
}

function selfCompare(list: CelValue | undefined): number {
  if (!(list instanceof CelList)) throw notALister(list ?? null)
  if (list.size === 0) return allocation(2, 0)
  const first = list.at(0)
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + perCharacter : 2
  return allocation(factor, list.size * list.size)
}

function smallerOperand(args: readonly CelValue[]): number {
  return Math.ceil(Math.min(innerSize(args[0]), innerSize(args[1])) * perCharacter)
}

const bothOperands: CallCost = args => Math.ceil((innerSize(args[0]) + innerSize(args[1])) * perCharacter)
const ordered = ['less', 'less_equals', 'greater', 'greater_equals'].flatMap(name => [
  `${name}_string`,
  `${name}_bytes`,
])

/** By overload id: what CEL sets for its own functions. Everything else costs 1. */
const standardCosts: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ].map(id => [id, firstOperandTraversal] as const),
  ['in_list', args => innerSize(args[1])],
  ...ordered.map(id => [id, smallerOperand] as const),
  ['not_equals', smallerOperand],
  ['add_string', bothOperands],
  ['add_bytes', bothOperands],
  ['matches_string', regexCost],
  ['contains_string', args => traversal(args[0]) * traversal(args[1])],
])

/** `overloadId` is empty when the checker could not settle on one. */
export function callCost(functionName: string, overloadId: string): CallCost {
  const extension = extensionCosts.get(overloadId)
  if (extension !== undefined) return extension
  if (/^list_.*_(sort|sortByAssociatedKeys)$/.test(overloadId)) {
    const operand = overloadId.endsWith('sort') ? 0 : 1
    return args => selfCompare(args[operand])
  }
  switch (functionName) {
    case '_==_':
      return args => (args[0] instanceof OpaqueValue ? 1 : smallerOperand(args))
    case 'ip':
      return overloadId === 'cidr_ip' ? 1 : firstOperandTraversal
    case 'containsIP':
      return args => containment(args, 0, overloadId === 'cidr_contains_ip_string')
    case 'containsCIDR':
      return args => containment(args, traversal(args[0]) + 1, overloadId === 'cidr_contains_cidr_string')
    default:
      return kubernetesCosts.get(functionName) ?? standardCosts.get(overloadId) ?? 1
  }
}

function containment(args: readonly CelValue[], extra: number, parsesOperand: boolean): number {
  const comparison = Math.ceil(size(args[0]) * 2 * perCharacter)
  return comparison + extra + (parsesOperand ? traversal(args[1]) : 0)
}
