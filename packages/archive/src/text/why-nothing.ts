import type { EventItem } from '../archive.ts'
import { partName, plain } from './words-of.ts'

/** Why no trigger has made anything of an event, and what to do about it. */
export function whyNothing({ verdict, source, id }: Pick<EventItem, 'verdict' | 'source' | 'id'>): string {
  const { name, part } = source
  if (verdict !== 'unheard')
    return `no Sensor has looked at it yet: its turn has not come, or what depends on ${partName(source)} does not run (tiphys explain Sensor/NAME)`
  return `no Sensor listened when it came. One with the dependency eventSourceName: ${plain(name)}, eventName: ${plain(part)} gets what comes from then on, and this one by tiphys replay ${plain(id)}`
}
