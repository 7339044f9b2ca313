import type { Readable } from 'node:stream'
import type { StepDetail } from '@tiphys/archive'
import { asError, Failure } from '@tiphys/env'
import type { ArtifactReference } from '@tiphys/journal/records'
import type { ArtifactState } from '../../api/artifact.ts'
import { object, oneOf, optional, text } from '../../api/schema.ts'
import { sendDownload } from '../download.ts'
import { HttpFailure, notFound } from '../http-failure.ts'
import { type Call, type Route, route } from '../route.ts'
import { runOf } from './runs.ts'

/** Opens what the engine's own store has for a namespace under a key, as a file. Rejects with `artifact-missing` when there is nothing, and with
 *  `artifact-refused` when the key leads out of the store. */
export type OpenArtifact = (
  namespace: string,
  key: string,
) => Promise<{
  name: string
  content: Readable & { readonly bytes?: number }
}>

const UID = optional(text('Of the run, when several had the name; else the newest.'))

export function artifactRoutes(open: OpenArtifact | undefined): readonly Route[] {
  const opened = async (namespace: string, artifact: ArtifactReference) => {
    const { name, key, store, from } = artifact
    if (key === undefined)
      throw refused(name, from === undefined ? 'nothing is recorded of where it is' : `it comes from ${from}`)
    // Whoever looks at a run must not lend it their rights to Secrets: its manifest chooses where they would be sent.
    if (store !== undefined)
      throw refused(name, `it is in ${store}, which the console has no key to`, 'Get it from there')
    if (!open)
      throw new HttpFailure('console-action-unavailable', {
        status: 501,
        what: `the artifact ${name} cannot be read`,
        why: 'no workflow engine runs beside this console, whose store would have it',
      })
    try {
      return await open(namespace, key)
    } catch (thrown) {
      throw inWords(thrown, artifact)
    }
  }

  return [
    route({
      method: 'GET',
      path: '/runs/:namespace/:name/artifacts/:step',
      summary: 'What is there of the artifacts that a step was given and gave.',
      answer: 'Of each its size, or why it cannot be had.',
      query: object({ uid: UID }),
      async run(call) {
        const { namespace, step } = await stepOf(call)
        const stateOf = async (of: ArtifactState['of'], artifact: ArtifactReference): Promise<ArtifactState> => {
          const { name } = artifact
          try {
            const { content } = await opened(namespace, artifact)
            content.destroy()
            return { of, name, ...(content.bytes !== undefined && { bytes: content.bytes }) }
          } catch (thrown) {
            return { of, name, trouble: asError(thrown).message }
          }
        }
        return Promise.all([
          ...(step.inputArtifacts ?? []).map(artifact => stateOf('inputs', artifact)),
          ...(step.outputArtifacts ?? []).map(artifact => stateOf('outputs', artifact)),
        ])
      },
    }),
    route({
      method: 'GET',
      path: '/runs/:namespace/:name/artifacts/:step/file',
      summary: 'An artifact that a step was given or gave.',
      answer: 'The artifact as it is stored, as a file; of a folder a tar archive.',
      isFile: true,
      query: object({
        of: oneOf(['inputs', 'outputs'], 'Whether the step was given it, or gave it.'),
        artifact: text('Its name.'),
        uid: UID,
      }),
      async run(call) {
        const { of, artifact: name } = call.query
        const { namespace, step } = await stepOf(call)
        const known = of === 'inputs' ? step.inputArtifacts : step.outputArtifacts
        const artifact = known?.find(each => each.name === name)
        if (!artifact) throw notFound(`artifact ${name} among the ${of} of the step ${step.step}`)
        const { name: file, content } = await opened(namespace, artifact)
        sendDownload(call.response, file, content, content.bytes)
      },
    }),
  ]
}

/** Whoever may see the run may see what its steps made; with `get`, as for the Workflow itself. */
async function stepOf(call: Call<{ uid?: string }, object>): Promise<{ namespace: string; step: StepDetail }> {
  const { run, steps } = await runOf(call)
  const { namespace } = run
  await call.demand({ verb: 'get', group: 'argoproj.io', resource: 'workflows', namespace })
  const step = steps.items.find(each => each.step === call.params.step)
  if (!step) throw notFound(`step ${call.params.step} of the run ${namespace}/${run.name}`)
  return { namespace, step }
}

const refused = (name: string, why: string, todo?: string) =>
  new HttpFailure('artifact-refused', {
    status: 422,
    what: `the artifact ${name} cannot be had here`,
    why,
    ...(todo !== undefined && { todo }),
  })

function inWords(thrown: unknown, { name, key }: ArtifactReference): unknown {
  if (!(thrown instanceof Failure)) return thrown
  if (thrown.code === 'artifact-refused') return refused(name, thrown.message)
  if (thrown.code !== 'artifact-missing') return thrown
  return new HttpFailure('artifact-missing', {
    status: 404,
    what: `the artifact ${name} is gone`,
    why: `the store has nothing under ${key}: it was removed, or the run was another instance’s, whose store has it`,
  })
}
