import { type Client, isNotFound, kindRef, parseYaml } from '@tiphys/kube'
import type { S3Location, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { refusedArtifact } from './artifact-failures.ts'

const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const USUAL_NAME = 'artifact-repositories'
const DEFAULT_KEY = 'workflows.argoproj.io/default-artifact-repository'
const OTHERS = ['gcs', 'azure', 'oss', 'hdfs', 'artifactory', 'plugin'] as const

/** Where artifacts go that say nothing but a key, or nothing at all. */
export interface ArtifactRepository {
  s3: S3Location & { keyFormat?: string }
  /** Logs are archived, whatever Workflow and template say. */
  archiveLogs?: boolean
}

export const repositoryRefOf = ({ spec, status }: Workflow): WorkflowSpec['artifactRepositoryRef'] =>
  (status?.storedWorkflowTemplateSpec ?? spec).artifactRepositoryRef

/**
 * The repository that a run has, as upstream finds it: the entry of a ConfigMap in its namespace that `artifactRepositoryRef`
 * names, else the default entry of the ConfigMap `artifact-repositories` there. Undefined: the engine's own store.
 */
export async function repositoryOf(client: Client, workflow: Workflow): Promise<ArtifactRepository | undefined> {
  const { namespace = '' } = workflow.metadata
  const ref = repositoryRefOf(workflow)
  const name = ref?.configMap || USUAL_NAME
  const found = await client.get({ ...CONFIG_MAP, namespace, name }).catch((thrown: unknown) => {
    if (isNotFound(thrown)) return undefined
    throw thrown
  })
  if (!found) {
    if (ref === undefined) return undefined
    throw refusedArtifact('spec.artifactRepositoryRef leads nowhere', {
      why: `there is no ConfigMap ${name} in the namespace ${namespace}`,
    })
  }
  const key = ref?.key || found.metadata.annotations?.[DEFAULT_KEY]
  if (key === undefined) {
    if (ref === undefined) return undefined
    throw refusedArtifact('spec.artifactRepositoryRef has no key', {
      why: `the ConfigMap ${name} has no annotation ${DEFAULT_KEY}`,
    })
  }
  const data = found.data ?? {}
  const text = Object.hasOwn(data, key) ? data[key] : undefined
  if (text === undefined)
    throw refusedArtifact(`The ConfigMap ${name} has no artifact repository ${key}`, {
      todo: `Add it, or name another in spec.artifactRepositoryRef.key: ${Object.keys(data).join(', ')}`,
    })
  const { value } = await parseYaml(text)
  return readRepository(value, `${name}.${key}`)
}

function readRepository(value: unknown, place: string): ArtifactRepository {
  const repository = (typeof value === 'object' && value !== null ? value : {}) as Partial<ArtifactRepository>
  if (repository.s3?.bucket !== undefined && repository.s3.endpoint !== undefined)
    return repository as ArtifactRepository
  const other = OTHERS.find(kind => kind in repository)
  throw refusedArtifact(`The artifact repository ${place} cannot be used`, {
    why: other === undefined ? 's3.bucket and s3.endpoint are missing' : `${other} is not supported`,
    todo: 'Use s3 with endpoint, bucket, accessKeySecret and secretKeySecret',
  })
}

/** An artifact's place in a repository, with `name` at its end. */
export function placeIn(
  { s3: { keyFormat = '{{workflow.name}}/{{pod.name}}', ...location } }: ArtifactRepository,
  variables: Readonly<Record<string, string>>,
  name: string,
): S3Location {
  const folder = keyFormat.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, variable: string) => {
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined
    if (value === undefined)
      throw refusedArtifact(`keyFormat of the artifact repository has ${whole}`, {
        todo: `Use ${Object.keys(variables).join(', ')}`,
      })
    return value
  })
  return { ...location, key: `${folder.replace(/\/$/, '')}/${name}` }
}
