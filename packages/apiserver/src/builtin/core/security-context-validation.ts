import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '../../field-error.ts'
import { validateDescendingPath } from '../field-checks.ts'
import {
  type Fields,
  flagAt,
  isPresent,
  listAt,
  numbersAt,
  objectAt,
  optionalFlagAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textsAt,
} from '../fields.ts'
import { checkUserId } from '../names.ts'
import { internalForm } from './internal-form.ts'

const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const APP_ARMOR_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const SYSCTL_PATTERN = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'
const SYSCTL = new RegExp(SYSCTL_PATTERN)
const NETWORK_SYSCTLS = ['net.']
const IPC_SYSCTLS = ['kernel.shm', 'kernel.msg', 'fs.mqueue.']

export function validateContainerSecurityContext(container: Fields, hostUsers: boolean, field: string): FieldError[] {
  const context = optionalObjectAt(container, 'securityContext')
  if (context === undefined) return []
  const at = child(field, 'securityContext')
  const shown = () => internalForm('SecurityContext', context)
  const errors = [...validateId(context, 'runAsUser', at), ...validateId(context, 'runAsGroup', at)]
  const procMount = optionalTextAt(context, 'procMount')
  if (procMount !== undefined) {
    if (!['Default', 'Unmasked'].includes(procMount)) {
      errors.push(notSupported(child(at, 'procMount'), procMount, ['Default', 'Unmasked']))
    }
    if (hostUsers && procMount === 'Unmasked') {
      errors.push(invalid(child(at, 'procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'))
    }
  }
  errors.push(...validateSeccompProfile(context, at))
  if (optionalFlagAt(context, 'allowPrivilegeEscalation') === false) {
    if (flagAt(context, 'privileged')) {
      errors.push(invalid(at, shown(), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'))
    }
    if (textsAt(objectAt(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN')) {
      const detail = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'
      errors.push(invalid(at, shown(), detail))
    }
  }
  return [...errors, ...validateAppArmorProfile(context, at)]
}

export function validatePodSecurityContext(spec: Fields, field: string): FieldError[] {
  const context = optionalObjectAt(spec, 'securityContext')
  if (context === undefined) return []
  const at = child(field, 'securityContext')
  const errors = ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap(name => validateId(context, name, at))
  for (const [i, group] of numbersAt(context, 'supplementalGroups').entries()) {
    errors.push(...checkUserId(group).map(reason => invalid(index(child(at, 'supplementalGroups'), i), group, reason)))
  }
  if (flagAt(spec, 'shareProcessNamespace') && flagAt(spec, 'hostPID')) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(invalid(child(at, 'shareProcessNamespace'), true, detail))
  }
  errors.push(...validateSysctls(listAt(context, 'sysctls'), spec, child(at, 'sysctls')))
  errors.push(...validateChoice(context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch'], at))
  errors.push(...validateSeccompProfile(context, at), ...validateAppArmorProfile(context, at))
  errors.push(...validateChoice(context, 'supplementalGroupsPolicy', ['Merge', 'Strict'], at))
  return [...errors, ...validateChoice(context, 'seLinuxChangePolicy', ['MountOption', 'Recursive'], at)]
}

function validateChoice(parent: Fields, name: string, supported: string[], field: string): FieldError[] {
  const value = optionalTextAt(parent, name)
  return value === undefined || supported.includes(value) ? [] : [notSupported(child(field, name), value, supported)]
}

function validateId(parent: Fields, name: string, field: string): FieldError[] {
  const id = optionalNumberAt(parent, name)
  return id === undefined ? [] : checkUserId(id).map(reason => invalid(child(field, name), id, reason))
}

function validateSysctls(sysctls: Fields[], spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, sysctl] of sysctls.entries()) {
    const name = textAt(sysctl, 'name')
    const at = child(index(field, i), 'name')
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !SYSCTL.test(name)) {
      errors.push(invalid(at, name, `must have at most 253 characters and match regex ${SYSCTL_PATTERN}`))
    } else if (seen.has(name)) errors.push(duplicate(at, name))
    const dotted = name.replaceAll('/', '.')
    if (flagAt(spec, 'hostNetwork') && NETWORK_SYSCTLS.some(prefix => dotted.startsWith(prefix))) {
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
    } else if (flagAt(spec, 'hostIPC') && IPC_SYSCTLS.some(prefix => dotted.startsWith(prefix))) {
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    }
    seen.add(name)
  }
  return errors
}

function validateSeccompProfile(context: Fields, field: string): FieldError[] {
  const profile = optionalObjectAt(context, 'seccompProfile')
  if (profile === undefined) return []
  const at = child(field, 'seccompProfile')
  const errors = validateProfileType(profile, SECCOMP_TYPES, at)
  const path = optionalTextAt(profile, 'localhostProfile')
  if (textAt(profile, 'type') === 'Localhost') {
    if (path === undefined) {
      errors.push(required(child(at, 'localhostProfile'), 'must be set when seccomp type is Localhost'))
    } else errors.push(...validateDescendingPath(path, child(at, 'localhostProfile')))
  } else if (path !== undefined) {
    errors.push(invalid(child(at, 'localhostProfile'), profile, 'can only be set when seccomp type is Localhost'))
  }
  return errors
}

function validateProfileType(profile: Fields, types: string[], field: string): FieldError[] {
  const type = textAt(profile, 'type')
  if (type === '') return [required(child(field, 'type'), 'type is required when seccompProfile is set')]
  return types.includes(type) ? [] : [notSupported(child(field, 'type'), type, types)]
}

function validateAppArmorProfile(context: Fields, field: string): FieldError[] {
  const profile = optionalObjectAt(context, 'appArmorProfile')
  if (profile === undefined) return []
  const at = child(field, 'appArmorProfile')
  const errors: FieldError[] = []
  const type = textAt(profile, 'type')
  if (type === '') errors.push(required(child(at, 'type'), 'type is required when appArmorProfile is set'))
  else if (!APP_ARMOR_TYPES.includes(type)) errors.push(notSupported(child(at, 'type'), type, APP_ARMOR_TYPES))
  const name = optionalTextAt(profile, 'localhostProfile')
  if (type === 'Localhost' && (name ?? '').trim() === '') {
    errors.push(required(child(at, 'localhostProfile'), 'must be set when AppArmor type is Localhost'))
  } else if (type !== 'Localhost' && name !== undefined) {
    errors.push(invalid(child(at, 'localhostProfile'), name, 'can only be set when AppArmor type is Localhost'))
  }
  return errors
}

/** A pod with a user namespace of its own cannot share the host's other namespaces. */
export function validateHostUsers(spec: Fields, field: string): FieldError[] {
  if (optionalFlagAt(spec, 'hostUsers') !== false) return []
  const detail = 'when `hostUsers` is false'
  const errors: FieldError[] = []
  if (flagAt(spec, 'hostNetwork')) errors.push(forbidden(child(field, 'hostNetwork'), detail))
  if (flagAt(spec, 'hostPID')) errors.push(forbidden(child(field, 'HostPID'), detail))
  if (flagAt(spec, 'hostIPC')) errors.push(forbidden(child(field, 'HostIPC'), detail))
  return errors
}

export function validateWindowsOptionsOfLinux(spec: Fields, field: string): FieldError[] {
  if (textAt(objectAt(spec, 'os'), 'name') !== 'linux') return []
  if (!isPresent(objectAt(spec, 'securityContext'), 'windowsOptions')) return []
  return [forbidden(`${field}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod')]
}
