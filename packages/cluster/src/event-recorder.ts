import { asError, type Env } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { Event } from '@tiphys/kube/kinds'
import { isNamespaceTerminating } from './controllers/namespace/active.ts'
import { formatTime } from './timestamp.ts'

/** What an Event is about. */
export interface Involved {
  apiVersion: string
  kind: string
  metadata: { name?: string; namespace?: string; uid?: string; resourceVersion?: string }
}

/** Tells people what happened to an object, as Kubernetes Events. It never throws and never waits: an Event that cannot
 *  be stored is logged instead. The same message about the same object again raises the stored Event's count. */
export interface EventRecorder {
  normal(involved: Involved, reason: string, message: string, fieldPath?: string): void
  warning(involved: Involved, reason: string, message: string, fieldPath?: string): void
  /** Everything recorded so far is stored, or was given up. */
  isIdle(): boolean
  /** Resolves when everything recorded so far is stored, or was given up. */
  settled(): Promise<void>
}

/** How many Events are remembered for counting. */
const REMEMBERED = 4096

interface Remembered {
  name: string
  count: number
}

/** `component` is who speaks (`deployment-controller`, `kubelet`), `host` on which node. */
export function createEventRecorder(client: Client, env: Env, component: string, host?: string): EventRecorder {
  const remembered = new Map<string, Remembered>()
  let tail = Promise.resolve()
  let underWay = 0

  const store = async (type: 'Normal' | 'Warning', involved: Involved, reason: string, message: string, path = '') => {
    const { name = '', namespace = 'default', uid = '' } = involved.metadata
    const now = formatTime(env.clock.now())
    const key = [type, involved.kind, namespace, name, uid, reason, message, path].join('\n')
    const known = remembered.get(key)
    if (known && (await raiseCount(client, namespace, known, now))) return
    const event = {
      ...kindRef<Event & KubeObject>('v1', 'Event'),
      metadata: { namespace, name: `${name}.${nanoseconds(env)}` },
      involvedObject: {
        apiVersion: involved.apiVersion,
        kind: involved.kind,
        ...(involved.metadata.namespace === undefined ? {} : { namespace: involved.metadata.namespace }),
        name,
        uid,
        ...(involved.metadata.resourceVersion === undefined
          ? {}
          : { resourceVersion: involved.metadata.resourceVersion }),
        ...(path === '' ? {} : { fieldPath: path }),
      },
      type,
      reason,
      message,
      source: { component, ...(host === undefined ? {} : { host }) },
      reportingComponent: component,
      reportingInstance: host ?? '',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    } as Event & KubeObject
    const created = await client.create(event, { readsOnly: true })
    remembered.delete(key)
    remembered.set(key, { name: created.metadata.name ?? '', count: 1 })
    if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value as string)
  }

  const record = (...event: Parameters<typeof store>) => {
    underWay++
    tail = tail
      .then(() => store(...event))
      .catch(thrown => {
        const [type, { kind, metadata }, reason, message] = event
        // What happens in a namespace on its way out is told to nobody: its Events go with it.
        const level = isNamespaceTerminating(thrown) ? 'debug' : 'warn'
        env.log[level]('an Event could not be stored', {
          type,
          object: `${kind} ${metadata.namespace}/${metadata.name}`,
          reason,
          message,
          error: asError(thrown),
        })
      })
      .finally(() => underWay--)
  }

  return {
    normal: (involved, reason, message, fieldPath) => record('Normal', involved, reason, message, fieldPath),
    warning: (involved, reason, message, fieldPath) => record('Warning', involved, reason, message, fieldPath),
    isIdle: () => underWay === 0,
    settled: () => tail,
  }
}

/** False when the Event is gone by now. */
async function raiseCount(client: Client, namespace: string, known: Remembered, now: string): Promise<boolean> {
  try {
    const patch = { count: known.count + 1, lastTimestamp: now }
    await client.patch({ ...kindRef('v1', 'Event'), namespace, name: known.name }, { type: 'merge', patch })
    known.count++
    return true
  } catch (thrown) {
    if (isNotFound(thrown)) return false
    throw thrown
  }
}

/** A name's ending, as client-go makes it: the time in nanoseconds, in hexadecimal; the last digits are random. */
const nanoseconds = ({ clock, random }: Env) =>
  (BigInt(Math.trunc(clock.now())) * 1_000_000n + BigInt(Math.floor(random.next() * 1_000_000))).toString(16)
