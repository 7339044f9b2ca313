export {
  createLogStore,
  type LogName,
  type LogStore,
  type LogStoreOptions,
  type LogWriter,
  type LogWriterOptions,
} from './log-store.ts'
export { createMask, MASKED, type Mask, type MaskOptions } from './mask.ts'
export { createRecorder, type Recorder, type RecorderOptions, readRecords } from './recorder.ts'
export { stepsByOwner } from './step-owners.ts'
export {
  type AuditRecord,
  type Change,
  type ContentReference,
  type DecisionRecord,
  type DeliveryRecord,
  decodeRecord,
  type EventRecord,
  encodeRecord,
  type GapRecord,
  type HealthRecord,
  type Json,
  type LogRecord,
  type NewRecord,
  type ObjectReference,
  type Parameter,
  type PartReference,
  type RunRecord,
  type RunReference,
  type StepRecord,
  type TraceRecord,
  type UnknownRecord,
  type WriteRecord,
} from './trace-record.ts'
