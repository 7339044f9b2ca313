import { problemsOf } from '../sources/shape.ts'
import type { TriggerType } from './trigger.ts'

/** `log` of a trigger's template, as manifests write it. */
export interface LogSpec {
  /** After a line there is none for so long. */
  intervalSeconds?: number
}

/** Enough to forget those whose time is over. */
const MANY = 1000

export function createLogTrigger(): TriggerType<LogSpec> {
  /** By Sensor and trigger. */
  const quietUntil = new Map<string, number>()
  return {
    type: 'log',
    check: spec => problemsOf(spec, { intervalSeconds: 'number' }),
    execute({ intervalSeconds = 0 }, { env, sensor, trigger, events, discreet }) {
      const now = env.clock.now()
      const key = `${sensor.uid}/${trigger}`
      if ((quietUntil.get(key) ?? 0) > now)
        return Promise.resolve({ summary: `logged nothing: the last line is less than ${intervalSeconds} s old` })
      for (const [dependencyName, { context, data }] of Object.entries(events))
        env.log.info('an event has come', {
          sensor: sensor.name,
          trigger,
          dependencyName,
          eventContext: context,
          data: discreet(data),
        })
      if (quietUntil.size >= MANY) for (const [name, until] of quietUntil) if (until <= now) quietUntil.delete(name)
      if (intervalSeconds > 0) quietUntil.set(key, now + intervalSeconds * 1000)
      return Promise.resolve({ summary: `logged ${Object.keys(events).join(', ')}` })
    },
  }
}
