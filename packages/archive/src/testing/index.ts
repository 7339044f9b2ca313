export { bundleWorker } from './bundled-worker.ts'
export { noPostgres, type PostgresOptions, PostgresServer } from './postgres.ts'
export { type RecordStreamOptions, recordStream, type StreamedRecord } from './record-stream.ts'
export { type ArchiveScene, openScene, type SceneOptions } from './scene.ts'
