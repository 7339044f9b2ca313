export { changesOf } from './changes.ts'
export { failedStep, type StepOutcome } from './failed-step.ts'
export { hiddenNote, hiddenValues } from './hidden-parameters.ts'
export {
  createLogStore,
  type LogName,
  type LogStore,
  type LogStoreOptions,
  type LogWriter,
  type LogWriterOptions,
} from './log-store.ts'
export { createMask, LAST_APPLIED, type Mask, type MaskOptions } from './mask.ts'
export { createRecorder, type Recorder, type RecorderOptions, type RecordPlace, readRecords } from './recorder.ts'
export { MASKED, type Secrets } from './secrets.ts'
export { stepsByOwner } from './step-owners.ts'
export {
  type ArtifactReference,
  type AuditRecord,
  type Change,
  type ContentReference,
  type DecisionRecord,
  type DeliveryRecord,
  decodeRecord,
  type EventRecord,
  encodeRecord,
  type FilterVerdict,
  type GapRecord,
  GIVEN,
  type Given,
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
  WRITTEN,
  type WriteRecord,
} from './trace-record.ts'
export { withWrittenNumbers } from './written-numbers.ts'
