/** Who may speak to a server under test; the same on both servers. */
export interface Identity {
  token: string
  user: string
  uid: string
  groups: string[]
}

export const identities: Identity[] = [
  { token: 'admin-token', user: 'admin', uid: 'uid-admin', groups: ['system:masters'] },
  { token: 'joe-token', user: 'joe', uid: 'uid-joe', groups: [] },
  { token: 'jane-token', user: 'jane', uid: 'uid-jane', groups: ['developers', 'testers'] },
  { token: 'node-token', user: 'system:node:node-1', uid: 'uid-node', groups: ['system:nodes'] },
]

export type IdentityName = 'admin' | 'joe' | 'jane' | 'node' | 'nobody'

/** The Authorization header's value; nobody sends none. */
export function authorization(name: IdentityName): string | undefined {
  return name === 'nobody' ? undefined : `Bearer ${name}-token`
}
