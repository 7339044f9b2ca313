import type { KubeObject } from '@tiphys/kube'
import {
  child,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../field-error.ts'
import { validateCsiDriverName } from '../core/volume-validation.ts'
import { checkedBy, validateNonNegativeQuantity } from '../field-checks.ts'
import {
  isPresent,
  isSemanticallyEqual,
  listAt,
  objectAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'
import { byteLength, checkQualifiedName, checkSubdomain } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

const PARAMETERS_LIMIT = 256 * 1024
const MOST_PARAMETERS = 512
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType']
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral']

export function validateStorageClass(storageClass: KubeObject): FieldError[] {
  const errors = [...validateDriver(storageClass, 'provisioner'), ...validateParameters(storageClass)]
  const policy = textAt(storageClass, 'reclaimPolicy')
  if (policy !== '' && !['Delete', 'Retain'].includes(policy)) {
    errors.push(notSupported('reclaimPolicy', policy, ['Delete', 'Retain']))
  }
  const mode = textAt(storageClass, 'volumeBindingMode')
  if (!BINDING_MODES.includes(mode)) errors.push(notSupported('volumeBindingMode', mode, BINDING_MODES))
  return errors
}

export function validateStorageClassUpdate(storageClass: KubeObject, old: KubeObject): FieldError[] {
  return ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap(name =>
    validateImmutableField(storageClass[name], old[name], name),
  )
}

function validateDriver(object: KubeObject, name: string): FieldError[] {
  const driver = textAt(object, name)
  return driver === '' ? [required(name)] : checkedBy(checkQualifiedName, driver.toLowerCase(), name)
}

function validateParameters(object: KubeObject): FieldError[] {
  const parameters = Object.entries(textMapAt(object, 'parameters'))
  if (parameters.length > MOST_PARAMETERS) return [tooLong('parameters', MOST_PARAMETERS)]
  const errors: FieldError[] = []
  let size = 0
  for (const [name, value] of parameters) {
    if (name === '') errors.push(invalid('parameters', name, 'field can not be empty.'))
    size += byteLength(name) + byteLength(value)
  }
  if (size > PARAMETERS_LIMIT) errors.push(tooLong('parameters', PARAMETERS_LIMIT))
  return errors
}

export function validateVolumeAttributesClass(attributesClass: KubeObject): FieldError[] {
  const errors = [...validateDriver(attributesClass, 'driverName'), ...validateParameters(attributesClass)]
  if (Object.keys(textMapAt(attributesClass, 'parameters')).length === 0) {
    errors.push(required('parameters', 'must contain at least one key/value pair'))
  }
  return errors
}

export function validateVolumeAttributesClassUpdate(attributesClass: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  if (textAt(attributesClass, 'driverName') !== textAt(old, 'driverName')) {
    errors.push(forbidden('driverName', 'updates to driverName are forbidden.'))
  }
  if (!isSemanticallyEqual(attributesClass.parameters, old.parameters)) {
    errors.push(forbidden('parameters', 'updates to parameters are forbidden.'))
  }
  return [...errors, ...validateVolumeAttributesClass(attributesClass)]
}

export function validateCsiDriver(driver: KubeObject): FieldError[] {
  const spec = objectAt(driver, 'spec')
  const errors: FieldError[] = []
  const policy = optionalTextAt(spec, 'fsGroupPolicy')
  if (policy !== undefined && !FS_GROUP_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.fsGroupPolicy', policy, FS_GROUP_POLICIES))
  }
  for (const mode of textsAt(spec, 'volumeLifecycleModes')) {
    if (LIFECYCLE_MODES.includes(mode)) continue
    errors.push(notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES))
  }
  return errors
}

export function validateCsiDriverUpdate(driver: KubeObject, old: KubeObject): FieldError[] {
  const spec = objectAt(driver, 'spec')
  const oldSpec = objectAt(old, 'spec')
  return [
    ...validateCsiDriver(driver),
    ...validateImmutableField(spec.attachRequired, oldSpec.attachRequired, 'spec.attachedRequired'),
    ...validateImmutableField(spec.volumeLifecycleModes, oldSpec.volumeLifecycleModes, 'spec.volumeLifecycleModes'),
  ]
}

export function validateCsiNode(node: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, driver] of listAt(objectAt(node, 'spec'), 'drivers').entries()) {
    const at = index('spec.drivers', i)
    const name = textAt(driver, 'name')
    errors.push(...validateCsiDriverName(name, child(at, 'name')))
    if (textAt(driver, 'nodeID') === '') errors.push(required(child(at, 'nodeID')))
    if (names.has(name)) errors.push({ type: 'FieldValueDuplicate', field: child(at, 'name'), value: name, detail: '' })
    names.add(name)
  }
  return errors
}

export function validateCsiStorageCapacity(capacity: KubeObject): FieldError[] {
  const errors = validateLabelSelector(optionalObjectAt(capacity, 'nodeTopology'), 'nodeTopology')
  errors.push(...checkedBy(checkSubdomain, textAt(capacity, 'storageClassName'), 'storageClassName'))
  const amount = optionalTextAt(capacity, 'capacity')
  if (amount !== undefined) errors.push(...validateNonNegativeQuantity(amount, 'capacity'))
  return errors
}

export function validateVolumeAttachment(attachment: KubeObject): FieldError[] {
  const spec = objectAt(attachment, 'spec')
  const source = objectAt(spec, 'source')
  const errors = validateCsiDriverName(textAt(spec, 'attacher'), 'spec.attacher')
  const hasInline = isPresent(source, 'inlineVolumeSpec')
  const volume = optionalTextAt(source, 'persistentVolumeName')
  if (hasInline && volume !== undefined) {
    const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
    errors.push(invalid('spec.source', source, detail))
  } else if (!hasInline && volume === undefined) {
    errors.push(required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'))
  }
  errors.push(...checkedBy(checkSubdomain, textAt(spec, 'nodeName'), 'spec.nodeName'))
  if (volume !== undefined) errors.push(...checkedBy(checkSubdomain, volume, 'spec.source.persistentVolumeName'))
  return errors
}

export function validateVolumeAttachmentUpdate(attachment: KubeObject, old: KubeObject): FieldError[] {
  return validateImmutableField(attachment.spec, old.spec, 'spec')
}
