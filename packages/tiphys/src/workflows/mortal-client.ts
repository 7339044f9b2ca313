import type { Client, KubeObject } from '@tiphys/kube'

/** A process that dies: at its nth write, before the server has it or after. Nothing it does afterwards has an effect. */
export class Mortality {
  writes = 0
  isDead = false
  readonly died: Promise<void>
  readonly #at: number
  readonly #when: 'before' | 'after'
  readonly #die: () => void

  constructor(at: number, when: 'before' | 'after') {
    this.#at = at
    this.#when = when
    let die = () => {}
    this.died = new Promise(resolve => {
      die = resolve
    })
    this.#die = () => {
      this.isDead = true
      die()
    }
  }

  async write<T>(call: () => Promise<T>): Promise<T> {
    this.check()
    const isLast = ++this.writes === this.#at
    if (isLast && this.#when === 'before') this.#die()
    this.check()
    const answer = await call()
    if (isLast) this.#die()
    this.check()
    return answer
  }

  async read<T>(call: () => Promise<T>): Promise<T> {
    this.check()
    const answer = await call()
    this.check()
    return answer
  }

  check(): void {
    if (this.isDead) throw new Error('the process is dead')
  }
}

/** For tests: the client of a process that dies. */
export function mortalClient(client: Client, life: Mortality): Client {
  return {
    get: (ref, options) => life.read(() => client.get(ref, options)),
    list: (selection, options) => life.read(() => client.list(selection, options)),
    listAll: (selection, options) => life.read(() => client.listAll(selection, options)),
    async *watch<T extends KubeObject>(...[selection, options]: Parameters<typeof client.watch<T>>) {
      for await (const event of client.watch<T>(selection, options)) {
        if (life.isDead) return
        yield event
      }
    },
    create: (object, options) => life.write(() => client.create(object, options)),
    update: (object, options) => life.write(() => client.update(object, options)),
    patch: (ref, patch, options) => life.write(() => client.patch(ref, patch, options)),
    apply: (object, options) => life.write(() => client.apply(object, options)),
    delete: (ref, options) => life.write(() => client.delete(ref, options)),
    deleteCollection: (selection, options) => life.write(() => client.deleteCollection(selection, options)),
    subresource: (verb, ref, subresource, body, options) =>
      life.write(() => client.subresource(verb, ref, subresource, body, options)),
    resources: () => client.resources(),
    resourceFor: kind => client.resourceFor(kind),
    serverVersion: () => client.serverVersion(),
    async *logs(pod, options) {
      for await (const bytes of client.logs(pod, options)) {
        life.check()
        yield bytes
      }
    },
    exec: (pod, options) => life.read(() => client.exec(pod, options)),
    portForward: (pod, port, options) => client.portForward(pod, port, options),
    as: user => mortalClient(client.as(user), life),
    close: async () => {},
  }
}
