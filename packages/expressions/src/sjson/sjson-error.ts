/** The path cannot be set or deleted. The message is that of the Go module where it has one. */
export class SjsonError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SjsonError'
  }
}
