export { type Clock, delay, systemClock, type Timer } from './clock.ts'
export { type Env, systemEnv } from './env.ts'
export { asError, Failure, type FailureOptions, RetryableFailure, TerminalFailure } from './failure.ts'
export { Heap, type HeapEntry } from './heap.ts'
export {
  createLog,
  type Fields,
  formatJson,
  formatPretty,
  type Level,
  type Log,
  type LogLine,
  silentLog,
} from './log.ts'
export { formatBytes, logNote, missingLogNote, readLogNote, readMissingLogNote } from './log-note.ts'
export { isFolder, makeFolder } from './make-folder.ts'
export { parseAge, parseSize } from './measures.ts'
export { nearest } from './nearest.ts'
export { isCertainlyDead, ownIdentity, type ProcessIdentity } from './process-identity.ts'
export { type Random, seededRandom, systemRandom, uuid } from './random.ts'
export { type SpareMemoryOptions, spareMemory } from './spare-memory.ts'
export { untilQuiet } from './until-quiet.ts'
export { utilization } from './utilization.ts'
export { VirtualClock } from './virtual-clock.ts'
