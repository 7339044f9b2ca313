import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { listAt, textAt } from '../fields.ts'

// Only the name of a referenced secret counts; whatever else a client sends is dropped.
function keepSecretNames(account: KubeObject): void {
  const secrets = listAt(account, 'secrets')
  if (secrets.length > 0) account.secrets = secrets.map(secret => ({ name: textAt(secret, 'name') }))
}

export const serviceAccountStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
}
