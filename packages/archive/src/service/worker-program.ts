import { serveArchive } from './worker.ts'

serveArchive()
