import { isDeepStrictEqual } from 'node:util'
import {
  type KubeObject,
  type LabelSelector,
  type LabelSelectorObject,
  labelSelectorFrom,
  type ObjectCache,
  type ObjectChange,
  SelectorFailure,
} from '@tiphys/kube'
import { controllerKey, keyOfObject } from '../controller.ts'
import { controllerOf } from './pod-template.ts'

/** Objects of the owner's namespace that it controls, or that nobody controls. */
export function candidatesOf<T extends KubeObject>(cache: ObjectCache<T>, owner: KubeObject): T[] {
  const { uid = '', namespace = '' } = owner.metadata
  const controlled = cache.ownedBy(uid).filter(object => controllerOf(object)?.uid === uid)
  return [...controlled, ...cache.indexBy(namespaceOfOrphan).get(namespace)]
}

const namespaceOfOrphan = (object: KubeObject): readonly string[] =>
  controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []

/** Owners of one kind, and which labels each of them selects. */
export interface Owners<O extends KubeObject> {
  cache: ObjectCache<O>
  selectorOf: (owner: O) => LabelSelector
}

/** The keys of the owners that a change of a dependent concerns: its controller, before and after, and for an orphan
 *  everybody who may adopt it. */
export function keysOfOwners<O extends KubeObject>({ cache, selectorOf }: Owners<O>) {
  const { apiVersion, kind } = cache.selection
  return function* (change: ObjectChange): Generator<string> {
    const { object } = change
    const old = change.type === 'updated' ? change.old : undefined
    const owner = controllerOf(object)
    // Every controller of pods is asked about every pod, and most are somebody else's.
    if (owner && owner.kind !== kind && (old === undefined || controllerOf(old)?.kind !== kind)) return
    const key = controllerKey(object, apiVersion, kind)
    if (key !== undefined) yield key
    const oldKey = old && controllerKey(old, apiVersion, kind)
    if (oldKey !== undefined && oldKey !== key) yield oldKey
    if (owner || change.type === 'deleted' || (old && !isNewlyAdoptable(old, object))) return
    for (const owner of cache.list(object.metadata.namespace)) {
      const selector = selectorOf(owner)
      if (selector.requirements.length > 0 && selector.matches(object.metadata.labels)) yield keyOfObject(owner)
    }
  }
}

const isNewlyAdoptable = (old: KubeObject, now: KubeObject) =>
  controllerOf(old) !== undefined || !isDeepStrictEqual(old.metadata.labels, now.metadata.labels)

const compiled = new WeakMap<object, LabelSelector>()

/** The selector of an object's spec. One that cannot be understood selects nothing. */
export function selectorOf(object: LabelSelectorObject | undefined): LabelSelector {
  if (!object) return labelSelectorFrom(undefined)
  const known = compiled.get(object)
  if (known) return known
  let selector: LabelSelector
  try {
    selector = labelSelectorFrom(object)
  } catch (thrown) {
    if (!(thrown instanceof SelectorFailure)) throw thrown
    selector = labelSelectorFrom(undefined)
  }
  compiled.set(object, selector)
  return selector
}
