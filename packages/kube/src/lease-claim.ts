import type { KubeObject } from './object.ts'

/** A Lease of coordination.k8s.io/v1, as far as an election reads it. */
export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
    [field: string]: unknown
  }
}

/** What a candidate knows of the lease. The times written in a lease are other machines' and are never compared with
 *  anything. */
export interface SeenLease {
  /** The last state that was seen. */
  lease: Lease
  /** When this state, or its deletion, was first seen, by the candidate's own monotonic clock. */
  since: number
  /** It was deleted after this state. The holder may not know yet. */
  isDeleted: boolean
}

export interface Candidate {
  namespace: string
  name: string
  identity: string
  leaseDurationMs: number
}

export type Claim =
  | { type: 'create' | 'update'; lease: Lease; epoch: number }
  /** Somebody else may still believe to lead. */
  | { type: 'wait' }

/** What a candidate that does not lead may do now. Every term gets an epoch (leaseTransitions) of its own, greater than all
 *  before, also when the same candidate takes the lease again. */
export function planClaim(
  seen: SeenLease | undefined,
  candidate: Candidate,
  now: { monotonic: number; wall: number },
): Claim {
  if (!seen) return { type: 'create', epoch: 0, lease: claimed(undefined, candidate, 0, now.wall) }
  const { lease, since, isDeleted } = seen
  const { holderIdentity = '', leaseDurationSeconds, leaseTransitions = 0 } = lease.spec ?? {}
  const durationMs = leaseDurationSeconds === undefined ? candidate.leaseDurationMs : leaseDurationSeconds * 1000
  const isFree = holderIdentity === '' || holderIdentity === candidate.identity || now.monotonic - since > durationMs
  if (!isFree) return { type: 'wait' }
  const epoch = leaseTransitions + 1
  return isDeleted
    ? { type: 'create', epoch, lease: claimed(undefined, candidate, epoch, now.wall) }
    : { type: 'update', epoch, lease: claimed(lease, candidate, epoch, now.wall) }
}

/** The lease with a later renewTime: what its holder writes to keep it. */
export function renewed(lease: Lease, wall: number): Lease {
  return { ...lease, spec: { ...lease.spec, renewTime: microTime(wall) } }
}

/** The lease without a holder: anybody may take it at once. */
export function released(lease: Lease, wall: number): Lease {
  const time = microTime(wall)
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  }
}

function claimed(lease: Lease | undefined, candidate: Candidate, epoch: number, wall: number): Lease {
  const { namespace, name, identity, leaseDurationMs } = candidate
  const time = microTime(wall)
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name },
    ...lease,
    spec: {
      ...lease?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: time,
      renewTime: time,
      leaseTransitions: epoch,
    },
  }
}

function microTime(wall: number): string {
  return new Date(wall).toISOString().replace('Z', '000Z')
}
