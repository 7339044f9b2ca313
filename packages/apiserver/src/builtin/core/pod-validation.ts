import type { KubeObject, ObjectMeta } from '@tiphys/kube'
import {
  child,
  type FieldError,
  forbidden,
  index,
  invalid,
  key,
  notFound,
  notSupported,
  required,
  tooLong,
} from '../../field-error.ts'
import { checkedBy, validateOneOf } from '../field-checks.ts'
import {
  type Fields,
  flagAt,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalFlagAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { validateIp } from '../ip-address.ts'
import { validateLabels } from '../label-selector-validation.ts'
import {
  byteLength,
  checkLabel,
  checkQualifiedName,
  checkSubdomain,
  checkUnderscoreSubdomain,
  outOfRange,
} from '../names.ts'
import { podContainers } from '../pod-template.ts'
import { compareQuantities } from '../quantity.ts'
import { isHugePagesName, sumContainerLimits, sumContainerRequests } from '../resource-requirements.ts'
import {
  type ContainerContext,
  validateContainers,
  validateEphemeralContainers,
  validateImageSpaces,
  validateInitContainers,
} from './container-validation.ts'
import { environmentFileVolumes } from './environment-validation.ts'
import { internalForm } from './internal-form.ts'
import {
  validateContainerResourceName,
  validatePodResourceName,
  validateResourceRequirements,
} from './resource-validation.ts'
import {
  validateAffinity,
  validateSchedulingGates,
  validateTolerations,
  validateTopologySpread,
} from './scheduling-validation.ts'
import {
  validateHostUsers,
  validatePodSecurityContext,
  validateWindowsOptionsOfLinux,
} from './security-context-validation.ts'
import { validateVolumes } from './volume-validation.ts'

const LARGEST_INT32 = 2147483647
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const MIRROR_POD = 'kubernetes.io/config.mirror'

export function validatePodCreate(pod: KubeObject): FieldError[] {
  const errors = validatePod(pod)
  const spec = objectAt(pod, 'spec')
  if (listAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'))
  }
  if (textAt(spec, 'nodeName') !== '' && listAt(spec, 'schedulingGates').length > 0) {
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  }
  return errors
}

/** What holds for a pod at any time, metadata aside. */
export function validatePod(pod: KubeObject): FieldError[] {
  const spec = objectAt(pod, 'spec')
  const errors = [
    ...validatePodAnnotations(pod.metadata.annotations ?? {}, spec, 'metadata.annotations'),
    ...validatePodSpec(spec, pod.metadata, 'spec', true),
  ]
  if (textAt(spec, 'serviceAccountName') === '') errors.push(...validateNoTokenProjections(spec))
  for (const name of ['containers', 'initContainers']) {
    for (const [i, container] of listAt(spec, name).entries()) {
      errors.push(...validateImageSpaces(container, index(`spec.${name}`, i)))
    }
  }
  return errors
}

function validateNoTokenProjections(spec: Fields): FieldError[] {
  return listAt(spec, 'volumes').flatMap((volume, i) =>
    listAt(objectAt(volume, 'projected'), 'sources').flatMap((source, j) =>
      isPresent(source, 'serviceAccountToken')
        ? [
            forbidden(
              `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          ]
        : [],
    ),
  )
}

export function validatePodAnnotations(annotations: Record<string, string>, spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const mirror = annotations[MIRROR_POD]
  if (mirror !== undefined && textAt(spec, 'nodeName') === '') {
    errors.push(invalid(key(field, MIRROR_POD), mirror, 'must set spec.nodeName if mirror pod annotation is set'))
  }
  const cost = annotations[DELETION_COST]
  if (cost !== undefined && !isDeletionCost(cost)) {
    errors.push(invalid(key(field, DELETION_COST), cost, 'must be a 32bit integer'))
  }
  return errors
}

function isDeletionCost(text: string): boolean {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return false
  return Number(text) <= LARGEST_INT32 && Number(text) >= -LARGEST_INT32 - 1
}

/** A pod's spec, in a pod or a template. `meta` is the pod's own, for what its name decides. */
export function validatePodSpec(
  spec: Fields,
  meta: ObjectMeta | undefined,
  field: string,
  isPod: boolean,
): FieldError[] {
  const { volumes, errors } = validateVolumes(listAt(spec, 'volumes'), { meta, isPod }, child(field, 'volumes'))
  const claims = listAt(spec, 'resourceClaims')
  const context: ContainerContext = {
    volumes,
    claimNames: claims.map(claim => textAt(claim, 'name')),
    gracePeriod: optionalNumberAt(spec, 'terminationGracePeriodSeconds'),
    hostUsers: optionalFlagAt(spec, 'hostUsers') ?? true,
    podRestartPolicy: textAt(spec, 'restartPolicy'),
  }
  const containers = listAt(spec, 'containers')
  errors.push(
    ...validateResourceClaims(claims, child(field, 'resourceClaims')),
    ...validateContainers(containers, context, child(field, 'containers')),
    ...validateInitContainers(listAt(spec, 'initContainers'), containers, context, child(field, 'initContainers')),
    ...validateEphemeralContainers(spec, context, child(field, 'ephemeralContainers')),
    ...validatePodResources(spec, context.claimNames, field),
    ...validateHostNetworkPorts(spec, child(field, 'containers'), isPod),
    ...validateOneOf(spec, 'restartPolicy', ['Always', 'OnFailure', 'Never'], field),
    ...validateOneOf(spec, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], field),
    ...validateLabels(textMapAt(spec, 'nodeSelector'), child(field, 'nodeSelector')),
    ...validatePodSecurityContext(spec, field),
    ...validateAffinity(spec, field),
    ...validateDns(spec, child(field, 'dnsConfig')),
    ...listAt(spec, 'readinessGates').flatMap((gate, i) =>
      checkedBy(checkQualifiedName, textAt(gate, 'conditionType'), `${field}.readinessGates[${i}].conditionType`),
    ),
    ...validateSchedulingGates(listAt(spec, 'schedulingGates'), child(field, 'schedulingGates'), checkQualifiedName),
    ...validateTopologySpread(listAt(spec, 'topologySpreadConstraints'), child(field, 'topologySpreadConstraints')),
    ...validateHostUsers(spec, field),
    ...validateHostnameOverride(spec, field),
    ...validateNames(spec, field),
    ...validateTolerations(listAt(spec, 'tolerations'), child(field, 'tolerations')),
    ...validateHostAliases(listAt(spec, 'hostAliases'), child(field, 'hostAliases')),
    ...validatePriority(spec, field),
    ...validateOverhead(spec, field),
    ...validateOperatingSystem(spec, field),
    ...validateEnvironmentFiles(spec, volumes, field),
  )
  return errors
}

function validateNames(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['serviceAccountName', 'nodeName']) {
    const value = textAt(spec, name)
    if (value !== '') errors.push(...checkedBy(checkSubdomain, value, child(field, name)))
  }
  const deadline = optionalNumberAt(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && (deadline < 1 || deadline > LARGEST_INT32)) {
    errors.push(invalid(child(field, 'activeDeadlineSeconds'), deadline, outOfRange(1, LARGEST_INT32)))
  }
  for (const name of ['hostname', 'subdomain']) {
    const value = textAt(spec, name)
    if (value !== '') errors.push(...checkedBy(checkLabel, value, child(field, name)))
  }
  return errors
}

function validatePriority(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['priorityClassName', 'runtimeClassName']) {
    const value = optionalTextAt(spec, name)
    if (value !== undefined && (value !== '' || name === 'runtimeClassName')) {
      errors.push(...checkedBy(checkSubdomain, value, child(field, name)))
    }
  }
  if (!isPresent(spec, 'preemptionPolicy')) return errors
  return [...errors, ...validateOneOf(spec, 'preemptionPolicy', ['PreemptLowerPriority', 'Never'], field)]
}

function validateOverhead(spec: Fields, field: string): FieldError[] {
  const overhead = optionalObjectAt(spec, 'overhead')
  if (overhead === undefined) return []
  const rules = { validateName: validateContainerResourceName, claimNames: [] }
  return validateResourceRequirements({ limits: overhead }, rules, child(field, 'overhead'))
}

function validateOperatingSystem(spec: Fields, field: string): FieldError[] {
  const system = optionalObjectAt(spec, 'os')
  if (system === undefined) return []
  const name = textAt(system, 'name')
  if (name === '') return [required(`${field}.os.name`, 'cannot be empty')]
  if (!['linux', 'windows'].includes(name)) return [notSupported(`${field}.os`, name, ['linux', 'windows'])]
  return validateWindowsOptionsOfLinux(spec, field)
}

function validateResourceClaims(claims: Fields[], field: string): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    const at = index(field, i)
    const name = textAt(claim, 'name')
    if (name === '') errors.push(required(child(at, 'name')))
    else if (names.has(name)) {
      errors.push({ type: 'FieldValueDuplicate', field: child(at, 'name'), value: name, detail: '' })
    } else errors.push(...checkedBy(checkLabel, name, child(at, 'name')))
    names.add(name)
    const direct = isPresent(claim, 'resourceClaimName')
    const template = isPresent(claim, 'resourceClaimTemplateName')
    if (direct && template) {
      errors.push(
        invalid(
          at,
          internalForm('PodResourceClaim', claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      )
    } else if (!direct && !template) {
      errors.push(
        invalid(
          at,
          internalForm('PodResourceClaim', claim),
          'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        ),
      )
    }
  }
  return errors
}

function validatePodResources(spec: Fields, claimNames: readonly string[], field: string): FieldError[] {
  const resources = optionalObjectAt(spec, 'resources')
  if (resources === undefined) return []
  const at = child(field, 'resources')
  const errors: FieldError[] = []
  if (isPresent(resources, 'claims')) {
    errors.push(forbidden(child(at, 'claims'), 'claims may not be set for Resources at pod-level'))
  }
  errors.push(...validateResourceRequirements(resources, { validateName: validatePodResourceName, claimNames }, at))
  const requests = textMapAt(resources, 'requests')
  for (const [name, sum] of Object.entries(sumContainerRequests(spec))) {
    const request = requests[name]
    if (request === undefined || compareQuantities(sum, request) <= 0) continue
    const detail = `must be greater than or equal to aggregate container requests of ${sum}`
    errors.push(invalid(key(child(at, 'requests'), name), request, detail))
  }
  const limits = textMapAt(resources, 'limits')
  for (const [name, sum] of Object.entries(sumContainerLimits(spec))) {
    const limit = limits[name]
    if (limit === undefined || !isHugePagesName(name) || compareQuantities(sum, limit) <= 0) continue
    const detail = `must be greater than or equal to aggregate container limits of ${sum}`
    errors.push(invalid(key(child(at, 'limits'), name), limit, detail))
  }
  for (const [i, container] of listAt(spec, 'containers').entries()) {
    for (const [name, own] of Object.entries(textMapAt(objectAt(container, 'resources'), 'limits'))) {
      const limit = limits[name]
      if (limit === undefined || compareQuantities(own, limit) <= 0) continue
      const limitField = `${key(`${at}.containers[${i}]`, name)}.limits`
      errors.push(invalid(limitField, own, `must be less than or equal to pod limits of ${limit}`))
    }
  }
  return errors
}

function validateHostNetworkPorts(spec: Fields, field: string, isPod: boolean): FieldError[] {
  if (!flagAt(spec, 'hostNetwork')) return []
  const detail = 'must match `containerPort` when `hostNetwork` is true'
  return listAt(spec, 'containers').flatMap((container, i) =>
    listAt(container, 'ports').flatMap((port, j) => {
      const hostPort = numberAt(port, 'hostPort')
      if ((!isPod && hostPort === 0) || hostPort === numberAt(port, 'containerPort')) return []
      return [invalid(`${field}[${i}].ports[${j}].hostPort`, hostPort, detail)]
    }),
  )
}

function validateDns(spec: Fields, field: string): FieldError[] {
  const config = optionalObjectAt(spec, 'dnsConfig')
  const servers = textsAt(config, 'nameservers')
  if (textAt(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      return [required(child(field, 'nameservers'), detail)]
    }
  }
  if (config === undefined) return []
  const errors: FieldError[] = []
  if (servers.length > 3) {
    errors.push(invalid(child(field, 'nameservers'), servers, 'must not have more than 3 nameservers'))
  }
  errors.push(...servers.flatMap((server, i) => validateIp(server, index(child(field, 'nameservers'), i))))
  const searches = textsAt(config, 'searches')
  if (searches.length > 32) {
    errors.push(invalid(child(field, 'searches'), searches, 'must not have more than 32 search paths'))
  }
  if (byteLength(searches.join(' ')) > 2048) {
    const detail = 'must not have more than 2048 characters (including spaces) in the search list'
    errors.push(invalid(child(field, 'searches'), searches, detail))
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    errors.push(...checkedBy(checkUnderscoreSubdomain, name, index(child(field, 'searches'), i)))
  }
  for (const [i, option] of listAt(config, 'options').entries()) {
    if (textAt(option, 'name') === '') errors.push(required(index(child(field, 'options'), i), 'must not be empty'))
  }
  return errors
}

function validateHostnameOverride(spec: Fields, field: string): FieldError[] {
  const hostname = optionalTextAt(spec, 'hostnameOverride')
  if (hostname === undefined) return []
  const at = child(field, 'hostnameOverride')
  const errors: FieldError[] = []
  if (flagAt(spec, 'setHostnameAsFQDN')) {
    errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'))
  }
  if (flagAt(spec, 'hostNetwork')) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'))
  if (byteLength(hostname) > 64) errors.push(tooLong(at, 64))
  return [...errors, ...checkedBy(checkSubdomain, hostname, at)]
}

function validateHostAliases(aliases: Fields[], field: string): FieldError[] {
  return aliases.flatMap((alias, i) => [
    ...validateIp(textAt(alias, 'ip'), `${field}[${i}].ip`),
    ...textsAt(alias, 'hostnames').flatMap((hostname, j) =>
      checkedBy(checkSubdomain, hostname, `${field}[${i}].hostnames[${j}]`),
    ),
  ])
}

function validateEnvironmentFiles(spec: Fields, volumes: Map<string, Fields>, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const container of podContainers(spec)) {
    for (const name of environmentFileVolumes(container)) {
      const volume = volumes.get(name)
      const at = child(field, 'fileKeyRef.volumeName')
      if (volume === undefined) errors.push(notFound(at, name))
      else if (!isPresent(volume, 'emptyDir')) {
        errors.push(invalid(at, name, 'referenced volume must be of type emptyDir'))
      }
    }
  }
  return errors
}
