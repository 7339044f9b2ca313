/** A place in a line. `before` and `after` belong to the line it is in. */
export interface InLine<T> {
  before: T | undefined
  after: T | undefined
}

/** First come, first served; anybody may leave from anywhere in O(1). (A Map would do, were it not that taking its first
 *  entry again and again walks over all the removed ones.) */
export class WaitingLine<T extends InLine<T>> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first
  }

  add(item: T): void {
    item.before = this.#last
    item.after = undefined
    if (this.#last) this.#last.after = item
    else this.#first = item
    this.#last = item
    this.#size++
  }

  remove(item: T): void {
    if (item.before) item.before.after = item.after
    else this.#first = item.after
    if (item.after) item.after.before = item.before
    else this.#last = item.before
    item.before = undefined
    item.after = undefined
    this.#size--
  }
}
