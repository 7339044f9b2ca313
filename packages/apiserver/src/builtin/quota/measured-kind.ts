import { isHugePagesName, isNativeResource } from '../resource-requirements.ts'

/** A kind whose objects use up something that a quota limits. */
export interface MeasuredKind {
  group: string
  resource: string
}

const POD_RESOURCES = new Set([
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
])
const SERVICE_RESOURCES = new Set(['services', 'services.nodeports', 'services.loadbalancers'])
const CLAIM_RESOURCES = new Set(['persistentvolumeclaims', 'requests.storage'])
/** Kinds that can be counted under their own name, from before there was `count/…`. */
const COUNTED_BY_NAME = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'])

export const STORAGE_CLASS_INFIX = '.storageclass.storage.k8s.io/'

/** The kind whose objects a limit (`requests.cpu`, `count/deployments.apps`) is about; undefined when nothing counts it. */
export function measuredKind(name: string): MeasuredKind | undefined {
  if (name.startsWith('count/')) {
    const [resource = '', ...group] = name.slice('count/'.length).split('.')
    return { group: group.join('.'), resource }
  }
  const resource = measuredCoreResource(name)
  return resource === undefined ? undefined : { group: '', resource }
}

function measuredCoreResource(name: string): string | undefined {
  if (POD_RESOURCES.has(name) || isHugePagesName(name) || isHugePagesName(withoutRequests(name))) return 'pods'
  if (SERVICE_RESOURCES.has(name)) return 'services'
  const infix = name.indexOf(STORAGE_CLASS_INFIX)
  if (CLAIM_RESOURCES.has(infix < 0 ? name : name.slice(infix + STORAGE_CLASS_INFIX.length)))
    return 'persistentvolumeclaims'
  if (COUNTED_BY_NAME.has(name)) return name
  return name.startsWith('requests.') && !isNativeResource(name) ? 'pods' : undefined
}

const withoutRequests = (name: string) => (name.startsWith('requests.') ? name.slice('requests.'.length) : '')

export const countName = ({ group, resource }: MeasuredKind): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`
