import { changesOf } from '@tiphys/journal/records'
import type { KubeObject, ObjectRef } from '@tiphys/kube'
import type { TriggerHost, TriggerOutcome } from './trigger.ts'

const LONGEST_LABEL = 63

/** Argo Events' own labels, for those who select by them. */
export function originLabels({ sensor, trigger, env }: TriggerHost): Record<string, string> {
  return {
    'events.argoproj.io/sensor': labelValue(sensor.name),
    'events.argoproj.io/trigger': labelValue(trigger),
    'events.argoproj.io/action-timestamp': String(Math.trunc(env.clock.now())),
  }
}

const labelValue = (text: string): string => text.slice(0, LONGEST_LABEL).replace(/[^A-Za-z0-9]+$/, '')

/** What a trigger wrote, as its outcome says it; what it changed, when something was there before. */
export function writtenOf(
  object: KubeObject,
  verb: string,
  before?: KubeObject,
): NonNullable<TriggerOutcome['written']>[number] {
  const { apiVersion, kind, metadata } = object
  const { name = '', namespace, uid, resourceVersion } = metadata
  const diff = before ? changesOf(before, object) : []
  return {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    verb,
    ...(diff.length > 0 && { diff }),
  }
}

export function described(object: KubeObject | ObjectRef): string {
  const { namespace, name = '' } = 'metadata' in object ? object.metadata : object
  return `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
