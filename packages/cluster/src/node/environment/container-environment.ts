import type { Container, EnvVarSource, Pod } from '@tiphys/kube/kinds'
import {
  type Configuration,
  type ConfigurationKind,
  type ConfigurationSource,
  notFoundMessage,
} from '../configuration-source.ts'
import { SetupFailure } from '../container-setup.ts'
import { expand } from './expansion.ts'
import { type PodPlace, podField, resourceField } from './pod-fields.ts'

export interface EnvironmentRequest {
  pod: Pod
  container: Container
  place: PodPlace
  /** Variables for services, which everything else wins over. */
  services: ReadonlyMap<string, string>
  source: ConfigurationSource
}

/** The variables that a container starts with. Throws a `SetupFailure` when one refers to something that is not there and
 *  is not optional. */
export async function containerEnvironment(request: EnvironmentRequest): Promise<Map<string, string>> {
  const { container, services } = request
  const configurations = createReader(request)
  const variables = new Map<string, string>()
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef
    if (!ref) continue
    const found = await configurations(configMapRef ? 'ConfigMap' : 'Secret', ref.name ?? '', ref.optional ?? false)
    for (const [key, value] of found ?? []) variables.set(prefix + key, text(value))
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const lookup = (other: string) => variables.get(other) ?? services.get(other)
    const resolved =
      value !== undefined && value !== ''
        ? expand(value, lookup)
        : valueFrom
          ? await valueOf(request, valueFrom, configurations)
          : ''
    if (resolved !== undefined) variables.set(name, resolved)
  }
  return new Map([...services, ...variables])
}

type Reader = (kind: ConfigurationKind, name: string, isOptional: boolean) => Promise<Configuration | undefined>

function createReader({ pod, source }: EnvironmentRequest): Reader {
  const known = new Map<string, Configuration | undefined>()
  return async (kind, name, isOptional) => {
    const key = `${kind}/${name}`
    if (!known.has(key)) known.set(key, await source.read(kind, pod.metadata.namespace ?? '', name))
    const found = known.get(key)
    if (!found && !isOptional) throw new SetupFailure(notFoundMessage(kind, name))
    return found
  }
}

/** Undefined when it is optional and not there: the variable is then not set at all. */
async function valueOf(
  { pod, container, place }: EnvironmentRequest,
  source: EnvVarSource,
  configurations: Reader,
): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source
  try {
    if (fieldRef) return podField(pod, fieldRef.fieldPath, place)
    if (resourceFieldRef)
      return resourceField(referredContainer(pod, container, resourceFieldRef), resourceFieldRef, place)
  } catch (thrown) {
    throw new SetupFailure((thrown as Error).message)
  }
  const ref = configMapKeyRef ?? secretKeyRef
  if (!ref) throw new SetupFailure('this source of an environment variable is not supported')
  const kind = configMapKeyRef ? 'ConfigMap' : 'Secret'
  const { key, name = '', optional = false } = ref
  const value = (await configurations(kind, name, optional))?.get(key)
  if (value !== undefined) return text(value)
  if (optional) return undefined
  throw new SetupFailure(`couldn't find key ${key} in ${kind} ${pod.metadata.namespace}/${name}`)
}

export function referredContainer(
  { spec }: Pod,
  own: Container,
  { containerName }: { containerName?: string },
): Container {
  if (!containerName) return own
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  return all.find(({ name }) => name === containerName) ?? own
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
