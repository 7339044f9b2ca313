/** Values by three names. Every record asks for several by names that are known: a key that is put together of them, and hashed, takes longer than
 *  three looks. */
export class NameTree<V> {
  readonly #values = new Map<string, Map<string, Map<string, V>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(first: string, second: string, third: string): V | undefined {
    return this.#values.get(first)?.get(second)?.get(third)
  }

  set(first: string, second: string, third: string, value: V): void {
    const last = within(within(this.#values, first), second)
    if (!last.has(third)) this.#size++
    last.set(third, value)
  }

  clear(): void {
    this.#values.clear()
    this.#size = 0
  }
}

/** The map within a map, which is made when it is needed. */
export function within<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let inner = map.get(key)
  if (!inner) {
    inner = new Map()
    map.set(key, inner)
  }
  return inner
}
