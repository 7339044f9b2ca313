import type { Call as CallSpec } from '../spec/template.ts'
import { ItemsError, itemsOfJson, itemsOfList, type LoopItem } from '../variables/json-items.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import { itemsOfSequence } from '../variables/sequence.ts'
import { replaceText, substitute, VariableError } from '../variables/substitution.ts'
import { shouldExecute, WhenError } from '../variables/when.ts'
import { NodeFault, type Run } from './run.ts'

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
    return remembered(spec, JSON.stringify(items), () => itemsOfList(items))
  }
  if (spec.withParam !== undefined && spec.withParam !== '') {
    const text = replaceText(spec.withParam, scope, { ...env, path: `${path}.withParam` })
    return remembered(spec, text, () => itemsOfJson(text))
  }
  const sequence = substitute(spec.withSequence ?? {}, scope, { ...env, path: `${path}.withSequence` })
  return remembered(spec, JSON.stringify(sequence), () => itemsOfSequence(sequence))
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
