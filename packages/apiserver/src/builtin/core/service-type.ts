import { type Fields, textAt, textsAt } from '../fields.ts'

export function isExternallyAccessible(spec: Fields): boolean {
  const type = textAt(spec, 'type')
  if (type === 'LoadBalancer' || type === 'NodePort') return true
  return type === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0
}

export const needsClusterIP = (spec: Fields): boolean => textAt(spec, 'type') !== 'ExternalName'
export const needsNodePort = (spec: Fields): boolean => ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'))
export const needsHealthCheckNodePort = (spec: Fields): boolean =>
  textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local'
