export { type FaultPlan, FaultyFileSystem } from './faulty-file-system.ts'
export { type JournalHost, journalSuite } from './journal-suite.ts'
export { type CrashMode, crashModes, SimulatedDisk } from './simulated-disk.ts'
