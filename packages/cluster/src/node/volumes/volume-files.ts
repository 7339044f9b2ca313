import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  KeyToPath,
  Pod,
  ProjectedVolumeSource,
  SecretVolumeSource,
  VolumeProjection,
} from '@tiphys/kube/kinds'
import {
  type Configuration,
  type ConfigurationKind,
  type ConfigurationSource,
  notFoundMessage,
} from '../configuration-source.ts'
import { referredContainer } from '../environment/container-environment.ts'
import { type PodPlace, podField, resourceField } from '../environment/pod-fields.ts'
import type { VolumeFile } from './atomic-directory.ts'
import type { PodTokens } from './pod-tokens.ts'

type Files = Map<string, VolumeFile>

/** What files of a volume are made from. */
export interface FileSources {
  configurations: ConfigurationSource
  tokens: PodTokens
  place: PodPlace
}

const DEFAULT_MODE = 0o644

/** The files of a volume that the API's objects make. Throws with a message for people when something is missing. */
export function volumeFiles(
  pod: Pod,
  volume: {
    name: string
    configMap?: ConfigMapVolumeSource
    secret?: SecretVolumeSource
    downwardAPI?: DownwardAPIVolumeSource
    projected?: ProjectedVolumeSource
  },
  sources: FileSources,
): Promise<Files> {
  const { configMap, secret, downwardAPI, projected } = volume
  const parts: VolumeProjection[] = projected?.sources ?? [
    {
      ...(configMap && { configMap }),
      ...(secret && { secret: { ...secret, ...(secret.secretName !== undefined && { name: secret.secretName }) } }),
      ...(downwardAPI && { downwardAPI }),
    },
  ]
  const mode = (projected ?? configMap ?? secret ?? downwardAPI)?.defaultMode ?? DEFAULT_MODE
  return collect(pod, volume.name, parts, mode, sources)
}

async function collect(
  pod: Pod,
  volume: string,
  parts: readonly VolumeProjection[],
  mode: number,
  sources: FileSources,
): Promise<Files> {
  const files: Files = new Map()
  for (const { configMap, secret, downwardAPI, serviceAccountToken, ...other } of parts) {
    if (configMap) await addConfiguration(files, pod, 'ConfigMap', configMap, mode, sources)
    if (secret) await addConfiguration(files, pod, 'Secret', secret, mode, sources)
    if (downwardAPI) addFields(files, pod, downwardAPI, mode, sources.place)
    if (serviceAccountToken) {
      const token = await sources.tokens.token(pod, volume, serviceAccountToken)
      files.set(serviceAccountToken.path, { bytes: Buffer.from(token), mode })
    }
    const [unknown] = Object.keys(other)
    if (unknown !== undefined) throw new Error(`a projected volume's ${unknown} is not supported by this node`)
  }
  return files
}

interface ConfigurationRef {
  name?: string
  items?: KeyToPath[]
  optional?: boolean
}

async function addConfiguration(
  files: Files,
  { metadata }: Pod,
  kind: ConfigurationKind,
  { name = '', items, optional = false }: ConfigurationRef,
  mode: number,
  { configurations }: FileSources,
): Promise<void> {
  const found: Configuration | undefined = await configurations.read(kind, metadata.namespace ?? '', name)
  if (!found) {
    if (optional) return
    throw new Error(notFoundMessage(kind, name))
  }
  if (!items) {
    for (const [key, bytes] of found) files.set(key, { bytes, mode })
    return
  }
  for (const { key, path, mode: own } of items) {
    const bytes = found.get(key)
    if (bytes) files.set(path, { bytes, mode: own ?? mode })
    else if (!optional) {
      throw new Error(
        kind === 'Secret'
          ? `references non-existent secret key: ${key}`
          : `configmap references non-existent config key: ${key}`,
      )
    }
  }
}

function addFields(files: Files, pod: Pod, source: DownwardAPIVolumeSource, mode: number, place: PodPlace): void {
  for (const { path, fieldRef, resourceFieldRef, mode: own } of source.items ?? []) {
    const [first] = pod.spec?.containers ?? []
    const value = fieldRef
      ? podField(pod, fieldRef.fieldPath, place)
      : resourceFieldRef && first
        ? resourceField(referredContainer(pod, first, resourceFieldRef), resourceFieldRef, place)
        : ''
    files.set(path, { bytes: Buffer.from(value), mode: own ?? mode })
  }
}
