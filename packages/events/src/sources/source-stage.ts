import { type Clock, type Env, silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import type { Client } from '@tiphys/kube'
import type { Memory } from '../bus/bus.ts'
import { createHttpHost, type HttpHost, type HttpLimits } from './http-host.ts'
import type { RunningSource, SourceEvent, SourceHealth, SourceHost, SourceType } from './source.ts'

type Grounds = Parameters<NonNullable<SourceHost['filtered']>>[1]

/** For tests: what one entry of an EventSource lives in, without a cluster and without a disk. */
export class SourceStage {
  readonly clock = new VirtualClock()
  readonly env: Env = { clock: this.clock, random: systemRandom, log: silentLog }
  readonly events: SourceEvent[] = []
  /** Payloads that the entry's filter ended, and from what. */
  readonly filtered: [data: unknown, grounds: Grounds][] = []
  readonly reports: SourceHealth[] = []
  readonly secrets = new Map<string, string>()
  readonly values = new Map<string, string>()
  readonly http: HttpHost
  /** What the bus answers instead of taking the event. */
  refusal: Error | undefined
  /** The bus; a test may have another. */
  publish: SourceHost['publish'] = async event => {
    if (this.refusal) throw this.refusal
    if (this.events.some(({ id }) => id === event.id)) return 'duplicate'
    this.events.push(event)
    return 'stored'
  }
  #running: RunningSource | undefined

  /** HTTP may have another clock: what comes from outside does not wait for a test. */
  constructor(limits: Partial<HttpLimits> = {}, clock: Clock = this.clock) {
    this.http = createHttpHost({ env: { ...this.env, clock }, limits })
  }

  get data(): unknown[] {
    return this.events.map(({ data }) => JSON.parse(data))
  }

  get isIdle(): boolean {
    return this.#running?.isIdle?.() ?? true
  }

  start<Spec>(type: SourceType<Spec>, spec: Spec): void {
    this.#running = type.start(spec, this.#host())
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    this.#running = undefined
  }

  /** Waits for what comes from outside. Meanwhile time passes when there is trouble, so that pauses end. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if ((this.reports.at(-1)?.state ?? 'active') !== 'active') await this.clock.advance(100)
      await new Promise<void>(resolve => {
        setTimeout(resolve, 2)
      })
    }
  }

  async close(): Promise<void> {
    await this.stop()
    await this.http.close()
  }

  #host(): SourceHost {
    return {
      env: this.env,
      eventSource: { namespace: 'default', name: 'source', uid: 'source-uid', annotations: {} },
      entry: 'entry',
      client: undefined as unknown as Client,
      publish: event => this.publish(event),
      filtered: ({ data }, grounds) => void this.filtered.push([JSON.parse(data), grounds]),
      memory: memoryOf(this.values),
      report: health => void this.reports.push(health),
      secret: async ({ name, key }) => {
        const value = this.secrets.get(`${name}/${key}`)
        if (value === undefined) throw new Error(`there is no Secret ${name} with the key ${key}`)
        return value
      },
      configMap: () => Promise.reject(new Error('there are no ConfigMaps')),
      listen: route => this.http.listen(route),
    }
  }
}

function memoryOf(values: Map<string, string>): Memory {
  const keys = (prefix: string) => [...values.keys()].filter(key => key.startsWith(prefix))
  return {
    get: async key => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async key => void values.delete(key),
    keys,
    async *entries(prefix) {
      for (const key of keys(prefix)) yield { key, value: values.get(key) as string }
    },
  }
}
