import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, invalid, key, notSupported, required } from '../../field-error.ts'
import { checkedBy, requireText } from '../field-checks.ts'
import {
  copyOf,
  ensureObject,
  type Fields,
  isPresent,
  isSemanticallyEqual,
  objectAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'
import { checkLabel, checkSubdomain } from '../names.ts'
import { FIELD_IS_IMMUTABLE, validateImmutableField } from '../object-meta.ts'
import { compareQuantities, quantityOf } from '../quantity.ts'
import { diffSpecs } from './internal-form.ts'

export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const VOLUME_MODES = ['Block', 'Filesystem']
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class'

export function validatePersistentVolumeClaimSpec(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const modes = textsAt(spec, 'accessModes')
  if (modes.length === 0) errors.push(required(child(field, 'accessModes'), 'at least 1 access mode is required'))
  errors.push(...validateLabelSelector(optionalObjectAt(spec, 'selector'), child(field, 'selector')))
  errors.push(...validateAccessModes(modes, child(field, 'accessModes')))
  errors.push(...validateStorageRequest(spec, key(child(field, 'resources'), 'storage')))
  for (const name of ['storageClassName', 'volumeAttributesClassName']) {
    const className = textAt(spec, name)
    if (className !== '') errors.push(...checkedBy(checkSubdomain, className, child(field, name)))
  }
  const mode = optionalTextAt(spec, 'volumeMode')
  if (mode !== undefined && !VOLUME_MODES.includes(mode)) {
    errors.push(notSupported(child(field, 'volumeMode'), mode, VOLUME_MODES))
  }
  return [...errors, ...validateDataSources(spec, field)]
}

export function validateAccessModes(modes: string[], field: string): FieldError[] {
  const errors = modes.filter(mode => !ACCESS_MODES.includes(mode)).map(mode => notSupported(field, mode, ACCESS_MODES))
  const others = modes.filter(mode => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    errors.push(forbidden(field, 'may not use ReadWriteOncePod with other access modes'))
  }
  return errors
}

function validateStorageRequest(spec: Fields, field: string): FieldError[] {
  const storage = textMapAt(objectAt(spec, 'resources'), 'requests').storage
  if (storage === undefined) return [required(field)]
  return quantityOf(storage).sign() > 0 ? [] : [invalid(field, storage, 'must be greater than zero')]
}

function validateDataSources(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['dataSource', 'dataSourceRef']) {
    const source = optionalObjectAt(spec, name)
    if (source !== undefined) errors.push(...validateDataSource(source, child(field, name)))
  }
  const source = optionalObjectAt(spec, 'dataSource')
  const reference = optionalObjectAt(spec, 'dataSourceRef')
  if (source === undefined || reference === undefined) return errors
  if (textAt(reference, 'namespace') !== '') {
    errors.push(invalid(field, {}, 'may not be specified when dataSourceRef.namespace is specified'))
  } else if (['apiGroup', 'kind', 'name'].some(name => textAt(source, name) !== textAt(reference, name))) {
    errors.push(invalid(field, {}, 'must match dataSourceRef'))
  }
  return errors
}

function validateDataSource(source: Fields, field: string): FieldError[] {
  const errors = [...requireText(source, 'name', field), ...requireText(source, 'kind', field)]
  const group = textAt(source, 'apiGroup')
  const kind = textAt(source, 'kind')
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  }
  if (group !== '') errors.push(...checkedBy(checkSubdomain, group, child(field, 'apiGroup')))
  const namespace = textAt(source, 'namespace')
  if (namespace !== '') errors.push(...checkedBy(checkLabel, namespace, child(field, 'namespace')))
  return errors
}

export function validatePersistentVolumeClaim(claim: KubeObject): FieldError[] {
  return validatePersistentVolumeClaimSpec(objectAt(claim, 'spec'), 'spec')
}

export function validatePersistentVolumeClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  const errors = validatePersistentVolumeClaim(claim)
  const spec = copyOf(objectAt(claim, 'spec'))
  const oldSpec = copyOf(objectAt(old, 'spec'))
  if (textAt(oldSpec, 'volumeName') === '') copyField(spec, oldSpec, 'volumeName')
  const oldClass = old.metadata.annotations?.[BETA_CLASS]
  if ((claim.metadata.annotations?.[BETA_CLASS] ?? '') !== (oldClass ?? '')) {
    const value = claim.metadata.annotations?.[BETA_CLASS] ?? ''
    errors.push(invalid(key('metadata.annotations', BETA_CLASS), value, FIELD_IS_IMMUTABLE))
  }
  const newClass = optionalTextAt(spec, 'storageClassName')
  const isClassSetLate = newClass !== undefined && !isPresent(oldSpec, 'storageClassName')
  if (isClassSetLate && (oldClass === undefined || newClass === oldClass)) delete spec.storageClassName
  if (textAt(objectAt(claim, 'status'), 'phase') === 'Bound') {
    const requests = optionalObjectAt(objectAt(spec, 'resources'), 'requests')
    if (requests !== undefined) requests.storage = textMapAt(objectAt(oldSpec, 'resources'), 'requests').storage
    copyField(oldSpec, spec, 'volumeAttributesClassName')
  }
  if (!isSemanticallyEqual(spec, oldSpec)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(forbidden('spec', `${detail}\n${diffSpecs('PersistentVolumeClaimSpec', oldSpec, spec)}`))
  }
  errors.push(...validateShrinking(claim, old))
  const modeField = 'volumeMode'
  return [
    ...errors,
    ...validateImmutableField(objectAt(claim, 'spec').volumeMode, objectAt(old, 'spec').volumeMode, modeField),
  ]
}

function copyField(from: Fields, to: Fields, name: string): void {
  if (from[name] === undefined) delete to[name]
  else ensureSame(to, name, from[name])
}

function ensureSame(to: Fields, name: string, value: unknown): void {
  to[name] = copyOf(value)
}

function validateShrinking(claim: KubeObject, old: KubeObject): FieldError[] {
  const sizeOf = (of: KubeObject) =>
    textMapAt(objectAt(ensureObject(of, 'spec'), 'resources'), 'requests').storage ?? '0'
  const size = sizeOf(claim)
  if (compareQuantities(size, sizeOf(old)) >= 0) return []
  const capacity = textMapAt(objectAt(old, 'status'), 'capacity').storage ?? '0'
  if (compareQuantities(size, capacity) > 0) return []
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')]
}
