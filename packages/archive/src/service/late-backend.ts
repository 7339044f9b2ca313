import type { Backend } from './backend.ts'

/** A backend whose database may not be there yet. Whoever asks for the position, as the follower does until it is answered, has it
 *  opened; whatever else is asked before is answered with why that has failed. */
export interface LateBackend extends Backend {
  /** Resolves when it is open. Rejects with the reason when the last attempt has failed. */
  opened(): Promise<void>
}

export function openBackendLater(open: () => Promise<Backend>): LateBackend {
  /** The first attempt, and then the last one that is over: nobody waits for the next one, which may fail, too. */
  let last: Promise<Backend> | undefined
  let isOpen = false

  const attempt = async () => {
    const next = open()
    last ??= next
    try {
      const backend = await next
      isOpen = true
      return backend
    } finally {
      last = next
    }
  }
  const opened = () => last ?? attempt()
  return {
    async opened() {
      await opened()
    },
    position: async () => (await (isOpen ? opened() : attempt())).position(),
    store: async batch => (await opened()).store(batch),
    retain: async retention => (await opened()).retain(retention),
    import: async (lines, first) => (await opened()).import(lines, first),
    backup: async file => (await opened()).backup(file),
    read: (name, ...args) => opened().then(backend => backend.read(name, ...args)),
    async close() {
      if (isOpen) await (await opened()).close()
    },
  }
}
