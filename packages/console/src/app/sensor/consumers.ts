import type { FlowNode } from '@tiphys/archive'
import type { Figures } from '../../api/workshop.ts'

/** A trigger, and how far it is on its bus. */
export interface Consumer {
  sensor: string
  trigger: string
  position?: number
  backlog: number
  parked: number
  /** 0 when it has done nothing lately. */
  lastAt: number
}

/** The triggers of a namespace: those that the engine runs, also when they never had anything to do, and those that the archive tells of
 *  where no engine runs beside the console. */
export function consumersOf(nodes: readonly FlowNode[], figures: readonly Figures[], namespace: string): Consumer[] {
  const consumers = new Map<string, Consumer>()
  for (const { column, namespace: of, name, backlog, parked, lastAt } of nodes) {
    const [sensor = name, ...trigger] = name.split('/')
    if (column === 'trigger' && of === namespace)
      consumers.set(name, { sensor, trigger: trigger.join('/'), backlog, parked, lastAt })
  }
  for (const { kind, namespace: of, name: sensor, parts = [] } of figures) {
    if (kind !== 'Sensor' || of !== namespace) continue
    for (const { name: trigger, position, backlog, parked } of parts) {
      const known = consumers.get(`${sensor}/${trigger}`) ?? { sensor, trigger, backlog: 0, parked: 0, lastAt: 0 }
      consumers.set(`${sensor}/${trigger}`, {
        ...known,
        ...(position !== undefined && { position }),
        backlog: backlog ?? known.backlog,
        parked: parked ?? known.parked,
      })
    }
  }
  return [...consumers.values()].sort((a, b) => `${a.sensor}/${a.trigger}`.localeCompare(`${b.sensor}/${b.trigger}`))
}
