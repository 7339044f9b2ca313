import type { KubeObject } from '@tiphys/kube'
import { listAt, objectAt, optionalObjectAt } from '../fields.ts'
import { ageColumn, column, nameColumn, table } from './columns.ts'

export const resourceClaimColumns = table(nameColumn, column('State', claimState), ageColumn)

function claimState(claim: KubeObject): string {
  const status = objectAt(claim, 'status')
  const states = [
    ...(claim.metadata.deletionTimestamp === undefined ? [] : ['deleted']),
    ...(optionalObjectAt(status, 'allocation') === undefined ? [] : ['allocated']),
    ...(listAt(status, 'reservedFor').length === 0 ? [] : ['reserved']),
  ]
  return states.length === 0 ? 'pending' : states.join(',')
}
