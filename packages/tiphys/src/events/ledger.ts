import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KubeObject } from '@tiphys/kube'

/** One delivery, as the receiver saw it. */
export interface Delivery {
  /** Equal for every repeat of one action. */
  key: string
  id: string
  type: string
  name: string
  uid: string
  resourceVersion: string
}

/** For tests: an outside receiver of events that writes down every request. It knows what was written to the cluster, and so
 *  what must have come. */
export class Ledger {
  readonly deliveries: Delivery[] = []
  answersAfterMs = 0
  readonly #server: Server
  readonly #waiting = new Set<() => void>()

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Omit<Delivery, 'key'>
        const delivery = { ...body, key: String(request.headers['idempotency-key']) }
        this.deliveries.push(delivery)
        for (const wake of this.#waiting) wake()
        // Later, so that there are always some under way.
        setTimeout(() => response.writeHead(200).end('ok'), this.answersAfterMs)
      })
    })
  }

  static async open(): Promise<Ledger> {
    const ledger = new Ledger()
    ledger.#server.listen(0, '127.0.0.1')
    await once(ledger.#server, 'listening')
    return ledger
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** Resolves when so many have come since the call. */
  async more(count: number): Promise<void> {
    const until = this.deliveries.length + count
    await this.until(() => this.deliveries.length >= until)
  }

  async until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return
    await new Promise<void>(resolve => {
      const look = () => {
        if (!isTrue()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
    })
  }

  /** How many came more than once. */
  get repeats(): number {
    return this.deliveries.length - new Set(this.deliveries.map(({ key }) => key)).size
  }

  missing(present: readonly KubeObject[]): string[] {
    return missingFrom(this.deliveries, present)
  }

  contradictions(): string[] {
    return contradictionsIn(this.deliveries)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

/** What has not come yet of the last state of every object that is there, and of the ends of those that came and are not. */
export function missingFrom(deliveries: readonly Delivery[], present: readonly KubeObject[]): string[] {
  const came = new Set(
    deliveries.map(({ type, uid, resourceVersion }) => `${uid} ${type === 'DELETE' ? type : resourceVersion}`),
  )
  const uids = new Set(present.map(({ metadata }) => metadata.uid))
  const states = present
    .filter(({ metadata }) => !came.has(`${metadata.uid} ${metadata.resourceVersion}`))
    .map(({ metadata }) => `the last state of ${metadata.name}`)
  const ends = new Map(
    deliveries
      .filter(({ uid }) => !uids.has(uid) && !came.has(`${uid} DELETE`))
      .map(({ uid, name }) => [uid, `the end of ${name} (${uid})`]),
  )
  return [...states, ...ends.values()]
}

/** What must never be: one change under two ids, one id for two changes, and changes of one object out of order. */
export function contradictionsIn(deliveries: readonly Delivery[]): string[] {
  const found: string[] = []
  const ids = new Map<string, string>()
  const changes = new Map<string, string>()
  const first = new Map<string, Delivery>()
  for (const delivery of deliveries) {
    const change = `${delivery.uid} ${delivery.type === 'DELETE' ? 'DELETE' : delivery.resourceVersion}`
    if ((ids.get(change) ?? delivery.id) !== delivery.id) found.push(`${change} came as two events`)
    if ((changes.get(delivery.id) ?? change) !== change) found.push(`the event ${delivery.id} is two changes`)
    ids.set(change, delivery.id)
    changes.set(delivery.id, change)
    if (!first.has(delivery.id)) first.set(delivery.id, delivery)
  }
  const last = new Map<string, Delivery>()
  for (const delivery of first.values()) {
    const before = last.get(delivery.name)
    if (before && !isAfter(delivery, before)) found.push(`${words(delivery)} came after ${words(before)}`)
    last.set(delivery.name, delivery)
  }
  return found
}

/** An object ends before the next one of its name begins; before that its versions rise. */
function isAfter(delivery: Delivery, before: Delivery): boolean {
  if (delivery.uid !== before.uid) return before.type === 'DELETE' && delivery.type === 'ADD'
  if (before.type === 'DELETE') return false
  return delivery.type === 'DELETE' || Number(delivery.resourceVersion) > Number(before.resourceVersion)
}

const words = ({ type, name, uid, resourceVersion }: Delivery) => `${type} of ${name} ${uid} at ${resourceVersion}`
