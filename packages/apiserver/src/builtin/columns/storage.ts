import type { KubeObject } from '@tiphys/kube'
import {
  flagAt,
  isPresent,
  listAt,
  objectAt,
  optionalFlagAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { formatAccessModes, orNone, orUnset } from './cells.ts'
import { ageColumn, column, nameColumn, table } from './columns.ts'

const spec = (object: KubeObject) => objectAt(object, 'spec')
const status = (object: KubeObject) => objectAt(object, 'status')
const phase = (object: KubeObject) =>
  object.metadata.deletionTimestamp === undefined ? textAt(status(object), 'phase') : 'Terminating'
const storageClass = (object: KubeObject) =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? textAt(spec(object), 'storageClassName')
const attributesClass = (object: KubeObject) => orUnset(optionalTextAt(spec(object), 'volumeAttributesClassName'))
const volumeModeColumn = column('VolumeMode', object => orUnset(optionalTextAt(spec(object), 'volumeMode')), {
  wide: true,
})

export const persistentVolumeColumns = table(
  nameColumn,
  column('Capacity', object => textMapAt(spec(object), 'capacity').storage ?? '0'),
  column('Access Modes', object => formatAccessModes(spec(object))),
  column('Reclaim Policy', object => textAt(spec(object), 'persistentVolumeReclaimPolicy')),
  column('Status', phase),
  column('Claim', object => {
    const claim = optionalObjectAt(spec(object), 'claimRef')
    return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`
  }),
  column('StorageClass', storageClass),
  column('VolumeAttributesClass', attributesClass),
  column('Reason', object => textAt(status(object), 'reason')),
  ageColumn,
  volumeModeColumn,
)

const isBound = (claim: KubeObject) => textAt(spec(claim), 'volumeName') !== ''

export const persistentVolumeClaimColumns = table(
  nameColumn,
  column('Status', phase),
  column('Volume', object => textAt(spec(object), 'volumeName')),
  column('Capacity', object => (isBound(object) ? (textMapAt(status(object), 'capacity').storage ?? '0') : '')),
  column('Access Modes', object => (isBound(object) ? formatAccessModes(status(object)) : '')),
  column('StorageClass', storageClass),
  column('VolumeAttributesClass', attributesClass),
  ageColumn,
  volumeModeColumn,
)

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]
const isDefault = (object: KubeObject) => DEFAULT_CLASS.some(name => object.metadata.annotations?.[name] === 'true')

export const storageClassColumns = table(
  column('Name', object => `${object.metadata.name ?? ''}${isDefault(object) ? ' (default)' : ''}`, { format: 'name' }),
  column('Provisioner', object => textAt(object, 'provisioner')),
  column('ReclaimPolicy', object => optionalTextAt(object, 'reclaimPolicy') ?? 'Delete'),
  column('VolumeBindingMode', object => optionalTextAt(object, 'volumeBindingMode') ?? 'Immediate'),
  column('AllowVolumeExpansion', object => flagAt(object, 'allowVolumeExpansion')),
  ageColumn,
)

export const csiDriverColumns = table(
  nameColumn,
  column('AttachRequired', object => optionalFlagAt(spec(object), 'attachRequired') ?? true, { type: 'boolean' }),
  column('PodInfoOnMount', object => flagAt(spec(object), 'podInfoOnMount'), { type: 'boolean' }),
  column('StorageCapacity', object => flagAt(spec(object), 'storageCapacity'), { type: 'boolean' }),
  column('TokenRequests', object => {
    if (!isPresent(spec(object), 'tokenRequests')) return '<unset>'
    return listAt(spec(object), 'tokenRequests')
      .map(each => textAt(each, 'audience'))
      .join(',')
  }),
  column('RequiresRepublish', object => flagAt(spec(object), 'requiresRepublish'), { type: 'boolean' }),
  column('Modes', object => orNone(textsAt(spec(object), 'volumeLifecycleModes').join(','))),
  ageColumn,
)

export const csiNodeColumns = table(
  nameColumn,
  column('Drivers', object => listAt(spec(object), 'drivers').length, { type: 'integer' }),
  ageColumn,
)

export const volumeAttachmentColumns = table(
  nameColumn,
  column('Attacher', object => textAt(spec(object), 'attacher'), { format: 'name' }),
  column('PV', object => textAt(objectAt(spec(object), 'source'), 'persistentVolumeName')),
  column('Node', object => textAt(spec(object), 'nodeName')),
  column('Attached', object => flagAt(status(object), 'attached'), { type: 'boolean' }),
  ageColumn,
)

export const volumeAttributesClassColumns = table(
  nameColumn,
  column('DriverName', object => textAt(object, 'driverName')),
  ageColumn,
)
