import { defaultLanguages } from './languages.ts'
import { serveScripts } from './script-worker.ts'

serveScripts(defaultLanguages)
