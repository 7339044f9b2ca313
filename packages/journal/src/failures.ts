import { asError, Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'

export interface Damage {
  file: string
  /** Byte in the file where the damage was noticed. */
  offset: number
  /** The first record that cannot be read because of it. */
  position: number
  why: string
}

/** Stored bytes are not what was written. Nothing in the folder has been changed. */
export class JournalCorrupt extends TerminalFailure {
  readonly file: string
  readonly offset: number
  readonly position: number

  constructor({ file, offset, position, why }: Damage) {
    super('journal-corrupt', {
      what: `${file} is damaged at byte ${offset}, record ${position} cannot be read`,
      why,
      todo: 'Nothing was changed. Check the disk, then restore the folder from a backup',
    })
    this.file = file
    this.offset = offset
    this.position = position
  }
}

export function foreignFile(file: string, why: string): Failure {
  return new TerminalFailure('journal-foreign', {
    what: `${file} does not belong to this journal`,
    why,
    todo: 'Nothing was changed. Move the file elsewhere or choose another folder',
  })
}

export function newerFormat(file: string, version: number, known: number): Failure {
  return new TerminalFailure('journal-newer', {
    what: `${file} has format ${version}, this version of Tiphys reads format ${known}`,
    todo: 'Nothing was changed. Use the version of Tiphys that wrote it, or a later one',
  })
}

export function inaccessible(directory: string, cause: unknown): Failure {
  return new TerminalFailure('journal-inaccessible', {
    what: `The journal in ${directory} cannot be opened for writing`,
    why: asError(cause).message,
    todo: 'No record was changed. Make the folder and its files writable for this user with space to spare, or choose another folder',
    cause,
  })
}

const REPAIR_DISK = 'Free space or repair the disk, then start again: everything acknowledged so far is kept'

export function writeFailed(place: string, cause: unknown, todo = REPAIR_DISK): Failure {
  return new TerminalFailure('journal-write-failed', {
    what: `The journal in ${place} could not be written and accepts nothing any more`,
    why: asError(cause).message,
    todo,
    cause,
  })
}

export function journalClosed(place: string): Failure {
  return new TerminalFailure('journal-closed', { what: `The journal in ${place} is closed` })
}

export function recordTooLarge(what: string, size: number, limit: number): Failure {
  return new TerminalFailure('journal-record-too-large', {
    what: `A ${what} of ${size} bytes exceeds the journal's limit of ${limit}`,
  })
}

export function journalBusy(place: string, waiting: number, slow = 'the disk'): Failure {
  return new RetryableFailure('journal-busy', {
    what: `The journal in ${place} has ${waiting} bytes waiting to be written`,
    why: `${slow} is slower than the appends`,
    todo: 'Await earlier appends before making more',
  })
}

export function takenOver(place: string): Failure {
  return new TerminalFailure('journal-taken-over', {
    what: `The journal in ${place} is written by another process now`,
    todo: 'Everything acknowledged is kept. Stop this process, or the other one',
  })
}

export function journalFull(place: string, why: string): Failure {
  return new RetryableFailure('journal-full', {
    what: `The journal in ${place} has no room for more`,
    why,
    todo: 'Compact it, or raise the limit of its stream',
  })
}

export function unreachable(place: string, cause: unknown): Failure {
  return new RetryableFailure('journal-unreachable', {
    what: `The journal in ${place} cannot be reached`,
    why: asError(cause).message,
    todo: 'Check the address and the credentials, and that the server runs with JetStream enabled',
    cause,
  })
}

export function foreignStream(place: string, why: string): Failure {
  return new TerminalFailure('journal-foreign', {
    what: `The ${place} is not a journal`,
    why,
    todo: 'Nothing was changed. Choose another name',
  })
}

export function partsMissing(place: string, position: number): Failure {
  return new TerminalFailure('journal-corrupt', {
    what: `Record ${position} of the journal in ${place} cannot be read`,
    why: 'it was stored in several parts, and one of them is gone',
    todo: 'Restore both streams from one backup',
  })
}

export function streamRefused(stream: string, cause: Error): Failure {
  return new TerminalFailure('journal-inaccessible', {
    what: `The stream ${stream} cannot be made fit for a journal`,
    why: cause.message,
    todo: 'No record was changed. Let the server and the limits of the account allow it',
    cause,
  })
}
