import {
  type Client,
  type DeleteOptions,
  isAlreadyExists,
  isNotFound,
  type JsonPatchOperation,
  type KubeObject,
  type ObjectRef,
  readYaml,
  type Selection,
  UnknownKindFailure,
} from '@tiphys/kube'
import type { Json } from '../http.ts'
import type { Step } from '../transcript.ts'
import { normaliseObjects } from './normalise-objects.ts'

const PATIENCE_MS = 45_000
const LOOK_AGAIN_MS = 40
/** What has not changed for so many looks in a row is taken for settled. */
const QUIET_LOOKS = 8
/** How long a scenario waits in all for what is quiet, and not yet what it is known to become. */
const PATIENCE_WITH_LATE_MS = 15_000

// oxlint-disable-next-line typescript/no-explicit-any -- a scenario reads objects of every kind by their fields
type Loose = any

/** Whether a step, counted from 0, is what is known of it. */
export type IsKnown = (index: number, step: Step) => boolean

/** A scenario's hands and eyes in its own namespace. Objects are named in words: `apps/v1 Deployment web`; kinds without a
 *  namespace too.
 *
 *  What is recorded has stopped changing. On a busy machine a pause can look like an end, above all for Events, which nobody
 *  waits for: what is quiet but not what `isKnown` wants is looked at for longer before it is taken for a difference. */
export class ClusterSession {
  readonly client: Client
  readonly namespace: string
  readonly steps: Step[] = []
  readonly #isKnown: IsKnown
  #patienceWithLate = PATIENCE_WITH_LATE_MS

  constructor(client: Client, namespace: string, isKnown: IsKnown = () => true) {
    this.client = client
    this.namespace = namespace
    this.#isKnown = isKnown
  }

  async prepare(): Promise<void> {
    await this.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } })
    await this.#until('the default ServiceAccount', () => this.find('v1 ServiceAccount default'), Boolean)
  }

  /** Creates every document, or updates what is there already. What names no namespace goes into the scenario's own. */
  async apply(yaml: string): Promise<void> {
    for (const { value } of await readYaml(yaml.replaceAll('NS', this.namespace))) {
      const object = value as KubeObject
      const { namespaced } = await this.client.resourceFor(object)
      if (namespaced) object.metadata = { namespace: this.namespace, ...object.metadata }
      try {
        await this.client.create(object)
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown
        const { name = '', namespace } = object.metadata
        await this.client.patch(
          { ...object, name, ...(namespace === undefined ? {} : { namespace }) },
          {
            type: 'merge',
            patch: object,
          },
        )
      }
    }
  }

  async get(words: string): Promise<Loose> {
    return this.client.get(await this.#ref(words))
  }

  /** Undefined when it is not there. */
  async find(words: string): Promise<Loose> {
    try {
      return await this.get(words)
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined
      throw thrown
    }
  }

  /** The objects of a kind (`v1 Pod`) in the namespace. */
  async list(words: string, labelSelector?: string): Promise<Loose[]> {
    const { items } = await this.client.list(await this.#selection(words, labelSelector))
    return items
  }

  async merge(words: string, patch: Loose, subresource?: string): Promise<Loose> {
    const options = subresource === undefined ? {} : { subresource }
    return this.client.patch(await this.#ref(words), { type: 'merge', patch }, options)
  }

  async json(words: string, operations: JsonPatchOperation[], subresource?: string): Promise<Loose> {
    const options = subresource === undefined ? {} : { subresource }
    return this.client.patch(await this.#ref(words), { type: 'json', operations }, options)
  }

  async scale(words: string, replicas: number): Promise<void> {
    await this.client.patch(
      await this.#ref(words),
      { type: 'merge', patch: { spec: { replicas } } },
      { subresource: 'scale' },
    )
  }

  async delete(words: string, options?: DeleteOptions): Promise<void> {
    await this.client.delete(await this.#ref(words), options)
  }

  /** Waits until the object is as wanted. */
  async until(words: string, isWanted: (object: Loose) => unknown): Promise<Loose> {
    return this.#until(
      words,
      () => this.find(words),
      object => object !== undefined && isWanted(object),
    )
  }

  /** Waits until the objects of a kind are as wanted. */
  async untilAll(words: string, isWanted: (objects: Loose[]) => unknown, labelSelector?: string): Promise<Loose[]> {
    return this.#until(words, () => this.list(words, labelSelector), isWanted)
  }

  /** Waits until the server's discovery has the kind. */
  async untilKnown(kind: { apiVersion: string; kind: string }): Promise<void> {
    const isKnown = () =>
      this.client.resourceFor(kind).then(
        () => true,
        thrown => {
          if (thrown instanceof UnknownKindFailure) return false
          throw thrown
        },
      )
    await this.#until(`the kind ${kind.kind}`, isKnown, Boolean)
  }

  /** Waits until something that the scenario looks at is as wanted. */
  async untilValue(what: string, isWanted: () => Promise<boolean>): Promise<void> {
    await this.#until(what, isWanted, Boolean)
  }

  async untilGone(words: string): Promise<void> {
    await this.#until(
      `${words} to be gone`,
      () => this.find(words),
      object => object === undefined,
    )
  }

  /** Waits until an Event with this reason is there. */
  async untilEvent(reason: string): Promise<void> {
    await this.untilAll('v1 Event', events => events.some(event => event.reason === reason))
  }

  /** Records the object, or that it is not there, when it has stopped changing. */
  async record(words: string): Promise<void> {
    await this.#record(words, async () => {
      const object = await this.find(words)
      return object === undefined ? [] : [object]
    })
  }

  /** Records all objects of a kind, in an order that does not depend on generated names. */
  async recordAll(words: string, labelSelector?: string): Promise<void> {
    await this.#record(`every ${words}`, () => this.list(words, labelSelector))
  }

  /** Records who said what about an object: type, reason, message and source of its Events. */
  async recordEvents(kind: string, name?: string): Promise<void> {
    await this.#record(`Events of ${kind} ${name ?? ''}`.trim(), async () => {
      const events = await this.list('v1 Event')
      return events
        .filter(
          event => event.involvedObject.kind === kind && (name === undefined || event.involvedObject.name === name),
        )
        .map(({ type, reason, message, source, reportingComponent, involvedObject }: Loose) => ({
          type,
          reason,
          message,
          from: source?.component ?? reportingComponent,
          about: { kind: involvedObject.kind, name: involvedObject.name },
        }))
    })
  }

  /** Records a value that the scenario has waited for, or that cannot change any more. */
  note(what: string, value: Json): void {
    this.steps.push({ request: what, status: 0, body: value })
  }

  /** Records a value that the scenario computes from what is there, when it has stopped changing. */
  async recordValue(what: string, read: () => Promise<Json>): Promise<void> {
    await this.#settle(what, read, body => ({ request: what, status: 0, body }))
  }

  /** Records a value computed from the objects of a kind. */
  async recordOf(what: string, words: string, compute: (objects: Loose[]) => Json): Promise<void> {
    await this.recordValue(what, async () => compute(await this.list(words)))
  }

  async close(): Promise<void> {
    await this.client.delete({ apiVersion: 'v1', kind: 'Namespace', name: this.namespace }).catch(() => {
      // A scenario may have deleted its own namespace.
    })
  }

  async #record(what: string, read: () => Promise<Loose[]>): Promise<void> {
    await this.#settle(what, read, async objects => {
      const hashes = await this.#hashes()
      const body = normaliseObjects(objects as Json[], { namespace: this.namespace, hashes })
      return { request: what, status: objects.length, body }
    })
  }

  async #settle<T>(what: string, read: () => Promise<T>, stepOf: (value: T) => Step | Promise<Step>): Promise<void> {
    let before = ''
    let quiet = 0
    let quietSince: number | undefined
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const value = await read()
      const text = JSON.stringify(value)
      quiet = text === before ? quiet + 1 : 0
      before = text
      const now = performance.now()
      if (quiet >= QUIET_LOOKS) {
        quietSince ??= now
        const step = await stepOf(value)
        const waited = now - quietSince
        if (this.#isKnown(this.steps.length, step) || waited > this.#patienceWithLate) {
          this.#patienceWithLate = Math.max(0, this.#patienceWithLate - waited)
          this.steps.push(step)
          return
        }
      } else if (now > deadline) {
        throw new Error(`waited in vain for ${what} to settle in ${this.namespace}; the last was ${text}`)
      }
      await lookAgain()
    }
  }

  /** Parts of names that are computed from templates or drawn by chance. */
  async #hashes(): Promise<string[]> {
    const sets = await this.list('apps/v1 ReplicaSet')
    const revisions = await this.list('apps/v1 ControllerRevision')
    return [
      ...sets.map(({ metadata }) => metadata.labels?.['pod-template-hash']),
      ...revisions.map(
        ({ metadata }) =>
          metadata.labels?.['controller-revision-hash'] ?? metadata.labels?.['controller.kubernetes.io/hash'],
      ),
      ...revisions.map(({ metadata }) => metadata.name.slice(metadata.name.lastIndexOf('-') + 1)),
    ].filter(hash => hash !== undefined)
  }

  async #until<T>(what: string, read: () => Promise<T>, isWanted: (value: T) => unknown): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const value = await read()
      if (isWanted(value)) return value
      if (performance.now() > deadline)
        throw new Error(`waited in vain for ${what} in ${this.namespace}; the last was ${JSON.stringify(value)}`)
      await lookAgain()
    }
  }

  async #ref(words: string): Promise<ObjectRef> {
    const [apiVersion = '', kind = '', name = ''] = words.split(' ')
    const { namespaced } = await this.client.resourceFor({ apiVersion, kind })
    return {
      apiVersion,
      kind,
      name: name.replaceAll('NS', this.namespace),
      ...(namespaced ? { namespace: this.namespace } : {}),
    }
  }

  async #selection(words: string, labelSelector: string | undefined): Promise<Selection> {
    const { name: _none, ...selection } = await this.#ref(words)
    return { ...selection, ...(labelSelector === undefined ? {} : { labelSelector }) }
  }
}

const lookAgain = () => new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
