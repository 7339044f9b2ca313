import type { Journal } from '@tiphys/journal'
import type { Recorder } from '@tiphys/journal/records'
import { type Client, ConnectionFailure } from '@tiphys/kube'

const WRITES = new Set(['create', 'update', 'patch', 'apply', 'delete'])

/** For tests: the life of an engine, which ends at one of its state changes: what it appends to a journal and what it writes
 *  to the cluster, counted together. The dead change nothing any more. */
export class Life {
  isDead = false
  readonly #at: number
  readonly #isBefore: boolean
  readonly #onDeath: () => void
  #changes = 0

  constructor(at: number, isBefore: boolean, onDeath: () => void) {
    this.#at = at
    this.#isBefore = isBefore
    this.#onDeath = onDeath
  }

  die(): void {
    if (this.isDead) return
    this.isDead = true
    this.#onDeath()
  }

  journal(journal: Journal): Journal {
    const append = (record: Parameters<Journal['append']>[0]) => this.#change(() => journal.append(record))
    return new Proxy(journal, {
      get(_, name: string) {
        const value = journal[name as keyof Journal]
        if (name === 'append') return append
        return typeof value === 'function' ? value.bind(journal) : value
      },
    })
  }

  recorder(recorder: Recorder): Recorder {
    return mortalRecorder(recorder, () => this.isDead)
  }

  client(client: Client): Client {
    return new Proxy(client, {
      get: (_, name: string) => {
        const call = (client[name as keyof Client] as (...args: unknown[]) => unknown).bind(client)
        if (name === 'as') return (...args: unknown[]) => this.client(call(...args) as Client)
        if (name === 'watch' || name === 'close') return call
        if (!WRITES.has(name)) return (...args: unknown[]) => (this.isDead ? this.#nothing() : call(...args))
        return (...args: unknown[]) => this.#change(async () => call(...args))
      },
    })
  }

  async #change<T>(change: () => Promise<T>): Promise<T> {
    if (this.isDead) return this.#nothing()
    const isLast = ++this.#changes === this.#at
    if (isLast && this.#isBefore) this.die()
    if (this.isDead) return this.#nothing()
    try {
      const answer = await change()
      if (!isLast) return this.isDead ? await this.#nothing() : answer
    } finally {
      // Also when it was refused: that is an answer, too.
      if (isLast) this.die()
    }
    return this.#nothing()
  }

  #nothing(): Promise<never> {
    return Promise.reject(new ConnectionFailure('the server', new Error('the process is dead')))
  }
}

/** The dead tell nothing. */
export function mortalRecorder(recorder: Recorder, isDead: () => boolean): Recorder {
  return new Proxy(recorder, {
    get(_, name: string) {
      if (name === 'record' && isDead()) return () => {}
      const value = recorder[name as keyof Recorder]
      return typeof value === 'function' ? value.bind(recorder) : value
    },
  })
}
