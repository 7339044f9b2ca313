import type { Memory } from './bus.ts'

/** The part of a memory whose keys begin with `prefix`, seen without it. */
export function scopedMemory(memory: Memory, prefix: string): Memory {
  return {
    get: key => memory.get(prefix + key),
    set: (key, value) => memory.set(prefix + key, value),
    delete: key => memory.delete(prefix + key),
    keys: begin => memory.keys(prefix + begin).map(key => key.slice(prefix.length)),
    async *entries(begin) {
      for await (const { key, value } of memory.entries(prefix + begin)) yield { key: key.slice(prefix.length), value }
    },
  }
}
