import { hash } from 'node:crypto'
import type { Event } from '../event.ts'
import type { Join } from './join.ts'

/** What a trigger has to do for the events that met its condition. */
export interface Action {
  /** Equal on every repeat: what doing it twice is recognised by. */
  key: string
  /** By dependency, as they are after their transformation. */
  events: Join
  /** Where they come from on the bus. What waits in a join, or is parked, is no longer on it. */
  positions: readonly number[]
}

/** The key of an action: 32 hexadecimal digits that the Sensor, the trigger and the events decide, in whatever order the
 *  events came. */
export function actionKey(sensorUid: string, trigger: string, events: Iterable<Pick<Event, 'id'>>): string {
  const ids = Array.from(events, ({ id }) => id).sort()
  return hash('sha256', JSON.stringify([sensorUid, trigger, ids]), 'hex').slice(0, 32)
}

/** The keys of order of all its events. */
export const orderKeys = ({ events }: Pick<Action, 'events'>): string[] =>
  Object.values(events).flatMap(({ key }) => (key === undefined ? [] : [key]))

/** An action that failed for good and waits for a person. */
export interface Parked {
  action: Action
  attempts: number
  /** Of the last attempt. */
  error: string
  /** RFC 3339. */
  since: string
}
