import { TerminalFailure } from '@tiphys/env'
import type { ResourceInfo } from './client.ts'

export interface ResourceTarget {
  namespace?: string | undefined
  name?: string | undefined
  subresource?: string | undefined
}

/** The path of a collection or an object. A namespaced resource without a namespace is the collection over all
 *  namespaces; the namespace of a cluster-wide resource is left out, as the server has no path for it. */
export function resourcePath(info: ResourceInfo, { namespace, name, subresource }: ResourceTarget): string {
  const root = info.group === '' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`
  const scope = info.namespaced && namespace !== undefined ? `/namespaces/${segment('namespace', namespace)}` : ''
  const object = name === undefined ? '' : `/${segment('name', name)}`
  const below = subresource === undefined ? '' : `/${subresource.split('/').map(encodeURIComponent).join('/')}`
  return `${root}${scope}/${info.resource}${object}${below}`
}

/** A name that the server would take for another path never leaves the process. */
function segment(what: 'name' | 'namespace', value: string): string {
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new TerminalFailure('kube-name-invalid', {
      what: `${JSON.stringify(value)} cannot be the ${what} of an object`,
      todo: 'A name is not empty, not . or .., and has no / and no %',
    })
  }
  return encodeURIComponent(value)
}
