import type { Json } from '../http.ts'
import { isObject } from '../transcript.ts'

interface Circumstances {
  namespace: string
  /** Hashes of templates and revisions: each cluster computes its own. */
  hashes: readonly string[]
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g
const podAddress = /\b10\.(?!96\.)\d+\.\d+\.\d+\b/g
const serviceAddress = /\b10\.96\.\d+\.\d+\b/g
const nodeName = /\bnode-[ab]\b/g

/** Replaces what differs between two clusters that did the same (uids, versions, times, drawn names, addresses), and orders
 *  the objects by what is left. */
export function normaliseObjects(objects: readonly Json[], circumstances: Circumstances): Json {
  const drawn = drawnNames(objects)
  const text = (value: string): string => {
    let normal = value.replaceAll(circumstances.namespace, 'NS')
    for (const [name, shown] of drawn) normal = normal.replaceAll(name, shown)
    for (const hash of circumstances.hashes) normal = normal.replaceAll(hash, '<hash>')
    return normal
      .replace(/<hash>-[a-z0-9]{5}\b/g, '<hash>-<drawn>')
      .replace(uuid, '<uid>')
      .replace(instant, '<time>')
      .replace(/:\/\/[0-9a-f]{32}\b/g, '://<id>')
      .replace(podAddress, '<pod ip>')
      .replace(serviceAddress, '<service ip>')
      .replace(nodeName, '<node>')
      .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<drawn>')
      .replace(/-\d{8}\b/g, '-<minute>')
  }
  const walk = (value: Json, key: string): Json => {
    if (typeof value === 'string') return text(value)
    if (key === 'nodePort' && typeof value === 'number') return '<nodePort>'
    if (Array.isArray(value)) return value.map(item => walk(item, ''))
    if (!isObject(value)) return value
    const fields = Object.entries(value)
      .filter(([name]) => name !== 'managedFields' && name !== 'resourceVersion' && name !== 'uid')
      .map(([name, field]): [string, Json] => [text(name), walk(field, name)])
      .sort(([left], [right]) => (left < right ? -1 : 1))
    return Object.fromEntries(fields)
  }
  const normal = objects.map(object => walk(object, ''))
  return normal.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
}

/** Names made by `generateName`, longest first: one may be the beginning of another. */
function drawnNames(objects: readonly Json[]): [string, string][] {
  const names: [string, string][] = []
  for (const object of objects) {
    const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
    const { generateName, name } = metadata
    if (typeof generateName === 'string' && typeof name === 'string') names.push([name, `${generateName}<drawn>`])
  }
  return names.sort(([left], [right]) => right.length - left.length)
}
