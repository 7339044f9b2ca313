export { ApplyConflict } from './apply-conflict.ts'
export { applyPatch } from './apply-patch.ts'
export { trackUpdate } from './track-update.ts'
export { keepTimesOfUnchanged } from './unchanged.ts'
