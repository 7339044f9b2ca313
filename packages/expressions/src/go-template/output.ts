import type { Budget } from './budget.ts'

/** What a template prints. */
export class Output {
  readonly #budget: Budget
  readonly #parts: string[] = []
  #bytes = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  write(text: string): void {
    this.#bytes += Buffer.byteLength(text)
    this.#budget.output(this.#bytes)
    this.#parts.push(text)
  }

  get text(): string {
    return this.#parts.join('')
  }
}
