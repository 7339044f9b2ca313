import { parentPort } from 'node:worker_threads'
import type { ScriptLanguage, ScriptLanguages } from './languages.ts'
import type { WorkerAnswer, WorkerRequest } from './script.ts'

/** The whole of a worker's program: answers one request after the other. */
export function serveScripts(languages: ScriptLanguages): void {
  const port = parentPort
  if (port === null) throw new Error('a script worker is a worker thread')
  const loaded = new Map<string, Promise<ScriptLanguage>>()
  const answer = (message: WorkerAnswer) => port.postMessage(message)
  port.on('message', (request: WorkerRequest) => {
    void handle(request, languages, loaded).then(answer)
  })
  answer({ kind: 'ready' })
}

async function handle(
  { id, language, program, input, outputBytes, now }: WorkerRequest,
  languages: ScriptLanguages,
  loaded: Map<string, Promise<ScriptLanguage>>,
): Promise<WorkerAnswer> {
  const load = languages.get(language)
  if (load === undefined)
    return { kind: 'problem', id, problem: 'language', message: `the language ${language} is not known` }
  try {
    const known = loaded.get(language) ?? load()
    loaded.set(language, known)
    const run = await known
    const output = run(program, input, { outputBytes, now: () => now })
    if (output.length > outputBytes)
      return { kind: 'problem', id, problem: 'limit', message: `the output has more than ${outputBytes} characters` }
    return { kind: 'result', id, output }
  } catch (error) {
    // The one border of the worker: whatever a script throws is its answer.
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return { kind: 'problem', id, problem: name.endsWith('LimitError') ? 'limit' : 'failed', message }
  }
}
