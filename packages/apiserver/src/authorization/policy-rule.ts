import type { Attributes, PolicyRule } from './authorizer.ts'

const has = (list: readonly string[] | undefined | null, value: string): boolean =>
  list?.includes('*') === true || list?.includes(value) === true

export function allowsResource(rule: PolicyRule, { verb, group, resource, subresource, name }: Attributes): boolean {
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    namesResource(rule.resources, resource, subresource) &&
    (!rule.resourceNames || rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  )
}

// A star means everything, `pods/log` one subresource, a star before `/scale` that subresource of everything.
function namesResource(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  const asked = subresource === '' ? resource : `${resource}/${subresource}`
  return (resources ?? []).some(
    named => named === '*' || named === asked || (subresource !== '' && named === `*/${subresource}`),
  )
}

export function allowsPath(rule: PolicyRule, verb: string, path: string): boolean {
  if (!has(rule.verbs, verb)) return false
  return (rule.nonResourceURLs ?? []).some(
    url => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))),
  )
}

/** True when `granted` together allow everything that `rule` allows: what escalation checks ask. */
export function covers(granted: readonly PolicyRule[], rule: PolicyRule): boolean {
  return pieces(rule).every(piece => granted.some(grant => coversPiece(grant, piece)))
}

/** A rule as single permissions: one verb, one group, one resource, one name. */
function pieces(rule: PolicyRule): PolicyRule[] {
  const all: PolicyRule[] = []
  for (const verb of rule.verbs) {
    for (const url of rule.nonResourceURLs ?? []) all.push({ verbs: [verb], nonResourceURLs: [url] })
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const names = rule.resourceNames ?? []
        if (names.length === 0) all.push({ verbs: [verb], apiGroups: [group], resources: [resource] })
        for (const name of names)
          all.push({ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames: [name] })
      }
    }
  }
  return all
}

function coversPiece(grant: PolicyRule, piece: PolicyRule): boolean {
  if (!has(grant.verbs, piece.verbs[0] as string)) return false
  const url = piece.nonResourceURLs?.[0]
  if (url !== undefined) {
    return (grant.nonResourceURLs ?? []).some(
      given => given === '*' || given === url || (given.endsWith('*') && url.startsWith(given.slice(0, -1))),
    )
  }
  if (!has(grant.apiGroups, piece.apiGroups?.[0] as string)) return false
  const resource = piece.resources?.[0] as string
  const slash = resource.indexOf('/')
  const isResource = (grant.resources ?? []).some(
    given => given === '*' || given === resource || (slash > 0 && given === `*${resource.slice(slash)}`),
  )
  if (!isResource) return false
  const names = grant.resourceNames ?? []
  return names.length === 0 || (piece.resourceNames?.[0] !== undefined && names.includes(piece.resourceNames[0]))
}
