import { asError } from '@tiphys/env'
import { parseYaml } from '@tiphys/kube'
import { PodRefusal } from './pod-failures.ts'

type Fields = Record<string, unknown>

/** Lists of a PodSpec whose elements are told apart by a field; every other list is replaced as a whole. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  resourceClaims: 'name',
  schedulingGates: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
}

/** A PodSpec after `podSpecPatch`, which is JSON or YAML: a strategic merge as the API server does it. */
export async function patchPodSpec<T extends object>(spec: T, patches: readonly (string | undefined)[]): Promise<T> {
  let patched = spec as Fields
  for (const text of patches) {
    if (text === undefined || text.trim() === '') continue
    patched = merged(patched, forStepPods(await read(text), patched)) as Fields
  }
  return patched as T
}

async function read(text: string): Promise<Fields> {
  let value: unknown
  try {
    value = (await parseYaml(text)).value
  } catch (cause) {
    throw new PodRefusal({ what: 'podSpecPatch cannot be read', why: asError(cause).message, cause })
  }
  if (isFields(value)) return value
  throw new PodRefusal({ what: 'podSpecPatch is no object', todo: 'Write fields of a PodSpec, as JSON or YAML' })
}

/** Patches are written for upstream's pods. There, `init` and `wait` are containers of the executor, which is not here, and sidecars are
 *  containers beside `main`, which end with it; here they are init containers that run on. */
function forStepPods(patch: Fields, base: Fields): Fields {
  const known = new Set(namesIn(base.containers))
  const beside = new Set(namesIn(base.initContainers))
  const isReplaced = asList(patch.containers).some(isBareReplace)
  const own: unknown[] = []
  const before = asList(patch.initContainers).filter(
    container => beside.has(nameOf(container)) || nameOf(container) !== 'init',
  )
  for (const container of asList(patch.containers)) {
    const name = nameOf(container)
    if (known.has(name) || !isFields(container) || isReplaced) own.push(container)
    else if (beside.has(name)) before.push(container)
    else if (name === 'wait') continue
    else if (container.image !== undefined) before.push({ ...container, restartPolicy: 'Always' })
    else own.push(container)
  }
  return {
    ...patch,
    ...(Array.isArray(patch.containers) && { containers: own }),
    ...((before.length > 0 || Array.isArray(patch.initContainers)) && { initContainers: before }),
  }
}

const isBareReplace = (element: unknown) =>
  isFields(element) && element.$patch === 'replace' && Object.keys(element).length === 1

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const nameOf = (container: unknown): unknown => (isFields(container) ? container.name : undefined)
const namesIn = (containers: unknown): unknown[] => asList(containers).map(nameOf)

function merged(base: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch
  if (patch.$patch === 'replace') return without(patch, '$patch')
  const result: Fields = isFields(base) ? { ...base } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith('$')) continue
    const key = Object.hasOwn(MERGE_KEYS, name) ? MERGE_KEYS[name] : undefined
    if (value === null || (isFields(value) && value.$patch === 'delete')) delete result[name]
    else if (key !== undefined && Array.isArray(value)) result[name] = mergedList(result[name], value, key)
    else set(result, name, merged(own(result, name), value))
  }
  return result
}

function mergedList(base: unknown, patch: readonly unknown[], key: string): unknown[] {
  const directives = patch.filter(isFields).map(({ $patch, ...rest }) => ({ $patch, rest }))
  if (patch.some(isBareReplace)) return directives.filter(({ $patch }) => $patch === undefined).map(({ rest }) => rest)
  const result: unknown[] = Array.isArray(base) ? [...base] : []
  for (const { $patch, rest } of directives) {
    const at = result.findIndex(element => isFields(element) && element[key] === rest[key])
    if ($patch === 'delete') {
      if (at >= 0) result.splice(at, 1)
    } else if (at < 0) result.push(rest)
    else result[at] = $patch === 'replace' ? rest : merged(result[at], rest)
  }
  return result
}

const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

/** A field that may be called like one of Object's own. */
function set(fields: Fields, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true })
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields
  return rest
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
