import { StatusError } from '../status-error.ts'

/** A patch that cannot be read or applied. `message` is what the client is told, `why` what exactly was wrong with it. */
export class PatchFailure extends StatusError {
  readonly why: string

  private constructor(code: number, reason: string, message: string, why: string, details?: Record<string, never>) {
    super(code, reason, message, details)
    this.why = why
  }

  /** The patch itself is malformed. */
  static unreadable(why: string): PatchFailure {
    return new PatchFailure(400, 'BadRequest', why, why)
  }

  /** The patch is well formed and does not fit the object. */
  static unappliable(why: string): PatchFailure {
    return new PatchFailure(422, 'Invalid', 'the server rejected our request due to an error in our request', why, {})
  }

  static tooManyOperations(count: number, limit: number): PatchFailure {
    const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${limit}, got ${count}`
    return new PatchFailure(413, 'RequestEntityTooLarge', message, message)
  }

  /** The real server has no better answer for these than its own failure. */
  static internal(why: string): PatchFailure {
    return new PatchFailure(500, '', why, why)
  }
}
