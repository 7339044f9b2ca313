import { useSyncExternalStore } from 'react'

/** Something a person chose for this browser. */
export interface Preference<T extends string> {
  get(): T
  set(value: T): void
  use(): T
  onChange(listener: () => void): () => void
  readonly values: readonly T[]
}

export function preference<const T extends string>(name: string, initial: T, values: readonly T[]): Preference<T> {
  const key = `tiphys.${name}`
  const listeners = new Set<() => void>()
  let value = initial
  try {
    const stored = localStorage.getItem(key) as T | null
    if (stored !== null && values.includes(stored)) value = stored
  } catch {
    // Storage can be forbidden; the choice then lasts as long as the page.
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    values,
    get: () => value,
    set(next) {
      value = next
      try {
        localStorage.setItem(key, next)
      } catch {
        // As above.
      }
      for (const listener of listeners) listener()
    },
    onChange: subscribe,
    use: () => useSyncExternalStore(subscribe, () => value),
  }
}

export const theme = preference('theme', 'system', ['system', 'light', 'dark'])
/** Single-key shortcuts can be in the way of speech input. */
export const shortcuts = preference('shortcuts', 'on', ['on', 'off'])
