import { asError, Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'

export function queryInvalid(text: string, at: number, why: string): Failure {
  return new TerminalFailure('query-invalid', {
    what: `The query ${JSON.stringify(text)} cannot be read at character ${at + 1}`,
    why,
  })
}

export function foreignDatabase(place: string, why: string): Failure {
  return new TerminalFailure('archive-foreign', {
    what: `${place} is not an archive of Tiphys`,
    why,
    todo: 'Nothing was changed. Move it elsewhere, or name another file or database for the archive',
  })
}

export function newerSchema(place: string, version: number, known: number): Failure {
  return new TerminalFailure('archive-newer', {
    what: `${place} has schema ${version}, this version of Tiphys knows schemas up to ${known}`,
    todo: 'Nothing was changed. Use the version of Tiphys that wrote it, or a later one',
  })
}

export function lockedDatabase(place: string, holder: string): Failure {
  return new TerminalFailure('archive-locked', {
    what: `The archive ${place} has another writer`,
    why: holder,
    todo: 'Nothing was changed. Stop that process first, or name another file or database for the archive',
  })
}

export function corruptDatabase(place: string, why: string, cause?: unknown): Failure {
  return new TerminalFailure('archive-corrupt', {
    what: `The archive ${place} is damaged`,
    why,
    todo: 'Nothing was changed. Restore a backup, or move the file aside: a new archive is filled from what the journal still holds',
    cause,
  })
}

export function inaccessibleDatabase(place: string, cause: unknown): Failure {
  return new TerminalFailure('archive-inaccessible', {
    what: `The archive ${place} cannot be opened`,
    why: asError(cause).message,
    todo: 'Nothing was changed. Make folder and files writable for this user with space to spare, or check address and rights of the database',
    cause,
  })
}

/** The database does not answer, or cannot take more: the same call may succeed later. */
export function databaseAway(place: string, cause: unknown): Failure {
  return new RetryableFailure('archive-away', {
    what: `The archive's database ${place} does not take part at the moment`,
    why: asError(cause).message,
    todo: 'It is tried again by itself; what happens meanwhile is kept in the journal',
    cause,
  })
}

export function archiveClosed(place: string): Failure {
  return new TerminalFailure('archive-closed', { what: `The archive ${place} is closed` })
}

export function cursorInvalid(cursor: string): Failure {
  return new TerminalFailure('archive-cursor-invalid', {
    what: `${JSON.stringify(cursor.slice(0, 80))} is not a place in this list`,
    todo: 'Leave it out to begin at the start',
  })
}

export function importInvalid(line: number, why: string): Failure {
  return new TerminalFailure('archive-import-invalid', {
    what: `Line ${line} is not an exported record`,
    why,
    todo: 'The lines before it were taken. Give a file that `export` has written',
  })
}

export function unsupported(what: string, todo: string): Failure {
  return new TerminalFailure('archive-unsupported', { what, todo })
}
