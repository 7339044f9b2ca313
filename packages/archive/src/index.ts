export type * from './archive.ts'
export { type ArchiveOptions, openArchive } from './open.ts'
export { formatQuery, parseQuery, quote } from './query/parse.ts'
export type { FieldTerm, Query, Term, TextTerm, Value } from './query/query.ts'
