import type { Event } from '../event.ts'
import { type Condition, isMet } from './condition.ts'

/** The events that wait for others before a trigger fires: the latest of each dependency. */
export type Join = Readonly<Record<string, Event>>

export interface Joined {
  /** What waits now. */
  join: Join
  /** The event of the same dependency that the new one took the place of. */
  superseded?: Event
  /** The events that meet the condition together, by dependency. Nothing waits any more then. */
  fire?: Join
}

/** Takes in an event of a dependency. The same event again changes nothing but may fire again, as after a crash. */
export function offer(condition: Condition, join: Join, dependency: string, event: Event): Joined {
  const before = Object.hasOwn(join, dependency) ? join[dependency] : undefined
  const next: Join = { ...join, [dependency]: event }
  const superseded = before !== undefined && before.id !== event.id ? { superseded: before } : {}
  if (!isMet(condition, new Set(Object.keys(next)))) return { join: next, ...superseded }
  return { join: {}, fire: next, ...superseded }
}
