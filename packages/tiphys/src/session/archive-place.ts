import { TerminalFailure } from '@tiphys/env'

export type ArchivePlace = { file: string } | { url: string }

/** Where the archive is: in the data folder's file, or in the PostgreSQL whose connection string is in `TIPHYS_ARCHIVE`. Not a flag: it may
 *  hold a password, and everybody on a machine can read the arguments of its processes. */
export function archivePlace(file: string, environment: NodeJS.ProcessEnv = process.env): ArchivePlace {
  const url = environment.TIPHYS_ARCHIVE
  if (url === undefined || url === '') return { file }
  if (URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol)) return { url }
  throw new TerminalFailure('cli-archive-invalid', {
    what: 'TIPHYS_ARCHIVE is not the connection string of a PostgreSQL',
    todo: 'Write it as postgres://user:password@host/database, or unset it to keep the archive in the data folder',
  })
}
