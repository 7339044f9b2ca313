import { goQuote } from '@tiphys/kube'
import type { Attributes, PolicyRule } from './authorizer.ts'

const has = (list: readonly string[] | undefined | null, value: string): boolean =>
  list?.includes('*') === true || list?.includes(value) === true

export function allowsResource(rule: PolicyRule, { verb, group, resource, subresource, name }: Attributes): boolean {
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    namesResource(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`, subresource) &&
    (!rule.resourceNames || rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  )
}

// A star means everything, `pods/log` one subresource, a star before `/scale` that subresource of everything.
function namesResource(resources: readonly string[] | undefined, asked: string, subresource: string): boolean {
  return (resources ?? []).some(
    named => named === '*' || named === asked || (subresource !== '' && named === `*/${subresource}`),
  )
}

export const allowsPath = (rule: PolicyRule, verb: string, path: string): boolean =>
  has(rule.verbs, verb) && namesPath(rule.nonResourceURLs, path)

function namesPath(urls: readonly string[] | undefined, path: string): boolean {
  return (urls ?? []).some(
    url => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, ''))),
  )
}

/** What `rules` allow and `held` do not: what somebody who holds `held` may not grant. Each answer is one group, one
 *  resource and one name, with all the verbs that are missing of them. */
export function missingRules(held: readonly PolicyRule[], rules: readonly PolicyRule[]): PolicyRule[] {
  const missing = rules.flatMap(singlePermissions).filter(piece => !held.some(rule => covers(rule, piece)))
  return withVerbsTogether(missing)
}

/** A rule as single permissions: one verb, one group, one resource, one name. */
function singlePermissions({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): PolicyRule[] {
  const all: PolicyRule[] = []
  const names = resourceNames && resourceNames.length > 0 ? resourceNames : [undefined]
  for (const group of apiGroups ?? []) {
    for (const resource of resources ?? []) {
      for (const verb of verbs) {
        for (const name of names) {
          const one: PolicyRule = { verbs: [verb], apiGroups: [group], resources: [resource] }
          all.push(name === undefined ? one : { ...one, resourceNames: [name] })
        }
      }
    }
  }
  for (const url of nonResourceURLs ?? []) {
    for (const verb of verbs) all.push({ verbs: [verb], nonResourceURLs: [url] })
  }
  return all
}

function covers(held: PolicyRule, piece: PolicyRule): boolean {
  if (!has(held.verbs, piece.verbs[0] as string)) return false
  const url = piece.nonResourceURLs?.[0]
  if (url !== undefined) return namesPath(held.nonResourceURLs, url)
  const resource = piece.resources?.[0] as string
  const slash = resource.indexOf('/')
  const name = piece.resourceNames?.[0]
  const heldNames = held.resourceNames ?? []
  return (
    has(held.apiGroups, piece.apiGroups?.[0] as string) &&
    namesResource(held.resources, resource, slash < 0 ? '' : resource.slice(slash + 1)) &&
    (heldNames.length === 0 || (name !== undefined && heldNames.includes(name)))
  )
}

function withVerbsTogether(pieces: readonly PolicyRule[]): PolicyRule[] {
  const together = new Map<string, PolicyRule>()
  const paths: PolicyRule[] = []
  for (const piece of pieces) {
    if (piece.nonResourceURLs) {
      paths.push(piece)
      continue
    }
    const key = JSON.stringify([piece.apiGroups, piece.resources, piece.resourceNames])
    const known = together.get(key)
    if (known) known.verbs.push(...piece.verbs)
    else together.set(key, { ...piece, verbs: [...piece.verbs] })
  }
  return [...paths, ...together.values()]
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function formatRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = parts.filter(([, values]) => values !== undefined && values.length > 0)
  return `{${shown.map(([name, values]) => `${name}:${formatTexts(values ?? [])}`).join(', ')}}`
}

/** How Go prints a list of strings with `%q`. */
export const formatTexts = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`
