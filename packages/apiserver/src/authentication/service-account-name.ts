import { checkLabel, checkSubdomain } from '../builtin/names.ts'

const PREFIX = 'system:serviceaccount:'
const EVERY_ACCOUNT = 'system:serviceaccounts'

/** Where a service account's token says which node its pod runs on. */
export const NODE_NAME_KEY = 'authentication.kubernetes.io/node-name'

/** The user name of a service account. */
export const accountName = (namespace: string, name: string): string => `${PREFIX}${namespace}:${name}`

/** Groups that every service account of the namespace belongs to. */
export const accountGroups = (namespace: string): string[] => [EVERY_ACCOUNT, `${EVERY_ACCOUNT}:${namespace}`]

/** The account behind a user name; undefined for other users. */
export function splitAccountName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined
  const [namespace, name, ...rest] = user.slice(PREFIX.length).split(':')
  if (namespace === undefined || name === undefined || rest.length > 0) return undefined
  if (checkLabel(namespace).length > 0 || checkSubdomain(name).length > 0) return undefined
  return { namespace, name }
}
