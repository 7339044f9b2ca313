import type { Clock, Timer } from '@tiphys/env'

export interface PooledConnection {
  isOpen(): boolean
  close(): Promise<void>
}

/** Long enough for the next action of a burst, short enough that a trigger that was deleted leaves nothing behind. */
const KEPT_MS = 1000

interface Entry<Connection> {
  connecting: Promise<Connection>
  users: number
  isBroken: boolean
  timer?: Timer
}

/** Connections that are shared by those who use them at once, and kept for a moment afterwards. */
export class ConnectionPool<Connection extends PooledConnection> {
  readonly #entries = new Map<string, Entry<Connection>>()

  /** Does something with the connection of a key, which is opened unless there is one. One that something failed on is not
   *  used again. */
  async use<Result>(
    key: string,
    clock: Clock,
    open: () => Promise<Connection>,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const entry = await this.#entry(key, open)
    entry.users++
    entry.timer?.cancel()
    try {
      return await work(await entry.connecting)
    } catch (thrown) {
      this.#drop(key, entry)
      throw thrown
    } finally {
      entry.users--
      if (entry.users === 0) {
        if (entry.isBroken) await close(entry)
        else
          entry.timer = clock.schedule(KEPT_MS, () => {
            this.#drop(key, entry)
            void close(entry)
          })
      }
    }
  }

  async #entry(key: string, open: () => Promise<Connection>): Promise<Entry<Connection>> {
    const known = this.#entries.get(key)
    if (known) {
      const connection = await known.connecting.catch(() => undefined)
      if (connection?.isOpen() && !known.isBroken) return known
      this.#drop(key, known)
    }
    const another = this.#entries.get(key)
    if (another) return another
    const entry: Entry<Connection> = { connecting: open(), users: 0, isBroken: false }
    this.#entries.set(key, entry)
    return entry
  }

  #drop(key: string, entry: Entry<Connection>): void {
    entry.isBroken = true
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}

async function close(entry: Entry<PooledConnection>): Promise<void> {
  entry.timer?.cancel()
  try {
    await (await entry.connecting).close()
  } catch {
    // It was never open, or is not any more.
  }
}
