import type { KubeObject } from '@tiphys/kube'
import { objectAt, textAt, textsAt } from '../fields.ts'
import { isHeadless } from './service-validation.ts'

const HINTS = 'service.kubernetes.io/topology-aware-hints'
const MODE = 'service.kubernetes.io/topology-mode'

export function serviceWarnings(service: KubeObject): string[] {
  const spec = objectAt(service, 'spec')
  const warnings: string[] = []
  const hasExternalIps = textsAt(spec, 'externalIPs').length > 0
  const isExternalName = textAt(spec, 'type') === 'ExternalName'
  if (service.metadata.annotations?.[HINTS] !== undefined) {
    warnings.push(`annotation ${HINTS} is deprecated, please use ${MODE} instead`)
  }
  if (isHeadless(spec)) {
    if (textAt(spec, 'loadBalancerIP') !== '') warnings.push('spec.loadBalancerIP is ignored for headless services')
    if (hasExternalIps) warnings.push('spec.externalIPs is ignored for headless services')
    if (textAt(spec, 'sessionAffinity') !== 'None') {
      warnings.push('spec.SessionAffinity is ignored for headless services')
    }
  }
  if (hasExternalIps && !isHeadless(spec) && !isExternalName) {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (isExternalName && hasExternalIps) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (!isExternalName && textAt(spec, 'externalName') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (textAt(spec, 'trafficDistribution') === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return warnings
}
