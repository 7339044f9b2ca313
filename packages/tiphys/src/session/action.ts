import { delay, systemClock, TerminalFailure } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import { INTERRUPTED, type Invocation } from '../command.ts'
import type { History } from './instance.ts'
import { findEventId, mayBeEventId } from './subject.ts'
import { whoAmI } from './who-am-i.ts'

const API_VERSION = 'tiphys.dev/v1alpha1'
const LOOK_EVERY_MS = 100

export type ActionKind = 'Replay' | 'Retry' | 'Discard'

interface ActionStatus {
  phase?: string
  total?: number
  done?: number
  refused?: number
  message?: string
}

interface ActionRequest {
  kind: ActionKind
  namespace: string
  spec: Readonly<Record<string, unknown>>
}

async function createAction(client: Client, { kind, namespace, spec }: ActionRequest): Promise<string> {
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
  return created.metadata.name ?? ''
}

/** What a Replay of these events would send, and why not the others: the engine knows what is still on the bus. Nothing of it stays. */
export async function countReplay(
  { interrupted }: Pick<Invocation, 'interrupted'>,
  client: Client,
  { namespace, spec }: Omit<ActionRequest, 'kind'>,
): Promise<{ refused: number; message: string }> {
  const name = await createAction(client, { kind: 'Replay', namespace, spec: { ...spec, mode: 'Count' } })
  const ref = { apiVersion: API_VERSION, kind: 'Replay', namespace, name }
  const { refused = 0, message = '' } = await ended(client, ref, interrupted, () => {})
  // It is gone already, or nobody may remove it: either way it has ended and does nothing.
  await client.delete(ref).catch(() => {})
  return { refused, message }
}

/** Does what a person asks for: an object that the engine carries out, so that RBAC and audit see it. Unless told
 *  otherwise it waits for the end. */
export async function performAction(
  { flags, terminal, interrupted }: Invocation,
  client: Client,
  { kind, namespace, spec }: ActionRequest,
): Promise<number> {
  const name = await createAction(client, { kind, namespace, spec })
  const { out } = terminal
  if (flags['no-wait'] === true) {
    out.print(flags.json === true ? JSON.stringify({ kind, namespace, name }) : `${kind} ${namespace}/${name} created`)
    return 0
  }
  let status: ActionStatus = {}
  const pinned = flags.json === true ? undefined : terminal.pin(() => [describe(kind, status)])
  const ref = { apiVersion: API_VERSION, kind, namespace, name }
  status = await ended(client, ref, interrupted, seen => {
    status = seen
    pinned?.renew()
  }).finally(() => pinned?.remove())
  const { phase } = status
  if (flags.json === true) out.print(JSON.stringify({ kind, namespace, name, ...status }))
  else out.print(describe(kind, status))
  if (hasEnded(status)) return phase === 'Succeeded' ? 0 : 1
  terminal.err.print(
    `It goes on without this command; kubectl delete ${kind.toLowerCase()} ${name} -n ${namespace} ends it`,
  )
  return INTERRUPTED
}

function describe(kind: ActionKind, { phase = 'Pending', done = 0, total = 0, message = '' }: ActionStatus): string {
  return `${kind} ${phase.toLowerCase()}: ${done} of ${total}${message === '' ? '' : `: ${message}`}`
}

const ENDS = ['Succeeded', 'Failed', 'Deleted']
const hasEnded = ({ phase = '' }: ActionStatus) => ENDS.includes(phase)

async function ended(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
  signal: AbortSignal,
  onSeen: (status: ActionStatus) => void,
): Promise<ActionStatus> {
  let last: ActionStatus = {}
  for (;;) {
    // Whoever is interrupted is told how far it is then.
    const isLastLook = signal.aborted
    const found = await client.get<KubeObject>(ref).catch(thrown => {
      if (!isNotFound(thrown)) throw thrown
    })
    if (!found) return { ...last, phase: 'Deleted', message: 'somebody has deleted it, and what was left is not done' }
    last = found.status ?? {}
    if (hasEnded(last) || isLastLook) return last
    onSeen(last)
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
  if (!mayBeEventId(subject)) return []
  const known = await history()
  const id = await findEventId(known, subject)
  if (id === undefined) return []
  const trace = await known.trace(id)
  const parked = (trace?.outcomes ?? []).filter(({ state }) => state === 'parked')
  if (parked.length === 0)
    throw new TerminalFailure('cli-nothing-parked', {
      what: trace ? `no delivery of the event ${subject} waits for a person` : `there is no event ${subject}`,
      todo: trace ? 'Send the event again with tiphys replay' : 'tiphys events status:parked lists those that wait',
    })
  return parked.map(({ trigger: { namespace, name, part } }) => ({
    namespace,
    spec: { sensor: name, trigger: part, events: [id] },
  }))
}
