import { createHash } from 'node:crypto'
import { hiddenNote } from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'
import { isFields } from './merge.ts'
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
export function withProvenance(object: KubeObject, host: Provenance): KubeObject {
  return withAnnotations(object, provenanceOf(host, givenIn(object)))
}

/** The object as it is applied to one that is there: where that came from stays said. */
export function keepingProvenance(object: KubeObject, live: KubeObject, host: Provenance): KubeObject {
  const kept = [EVENT_ANNOTATION, ACTION_ANNOTATION].flatMap(name => {
    const value = live.metadata.annotations?.[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const annotations = { ...Object.fromEntries(kept), ...notedParameters(host, givenIn(object)) }
  return Object.keys(annotations).length === 0 ? object : withAnnotations(object, annotations)
}

type Provenance = Pick<TriggerHost, 'trace' | 'actionKey' | 'sensor' | 'trigger' | 'discreet'>

export function provenanceOf(host: Provenance, parameters: unknown): Record<string, string> {
  const { trace, actionKey } = host
  return { [EVENT_ANNOTATION]: trace, [ACTION_ANNOTATION]: actionKey, ...notedParameters(host, parameters) }
}

/** What a Workflow is given is recorded by whoever runs it, who has not seen the event: what of that is a secret is said beside it. */
export const notedParameters = (host: Pick<Provenance, 'sensor' | 'trigger' | 'discreet'>, parameters: unknown) =>
  hiddenNote(idOf(host), parameters, host.discreet)

const givenIn = (object: KubeObject) => (isWorkflow(object) ? parametersIn(object) : undefined)

const isWorkflow = ({ apiVersion, kind }: KubeObject) => kind === 'Workflow' && apiVersion.startsWith('argoproj.io/')

/** `spec.arguments.parameters`, whatever that is. */
export const parametersIn = ({ spec }: KubeObject): unknown =>
  isFields(spec) && isFields(spec.arguments) ? spec.arguments.parameters : undefined

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
  const annotation = `done.tiphys.dev/${idOf({ sensor, trigger })}`
  const short = actionKey.slice(0, SHORT)
  const done = (live.metadata.annotations?.[annotation] ?? '').split(' ').filter(key => key !== '')
  return { isDone: done.includes(short), annotation, value: [...done, short].slice(-REMEMBERED).join(' ') }
}

const idOf = ({ sensor, trigger }: Pick<TriggerHost, 'sensor' | 'trigger'>): string =>
  createHash('sha256')
    .update(JSON.stringify([sensor.uid, trigger]))
    .digest('hex')
    .slice(0, SUFFIX)
