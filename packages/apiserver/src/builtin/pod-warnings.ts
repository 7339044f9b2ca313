import { goQuote } from '@tiphys/kube'
import { child, index, key } from '../field-error.ts'
import {
  type Fields,
  isPresent,
  isSemanticallyEqual,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  textAt,
  textMapAt,
} from './fields.ts'
import { checkLabel } from './names.ts'
import { isWholeQuantity } from './quantity.ts'

const DEPRECATED_VOLUMES: Record<string, string> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
}
const DEPRECATED_NODE_LABELS: Record<string, string> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}
const DEPRECATED_ANNOTATIONS: Record<string, string> = {
  'seccomp.security.alpha.kubernetes.io/pod': 'non-functional in v1.27+; use the "seccompProfile" field instead',
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

/** What is legal and unwise about a pod or, at `field`, a pod template. */
export function podWarnings(template: Fields, field: string): string[] {
  const spec = objectAt(template, 'spec')
  const at = child(field, 'spec')
  return [
    ...nodeLabelWarnings(spec, at),
    ...spreadWarnings(spec, at),
    ...annotationWarnings(template, child(field, 'metadata')),
    ...volumeWarnings(spec, at),
    ...duplicateWarnings(spec, at),
    ...containers(spec, at).flatMap(({ container, path }) => containerWarnings(container, path)),
    ...portWarnings(spec, at),
    ...graceWarnings(spec, at),
    ...affinityWarnings(spec, at),
  ]
}

/** For kinds whose name becomes part of the names of pods. */
export function nameWarnings(name: string, usedIn: string): string[] {
  const reasons = checkLabel(name)
  if (reasons.length === 0) return []
  const effect = `this is used in ${usedIn}, which can result in surprising behavior; a DNS label is recommended`
  return [`metadata.name: ${effect}: [${reasons.join(' ')}]`]
}

/** A template's warnings are shown when the object is made and when its spec changes. */
export function templateWarnings(object: Fields, old: Fields | undefined, field = 'spec.template'): string[] {
  if (old !== undefined && isSemanticallyEqual(object.spec, old.spec)) return []
  const template = field.split('.').reduce<Fields>((parent, name) => objectAt(parent, name), object)
  return podWarnings(template, field)
}

function containers(spec: Fields, field: string): { container: Fields; path: string }[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap(name =>
    listAt(spec, name).map((container, i) => ({ container, path: index(child(field, name), i) })),
  )
}

function nodeLabelWarnings(spec: Fields, field: string): string[] {
  return Object.keys(textMapAt(spec, 'nodeSelector'))
    .filter(name => DEPRECATED_NODE_LABELS[name] !== undefined)
    .map(name => `${key(child(field, 'nodeSelector'), name)}: ${DEPRECATED_NODE_LABELS[name]}`)
}

function spreadWarnings(spec: Fields, field: string): string[] {
  return listAt(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const at = index(child(field, 'topologySpreadConstraints'), i)
    const warnings: string[] = []
    const topologyKey = textAt(constraint, 'topologyKey')
    const deprecated = DEPRECATED_NODE_LABELS[topologyKey]
    if (deprecated !== undefined) warnings.push(`${at}.topologyKey: ${topologyKey} is ${deprecated}`)
    if (!isPresent(constraint, 'labelSelector')) {
      warnings.push(`${at}.labelSelector: a null labelSelector results in matching no pod`)
    }
    return warnings
  })
}

function annotationWarnings(template: Fields, field: string): string[] {
  const annotations = textMapAt(objectAt(template, 'metadata'), 'annotations')
  return Object.entries(DEPRECATED_ANNOTATIONS)
    .filter(([name]) => annotations[name] !== undefined)
    .map(([name, text]) => `${key(child(field, 'annotations'), name)}: ${text}`)
}

function volumeWarnings(spec: Fields, field: string): string[] {
  return listAt(spec, 'volumes').flatMap((volume, i) =>
    Object.entries(DEPRECATED_VOLUMES)
      .filter(([name]) => isPresent(volume, name))
      .map(([name, text]) => `${field}.volumes[${i}].${name === 'storageos' ? 'storageOS' : name}: ${text}`),
  )
}

function duplicateWarnings(spec: Fields, field: string): string[] {
  const warnings: string[] = []
  const repeated = (name: string, part: string) => {
    const seen = new Set<string>()
    for (const [i, item] of listAt(spec, name).entries()) {
      const value = textAt(item, part)
      if (seen.has(value)) warnings.push(`${field}.${name}[${i}].${part}: duplicate ${part} ${goQuote(value)}`)
      seen.add(value)
    }
  }
  repeated('hostAliases', 'ip')
  repeated('imagePullSecrets', 'name')
  for (const [i, secret] of listAt(spec, 'imagePullSecrets').entries()) {
    if (textAt(secret, 'name') === '') warnings.push(`${field}.imagePullSecrets[${i}].name: invalid empty name ""`)
  }
  return warnings
}

function containerWarnings(container: Fields, field: string): string[] {
  const warnings: string[] = []
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const side of ['limits', 'requests']) {
      const quantity = textMapAt(objectAt(container, 'resources'), side)[name]
      if (quantity === undefined || isWholeQuantity(quantity)) continue
      const what = `fractional byte value ${goQuote(quantity)} is invalid, must be an integer`
      warnings.push(`${key(`${field}.resources.${side}`, name)}: ${what}`)
    }
  }
  const seen = new Set<string>()
  for (const [i, variable] of listAt(container, 'env').entries()) {
    const name = textAt(variable, 'name')
    if (seen.has(name) && hidesPrevious(variable, name)) {
      const what = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`
      warnings.push(`${field}.env[${i}]: ${what}`)
    }
    seen.add(name)
  }
  return warnings
}

// A second definition that builds on the first, PATH=$(PATH):/more, is meant.
function hidesPrevious(variable: Fields, name: string): boolean {
  const value = textAt(variable, 'value')
  const reference = `$(${name})`
  return isPresent(variable, 'valueFrom') || value === reference || !value.includes(reference)
}

function portWarnings(spec: Fields, field: string): string[] {
  const warnings: string[] = []
  const ports = containers(spec, field).flatMap(({ container, path }) =>
    listAt(container, 'ports').map((port, i) => ({ port, path: index(child(path, 'ports'), i) })),
  )
  for (const [i, { port, path }] of ports.entries()) {
    for (const { port: other, path: otherPath } of ports.slice(0, i)) {
      const isSame =
        numberAt(port, 'containerPort') === numberAt(other, 'containerPort') &&
        textAt(port, 'protocol') === textAt(other, 'protocol')
      if (!isSame) continue
      const [hostPort, otherHostPort] = [numberAt(port, 'hostPort'), numberAt(other, 'hostPort')]
      const [hostIp, otherHostIp] = [textAt(port, 'hostIP'), textAt(other, 'hostIP')]
      if (hostPort === otherHostPort && hostIp === otherHostIp) {
        warnings.push(`${path}: duplicate port definition with ${otherPath}`)
      } else if (hostPort === 0 || otherHostPort === 0) {
        warnings.push(`${path}: overlapping port definition with ${otherPath}`)
      } else if (hostPort === otherHostPort && (hostIp === '') !== (otherHostIp === '')) {
        warnings.push(`${path}: dangerously ambiguous port definition with ${otherPath}`)
      }
    }
  }
  for (const [i, { port, path }] of ports.entries()) {
    const name = textAt(port, 'name')
    const first = name === '' ? undefined : ports.slice(0, i).find(other => textAt(other.port, 'name') === name)
    if (first === undefined) continue
    const what = `duplicate port name ${goQuote(name)} with ${first.path}`
    warnings.push(`${path}: ${what}, services and probes that select ports by name will use ${first.path}`)
  }
  return warnings
}

function graceWarnings(spec: Fields, field: string): string[] {
  if ((optionalNumberAt(spec, 'terminationGracePeriodSeconds') ?? 0) >= 0) return []
  const what = 'must be >= 0; negative values are invalid and will be treated as 1'
  return [`${field}.terminationGracePeriodSeconds: ${what}`]
}

function affinityWarnings(spec: Fields, field: string): string[] {
  const text = 'a null labelSelector results in matching no pod'
  return ['podAffinity', 'podAntiAffinity'].flatMap(name => {
    const affinity = objectAt(objectAt(spec, 'affinity'), name)
    const at = `${field}.affinity.${name}`
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    return [
      ...listAt(affinity, required).flatMap((term, i) =>
        isPresent(term, 'labelSelector') ? [] : [`${at}.${required}[${i}].labelSelector: ${text}`],
      ),
      ...listAt(affinity, preferred).flatMap((term, i) =>
        isPresent(objectAt(term, 'podAffinityTerm'), 'labelSelector')
          ? []
          : [`${at}.${preferred}[${i}].podAffinityTerm.labelSelector: ${text}`],
      ),
    ]
  })
}
