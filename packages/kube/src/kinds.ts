export type * from './kinds.generated.ts'
