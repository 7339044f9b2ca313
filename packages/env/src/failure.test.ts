import { describe, expect, it } from 'vitest'
import { asError, Failure, RetryableFailure, TerminalFailure } from './failure.ts'

describe('a failure', () => {
  it('says what happened, why and what to do in one line', () => {
    const failure = new TerminalFailure('port-taken', {
      what: 'port 80 cannot be used',
      why: 'it is taken',
      todo: 'Choose another',
    })
    expect(failure.message).toBe('port 80 cannot be used: it is taken. Choose another')
    expect(failure).toMatchObject({ code: 'port-taken', what: 'port 80 cannot be used', why: 'it is taken' })
  })

  it('needs no more than what happened', () => {
    expect(new TerminalFailure('x', { what: 'it broke' }).message).toBe('it broke')
    expect(new TerminalFailure('x', { what: 'it broke', todo: 'Try again' }).message).toBe('it broke. Try again')
  })

  it('is retryable or terminal by its type, and named after its class', () => {
    class Overloaded extends RetryableFailure {}
    const failure = new Overloaded('overloaded', { what: 'too much' })
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).not.toBeInstanceOf(TerminalFailure)
    expect(failure.name).toBe('Overloaded')
  })

  it('keeps its cause', () => {
    const cause = new Error('EIO')
    expect(new TerminalFailure('x', { what: 'it broke', cause }).cause).toBe(cause)
  })
})

describe('asError', () => {
  it('leaves errors as they are and makes errors of everything else', () => {
    const error = new Error('a')
    expect(asError(error)).toBe(error)
    expect(asError('words').message).toBe('words')
    expect(asError(undefined).message).toBe('undefined')
  })
})
