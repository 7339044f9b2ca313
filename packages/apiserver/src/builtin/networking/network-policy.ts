import type { Strategy } from '../../strategy.ts'
import { ensureObject, listAt, setIfAbsent, textsAt } from '../fields.ts'
import { validateNetworkPolicy } from './network-policy-validation.ts'

export const networkPolicyStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: validateNetworkPolicy,
  validateUpdate: validateNetworkPolicy,
  setDefaults(policy) {
    const spec = ensureObject(policy, 'spec')
    if (textsAt(spec, 'policyTypes').length === 0) {
      spec.policyTypes = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
    }
    for (const rule of [...listAt(spec, 'ingress'), ...listAt(spec, 'egress')]) {
      for (const port of listAt(rule, 'ports')) setIfAbsent(port, 'protocol', 'TCP')
    }
  },
}
