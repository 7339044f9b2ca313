import { createHash } from 'node:crypto'
import type { KubeObject } from '@tiphys/kube'
import type { TriggerHost } from './trigger.ts'

export const EVENT_ANNOTATION = 'tiphys.dev/event'
export const ACTION_ANNOTATION = 'tiphys.dev/action'

/** Names of actions that are remembered on an object, so many that those which can be repeated are among them: more than
 *  are under way at once. */
const REMEMBERED = 64
const SHORT = 16

/** Of a server's own: a longer prefix of a generated name is cut. */
const LONGEST_NAME = 63
const SUFFIX = 10

/** The object as the request that creates it sends it: it says which event and which action made it. */
export function withProvenance(
  object: KubeObject,
  { trace, actionKey }: Pick<TriggerHost, 'trace' | 'actionKey'>,
): KubeObject {
  return withAnnotations(object, { [EVENT_ANNOTATION]: trace, [ACTION_ANNOTATION]: actionKey })
}

export function withAnnotations(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  const { annotations: own, ...metadata } = object.metadata
  return { ...object, metadata: { annotations: { ...own, ...annotations }, ...metadata } }
}

export const isMadeBy = (object: KubeObject, actionKey: string): boolean =>
  object.metadata.annotations?.[ACTION_ANNOTATION] === actionKey

/** The name that an action gives to what it creates from a generateName: the same on every repeat. Another salt is for a
 *  name that something else has already. */
export function generatedName(prefix: string, actionKey: string, salt: number): string {
  const suffix = salt === 0 ? actionKey : createHash('sha256').update(`${actionKey}/${salt}`).digest('hex')
  return prefix.slice(0, LONGEST_NAME - SUFFIX) + suffix.slice(0, SUFFIX)
}

/** What notes on an object, in the request that does it, that an action has been done to it. Each trigger has its own. */
export function doneNote(
  live: KubeObject,
  { sensor, trigger, actionKey }: Pick<TriggerHost, 'sensor' | 'trigger' | 'actionKey'>,
): { isDone: boolean; annotation: string; value: string } {
  const id = createHash('sha256')
    .update(JSON.stringify([sensor.uid, trigger]))
    .digest('hex')
    .slice(0, SUFFIX)
  const annotation = `done.tiphys.dev/${id}`
  const short = actionKey.slice(0, SHORT)
  const done = (live.metadata.annotations?.[annotation] ?? '').split(' ').filter(key => key !== '')
  return { isDone: done.includes(short), annotation, value: [...done, short].slice(-REMEMBERED).join(' ') }
}
