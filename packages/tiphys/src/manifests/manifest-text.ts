import type { KubeObject } from '@tiphys/kube'
import type { Manifest } from './manifest.ts'
import { checkManifests, type ManifestFinding } from './manifest-check.ts'
import { readManifestText } from './manifest-folder.ts'

const NAME = 'manifest.yaml'
const OF_THE_SERVER = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'])

/** What is wrong with manifests that are in no file, beside objects that are there already. Those with the same name are what
 *  the manifests would replace. */
export async function lintText(text: string, context: readonly KubeObject[]): Promise<readonly ManifestFinding[]> {
  const { manifests, problems } = await readManifestText(NAME, text)
  if (problems.length > 0) return problems.map(problem => ({ ...problem, severity: 'error' }))
  const own = new Set(manifests.map(({ object }) => keyOf(object)))
  const others = context
    .filter(object => !own.has(keyOf(object)))
    .map((object, i): Manifest => ({ object, file: `context-${i}`, line: 1, lineOf: () => 1 }))
  return checkManifests(manifests.map(withoutServerFields), others)
}

/** What a server has added is nothing that somebody wrote. */
function withoutServerFields(manifest: Manifest): Manifest {
  const { status: _, ...object } = manifest.object
  const written = Object.entries(object.metadata).filter(([name]) => !OF_THE_SERVER.has(name))
  return { ...manifest, object: { ...object, metadata: Object.fromEntries(written) } }
}

const keyOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`
