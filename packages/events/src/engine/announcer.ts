import { asError, type Env } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'

/** Tells people of failures and recoveries, as Kubernetes Events about the object. Never throws and never waits. The same
 *  message about the same object again raises the count of the Event that is there. */
export interface Announcer {
  normal(object: KubeObject, reason: string, message: string): void
  warning(object: KubeObject, reason: string, message: string): void
  isIdle(): boolean
  settled(): Promise<void>
}

const COMPONENT = 'tiphys-events'
/** An Event's message may have so many characters. */
const LONGEST_MESSAGE = 1024
const REMEMBERED = 1000

export function createAnnouncer(client: Client, env: Env): Announcer {
  const known = new Map<string, { name: string; count: number }>()
  let tail = Promise.resolve()
  let underWay = 0

  const store = async (type: 'Normal' | 'Warning', object: KubeObject, reason: string, words: string) => {
    const { name = '', namespace = 'default', uid = '', resourceVersion } = object.metadata
    const message = words.slice(0, LONGEST_MESSAGE)
    const now = new Date(env.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    const key = [uid, type, reason, message].join('\n')
    const before = known.get(key)
    if (before && (await raiseCount(namespace, before, now))) return
    const { apiVersion, kind } = object
    const involved = {
      apiVersion,
      kind,
      namespace,
      name,
      uid,
      ...(resourceVersion !== undefined && { resourceVersion }),
    }
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `${name.slice(0, 200)}.${suffix(env)}` },
      involvedObject: involved,
      type,
      reason,
      message,
      source: { component: COMPONENT },
      reportingComponent: COMPONENT,
      reportingInstance: '',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    }
    const created = await client.create<KubeObject>(event)
    known.delete(key)
    known.set(key, { name: created.metadata.name ?? '', count: 1 })
    if (known.size > REMEMBERED) known.delete(known.keys().next().value as string)
  }

  const raiseCount = async (namespace: string, event: { name: string; count: number }, now: string) => {
    try {
      const patch = { count: event.count + 1, lastTimestamp: now }
      await client.patch({ apiVersion: 'v1', kind: 'Event', namespace, name: event.name }, { type: 'merge', patch })
      event.count++
      return true
    } catch (thrown) {
      if (isNotFound(thrown)) return false
      throw thrown
    }
  }

  const tell = (...event: Parameters<typeof store>) => {
    underWay++
    tail = tail
      .then(() => store(...event))
      .catch(thrown => {
        const [, { kind, metadata }, reason, message] = event
        env.log.warn('an Event could not be stored', {
          object: `${kind} ${metadata.namespace}/${metadata.name}`,
          reason,
          message,
          error: asError(thrown),
        })
      })
      .finally(() => underWay--)
  }

  return {
    normal: (object, reason, message) => tell('Normal', object, reason, message),
    warning: (object, reason, message) => tell('Warning', object, reason, message),
    isIdle: () => underWay === 0,
    settled: () => tail,
  }
}

/** As client-go ends the names of Events: the time in nanoseconds, in hexadecimal; the last digits are random. */
const suffix = ({ clock, random }: Env) =>
  (BigInt(Math.trunc(clock.now())) * 1_000_000n + BigInt(Math.floor(random.next() * 1_000_000))).toString(16)
