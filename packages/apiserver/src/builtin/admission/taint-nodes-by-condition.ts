import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { ensureObject, listAt, textAt } from '../fields.ts'
import { createdObject } from './cluster-lookup.ts'

const NOT_READY = 'node.kubernetes.io/not-ready'

/** Nothing is scheduled to a new node before it has said that it is ready. */
export const taintNodesByConditionAdmission: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate(request) {
    const node = createdObject(request, '', 'nodes')
    if (node === undefined) return
    const spec = ensureObject(node, 'spec')
    const taints = listAt(spec, 'taints')
    const isTainted = taints.some(
      taint => textAt(taint, 'key') === NOT_READY && textAt(taint, 'effect') === 'NoSchedule',
    )
    if (!isTainted) spec.taints = [...taints, { key: NOT_READY, effect: 'NoSchedule' }]
  },
}
