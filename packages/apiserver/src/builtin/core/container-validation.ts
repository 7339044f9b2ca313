import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notFound,
  notSupported,
  required,
} from '../../field-error.ts'
import { checkedBy, requireText, validateDescendingPath, validateOneOf } from '../field-checks.ts'
import {
  type Fields,
  flagAt,
  isPresent,
  listAt,
  numberAt,
  numbersAt,
  objectAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
} from '../fields.ts'
import { checkLabel, checkPortName, checkPortNumber } from '../names.ts'
import { validateEnvironment, validateEnvironmentFrom } from './environment-validation.ts'
import { type HandlerContext, validateLifecycle, validateProbes } from './probe-validation.ts'
import { validateContainerResourceName, validateResourceRequirements } from './resource-validation.ts'
import { validateContainerSecurityContext } from './security-context-validation.ts'
import { PULL_POLICIES, type Volumes } from './volume-validation.ts'

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

export interface ContainerContext extends HandlerContext {
  volumes: Volumes
  claimNames: readonly string[]
  hostUsers: boolean
  podRestartPolicy: string
}

export function validateContainers(containers: Fields[], context: ContainerContext, field: string): FieldError[] {
  if (containers.length === 0) return [required(field)]
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const at = index(field, i)
    errors.push(...validateContainer(container, context, at))
    const name = textAt(container, 'name')
    if (names.has(name)) errors.push(duplicate(child(at, 'name'), name))
    names.add(name)
    errors.push(...validateLifecycle(container, context, at), ...validateProbes(container, context, at))
    errors.push(...validateRestartPolicy(container, at))
  }
  return [...errors, ...validateHostPorts(containers, field)]
}

export function validateInitContainers(
  containers: Fields[],
  regular: Fields[],
  context: ContainerContext,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set(regular.map(container => textAt(container, 'name')))
  for (const [i, container] of containers.entries()) {
    const at = index(field, i)
    errors.push(...validateContainer(container, context, at), ...validateRestartPolicy(container, at))
    const name = textAt(container, 'name')
    if (names.has(name)) errors.push(duplicate(child(at, 'name'), name))
    else if (name !== '') names.add(name)
    errors.push(...validateHostPorts([container], field))
    if (textAt(container, 'restartPolicy') === 'Always') {
      errors.push(...validateLifecycle(container, context, at), ...validateProbes(container, context, at))
    } else {
      for (const part of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
        if (!isPresent(container, part)) continue
        errors.push(forbidden(child(at, part), 'may not be set for init containers without restartPolicy=Always'))
      }
      errors.push(...validateNoRestartOnResize(container, at))
    }
  }
  return errors
}

function validateNoRestartOnResize(container: Fields, field: string): FieldError[] {
  const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
  return listAt(container, 'resizePolicy').flatMap((policy, i) =>
    textAt(policy, 'restartPolicy') === 'RestartContainer'
      ? [invalid(`${field}.resizePolicy[${i}].restartPolicy`, 'RestartContainer', detail)]
      : [],
  )
}

const FORBIDDEN_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
]

export function validateEphemeralContainers(spec: Fields, context: ContainerContext, field: string): FieldError[] {
  const errors: FieldError[] = []
  const others = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')].map(each => textAt(each, 'name'))
  const names = new Set(others)
  for (const [i, container] of listAt(spec, 'ephemeralContainers').entries()) {
    const at = index(field, i)
    errors.push(...validateContainer(container, context, at), ...validateImageSpaces(container, at))
    const name = textAt(container, 'name')
    if (names.has(name)) errors.push(duplicate(child(at, 'name'), name))
    names.add(name)
    const target = textAt(container, 'targetContainerName')
    if (target !== '' && !others.includes(target)) errors.push(notFound(child(at, 'targetContainerName'), target))
    for (const part of FORBIDDEN_FOR_EPHEMERAL) {
      const value = container[part]
      const isSet = isPresent(container, part) && Object.keys(Object(value)).length > 0
      if (isSet) errors.push(forbidden(child(at, part), 'cannot be set for an Ephemeral Container'))
    }
    for (const [j, mount] of listAt(container, 'volumeMounts').entries()) {
      for (const part of ['subPath', 'subPathExpr']) {
        if (textAt(mount, part) === '') continue
        errors.push(forbidden(`${at}.volumeMounts[${j}].${part}`, 'cannot be set for an Ephemeral Container'))
      }
    }
  }
  return errors
}

export function validateImageSpaces(container: Fields, field: string): FieldError[] {
  const image = textAt(container, 'image')
  if (image === image.trim()) return []
  return [invalid(child(field, 'image'), image, 'must not have leading or trailing whitespace')]
}

function validateContainer(container: Fields, context: ContainerContext, field: string): FieldError[] {
  const name = textAt(container, 'name')
  const nameField = child(field, 'name')
  const mounts = listAt(container, 'volumeMounts')
  const devices = listAt(container, 'volumeDevices')
  const resourceRules = { validateName: validateContainerResourceName, claimNames: context.claimNames }
  return [
    ...(name === '' ? [required(nameField)] : checkedBy(checkLabel, name, nameField)),
    ...requireText(container, 'image', field),
    ...validateOneOf(container, 'terminationMessagePolicy', ['File', 'FallbackToLogsOnError'], field),
    ...validatePorts(listAt(container, 'ports'), child(field, 'ports')),
    ...validateEnvironment(listAt(container, 'env'), child(field, 'env')),
    ...validateEnvironmentFrom(listAt(container, 'envFrom'), child(field, 'envFrom')),
    ...validateMounts(mounts, devices, container, context.volumes, child(field, 'volumeMounts')),
    ...validateDevices(devices, mounts, context.volumes, child(field, 'volumeDevices')),
    ...validateOneOf(container, 'imagePullPolicy', PULL_POLICIES, field),
    ...validateResourceRequirements(objectAt(container, 'resources'), resourceRules, child(field, 'resources')),
    ...validateResizePolicy(listAt(container, 'resizePolicy'), context.podRestartPolicy, child(field, 'resizePolicy')),
    ...validateContainerSecurityContext(container, context.hostUsers, field),
  ]
}

function validatePorts(ports: Fields[], field: string): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = index(field, i)
    const name = textAt(port, 'name')
    if (name !== '') {
      const reasons = checkPortName(name)
      if (reasons.length > 0) errors.push(...reasons.map(reason => invalid(child(at, 'name'), name, reason)))
      else if (names.has(name)) errors.push(duplicate(child(at, 'name'), name))
      else names.add(name)
    }
    const number = numberAt(port, 'containerPort')
    if (number === 0) errors.push(required(child(at, 'containerPort')))
    else errors.push(...checkPortNumber(number).map(reason => invalid(child(at, 'containerPort'), number, reason)))
    const hostPort = numberAt(port, 'hostPort')
    if (hostPort !== 0) {
      errors.push(...checkPortNumber(hostPort).map(reason => invalid(child(at, 'hostPort'), hostPort, reason)))
    }
    errors.push(...validateOneOf(port, 'protocol', PROTOCOLS, at))
  }
  return errors
}

function validateHostPorts(containers: Fields[], field: string): FieldError[] {
  const errors: FieldError[] = []
  const taken = new Set<string>()
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of listAt(container, 'ports').entries()) {
      const hostPort = numberAt(port, 'hostPort')
      if (hostPort === 0) continue
      const id = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${hostPort}`
      if (taken.has(id)) errors.push(duplicate(`${field}[${i}].ports[${j}].hostPort`, id))
      taken.add(id)
    }
  }
  return errors
}

function validateMounts(
  mounts: Fields[],
  devices: Fields[],
  container: Fields,
  volumes: Volumes,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  const paths = new Set<string>()
  for (const [i, mount] of mounts.entries()) {
    const at = index(field, i)
    const name = textAt(mount, 'name')
    const path = textAt(mount, 'mountPath')
    errors.push(...requireText(mount, 'name', at))
    if (!volumes.has(name)) errors.push(notFound(child(at, 'name'), name))
    errors.push(...requireText(mount, 'mountPath', at))
    if (paths.has(path)) errors.push(invalid(child(at, 'mountPath'), path, 'must be unique'))
    paths.add(path)
    if (devices.some(device => textAt(device, 'name') === name)) {
      errors.push(invalid(child(at, 'name'), name, 'must not already exist in volumeDevices'))
    }
    if (devices.some(device => textAt(device, 'devicePath') === path)) {
      errors.push(invalid(child(at, 'mountPath'), path, 'must not already exist as a path in volumeDevices'))
    }
    errors.push(...validateMountOptions(mount, container, at, field))
  }
  return errors
}

function validateMountOptions(mount: Fields, container: Fields, at: string, field: string): FieldError[] {
  const errors: FieldError[] = []
  const subPath = textAt(mount, 'subPath')
  const expression = textAt(mount, 'subPathExpr')
  if (subPath !== '') errors.push(...validateDescendingPath(subPath, child(field, 'subPath')))
  if (expression !== '') {
    if (subPath !== '') {
      errors.push(invalid(child(at, 'subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive'))
    }
    errors.push(...validateDescendingPath(expression, child(field, 'subPathExpr')))
  }
  const propagation = optionalTextAt(mount, 'mountPropagation')
  const modes = ['Bidirectional', 'HostToContainer', 'None']
  if (propagation !== undefined) {
    const propagationField = child(field, 'mountPropagation')
    if (!modes.includes(propagation)) errors.push(notSupported(propagationField, propagation, modes))
    if (propagation === 'Bidirectional' && !flagAt(objectAt(container, 'securityContext'), 'privileged')) {
      const detail = 'Bidirectional mount propagation is available only to privileged containers'
      errors.push(forbidden(propagationField, detail))
    }
  }
  const recursive = optionalTextAt(mount, 'recursiveReadOnly')
  if (recursive === undefined || recursive === 'Disabled') return errors
  const recursiveField = child(field, 'recursiveReadOnly')
  if (!['Enabled', 'IfPossible'].includes(recursive)) {
    return [...errors, notSupported(recursiveField, recursive, ['Disabled', 'Enabled', 'IfPossible'])]
  }
  if (!flagAt(mount, 'readOnly')) errors.push(forbidden(recursiveField, 'may only be specified when readOnly is true'))
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbidden(recursiveField, 'may only be specified when mountPropagation is None or not specified'))
  }
  return errors
}

function validateDevices(devices: Fields[], mounts: Fields[], volumes: Volumes, field: string): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [i, device] of devices.entries()) {
    const at = index(field, i)
    const name = textAt(device, 'name')
    const path = textAt(device, 'devicePath')
    const volume = volumes.get(name)
    errors.push(...requireText(device, 'name', at))
    if (names.has(name)) errors.push(invalid(child(at, 'name'), name, 'must be unique'))
    if (volume === undefined) errors.push(notFound(child(at, 'name'), name))
    else if (!isPresent(volume, 'persistentVolumeClaim') && !isPresent(volume, 'ephemeral')) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(invalid(child(at, 'name'), name, detail))
    }
    errors.push(...requireText(device, 'devicePath', at))
    if (paths.has(path)) errors.push(invalid(child(at, 'devicePath'), path, 'must be unique'))
    if (path.split('/').includes('..')) {
      errors.push(invalid(child(at, 'devicePath'), path, "can not contain backsteps ('..')"))
    } else paths.add(path)
    if (mounts.some(mount => textAt(mount, 'name') === name)) {
      errors.push(invalid(child(at, 'name'), name, 'must not already exist in volumeMounts'))
    }
    if (mounts.some(mount => textAt(mount, 'mountPath') === path)) {
      errors.push(invalid(child(at, 'devicePath'), path, 'must not already exist as a path in volumeMounts'))
    }
    if (name !== '') names.add(name)
  }
  return errors
}

function validateResizePolicy(policies: Fields[], podRestartPolicy: string, field: string): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, policy] of policies.entries()) {
    const resource = textAt(policy, 'resourceName')
    const restart = textAt(policy, 'restartPolicy')
    if (seen.has(resource)) errors.push(duplicate(index(field, i), resource))
    seen.add(resource)
    if (resource === '') errors.push(required(field))
    else if (!['cpu', 'memory'].includes(resource)) errors.push(notSupported(field, resource, ['cpu', 'memory']))
    if (restart === '') errors.push(required(field))
    else if (!['NotRequired', 'RestartContainer'].includes(restart)) {
      errors.push(notSupported(field, restart, ['NotRequired', 'RestartContainer']))
    }
    if (podRestartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalid(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
    }
  }
  return errors
}

const CONTAINER_RESTART_POLICIES = ['Always', 'Never', 'OnFailure']

function validateRestartPolicy(container: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const policy = optionalTextAt(container, 'restartPolicy')
  const rules = listAt(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length === 0) return []
    errors.push(required(child(field, 'restartPolicy'), 'must specify restartPolicy when restart rules are used'))
  } else if (!CONTAINER_RESTART_POLICIES.includes(policy)) {
    errors.push(notSupported(child(field, 'restartPolicy'), policy, CONTAINER_RESTART_POLICIES))
  }
  for (const [i, rule] of rules.entries()) {
    const at = index(child(field, 'restartPolicyRules'), i)
    const action = textAt(rule, 'action')
    const actions = ['Restart', 'RestartAllContainers']
    if (!actions.includes(action)) errors.push(notSupported(child(at, 'action'), action, actions))
    const exitCodes = optionalObjectAt(rule, 'exitCodes')
    if (exitCodes === undefined) errors.push(required(child(at, 'exitCodes'), 'must be specified'))
    else {
      const operator = textAt(exitCodes, 'operator')
      if (!['In', 'NotIn'].includes(operator)) {
        errors.push(notSupported(`${at}.exitCodes.operator`, operator, ['In', 'NotIn']))
      }
      const values = numbersAt(exitCodes, 'values')
      if (values.length > 255) {
        const detail = 'must have at most 255 items'
        errors.push({ type: 'FieldValueTooMany', field: `${at}.exitCodes.values`, value: values.length, detail })
      }
    }
  }
  return errors
}
