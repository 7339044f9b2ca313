import type {
  ArchiveStatus,
  Attention,
  AuditItem,
  Completion,
  Counters,
  EventItem,
  Flow,
  HealthItem,
  Hit,
  KindItem,
  LogPart,
  ObjectHistory,
  ObjectItem,
  Page,
  ParkedGroup,
  ParkedItem,
  Relatives,
  Row,
  RunDetail,
  RunGroup,
  RunItem,
  Trace,
  WriteItem,
} from '@tiphys/archive'
import type { ObjectReference, RunReference } from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'
import type { ArtifactState } from './artifact.ts'
import type { LiveMessage, LiveUpdate } from './live.ts'
import type { BusReport, Figures, LintFinding, Rehearsal, RehearsedTrigger } from './workshop.ts'

/** What every route answers with, but for those that send a file. The compiler holds the handlers to it; `data/answers.json` and
 *  with it the OpenAPI document are made from it, sentences included. */
export interface Answers {
  'GET /session': SessionDetail
  'POST /session': SignedIn
  'DELETE /session': Nothing
  'GET /poll': LiveUpdate
  'GET /overview': Overview
  'GET /parked': readonly ParkedGroup[]
  'GET /parked/:fingerprint': Page<ParkedItem>
  'GET /health': readonly HealthItem[]
  'GET /health-history': Page<HealthItem>
  'GET /audit': Page<AuditItem>
  'GET /complete': readonly Completion[]
  'GET /status': ArchiveState
  'GET /events': Page<EventItem>
  'GET /sensors/:namespace/:name/events': Page<EventItem>
  'GET /events/:id': Trace
  'GET /events/:id/relatives': { ancestors: Relatives; descendants: Relatives }
  'POST /events/:namespace/:discriminator': Submitted
  'POST /events/:namespace/': Submitted
  'GET /runs': Page<RunItem>
  'GET /run-groups': readonly RunGroup[]
  'GET /runs/:namespace/:name': RunDetail
  'GET /runs/:namespace/:name/manifest': Manifest
  'GET /runs/:namespace/:name/logs/:step/:container': LogPart
  'GET /runs/:namespace/:name/artifacts/:step': readonly ArtifactState[]
  'GET /pod-events/:namespace/:pod': readonly PodEvent[]
  'GET /kinds': readonly KindItem[]
  'GET /objects': Page<ObjectItem>
  'GET /objects/:gvk/:namespace/:name': ObjectDetail
  'GET /writes/:write': WriteItem
  'GET /search': Page<Hit>
  'GET /templates': ClusterList
  'GET /pipeline': ClusterList
  'GET /replays': ClusterList
  'GET /operators': ClusterList
  'GET /templates/:kind/:namespace/:name': ClusterObject
  'GET /pipeline/:kind/:namespace/:name': ClusterObject
  'GET /replays/:kind/:namespace/:name': ClusterObject
  'GET /operators/:kind/:namespace/:name': ClusterObject
  'GET /access': Access
  'POST /actions/replay/preview': ReplayPreview
  'POST /actions/replay': { objects: readonly ObjectName[]; count: number }
  'POST /actions/cancel': Nothing
  'POST /actions/retry': KubeObject
  'POST /actions/discard': KubeObject
  'POST /actions/fire': { id: string }
  'POST /actions/import': Imported
  'POST /actions/submit': KubeObject
  'POST /actions/run': readonly RunActionResult[]
  'POST /rehearsals': RehearsalDetail
  'POST /lint': readonly LintFinding[]
  'GET /buses': readonly BusReport[]
  'GET /figures': readonly Figures[]
  /** Over the WebSocket, from the server. */
  live: LiveMessage
  /** Of every route that refuses. */
  error: ErrorAnswer
}

/** What a route answers with; nothing when it sends a file by itself. */
export type AnswerOf<Key extends string> = Key extends keyof Answers ? Answers[Key] : void

export type Nothing = Record<string, never>

/** Why a request was refused, for a person to read. */
export interface ErrorAnswer {
  /** Stable; listed in docs/errors.md. */
  code: string
  what: string
  why?: string
  /** What helps. */
  todo?: string
  /** More for a program: the `permission` that is missing, what came of each part. */
  details?: Readonly<Record<string, unknown>>
}

export interface SessionDetail {
  user: string
  groups: readonly string[]
  /** Whether there is one token for this machine, or the cluster knows people. */
  mode: 'local' | 'cluster'
  version: string
  /** Those of which something can be seen. */
  namespaces: readonly string[]
  /** What runs beside this console. */
  can: { fire: boolean; control: boolean; rehearse: boolean }
}

export interface SignedIn {
  user: string
}

export interface Overview {
  /** What needs somebody, the most urgent first. */
  attention: readonly (Attention | FailedRun | FailingSensor)[]
  counters: Counters
  flow: Flow
  archive: Pick<ArchiveStatus, 'state' | 'lag' | 'lagMs' | 'problem' | 'gaps'>
}

/** How far the archive is and what is missing, for everybody. How much is in it, where it begins and where it ends say what goes on in
 *  all namespaces: they are left out for whoever may not see everything. */
export interface ArchiveState
  extends Pick<ArchiveStatus, 'database' | 'schema' | 'lag' | 'lagMs' | 'state' | 'problem' | 'gaps' | 'retention'>,
    Partial<
      Pick<
        ArchiveStatus,
        'position' | 'head' | 'bytes' | 'records' | 'events' | 'runs' | 'oldestAt' | 'newestAt' | 'unknown'
      >
    > {}

/** A sensor at which events ended because it could not decide. */
export interface FailingSensor {
  type: 'failing'
  title: string
  detail: string
  count: number
  at: number
  /** The list of them. */
  events: string
}

/** A run that failed as no other did. */
export interface FailedRun {
  type: 'failing'
  title: string
  detail: string
  count: number
  at: number
  fingerprint: string
  run: RunReference
}

export interface ObjectName {
  namespace: string
  name: string
}

/** What the WorkflowEventBindings made of an event. */
export interface Submitted {
  submitted: readonly { binding: string; workflow?: string; problem?: string }[]
}

/** An object as the cluster has it now, or why it cannot be shown. */
export type Manifest = { yaml: string; object: KubeObject } | { missing: string }

/** An Event of the cluster about a pod. */
export interface PodEvent {
  /** When it last happened, where it says so. */
  at?: number
  type?: string
  reason?: string
  message?: string
  count: number
}

export interface ObjectDetail {
  reference: ObjectReference
  /** What the archive knows of it. */
  history?: ObjectHistory
  present: Manifest
  /** Nearest first. */
  owners: readonly ObjectReference[]
  owned: readonly ObjectReference[]
}

export interface ClusterList {
  /** Without managedFields. */
  items: readonly KubeObject[]
  /** The kinds that could not be listed. */
  problems: readonly { kind: string; why: string }[]
}

export interface ClusterObject {
  object: KubeObject
  yaml: string
  /** When a CronWorkflow starts its next run, as far as an engine runs beside this console. */
  nextAt?: number
}

export interface Access {
  user: string
  groups: readonly string[]
  actions: readonly AccessVerdict[]
  reads: readonly AccessVerdict[]
}

export interface AccessVerdict {
  action: string
  /** What it lets somebody do, in words. */
  did: string
  permission: Permission
  /** The permission in words. */
  words: string
  /** `unknown`: the cluster could not be asked. */
  answer: 'allowed' | 'denied' | 'unknown'
  why?: string
}

/** Something that RBAC grants or does not. */
export interface Permission {
  verb: string
  group: string
  resource: string
  subresource?: string
  /** All of them, when it is left out. */
  namespace?: string
  name?: string
}

export interface ReplayPreview {
  count: number
  /** There are more than one replay takes. */
  isCut: boolean
  sample: readonly Row<EventItem>[]
  sources: readonly { name: string; count: number }[]
  /** How many runs they started when they were new. */
  runs: number
}

export interface Imported {
  records: number
  /** They were there already. */
  skipped: number
  /** The events among the records. */
  events: readonly string[]
}

export interface RunActionResult extends ObjectName {
  /** The run that was made. */
  made?: string
  /** Why nothing was done to this one. */
  problem?: string
}

export interface RehearsalDetail extends Omit<Rehearsal, 'triggers'> {
  triggers: readonly RehearsalTrigger[]
}

export interface RehearsalTrigger extends Omit<RehearsedTrigger, 'sends'> {
  /** As YAML. */
  sends?: string
}
