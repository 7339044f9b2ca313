import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, invalid, key, notSupported, required } from '../../field-error.ts'
import { checkedBy, requireText, validatePathWithoutBacksteps } from '../field-checks.ts'
import {
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
import { checkSubdomain } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'
import { quantityOf } from '../quantity.ts'
import { diffSpecs } from './internal-form.ts'
import { VOLUME_MODES, validateAccessModes } from './persistent-volume-claim-validation.ts'
import { validateNodeSelector } from './scheduling-validation.ts'
import { validateCsiDriverName } from './volume-validation.ts'

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain']
export const PERSISTENT_SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
]

export function validatePersistentVolume(volume: KubeObject): FieldError[] {
  const spec = objectAt(volume, 'spec')
  const modes = textsAt(spec, 'accessModes')
  const errors = modes.length === 0 ? [required('spec.accessModes')] : validateAccessModes(modes, 'spec.accessModes')
  errors.push(...validateCapacity(spec))
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES))
  }
  errors.push(...validateNodeAffinity(spec), ...validateSources(spec))
  if (policy === 'Recycle' && /^\/+\.?\/*$/.test(textAt(objectAt(spec, 'hostPath'), 'path'))) {
    const detail = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', detail))
  }
  const className = textAt(spec, 'storageClassName')
  if (className !== '') errors.push(...checkedBy(checkSubdomain, className, 'spec.storageClassName'))
  const mode = optionalTextAt(spec, 'volumeMode')
  if (mode !== undefined && !VOLUME_MODES.includes(mode)) {
    errors.push(notSupported('spec.volumeMode', mode, VOLUME_MODES))
  }
  return errors
}

function validateCapacity(spec: Fields): FieldError[] {
  const capacity = textMapAt(spec, 'capacity')
  const names = Object.keys(capacity)
  const errors: FieldError[] = []
  if (names.length === 0) errors.push(required('spec.capacity'))
  if (capacity.storage === undefined || names.length > 1) {
    errors.push(notSupported('spec.capacity', names.length === 0 ? null : capacity, ['storage']))
  }
  for (const [name, quantity] of Object.entries(capacity)) {
    if (quantityOf(quantity).sign() > 0) continue
    errors.push(invalid(key('spec.capacity', name), quantity, 'must be greater than zero'))
  }
  return errors
}

function validateNodeAffinity(spec: Fields): FieldError[] {
  const affinity = optionalObjectAt(spec, 'nodeAffinity')
  if (affinity === undefined) return []
  const selector = optionalObjectAt(affinity, 'required')
  if (selector === undefined) {
    return [required('spec.nodeAffinity.required', 'must specify required node constraints')]
  }
  return validateNodeSelector(selector, 'spec.nodeAffinity.required')
}

function validateSources(spec: Fields): FieldError[] {
  const names = PERSISTENT_SOURCES.filter(name => isPresent(spec, name))
  if (names.length === 0) return [required('spec', 'must specify a volume type')]
  const [first = '', ...others] = names
  const errors = validateSource(first, objectAt(spec, first), spec)
  return [...errors, ...others.map(name => forbidden(child('spec', name), 'may not specify more than 1 volume type'))]
}

function validateSource(name: string, source: Fields, spec: Fields): FieldError[] {
  const field = child('spec', name)
  const path = textAt(source, 'path')
  switch (name) {
    case 'hostPath':
      return path === '' ? [required(child(field, 'path'))] : validatePathWithoutBacksteps(path, child(field, 'path'))
    case 'nfs': {
      const errors = [...requireText(source, 'server', field), ...requireText(source, 'path', field)]
      if (!path.startsWith('/')) errors.push(invalid(child(field, 'path'), path, 'must be an absolute path'))
      return errors
    }
    case 'local': {
      const errors =
        path === '' ? [required(child(field, 'path'))] : validatePathWithoutBacksteps(path, child(field, 'path'))
      if (!isPresent(spec, 'nodeAffinity')) {
        errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
      }
      return errors
    }
    case 'csi':
      return [
        ...validateCsiDriverName(textAt(source, 'driver'), child(field, 'driver')),
        ...requireText(source, 'volumeHandle', field),
      ]
    default:
      return []
  }
}

export function validatePersistentVolumeUpdate(volume: KubeObject, old: KubeObject): FieldError[] {
  const errors = validatePersistentVolume(volume)
  const spec = objectAt(volume, 'spec')
  const oldSpec = objectAt(old, 'spec')
  if (PERSISTENT_SOURCES.some(name => !isSemanticallyEqual(spec[name], oldSpec[name]))) {
    const detail = 'spec.persistentvolumesource is immutable after creation'
    const diff = diffSpecs('PersistentVolumeSource', oldSpec, spec)
    errors.push(forbidden('spec.persistentvolumesource', `${detail}\n${diff}`))
  }
  return [...errors, ...validateImmutableField(spec.volumeMode, oldSpec.volumeMode, 'volumeMode')]
}
