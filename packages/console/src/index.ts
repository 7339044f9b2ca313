export type { Authentication, Caller } from './server/caller.ts'
export { type Console, type ConsoleOptions, startConsole } from './server/console.ts'
export type { Fire, RunControl } from './server/routes/actions.ts'
export type { Workshop } from './server/routes/workshop.ts'
