export { ApplyConflict, type Conflict } from './apply-conflict.ts'
export { type Applied, type ApplyRequest, applyPatch } from './apply-patch.ts'
export { type Tracking, trackUpdate, type UpdateTracking, type Versioned } from './track-update.ts'
export { keepTimesOfUnchanged } from './unchanged.ts'
