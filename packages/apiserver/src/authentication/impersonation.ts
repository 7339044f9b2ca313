import { goQuote } from '@tiphys/kube'
import { refusal, requireAllowed } from '../authorization/authorize-request.ts'
import type { Attributes, Authorizer } from '../authorization/authorizer.ts'
import { MASTERS } from '../authorization/role.ts'
import { checkSubdomain } from '../builtin/names.ts'
import type { ApiRequest, User } from '../request/api-request.ts'
import { badRequest, StatusError } from '../status-error.ts'
import { ANONYMOUS, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from './authenticator.ts'
import { accountGroups, NODE_NAME_KEY, splitAccountName } from './service-account-name.ts'

const EXTRA_PREFIX = 'impersonate-extra-'
const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' }
const CORE = { group: '', version: 'v1' }

/** Whom a request wants to act as: the headers as they are, nothing added. */
interface Wanted {
  name: string
  uid: string
  groups: string[]
  extra: Record<string, string[]>
}

/** A way to be allowed to act as somebody. A constrained one also needs `impersonate-on:<mode>:<verb>` for the very
 *  request, and applies to some users only; the old one allows everything at once. */
interface Mode {
  verb: string
  on?: string
  applies(wanted: Wanted, caller: User): boolean
}

const MODES: Mode[] = [
  constrained('associated-node', (wanted, caller) => isNameOnly(wanted) && runsOn(caller, nodeName(wanted.name))),
  constrained('arbitrary-node', wanted => isNameOnly(wanted) && nodeName(wanted.name) !== undefined),
  constrained('serviceaccount', wanted => isNameOnly(wanted) && splitAccountName(wanted.name) !== undefined),
  constrained('user-info', ({ name }) => nodeName(name) === undefined && splitAccountName(name) === undefined),
  { verb: 'impersonate', applies: () => true },
]

function constrained(mode: string, applies: Mode['applies']): Mode {
  return { verb: `impersonate:${mode}`, on: `impersonate-on:${mode}:`, applies }
}

/** The user the request wants to act as, if its caller may be that user for this request; else the caller. The refusal is
 *  that of the first way that was tried. */
export function impersonate(request: ApiRequest, asked: Attributes, authorizer: Authorizer): User {
  const caller = asked.user
  const wanted = wantedUser(request)
  if (!wanted) return caller
  let refused: StatusError | undefined
  for (const mode of MODES) {
    if (!mode.applies(wanted, caller)) continue
    try {
      if (mode.on !== undefined) requireAllowed(authorizer, { ...asked, verb: `${mode.on}${asked.verb}` })
      return impersonateBy(mode, wanted, caller, authorizer)
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      refused ??= thrown
    }
  }
  throw refused ?? new Error('no way of impersonation applies')
}

function wantedUser({ headers }: ApiRequest): Wanted | undefined {
  const extra = new Map<string, string[]>()
  let hasExtra = false
  for (const header of Object.keys(headers)) {
    if (!header.startsWith(EXTRA_PREFIX)) continue
    hasExtra = true
    const key = unescapeKey(header.slice(EXTRA_PREFIX.length))
    extra.set(key, [...(extra.get(key) ?? []), ...several(headers[header])])
  }
  const wanted: Wanted = {
    name: single(headers['impersonate-user']),
    uid: single(headers['impersonate-uid']),
    groups: several(headers['impersonate-group']),
    extra: Object.fromEntries(extra),
  }
  if (wanted.name !== '') return wanted
  if (wanted.uid === '' && wanted.groups.length === 0 && !hasExtra) return undefined
  throw badRequest(`requested ${formatWanted(wanted)} without impersonating a user name`)
}

/** How Go prints the user with `%#v`. */
function formatWanted({ name, uid, groups, extra }: Wanted): string {
  const list = (texts: readonly string[]) => `[]string{${texts.map(goQuote).join(', ')}}`
  const keys = Object.keys(extra).sort()
  const entries = keys.map(key => `${goQuote(key)}:${list(extra[key] ?? [])}`)
  const shownGroups = groups.length === 0 ? '[]string(nil)' : list(groups)
  const shownExtra = keys.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`
}

function impersonateBy(mode: Mode, wanted: Wanted, caller: User, authorizer: Authorizer): User {
  const isConstrained = mode.on !== undefined
  const scope = isConstrained ? AUTHENTICATION : CORE
  const attributes = (about: Partial<Attributes>): Attributes => ({
    user: caller,
    verb: mode.verb,
    ...scope,
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    ...about,
  })
  const may = (about: Partial<Attributes>) => requireAllowed(authorizer, attributes(about))
  const deny = (about: Partial<Attributes>, why: string) => refusal(attributes(about), why)

  const account = splitAccountName(wanted.name)
  const node = isConstrained ? nodeName(wanted.name) : undefined
  if (account) may({ resource: 'serviceaccounts', ...account })
  else if (node !== undefined) {
    // A node impersonates itself under any name it may have: the right is for all of them.
    may({ resource: 'nodes', name: mode.verb === 'impersonate:associated-node' ? '*' : node })
  } else may({ resource: 'users', name: wanted.name })

  if (wanted.uid !== '') may({ ...AUTHENTICATION, resource: 'uids', name: wanted.uid })

  if (isConstrained && wanted.groups.includes(''))
    throw deny({ resource: 'groups' }, 'impersonating the empty string group is not allowed')
  if (isConstrained && wanted.groups.includes(MASTERS))
    throw deny({ resource: 'groups', name: MASTERS }, `impersonating the ${MASTERS} group is not allowed`)
  for (const group of wanted.groups) may({ resource: 'groups', name: group })

  for (const [key, values] of Object.entries(wanted.extra)) {
    if (isConstrained && (key === '' || values.length === 0 || values.includes(''))) {
      const what = key === '' ? 'the empty string key' : values.length === 0 ? 'empty values' : 'the empty string value'
      throw deny({ ...AUTHENTICATION, resource: 'userextras' }, `impersonating ${what} in extra is not allowed`)
    }
    for (const value of values) may({ ...AUTHENTICATION, resource: 'userextras', subresource: key, name: value })
  }
  return impersonated(wanted, account?.namespace, node)
}

function impersonated({ name, uid, groups, extra }: Wanted, accountNamespace: string | undefined, node?: string): User {
  const known =
    node !== undefined
      ? ['system:nodes']
      : accountNamespace !== undefined && groups.length === 0
        ? accountGroups(accountNamespace)
        : groups
  return {
    name,
    groups: withImplied(name, known),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

function withImplied(name: string, groups: readonly string[]): string[] {
  if (name !== ANONYMOUS.name && groups.includes(UNAUTHENTICATED_GROUP)) return [...groups]
  const implied = name === ANONYMOUS.name ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP
  return groups.includes(implied) ? [...groups] : [...groups, implied]
}

const isNameOnly = ({ uid, groups, extra }: Wanted): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0

function nodeName(user: string): string | undefined {
  const name = /^system:node:(.*)$/s.exec(user)?.[1]
  return name !== undefined && checkSubdomain(name).length === 0 ? name : undefined
}

/** True for a service account whose pod runs on the node. */
function runsOn(caller: User, node: string | undefined): boolean {
  const at = caller.extra?.[NODE_NAME_KEY]
  return node !== undefined && splitAccountName(caller.name) !== undefined && at?.length === 1 && at[0] === node
}

const single = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.[0] ?? '')
const several = (value: string | readonly string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : [...value]

/** A key that is escaped wrongly is taken as it is. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
