import { delay } from '@tiphys/env'
import { kindRef } from '@tiphys/kube'
import type { Applied, ApplyOptions } from './apply-manifests.ts'
import { conditionsOf } from './condition.ts'
import type { FileNote } from './manifest.ts'

const LOOK_EVERY_MS = 50
const PATIENCE_MS = 15_000

/** Resolves when the definitions can be used; with what stands against it when they cannot. */
export async function waitUntilEstablished(
  definitions: readonly Applied[],
  { client, env, signal }: Pick<ApplyOptions, 'client' | 'env' | 'signal'>,
): Promise<FileNote[]> {
  const until = env.clock.monotonic() + PATIENCE_MS
  const problems: FileNote[] = []
  for (const { manifest, object } of definitions) {
    const name = object.metadata.name ?? ''
    for (let seen = object; ; seen = await client.get({ ...kindRef(object.apiVersion, object.kind), name })) {
      const conditions = conditionsOf(seen)
      if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) break
      const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
      if (refused ?? env.clock.monotonic() > until) {
        const why = refused?.message ?? 'the server did not establish it'
        problems.push({ file: manifest.file, line: manifest.line, message: `CustomResourceDefinition ${name}: ${why}` })
        break
      }
      await delay(env.clock, LOOK_EVERY_MS, signal)
    }
  }
  return problems
}
