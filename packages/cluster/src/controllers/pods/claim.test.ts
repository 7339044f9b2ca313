import type { KubeObject } from '@tiphys/kube'
import { expect, test } from 'vitest'
import { planClaim } from './claim.ts'
import { controllerReference } from './pod-template.ts'

const object = (kind: string, metadata: KubeObject['metadata']): KubeObject => ({ apiVersion: 'v1', kind, metadata })
const owner = object('Owner', { name: 'o', namespace: 'ns', uid: 'o' })
const deletedOwner = object('Owner', { ...owner.metadata, deletionTimestamp: '2024-01-01T00:00:00Z' })
const orphan = object('Pod', { name: 'p', namespace: 'ns' })
const owned = object('Pod', { name: 'p', namespace: 'ns', ownerReferences: [controllerReference(owner)] })
const stranger = object('Pod', {
  name: 'p',
  namespace: 'ns',
  ownerReferences: [controllerReference(object('Owner', { name: 'other', uid: 'other' }))],
})
const deleted = object('Pod', { ...orphan.metadata, deletionTimestamp: '2024-01-01T00:00:00Z' })
const elsewhere = object('Pod', { name: 'p', namespace: 'elsewhere' })

test.each([
  ['its own that matches', owner, owned, true, 'owned'],
  ['its own that matches no longer', owner, owned, false, 'release'],
  ['an orphan that matches', owner, orphan, true, 'adopt'],
  ['an orphan that does not match', owner, orphan, false, 'foreign'],
  ['an orphan that is being deleted', owner, deleted, true, 'foreign'],
  ['an orphan of another namespace', owner, elsewhere, true, 'foreign'],
  ['what somebody else controls', owner, stranger, true, 'foreign'],
  ['its own that matches, when it is being deleted', deletedOwner, owned, true, 'owned'],
  ['its own that matches no longer, when it is being deleted', deletedOwner, owned, false, 'foreign'],
  ['an orphan that matches, when it is being deleted', deletedOwner, orphan, true, 'foreign'],
])('an owner and %s', (_, who, what, isMatch, claim) => {
  expect(planClaim(who, what, isMatch)).toBe(claim)
})
