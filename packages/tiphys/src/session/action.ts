import { delay, systemClock, TerminalFailure } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import type { Invocation } from '../command.ts'
import type { History } from './instance.ts'
import { isEventId } from './subject.ts'
import { whoAmI } from './who-am-i.ts'

const API_VERSION = 'tiphys.dev/v1alpha1'
const LOOK_EVERY_MS = 100

export type ActionKind = 'Replay' | 'Retry' | 'Discard'

interface ActionStatus {
  phase?: string
  total?: number
  done?: number
  message?: string
}

/** Does what a person asks for: an object that the engine carries out, so that RBAC and audit see it. Unless told
 *  otherwise it waits for the end. */
export async function performAction(
  { flags, terminal, interrupted }: Invocation,
  client: Client,
  action: { kind: ActionKind; namespace: string; spec: Readonly<Record<string, unknown>> },
): Promise<number> {
  const { kind, namespace, spec } = action
  const created = await client.create<KubeObject>({
    apiVersion: API_VERSION,
    kind,
    metadata: {
      namespace,
      generateName: `${kind.toLowerCase()}-`,
      annotations: { 'tiphys.dev/made-by': await whoAmI(client) },
    },
    spec,
  })
  const name = created.metadata.name ?? ''
  const { out } = terminal
  if (flags['no-wait'] === true) {
    out.print(flags.json === true ? JSON.stringify({ kind, namespace, name }) : `${kind} ${namespace}/${name} created`)
    return 0
  }
  const status = await ended(client, { apiVersion: API_VERSION, kind, namespace, name }, interrupted)
  const { phase = 'Pending', done = 0, total = 0, message } = status
  if (flags.json === true) out.print(JSON.stringify({ kind, namespace, name, ...status }))
  else
    out.print(
      `${kind} ${phase.toLowerCase()}: ${done} of ${total}${message === undefined || message === '' ? '' : `: ${message}`}`,
    )
  return phase === 'Failed' ? 1 : 0
}

async function ended(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
  signal: AbortSignal,
): Promise<ActionStatus> {
  for (;;) {
    const { status = {} } = (await client.get(ref)) as { status?: ActionStatus }
    if (status.phase === 'Succeeded' || status.phase === 'Failed' || signal.aborted) return status
    await delay(systemClock, LOOK_EVERY_MS, signal).catch(() => {}) // Interrupted: it goes on without us.
  }
}

/** The deliveries of `sensor/NAME[/TRIGGER]`, or the parked ones of an event. */
export async function parkedTargets(
  subject: string,
  namespace: string,
  history: () => Promise<History>,
): Promise<{ namespace: string; spec: Record<string, unknown> }[]> {
  const [, sensor, trigger] = /^sensor\/([^/]+)(?:\/(.+))?$/i.exec(subject) ?? []
  if (sensor !== undefined) return [{ namespace, spec: { sensor, ...(trigger !== undefined && { trigger }) } }]
  if (!isEventId(subject)) return []
  const trace = await (await history()).trace(subject)
  const parked = (trace?.outcomes ?? []).filter(({ state }) => state === 'parked')
  if (parked.length === 0)
    throw new TerminalFailure('cli-nothing-parked', {
      what: trace ? `no delivery of the event ${subject} waits for a person` : `there is no event ${subject}`,
      todo: trace ? 'Send the event again with tiphys replay' : 'tiphys events status:parked lists those that wait',
    })
  return parked.map(({ trigger: { namespace, name, part } }) => ({
    namespace,
    spec: { sensor: name, trigger: part, events: [subject] },
  }))
}
