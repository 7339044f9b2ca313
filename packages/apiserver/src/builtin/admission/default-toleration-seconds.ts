import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { ensureObject, listAt, textAt } from '../fields.ts'
import { writtenObject } from './cluster-lookup.ts'

const SECONDS = 300

/** Pods outlive a node that does not answer by five minutes, unless they say otherwise. */
export const defaultTolerationSecondsAdmission: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    const pod = writtenObject(request, '', 'pods')
    if (pod === undefined) return
    const spec = ensureObject(pod, 'spec')
    const given = listAt(spec, 'tolerations')
    const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
      taint =>
        !given.some(
          toleration =>
            ['', taint].includes(textAt(toleration, 'key')) && ['', 'NoExecute'].includes(textAt(toleration, 'effect')),
        ),
    )
    if (missing.length === 0) return
    const added = missing.map(key => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }))
    const tolerations = [...given, ...added]
    if (spec === request.old?.spec) pod.spec = { ...spec, tolerations }
    else spec.tolerations = tolerations
  },
}
