export type * from './archive.ts'
export type { ArchiveOptions, OpenArchive } from './open.ts'
export type { FieldTerm, Query, Term, TextTerm, Value } from './query/query.ts'
