/** The expression cannot be read or evaluated. The message is that of the Go module. */
export class GovaluateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GovaluateError'
  }
}
