import { compareVersions, type KubeObject } from '@tiphys/kube'
import type { Bus } from '../bus/bus.ts'
import { unknownFields } from '../kinds/unknown-fields.ts'
import type { Parked } from '../sensor/action.ts'
import { healthCondition, problemCondition, type Trouble, troubleKey, type WantedCondition } from './condition.ts'
import type { EngineParts } from './engine-parts.ts'
import { planSensor, type SensorPlan } from './sensor-plan.ts'
import { Serial } from './serial.ts'
import { type BusAccess, forgetAll } from './source-runner.ts'
import {
  consumerName,
  fingerprintOf,
  sensorMemory,
  sensorUidOf,
  TriggerRunner,
  triggerMemory,
} from './trigger-runner.ts'

/** How long a trigger that is being carried out may take to end when its Sensor is edited or the engine stops. */
const GRACE_MS = 4000

/** Where on the bus a Sensor began that was made while the engine was running. */
export interface Sighting {
  /** The last event of the bus when the Sensor was first seen; undefined when the bus was not there. */
  head: number | undefined
}

export interface ParkedDelivery extends Parked {
  namespace: string
  sensor: string
  trigger: string
}

/** Runs the triggers of one Sensor. */
export class SensorRunner {
  readonly #parts: EngineParts
  readonly #serial = new Serial()
  readonly #triggers = new Map<string, TriggerRunner>()
  readonly #sighting: Sighting | undefined
  #object: KubeObject
  #bus: Bus | undefined
  /** Why it has no bus. */
  #busTrouble: Trouble | undefined
  /** What is wrong with the bus it has. */
  #runningTrouble: Trouble | undefined
  #missingSources: readonly string[] = []
  #plan: SensorPlan | undefined
  #hasStarted = false

  constructor(object: KubeObject, parts: EngineParts, sighting: Sighting | undefined) {
    this.#object = object
    this.#parts = parts
    this.#sighting = sighting
  }

  get bus(): Bus | undefined {
    return this.#bus
  }

  /** All triggers that can be carried out run. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Something begins or ends to be wrong with the bus it uses. */
  hearOfBus(trouble: Trouble | undefined): void {
    this.#runningTrouble = trouble && { ...trouble, message: `The EventBus is in trouble: ${trouble.message}` }
    this.#tell()
  }

  get triggers(): readonly TriggerRunner[] {
    return [...this.#triggers.values()]
  }

  isIdle(): boolean {
    return this.triggers.every(trigger => trigger.isIdle())
  }

  /** Starts what is new, starts anew what has changed where it was, ends what is gone. The rest goes on. `whyNoSource` says
   *  why nothing comes from an entry of the namespace, if that is known. */
  apply(
    object: KubeObject,
    access: BusAccess,
    whyNoSource: (eventSourceName: string, eventName: string) => string | undefined,
  ): Promise<void> {
    return this.#serial.run(() => this.#apply(object, access, whyNoSource))
  }

  /** Stops the triggers; they go on where they were with the next bus or process. */
  leave(): Promise<void> {
    return this.#serial.run(() => this.#stopAll())
  }

  /** The Sensor is gone, and with it its positions and what it remembers. */
  delete(): Promise<void> {
    return this.#serial.run(async () => {
      const bus = this.#bus
      await this.#stopAll()
      this.#parts.statuses.forget(this.#object)
      if (bus) await freeSensor(bus, this.#object.metadata.uid ?? '')
    })
  }

  async parked(): Promise<ParkedDelivery[]> {
    const { namespace = '', name = '' } = this.#object.metadata
    const lists = await Promise.all(
      this.triggers.map(async trigger =>
        (await trigger.dispatcher.parked()).map(parked => ({
          ...parked,
          namespace,
          sensor: name,
          trigger: trigger.name,
        })),
      ),
    )
    return lists.flat()
  }

  async #apply(
    object: KubeObject,
    access: BusAccess,
    whyNoSource: (eventSourceName: string, eventName: string) => string | undefined,
  ): Promise<void> {
    this.#object = object
    this.#hasStarted = false
    const bus = 'bus' in access ? access.bus : undefined
    const before = this.#bus
    if (before !== bus) await this.#stopAll()
    // It was told to use another one: nobody reads there for it any more. (One that is closed has let go of it before.)
    if (before && bus && before !== bus) await freeSensor(before, object.metadata.uid ?? '')
    this.#bus = bus
    this.#busTrouble = 'trouble' in access ? access.trouble : undefined
    const plan = planSensor(object, this.#parts.triggerTypes)
    this.#plan = plan
    this.#missingSources = plan.dependencies.flatMap(({ name, eventSourceName, eventName }) => {
      const why = whyNoSource(eventSourceName, eventName)
      return why === undefined ? [] : [`${name} waits for ${eventSourceName}/${eventName}, ${why}`]
    })
    if (bus) await this.#startTriggers(plan, bus)
    this.#hasStarted = bus !== undefined
    this.#tell()
  }

  async #startTriggers(plan: SensorPlan, bus: Bus): Promise<void> {
    const { uid = '', name = '' } = this.#object.metadata
    const wanted = new Map(plan.triggers.map(trigger => [trigger.name, trigger]))
    for (const trigger of this.triggers) {
      const next = wanted.get(trigger.name)
      if (next && fingerprintOf(this.#object, next) === trigger.fingerprint) continue
      this.#triggers.delete(trigger.name)
      await trigger.stop(GRACE_MS)
    }
    await this.#freeTriggersBut(bus, this.#namedTriggers())
    const isNew = !bus.consumers.some(consumer => sensorUidOf(consumer) === uid)
    const begin = isNew ? await this.#beginning(bus) : {}
    for (const trigger of wanted.values()) {
      if (this.#triggers.has(trigger.name)) continue
      const runner = await TriggerRunner.start({
        sensor: this.#object,
        plan: trigger,
        options: plan.options,
        bus,
        begin: bus.consumers.includes(consumerName(name, trigger.name, uid)) ? {} : begin,
        parts: this.#parts,
        onTroubles: () => this.#tell(),
      })
      this.#triggers.set(trigger.name, runner)
    }
  }

  /** A new Sensor gets what is published from its creation on. Its watch may tell of it later than another watch tells of
   *  an object that was made after it: such events are on the bus already, and their versions show that they are newer. */
  async #beginning(bus: Bus): Promise<{ from?: number; also?: readonly number[] }> {
    const { creationTimestamp, resourceVersion = '' } = this.#object.metadata
    if (!this.#sighting) return {}
    const from = this.#sighting.head ?? bus.head
    const also: number[] = []
    const since = bus.firstSince(Date.parse(creationTimestamp ?? ''))
    if (since <= from)
      for await (const { position, event } of bus.events(since)) {
        if (position > from) break
        if ((compareVersions(event.object?.resourceVersion ?? '', resourceVersion) ?? -1) > 0) also.push(position)
      }
    return { from, also }
  }

  /** Also those that cannot be carried out as they are now: mended, they go on where they were. */
  #namedTriggers(): ReadonlySet<string> {
    const { triggers } = (this.#object.spec ?? {}) as { triggers?: { template?: { name?: string } }[] }
    return new Set(Array.isArray(triggers) ? triggers.map(trigger => trigger?.template?.name ?? '') : [])
  }

  async #freeTriggersBut(bus: Bus, names: ReadonlySet<string>): Promise<void> {
    const { uid = '', name = '' } = this.#object.metadata
    for (const consumer of bus.consumers) {
      if (sensorUidOf(consumer) !== uid) continue
      const trigger = consumer.slice(name.length + 1, -(uid.length + 1))
      if (names.has(trigger)) continue
      await bus.removeConsumer(consumer)
      await forgetAll(bus, triggerMemory(uid, trigger))
    }
  }

  async #stopAll(): Promise<void> {
    const running = this.triggers
    this.#hasStarted = false
    this.#triggers.clear()
    await Promise.all(running.map(trigger => trigger.stop(GRACE_MS)))
    this.#bus = undefined
    this.#runningTrouble = undefined
  }

  #tell(): void {
    const plan = this.#plan
    if (!plan) return
    const { dependencyProblems, triggerProblems, warnings } = plan
    const missing = this.#missingSources.map(message => ({ path: '', message }))
    const troubles = [
      ...(this.#busTrouble ? [this.#busTrouble] : []),
      ...(this.#runningTrouble ? [this.#runningTrouble] : []),
      ...this.triggers.flatMap(trigger => trigger.troubles),
    ]
    const remarks = [...unknownFields(this.#object), ...warnings]
    const deployed: WantedCondition = this.#busTrouble
      ? { type: 'Deployed', status: 'False', reason: this.#busTrouble.reason, message: this.#busTrouble.message }
      : { type: 'Deployed', status: 'True', reason: 'Running', message: '' }
    this.#parts.statuses.set(this.#object, {
      conditions: [
        problemCondition('DependenciesProvided', [...dependencyProblems, ...missing], {
          good: 'DependenciesProvided',
          bad: dependencyProblems.length > 0 ? 'InvalidDependencies' : 'SourceMissing',
        }),
        problemCondition('TriggersProvided', triggerProblems, { good: 'TriggersProvided', bad: 'InvalidTriggers' }),
        deployed,
        healthCondition(troubles),
        problemCondition('FieldsKnown', remarks, { good: 'AllKnown', bad: 'UnknownFields' }),
      ],
      identity: JSON.stringify([
        [...dependencyProblems, ...triggerProblems].map(({ path }) => path),
        this.#missingSources,
        troubles.map(troubleKey),
      ]),
    })
  }
}

/** Frees what a Sensor that is gone has held back. */
export async function freeSensor(bus: Bus, uid: string): Promise<void> {
  for (const consumer of bus.consumers) if (sensorUidOf(consumer) === uid) await bus.removeConsumer(consumer)
  await forgetAll(bus, sensorMemory(uid))
}
