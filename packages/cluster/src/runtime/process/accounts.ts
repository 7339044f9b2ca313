import { readFileSync } from 'node:fs'

/** The users and groups of this machine. */
export interface Accounts {
  users: readonly { name: string; uid: number; gid: number; home: string }[]
  groups: readonly { name: string; gid: number; members: readonly string[] }[]
}

export interface Identity {
  uid: number
  gid: number
  /** Without the group itself. */
  supplementalGroups: readonly number[]
  home: string
}

export interface IdentityRequest {
  /** `name`, `uid`, `name:group`, … as an image says it. */
  user: string | undefined
  runAsUser: number | undefined
  runAsGroup: number | undefined
  supplementalGroups: readonly number[]
}

export function readAccounts(): Accounts {
  return parseAccounts(readFileSync('/etc/passwd', 'utf8'), readFileSync('/etc/group', 'utf8'))
}

export function parseAccounts(passwd: string, group: string): Accounts {
  const rows = (text: string) => text.split('\n').map(line => line.split(':'))
  return {
    users: rows(passwd).flatMap(([name = '', , uid, gid, , home = '/']) =>
      isNumber(uid) && isNumber(gid) ? [{ name, uid: Number(uid), gid: Number(gid), home }] : [],
    ),
    groups: rows(group).flatMap(([name = '', , gid, members = '']) =>
      isNumber(gid) ? [{ name, gid: Number(gid), members: members.split(',').filter(member => member !== '') }] : [],
    ),
  }
}

/** Who a container runs as: what the pod says wins over what the image says, and the machine's accounts tell the rest.
 *  Throws for a name that this machine does not know. */
export function identify(accounts: Accounts, request: IdentityRequest): Identity {
  const [userName = '', groupName] = (request.user ?? '0').split(':')
  const user =
    request.runAsUser === undefined
      ? findUser(accounts, userName)
      : accounts.users.find(({ uid }) => uid === request.runAsUser)
  const uid = request.runAsUser ?? user?.uid ?? Number(userName)
  const imageGroup =
    groupName === undefined || request.runAsUser !== undefined ? undefined : findGroup(accounts, groupName)
  const gid = request.runAsGroup ?? imageGroup ?? user?.gid ?? 0
  const memberships = accounts.groups.filter(({ members }) => user !== undefined && members.includes(user.name))
  const groups = new Set([...memberships.map(group => group.gid), ...request.supplementalGroups])
  groups.delete(gid)
  return { uid, gid, supplementalGroups: [...groups], home: user?.home ?? '/' }
}

function findUser(accounts: Accounts, name: string): Accounts['users'][number] | undefined {
  if (isNumber(name)) return accounts.users.find(({ uid }) => uid === Number(name))
  const user = accounts.users.find(candidate => candidate.name === name)
  if (user === undefined) throw new Error(`unable to find user ${name}: no matching entries in passwd file`)
  return user
}

function findGroup(accounts: Accounts, name: string): number {
  if (isNumber(name)) return Number(name)
  const group = accounts.groups.find(candidate => candidate.name === name)
  if (group === undefined) throw new Error(`unable to find group ${name}: no matching entries in group file`)
  return group.gid
}

const isNumber = (text: string | undefined): boolean => text !== undefined && /^\d+$/.test(text)
