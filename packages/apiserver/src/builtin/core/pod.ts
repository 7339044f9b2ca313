import type { Strategy } from '../../strategy.ts'
import { keepOldMetadata, keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { copyOf, ensureObject, flagAt, listAt, objectAt, optionalNumberAt, textAt } from '../fields.ts'
import { nameWarnings, podWarnings } from '../pod-warnings.ts'
import { podQualityOfService } from '../resource-requirements.ts'
import { mergeMatchLabelKeys } from './pod-affinity.ts'
import { setPodDefaults } from './pod-defaults.ts'
import { prepareResize, validatePodResize } from './pod-resize.ts'
import {
  validateEphemeralContainersUpdate,
  validatePodStatusUpdate,
  validatePodUpdate,
} from './pod-update-validation.ts'
import { validatePodCreate } from './pod-validation.ts'

export const podStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults: setPodDefaults,
  hasIndependentFields: true,
  prepareForCreate(pod) {
    const spec = ensureObject(pod, 'spec')
    pod.status = { phase: 'Pending', qosClass: podQualityOfService(spec) }
    mergeMatchLabelKeys(spec, pod.metadata.labels ?? {})
    if (listAt(spec, 'schedulingGates').length > 0) {
      objectAt(pod, 'status').conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
          lastProbeTime: null,
          lastTransitionTime: pod.metadata.creationTimestamp ?? null,
        },
      ]
    }
  },
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate(pod, old) {
    keepOldSpec(pod, old)
    const { ownerReferences, deletionTimestamp } = old.metadata
    pod.metadata.ownerReferences = copyOf(ownerReferences) ?? []
    if (ownerReferences === undefined) delete pod.metadata.ownerReferences
    if (deletionTimestamp === undefined) delete pod.metadata.deletionTimestamp
    const status = objectAt(pod, 'status')
    if (textAt(status, 'qosClass') === '')
      pod.status = { ...status, qosClass: textAt(objectAt(old, 'status'), 'qosClass') }
  },
  validate: validatePodCreate,
  validateUpdate: validatePodUpdate,
  prepareForSubresourceUpdate(subresource, pod, old) {
    if (subresource === 'ephemeralcontainers') {
      const { ephemeralContainers } = objectAt(pod, 'spec')
      const { ephemeralContainers: _before, ...spec } = objectAt(old, 'spec')
      pod.spec = ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers }
    } else if (subresource === 'resize') prepareResize(pod, old)
    else return
    keepOldStatus(pod, old)
    keepOldMetadata(pod, old)
  },
  validateSubresourceUpdate(subresource, pod, old) {
    if (subresource === 'ephemeralcontainers') return validateEphemeralContainersUpdate(pod, old)
    return subresource === 'resize' ? validatePodResize(pod, old) : []
  },
  validateStatusUpdate: validatePodStatusUpdate,
  warnings(pod, old) {
    if (old !== undefined) return []
    return [...nameWarnings(pod.metadata.name ?? '', "the Pod's hostname"), ...podWarnings(pod, '')]
  },
  fieldNames: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  fields(pod) {
    const spec = objectAt(pod, 'spec')
    const status = objectAt(pod, 'status')
    return {
      'spec.nodeName': textAt(spec, 'nodeName'),
      'spec.restartPolicy': textAt(spec, 'restartPolicy'),
      'spec.schedulerName': textAt(spec, 'schedulerName'),
      'spec.serviceAccountName': textAt(spec, 'serviceAccountName'),
      'spec.hostNetwork': String(flagAt(spec, 'hostNetwork')),
      'status.phase': textAt(status, 'phase'),
      'status.podIP': textAt(listAt(status, 'podIPs')[0], 'ip') || textAt(status, 'podIP'),
      'status.podIPs': '',
      'status.nominatedNodeName': textAt(status, 'nominatedNodeName'),
    }
  },
  unsupportedFieldText: plainUnsupportedFieldText,
  gracePeriod(pod) {
    const spec = objectAt(pod, 'spec')
    const phase = textAt(objectAt(pod, 'status'), 'phase')
    if (textAt(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0
    const seconds = optionalNumberAt(spec, 'terminationGracePeriodSeconds') ?? 0
    return seconds < 0 ? 1 : seconds
  },
}
