import { silentLog, systemClock, systemRandom } from '@tiphys/env'
import type { Client } from '@tiphys/kube'
import type { TriggerHost } from './trigger.ts'

/** For tests: what a trigger lives in, without a cluster. `body`: of the event that it acts for. */
export function triggerHost({
  body = { value: 'seven', count: 7 },
  ...more
}: Partial<TriggerHost> & { body?: object } = {}): TriggerHost {
  return {
    env: { clock: systemClock, random: systemRandom, log: silentLog },
    sensor: { namespace: 'default', name: 'sensor', uid: 'sensor-uid' },
    trigger: 'tell',
    client: undefined as unknown as Client,
    actionKey: '0123456789abcdef0123456789abcdef',
    trace: 'event-id',
    events: {
      dep: {
        context: {
          id: 'event-id',
          source: 'source',
          specversion: '1.0',
          type: 'webhook',
          datacontenttype: 'application/json',
          subject: 'entry',
          time: '2026-01-02T03:04:05Z',
        },
        data: JSON.stringify({ body }),
      },
    },
    languages: { template: source => source },
    access: {},
    signal: new AbortController().signal,
    discreet: text => text,
    secret: ({ name, key }) => Promise.resolve(`secret ${name}/${key}`),
    configMap: ({ name, key }) => Promise.resolve(`config ${name}/${key}`),
    ...more,
  }
}
