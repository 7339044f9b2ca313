/** A JSONPath is wrong or does not fit the value. The message is upstream's. */
export class SelectorError extends Error {
  /** What upstream wraps the error as; decides whether it is wrapped again. */
  readonly family: 'token' | 'expression' | 'selector' | 'other'

  constructor(message: string, family: 'token' | 'expression' | 'selector' | 'other') {
    super(message)
    this.name = 'SelectorError'
    this.family = family
  }
}
