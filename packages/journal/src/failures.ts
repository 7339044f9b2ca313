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

export function writeFailed(directory: string, cause: unknown): Failure {
  return new TerminalFailure('journal-write-failed', {
    what: `The journal in ${directory} could not be written and accepts nothing any more`,
    why: asError(cause).message,
    todo: 'Free space or repair the disk, then start again: everything acknowledged so far is kept',
    cause,
  })
}

export function journalClosed(directory: string): Failure {
  return new TerminalFailure('journal-closed', { what: `The journal in ${directory} is closed` })
}

export function recordTooLarge(what: string, size: number, limit: number): Failure {
  return new TerminalFailure('journal-record-too-large', {
    what: `A ${what} of ${size} bytes exceeds the journal's limit of ${limit}`,
  })
}

export function journalBusy(directory: string, waiting: number): Failure {
  return new RetryableFailure('journal-busy', {
    what: `The journal in ${directory} has ${waiting} bytes waiting to be written`,
    why: 'the disk is slower than the appends',
    todo: 'Await earlier appends before making more',
  })
}
