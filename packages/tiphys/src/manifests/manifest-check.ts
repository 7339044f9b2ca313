import { createApiServer } from '@tiphys/apiserver'
import { systemEnv } from '@tiphys/env'
import { type Client, isAlreadyExists } from '@tiphys/kube'
import { installDefinitions } from '../session/definitions.ts'
import { applyManifests } from './apply-manifests.ts'
import { parseFieldPath } from './field-path.ts'
import type { FieldPath, FileNote, Manifest } from './manifest.ts'

/** Everything that is wrong, or may surprise somebody. */
export interface ManifestFinding extends FileNote {
  severity: 'error' | 'warning'
}

/** Checks manifests without a cluster: what is known of the kinds, and what a server would say of every object. What they may
 *  refer to beside each other is the context, which is not checked itself. */
export async function checkManifests(
  manifests: readonly Manifest[],
  context: readonly Manifest[] = [],
): Promise<ManifestFinding[]> {
  const { lintManifests } = await import('@tiphys/events')
  const files = new Set(manifests.map(({ file }) => file))
  const linted = (await lintManifests([...manifests, ...context])).filter(({ file }) => files.has(file))
  const ofWorkflows = await workflowFindings(manifests, context)
  // A place that both warn of is told once, with what to write there.
  const isTold = (warning: { file: string; path: string }) =>
    ofWorkflows.some(({ file, message }) => file === warning.file && message.startsWith(`${warning.path}: `))
  const found: ManifestFinding[] = linted
    .filter(finding => finding.severity === 'error' || !isTold(finding))
    .map(({ file, line, path, message, severity }) => ({
      file,
      line,
      message: path === '' ? message : `${path}: ${message}`,
      severity,
    }))
  found.push(...ofWorkflows)
  const triggered = await triggeredManifests(manifests)
  const refused = (await refusals([...manifests, ...triggered])).map(note => ({ ...note, severity: 'error' as const }))
  // A field that both complain of is told once, by the one who knows more of it.
  const isKnown = (note: FileNote) =>
    found.some(({ file, line, severity }) => severity === 'error' && file === note.file && line === note.line)
  return [...found, ...refused.filter(note => !isKnown(note))].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line,
  )
}

/** What the workflow engine would say of Workflows and templates, which the server's schema cannot know. */
async function workflowFindings(
  manifests: readonly Manifest[],
  context: readonly Manifest[],
): Promise<ManifestFinding[]> {
  const { checkTriggeredWorkflow, checkWorkflowObject, pastedValues, triggeredWorkflows } = await import(
    '@tiphys/workflows'
  )
  const objects = [...manifests, ...context].map(({ object }) => object)
  return manifests.flatMap(({ object, file, lineOf }) => {
    if (!object.apiVersion.startsWith('argoproj.io/') || typeof object.spec !== 'object' || object.spec === null)
      return []
    const finding = (severity: ManifestFinding['severity']) => (problem: { path: string; message: string }) => ({
      file,
      line: lineOf(parseFieldPath(problem.path)),
      message: `${problem.path}: ${problem.message}`,
      severity,
    })
    if (object.kind === 'Sensor')
      return triggeredWorkflows(object).flatMap(triggered => [
        ...checkTriggeredWorkflow(triggered, objects).map(problem => finding(problem.severity)(problem)),
        ...pastedValues(triggered.object)
          .map(({ path, message }) => ({ path: `${triggered.path}.${path}`, message }))
          .map(finding('warning')),
      ])
    return [
      ...checkWorkflowObject(object, objects).map(finding('error')),
      ...pastedValues(object).map(finding('warning')),
    ]
  })
}

/** What Sensors make, so that a server can look at it, too. */
async function triggeredManifests(manifests: readonly Manifest[]): Promise<Manifest[]> {
  const { triggeredWorkflows } = await import('@tiphys/workflows')
  return manifests.flatMap((manifest, index) => {
    if (manifest.object.kind !== 'Sensor') return []
    return triggeredWorkflows(manifest.object).map(({ object, path }, position) => {
      const prefix = parseFieldPath(path)
      const { namespace } = object.metadata
      const name = `triggered-${index}-${position}`
      const metadata = { name, ...(namespace !== undefined && { namespace }) }
      return {
        ...manifest,
        object: { ...object, metadata },
        line: manifest.lineOf(prefix),
        lineOf: (field: FieldPath) => manifest.lineOf([...prefix, ...field]),
      }
    })
  })
}

/** What a server that lives for this moment says of them. Each is tried, whatever becomes of the others. */
async function refusals(manifests: readonly Manifest[]): Promise<FileNote[]> {
  const server = await createApiServer({ clusterDefaults: true })
  try {
    const client = server.client()
    const [{ eventDefinitions }, { workflowDefinitions }] = await Promise.all([
      import('@tiphys/events'),
      import('@tiphys/workflows'),
    ])
    await installDefinitions([...eventDefinitions, ...workflowDefinitions], { client, env: systemEnv })
    await makeNamespaces(client, manifests)
    const named = manifests.map(manifest => withName(manifest))
    const isDefinition = ({ object }: Manifest) => object.kind === 'CustomResourceDefinition'
    const groups = [named.filter(isDefinition), ...named.filter(manifest => !isDefinition(manifest)).map(one => [one])]
    const notes: FileNote[] = []
    for (const group of groups) {
      const { problems } = await applyManifests(group, {
        client,
        env: systemEnv,
        namespace: 'default',
        force: true,
        isPatient: false,
      })
      notes.push(...problems)
    }
    return notes
  } finally {
    await server.close()
  }
}

/** Namespaces may be made elsewhere, and names when the time comes. */
async function makeNamespaces(client: Client, manifests: readonly Manifest[]): Promise<void> {
  for (const name of new Set(manifests.flatMap(({ object }) => object.metadata.namespace ?? [])))
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }).catch(thrown => {
      if (!isAlreadyExists(thrown)) throw thrown
    })
}

function withName(manifest: Manifest): Manifest {
  const { metadata } = manifest.object
  if (metadata.name !== undefined) return manifest
  const { generateName = '', ...rest } = metadata
  return { ...manifest, object: { ...manifest.object, metadata: { ...rest, name: `${generateName}x` } } }
}
