import type { Call as CallSpec, Sequence } from '../spec/template.ts'
import { ItemsError, itemOfText, itemOfValue, itemsOfJson, type LoopItem, tooMany } from '../variables/json-items.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import { replaceText, substitute, VariableError } from '../variables/substitution.ts'
import { shouldExecute, WhenError } from '../variables/when.ts'
import { NodeFault, type Run } from './run.ts'

/** More rounds than this are refused: each has a node in the status of the Workflow. */
export const maxItems = 10_000

/** One round of a loop. */
export interface Round {
  /** `NAME(INDEX:ITEM)`. */
  readonly name: string
  readonly item: LoopItem
}

export function isLoop(spec: CallSpec): boolean {
  return (
    (spec.withItems !== undefined && spec.withItems.length > 0) ||
    (spec.withParam ?? '') !== '' ||
    spec.withSequence !== undefined
  )
}

const cache = new WeakMap<CallSpec, { key: string; rounds: readonly Round[] }>()

/** The rounds of a loop. Throws NodeFault, VariableError. */
export function roundsOf(run: Run, spec: CallSpec, scope: Scope, path: string): readonly Round[] {
  try {
    return rounds(run, spec, scope, path)
  } catch (error) {
    const isItems = error instanceof ItemsError || error instanceof VariableError
    if (!isItems) throw error
    // What does not run needs no items.
    if (!maybeExecutes(run, spec, scope)) return []
    throw error instanceof ItemsError ? new NodeFault(`${path}: ${error.message}`, { cause: error }) : error
  }
}

function rounds(run: Run, spec: CallSpec, scope: Scope, path: string): readonly Round[] {
  const env = { ...run.env }
  if (spec.withItems !== undefined && spec.withItems.length > 0) {
    const items = substitute(spec.withItems, scope, { ...env, path: `${path}.withItems` })
    return remembered(spec, JSON.stringify(items), () => limited(items).map(itemOfValue))
  }
  if (spec.withParam !== undefined && spec.withParam !== '') {
    const text = replaceText(spec.withParam, scope, { ...env, path: `${path}.withParam` })
    return remembered(spec, text, () => itemsOfJson(text, maxItems))
  }
  const sequence = substitute(spec.withSequence ?? {}, scope, { ...env, path: `${path}.withSequence` })
  return remembered(spec, JSON.stringify(sequence), () => itemsOfSequence(sequence))
}

function limited<T>(items: readonly T[]): readonly T[] {
  if (items.length > maxItems) throw new ItemsError(tooMany(items.length, maxItems))
  return items
}

/** A loop is planned many times with the same items. */
function remembered(spec: CallSpec, key: string, items: () => readonly LoopItem[]): readonly Round[] {
  const known = cache.get(spec)
  if (known?.key === key) return known.rounds
  const result = items().map((item, index) => ({
    name: `${spec.name}(${index}:${item.label.replaceAll(/[()]/g, '')})`,
    item,
  }))
  cache.set(spec, { key, rounds: result })
  return result
}

function itemsOfSequence({ count, start, end, format }: Sequence): LoopItem[] {
  const from = integer(start, 'start') ?? 0
  let to = integer(end, 'end')
  if (to === undefined) {
    const length = integer(count, 'count')
    if (length === undefined) throw new ItemsError('withSequence has neither count nor end')
    if (length <= 0) return []
    to = from + length - 1
  }
  const length = Math.abs(to - from) + 1
  if (length > maxItems) throw new ItemsError(tooMany(length, maxItems))
  const step = from <= to ? 1 : -1
  return Array.from({ length }, (_, index) => itemOfText(formatted(format, from + index * step)))
}

function integer(value: string | number | undefined, field: string): number | undefined {
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  if (!/^[+-]?\d+$/.test(String(value).trim()) || !Number.isSafeInteger(number)) {
    throw new ItemsError(`withSequence.${field}: ${JSON.stringify(value)} is no integer`)
  }
  return number
}

/** Go's verbs for integers, as far as sequences use them: %d, %03d, %5d, %x, %X, %o, %b, %c, %v. */
function formatted(format: string | undefined, value: number): string {
  if (format === undefined || format === '') return String(value)
  return format.replaceAll(/%(-)?(\+)?(0)?(\d+)?([dvxXobc%])/g, (_, left, plus, zero, width, verb: string) => {
    if (verb === '%') return '%'
    const digits = verbs[verb]?.(Math.abs(value)) ?? String(Math.abs(value))
    const sign = value < 0 ? '-' : plus === undefined ? '' : '+'
    const size = Number(width ?? 0)
    if (left !== undefined) return `${sign}${digits}`.padEnd(size)
    return zero === undefined ? `${sign}${digits}`.padStart(size) : sign + digits.padStart(size - sign.length, '0')
  })
}

const verbs: Readonly<Record<string, (value: number) => string>> = {
  x: value => value.toString(16),
  X: value => value.toString(16).toUpperCase(),
  o: value => value.toString(8),
  b: value => value.toString(2),
  c: value => String.fromCodePoint(value),
}

/** Whether a `when` could let something run; one that needs the item could. */
function maybeExecutes(run: Run, { when }: CallSpec, scope: Scope): boolean {
  try {
    return shouldExecute(when === undefined ? undefined : replaceText(when, scope, run.env))
  } catch (error) {
    if (error instanceof WhenError || error instanceof VariableError) return true
    throw error
  }
}

const itemScopes = new WeakMap<LoopItem, Variables>()

/** `item` and `item.KEY`, before everything else. */
export function withItem(scope: Scope, item: LoopItem | undefined): Scope {
  if (item === undefined) return scope
  let own = itemScopes.get(item)
  if (own === undefined) {
    own = new Variables([['item', item.text]])
    for (const [key, value] of item.fields) own.set(`item.${key}`, value)
    itemScopes.set(item, own)
  }
  return joinScopes(own, scope)
}
