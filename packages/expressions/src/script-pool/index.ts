export { defaultLanguages, type ScriptLanguage, type ScriptLanguages, type ScriptLimits } from './languages.ts'
export { ScriptFailure, type ScriptProblem, type ScriptRequest } from './script.ts'
export { createScriptPool, type ScriptPool, type ScriptPoolOptions } from './script-pool.ts'
export { serveScripts } from './script-worker.ts'
