import type { Env } from '@tiphys/env'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import type { Recorder } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import type { Languages } from '../sensor/languages.ts'
import type { HttpHost } from '../sources/http-host.ts'
import type { Access, TriggerType } from '../triggers/trigger.ts'
import type { WorkflowControl } from '../triggers/workflow-control.ts'
import type { Account } from './account.ts'
import type { Flights } from './flights.ts'
import type { Metrics } from './metrics.ts'
import type { StatusWriter } from './status-writer.ts'
import type { Trail } from './trail.ts'
import type { WorkflowCompletion } from './workflow-completion.ts'

/** What everything that runs in one engine shares. */
export interface EngineParts {
  readonly env: Env
  /** Clients that act as ServiceAccounts. */
  accounts(account: Account): Client
  readonly http: HttpHost
  readonly statuses: StatusWriter
  readonly metrics: Metrics
  readonly trail: Trail
  /** What nobody may read of a payload. */
  readonly secretsIn: Recorder['secretsIn']
  readonly flights: Flights
  readonly languages: Languages
  readonly scripts: Pick<ScriptPool, 'run'>
  readonly triggerTypes: ReadonlyMap<string, TriggerType>
  readonly access: Access
  readonly workflows: WorkflowControl | undefined
  readonly completion: WorkflowCompletion
}
