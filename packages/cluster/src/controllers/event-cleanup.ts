import { isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from './controller.ts'

const HOUR_MS = 60 * 60_000

/** What of an Event tells its age: every write to it begins its time anew. */
interface EventTimes extends KubeObject {
  lastTimestamp?: string | null
  eventTime?: string | null
  series?: { lastObservedTime?: string }
}

const EVENT = kindRef<EventTimes>('v1', 'Event')

/** Removes Events an hour after their last change. (A real API server lets its storage do this.) */
export function createEventCleanupController(context: ControllerContext): Controller {
  const { client, env } = context
  const events = wakeBy(context, EVENT, ({ type, object }) => (type === 'deleted' ? [] : [keyOfObject(object)]))
  return createReconciler(context, {
    name: 'event-cleanup-controller',
    wakes: [events],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const event = events.cache.get(name, namespace)
      if (!event) return undefined
      const left = lastChangeOf(event) + HOUR_MS - env.clock.now()
      if (left > 0) return left
      const { uid = '', resourceVersion = '' } = event.metadata
      try {
        await client.delete({ ...EVENT, namespace, name }, { preconditions: { uid, resourceVersion } })
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown
      }
      return undefined
    },
  })
}

export function lastChangeOf({ metadata, lastTimestamp, eventTime, series }: EventTimes): number {
  const times = [metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime]
  return Math.max(...times.map(time => Date.parse(time ?? '')).filter(time => !Number.isNaN(time)), 0)
}
