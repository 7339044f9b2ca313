import type { Env } from '@tiphys/env'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import type { Journal } from '@tiphys/journal'
import type { Recorder } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import type { BusHealth } from '../bus/bus.ts'
import type { Access } from '../triggers/trigger.ts'
import type { WorkflowControl } from '../triggers/workflow-control.ts'
import type { Account } from './account.ts'
import { Engine } from './engine.ts'
import type { Flights } from './flights.ts'
import type { FindPastEvents } from './past-event.ts'
import type { ParkedDelivery } from './sensor-runner.ts'

export interface EventEngineOptions {
  env: Env
  /** The engine's own identity. */
  client: Client
  /** How requests of a ServiceAccount are sent; by impersonation unless told otherwise. */
  actAs?(account: Account): Client
  recorder: Recorder
  /** Opens the durable journal of a bus that is kept on this machine. The name is fit for a file. */
  openJournal(name: string): Promise<Journal>
  /** The namespaces that are served; all, when they are left out. */
  namespaces?: readonly string[]
  /** What manifests may make the engine reach beyond the cluster's API. */
  access?: Access
  /** Where webhooks are served; loopback unless told otherwise. */
  listenHost?: string
  /** What triggers of the type argoWorkflow use. Without it they are refused by name. */
  workflowControl?: WorkflowControl
  /** Runs jq and Lua. Without it Sensors that have such programs say so. Whoever made it closes it, after the engine. */
  scripts?: Pick<ScriptPool, 'run'>
  /** Finds out deliveries that end the process, opened for this engine, which closes it. Without it nobody does. */
  flights?: Flights
  /** Asked when a Replay names events that the bus has no more. Without it only what is on the bus can be sent again. */
  pastEvents?: FindPastEvents
}

/** Runs the EventBuses, EventSources and Sensors of a cluster. One bad object stops nothing but itself, and what is mended
 *  or appears later is taken up without a restart. */
export interface EventEngine {
  /** The first lists are in, and every known source and sensor was started or has its condition. */
  ready(): Promise<void>
  /** Nothing is queued and no trigger is running. What waits for time to pass, or for what it has set off, does not count. */
  settled(): Promise<void>
  isIdle(): boolean
  /** As Prometheus reads it, under upstream's names where they exist. */
  metrics(): string
  /** Publishes a hand-made event of an EventSource's entry; resolves with its id when it is stored. */
  fire(event: { namespace: string; source: string; entry: string; data: string; who: string }): Promise<string>
  /** Deliveries that failed for good and wait for a person. */
  parked(): Promise<readonly ParkedDelivery[]>
  buses(): readonly BusReport[]
  /** Finishes what is under way and begins nothing more; takes no longer than ten seconds. */
  stop(): Promise<void>
}

export interface BusReport {
  namespace: string
  name: string
  /** Why it cannot be used. */
  trouble?: string
  health?: BusHealth
  /** Position of the last event. */
  head?: number
}

export async function startEvents(options: EventEngineOptions): Promise<EventEngine> {
  return new Engine(options)
}
