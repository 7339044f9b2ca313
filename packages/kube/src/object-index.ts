import type { KubeObject } from './object.ts'

/** Finds cached objects by a value derived from them, in the time it takes to copy the answer. */
export interface ObjectIndex<T extends KubeObject> {
  get(value: string): readonly T[]
  /** Every value at least one object has. */
  values(): readonly string[]
}

/** The values an object is found under. Must depend on the object alone. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[]

export class MaintainedIndex<T extends KubeObject> implements ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>
  readonly #byValue = new Map<string, Map<string, T>>()

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf
  }

  replace(key: string, before: T | undefined, after: T | undefined): void {
    if (before) for (const value of this.#valuesOf(before)) this.#remove(value, key)
    if (after) for (const value of this.#valuesOf(after)) this.#put(value, key, after)
  }

  get(value: string): readonly T[] {
    return [...(this.#byValue.get(value)?.values() ?? [])]
  }

  values(): readonly string[] {
    return [...this.#byValue.keys()]
  }

  #put(value: string, key: string, object: T): void {
    const objects = this.#byValue.get(value)
    if (objects) objects.set(key, object)
    else this.#byValue.set(value, new Map([[key, object]]))
  }

  #remove(value: string, key: string): void {
    const objects = this.#byValue.get(value)
    if (!objects) return
    objects.delete(key)
    if (objects.size === 0) this.#byValue.delete(value)
  }
}
