import { readAccounts } from './accounts.ts'

/** In a home folder: what lets its owner into other machines and clusters. */
const OF_USERS = ['.ssh', '.kube', '.aws', '.azure', '.docker', '.gnupg', '.config/gcloud', '.config/gh', '.netrc']
const OF_THE_MACHINE = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/kubernetes']

/** What no container may see of this machine. */
export function sensitivePaths(): string[] {
  const homes = new Set([process.env.HOME, ...readAccounts().users.map(({ home }) => home)])
  const real = [...homes].filter(home => home !== undefined && home !== '/' && home !== '')
  return [...OF_THE_MACHINE, ...real.flatMap(home => OF_USERS.map(name => `${home}/${name}`))]
}
