import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { createLogStore, createRecorder } from '@tiphys/journal/records'
import { connect } from '@tiphys/kube'
import { createFileArtifacts, startWorkflows } from '@tiphys/workflows'
import { Mortality, mortalClient } from './mortal-client.ts'

/** A workflow engine in a process of its own, which is killed after its nth write (never, when that is 0). Only for tests. */
const [, , kubeconfig = '', folder = '', killAt = '0'] = process.argv
const life = new Mortality(Number(killAt), 'after')
void life.died.then(() => process.kill(process.pid, 'SIGKILL'))
const client = mortalClient(await connect({ kubeconfig }), life)
const journal = await openFileJournal({ directory: join(folder, `records-${process.pid}`), env: systemEnv })
const engine = await startWorkflows({
  env: systemEnv,
  client,
  recorder: createRecorder(journal, { env: systemEnv }),
  logs: createLogStore({ place: { directory: join(folder, 'logs') }, env: systemEnv }),
  artifacts: createFileArtifacts({ directory: join(folder, 'artifacts') }),
})
await engine.ready()
console.log('ready')
// Timers alone do not keep a process alive.
setInterval(() => {}, 60_000)
