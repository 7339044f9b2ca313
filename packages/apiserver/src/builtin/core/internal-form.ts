import { type Fields, isPresent, objectAt, optionalObjectAt } from '../fields.ts'
import { unifiedDiff } from '../unified-diff.ts'
import { INTERNAL_TYPES } from './internal-types.ts'

/** The difference of two specs as the real server's errors show it: a unified diff of its internal form. */
export function diffSpecs(
  type: 'PodSpec' | 'PersistentVolumeClaimSpec' | 'PersistentVolumeSource' | 'EphemeralContainer',
  old: Fields,
  now: Fields,
): string {
  const print = (spec: Fields) => JSON.stringify(internalForm(type, spec), null, 1)
  return unifiedDiff(print(old), print(now), 3)
}

const HOST_NAMESPACES = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers']

// The API has the host's namespaces beside the security context, the internal form inside it.
function moveHostNamespaces(type: string, spec: Fields): Fields {
  if (type !== 'PodSpec') return spec
  const moved = Object.fromEntries(HOST_NAMESPACES.map(name => [name, spec[name]]))
  return { ...spec, securityContext: { ...objectAt(spec, 'securityContext'), ...moved } }
}

export function internalForm(type: string, apiForm: Fields): Fields {
  const form: Fields = {}
  const value = moveHostNamespaces(type, apiForm)
  for (const part of (INTERNAL_TYPES[type] ?? '').split(' ')) {
    if (part === '...ObjectMeta') {
      Object.assign(form, objectMeta(objectAt(value, 'metadata')))
      continue
    }
    if (part.startsWith('...')) {
      Object.assign(form, internalForm(part.slice(3), value))
      continue
    }
    const [names = '', fieldType = ''] = part.split(':')
    const [name = '', apiName = name.charAt(0).toLowerCase() + name.slice(1)] = names.split('=')
    form[name] = internalValue(fieldType, value, apiName)
  }
  return form
}

// Metadata is the same type in both forms, with its maps in order.
function objectMeta(metadata: Fields): Fields {
  const shown = { ...metadata }
  for (const name of ['labels', 'annotations']) {
    const map = optionalObjectAt(metadata, name)
    if (map !== undefined) shown[name] = inOrder(map)
  }
  return shown
}

const inOrder = (map: Fields) => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))

function internalValue(type: string, parent: Fields, name: string): unknown {
  const value = parent[name]
  if (type.startsWith('*')) return isPresent(parent, name) ? internalValue(type.slice(1), parent, name) : null
  if (type.startsWith('[]')) {
    if (!isPresent(parent, name)) return null
    return (value as unknown[]).map(item => internalValue(type.slice(2), { item }, 'item'))
  }
  switch (type) {
    case 's':
      return value ?? ''
    case 'i':
    case 'x':
      return value ?? 0
    case 'b':
      return value ?? false
    case 'q':
      return value ?? '0'
    case 'map':
      return value === undefined || value === null ? null : inOrder(value as Fields)
    default:
      return type in INTERNAL_TYPES ? internalForm(type, optionalObjectAt(parent, name) ?? {}) : (value ?? {})
  }
}
