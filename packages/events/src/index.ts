export type { Bus, BusHealth, Consumer, Memory } from './bus/bus.ts'
export { BusFull } from './bus/bus-failures.ts'
export { type BusLimits, type BusOptions, openBus } from './bus/journal-bus.ts'
export { scopedMemory } from './bus/scoped-memory.ts'
export { type BusReport, type EventEngine, type EventEngineOptions, startEvents } from './engine/event-engine.ts'
export { type Flights, openFlights } from './engine/flights.ts'
export type { FindPastEvents, PastEvent } from './engine/past-event.ts'
export { type Rehearsal, type RehearsedEvent, rehearse } from './engine/rehearsal.ts'
export type { ParkedDelivery } from './engine/sensor-runner.ts'
export type { Event, EventContext } from './event.ts'
export { eventId } from './event-id.ts'
export { eventDefinitions } from './kinds/definitions.ts'
export { unknownFields } from './kinds/unknown-fields.ts'
export type { Finding, LintDocument } from './lint/finding.ts'
export { lintManifests } from './lint/lint.ts'
export type { Problem } from './problem.ts'
export { createHttpHost, type HttpHost, type HttpHostOptions, type HttpLimits } from './sources/http-host.ts'
export { type SourceEntries, type SourceEntry, sourceEntries } from './sources/index.ts'
export { resourceSource } from './sources/resource-source.ts'
export type { ResourceSpec } from './sources/resource-spec.ts'
export type {
  HeaderValues,
  HttpAnswer,
  HttpRoute,
  IncomingWebhook,
  RunningSource,
  SourceHealth,
  SourceHost,
  SourceType,
} from './sources/source.ts'
export { type ArgoWorkflowSpec, argoWorkflowTrigger } from './triggers/argo-workflow-trigger.ts'
export { createTriggerTypes, triggerOf, UNSUPPORTED_TRIGGERS } from './triggers/index.ts'
export { type K8sSpec, k8sTrigger, type WriteSpec, writeObject } from './triggers/k8s-trigger.ts'
export type {
  Access,
  TriggerEvent,
  TriggerHost,
  TriggerOutcome,
  TriggerPolicy,
  TriggerType,
} from './triggers/trigger.ts'
export type * from './triggers/workflow-control.ts'
