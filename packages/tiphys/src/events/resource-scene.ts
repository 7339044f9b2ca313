import type { ApiServer } from '@tiphys/apiserver'
import { type Env, type Random, silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import {
  type Bus,
  type BusLimits,
  type Event,
  type Memory,
  openBus,
  type ResourceSpec,
  type RunningSource,
  resourceSource,
  type SourceHealth,
  type SourceHost,
  scopedMemory,
} from '@tiphys/events'
import { openFileJournal } from '@tiphys/journal'
import { type CrashMode, SimulatedDisk } from '@tiphys/journal/testing'
import type { Client, KubeObject } from '@tiphys/kube'
import { expect } from 'vitest'

export interface Payload {
  type: string
  body: KubeObject & { data?: Record<string, string> }
  oldBody: (KubeObject & { data?: Record<string, string> }) | null
  group: string
  version: string
  resource: string
  metadata?: Record<string, string>
}

export const configMaps: ResourceSpec = {
  namespace: 'default',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  eventTypes: ['ADD', 'UPDATE', 'DELETE'],
  filter: { prefix: 'test-' },
}

/** For tests: a cluster, a bus, and one entry of an EventSource that can be started and stopped. */
export class Scene {
  readonly clock = new VirtualClock()
  readonly env: Env = { clock: this.clock, random: systemRandom, log: silentLog }
  readonly server: ApiServer
  readonly client: Client
  disk = new SimulatedDisk()
  readonly reports: SourceHealth[] = []
  bus!: Bus
  spec: ResourceSpec = configMaps
  annotations: Record<string, string> = {}
  running: RunningSource | undefined
  crashed = false
  /** Where a test plants a bug. */
  wrapMemory = (memory: Memory): Memory => memory

  constructor(server: ApiServer) {
    this.server = server
    this.client = server.client()
  }

  async openBus(limits: BusLimits = {}): Promise<void> {
    const journal = await openFileJournal({
      directory: 'bus',
      env: this.env,
      fileSystem: this.disk,
      segmentBytes: 65_536,
    })
    this.bus = await openBus(journal, { env: this.env, limits })
  }

  start(spec = this.spec, client = this.client): void {
    this.spec = spec
    const { bus } = this
    const host: SourceHost = {
      env: this.env,
      eventSource: { namespace: 'default', name: 'watch', uid: 'source-uid', annotations: this.annotations },
      entry: 'example',
      client,
      publish: event => bus.publish({ ...event, source: 'watch', subject: 'example', type: 'resource' }),
      memory: this.wrapMemory(scopedMemory(bus.memory, 'source/')),
      report: health => {
        if (JSON.stringify(health) !== JSON.stringify(this.reports.at(-1))) this.reports.push(health)
      },
      secret: () => Promise.reject(new Error('there are no secrets')),
      configMap: () => Promise.reject(new Error('there are no ConfigMaps')),
      listen: () => Promise.reject(new Error('nothing is served')),
    }
    this.running = resourceSource.start(spec, host)
  }

  async startAndWait(spec = this.spec): Promise<void> {
    this.reports.length = 0
    this.start(spec)
    await this.until(() => this.reports.at(-1)?.state === 'active')
  }

  async stop(): Promise<void> {
    this.crashed = false
    await this.running?.stop()
    this.running = undefined
  }

  /** The process dies and the power fails: what the disk keeps is all there is. */
  async crash(mode: CrashMode, random: Random): Promise<void> {
    const [dead, bus] = [this.running, this.bus]
    this.disk = this.disk.crash(mode, random)
    this.running = undefined
    this.crashed = true
    await this.openBus()
    // Whatever the dead process still does reaches nobody.
    await dead?.stop()
    await bus.close()
  }

  async events(): Promise<Event[]> {
    const found: Event[] = []
    for await (const { event } of this.bus.events()) found.push(event)
    return found
  }

  /** `ADD a=1`, `UPDATE a=1→2`, `DELETE a=2`, in the order of the bus. */
  async story(): Promise<string[]> {
    return (await this.events()).map(({ data }) => {
      const { type, body, oldBody } = JSON.parse(data) as Payload
      const value = (object: Payload['body'] | null) => object?.data?.value ?? object?.metadata.labels?.value ?? ''
      const change = oldBody ? `${value(oldBody)}→${value(body)}` : value(body)
      return `${type} ${body.metadata.name?.replace('test-', '')}=${change}`
    })
  }

  async storyIs(expected: string[]): Promise<void> {
    await this.until(async () => (await this.story()).length >= expected.length)
    // One more round, for what should not come.
    await turns(10)
    expect(await this.story()).toEqual(expected)
  }

  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 2000; i++) {
      if (await isTrue()) return
      await turns(1)
    }
  }

  async write(name: string, value: string): Promise<KubeObject> {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `test-${name}`, namespace: 'default' },
      data: { value },
    }
    return this.client.apply(object, { fieldManager: 'test', force: true })
  }

  async remove(name: string): Promise<void> {
    await this.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: `test-${name}` })
  }
}

export const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise<void>(resolve => setImmediate(resolve))
}
