/** Something that waits for its time. `heapIndex` belongs to the heap it is in. */
export interface Delayed {
  due: number
  heapIndex: number
}

/** What is due next, first. Adding, removing and moving an item cost O(log n). */
export class DelayHeap<T extends Delayed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  values(): Iterable<T> {
    return this.#items
  }

  add(item: T): void {
    item.heapIndex = this.#items.length
    this.#items.push(item)
    this.#rise(item)
  }

  remove(item: T): void {
    const index = item.heapIndex
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#put(last, index)
    this.#rise(last)
    this.#sink(last)
  }

  /** After an item's `due` became earlier. */
  advance(item: T): void {
    this.#rise(item)
  }

  #rise(item: T): void {
    while (item.heapIndex > 0) {
      const parent = this.#items[(item.heapIndex - 1) >> 1] as T
      if (parent.due <= item.due) return
      this.#swap(parent, item)
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.heapIndex + 1]
      if (left === undefined) return
      const right = this.#items[2 * item.heapIndex + 2]
      const child = right !== undefined && right.due < left.due ? right : left
      if (item.due <= child.due) return
      this.#swap(item, child)
    }
  }

  #swap(upper: T, lower: T): void {
    const { heapIndex } = upper
    this.#put(upper, lower.heapIndex)
    this.#put(lower, heapIndex)
  }

  #put(item: T, index: number): void {
    this.#items[index] = item
    item.heapIndex = index
  }
}
