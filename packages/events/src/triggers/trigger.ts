import type { Env } from '@tiphys/env'
import type { Change } from '@tiphys/journal/records'
import type { Client, OutboundAccess } from '@tiphys/kube'
import type { Problem } from '../problem.ts'
import type { Languages } from '../sensor/languages.ts'
import type { LabelPolicy } from './k8s-policy.ts'
import type { WorkflowControl } from './workflow-control.ts'

/** A type of trigger (`k8s`, `http`, …). Adding one is one file that implements this, and its line in
 *  `triggers/index.ts`. */
export interface TriggerType<Spec = unknown> {
  /** The key in the trigger's template. */
  readonly type: string
  check(spec: Spec): readonly Problem[]
  /** Does what the trigger is for, once. Called again with the same `actionKey` after a crash or for a retry, it must not
   *  double the effect. Throws `RetryableFailure` when trying again may help, `TerminalFailure` when not. */
  execute(spec: Spec, host: TriggerHost): Promise<TriggerOutcome>
}

export interface TriggerHost {
  readonly env: Env
  readonly sensor: { namespace: string; name: string; uid: string }
  readonly trigger: string
  /** Acts as the Sensor's ServiceAccount. */
  readonly client: Client
  /** Equal on every repeat of one action: hash of the Sensor's uid, the trigger and the ids of the events. */
  readonly actionKey: string
  /** The first event's id: the trace that every effect belongs to. */
  readonly trace: string
  /** Events by dependency name, for payloads and parameters. */
  readonly events: Readonly<Record<string, TriggerEvent>>
  /** For the templates in payloads and parameters. */
  readonly languages: Pick<Languages, 'template'>
  readonly policy?: TriggerPolicy
  /** What a manifest may make Tiphys reach beyond the cluster's API. */
  readonly access: Access
  /** What runs Workflows. Without it, triggers that need it are refused. */
  readonly workflows?: WorkflowControl
  readonly signal: AbortSignal
  /** A text about the events without what nobody may read of them; for logs. */
  discreet(text: string): string
  secret(ref: { name?: string; key: string }): Promise<string>
  configMap(ref: { name?: string; key: string }): Promise<string>
}

export interface Access {
  /** Addresses that requests may go to though they are not public. */
  readonly outbound?: OutboundAccess
  /** The folder whose files may be the source of objects. Without it none may. */
  readonly folder?: string
}

/** `policy` of a trigger, as manifests write it: when what was done counts as a success. */
export interface TriggerPolicy {
  status?: { allow?: readonly number[] }
  k8s?: LabelPolicy
}

export interface TriggerEvent {
  context: import('../event.ts').EventContext
  /** JSON. */
  data: string
}

/** What came of it. */
export interface TriggerOutcome {
  /** In words, for the record: `created Deployment default/web`. */
  summary: string
  /** What was written, for the records and for policies. */
  written?: {
    apiVersion: string
    kind: string
    namespace?: string
    name: string
    uid?: string
    resourceVersion?: string
    verb: string
    /** What it changed of an object that was there; nothing for one that was created or deleted. */
    diff?: readonly Change[]
  }[]
  /** The answer of an outside receiver. */
  status?: number
  body?: string
}

/** The shape of a list of parameters, for checks. */
export const PARAMETERS_SHAPE = [
  {
    src: {
      dependencyName: 'string',
      contextKey: 'string',
      contextTemplate: 'string',
      dataKey: 'string',
      dataTemplate: 'string',
      value: 'string',
      useRawData: 'boolean',
    },
    dest: 'string',
    operation: 'string',
  },
] as const
