import { RetryableFailure, TerminalFailure } from '@tiphys/env'

/** The bus holds as much as it may, and all of it is still to be handled. */
export class BusFull extends RetryableFailure {
  /** The consumer with the longest backlog. */
  readonly slowest: string

  constructor(slowest: string, backlog: number, why: string) {
    super('bus-full', {
      what: 'The event bus takes no more events',
      why: `${why}, and ${slowest} has ${backlog} of them still to handle`,
      todo: 'Nothing is lost: sources wait. Find out why the consumer is slow, or raise the limits of the EventBus',
    })
    this.slowest = slowest
  }
}

export function consumerIsOpen(name: string): TerminalFailure {
  return new TerminalFailure('bus-consumer-open', {
    what: `The consumer ${name} is open already`,
    todo: 'Close it before it is opened again',
  })
}

export function busClosed(): TerminalFailure {
  return new TerminalFailure('bus-closed', { what: 'The event bus is closed' })
}
