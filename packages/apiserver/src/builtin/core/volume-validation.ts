import { goQuote, type ObjectMeta } from '@tiphys/kube'
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
import {
  checkedBy,
  requireText,
  validateDescendingPath,
  validateOneOf,
  validatePathWithoutBacksteps,
  validateUnreservedPath,
} from '../field-checks.ts'
import {
  type Fields,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { validateLabels } from '../label-selector-validation.ts'
import { checkLabel, checkSubdomain } from '../names.ts'
import { validateAnnotations } from '../object-meta.ts'
import { isNegativeQuantity } from '../quantity.ts'
import { validateDownwardFile } from './environment-validation.ts'
import { validatePersistentVolumeClaimSpec } from './persistent-volume-claim-validation.ts'

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]
export const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']

export interface VolumeContext {
  meta: ObjectMeta | undefined
  isPod: boolean
}

/** The volumes that containers may mount, by name: those without errors of their own. */
export type Volumes = Map<string, Fields>

export function validateVolumes(
  volumes: Fields[],
  context: VolumeContext,
  field: string,
): { volumes: Volumes; errors: FieldError[] } {
  const valid: Volumes = new Map()
  const errors: FieldError[] = []
  const podName = context.meta?.name ?? ''
  const created = new Set(
    podName === '' ? [] : volumes.filter(v => isPresent(v, 'ephemeral')).map(v => `${podName}-${textAt(v, 'name')}`),
  )
  for (const [i, volume] of volumes.entries()) {
    const at = index(field, i)
    const name = textAt(volume, 'name')
    const own = validateVolumeSource(volume, context, at)
    if (name === '') own.push(required(child(at, 'name')))
    else own.push(...checkedBy(checkLabel, name, child(at, 'name')))
    if (valid.has(name)) own.push(duplicate(child(at, 'name'), name))
    if (own.length === 0) valid.set(name, volume)
    else errors.push(...own)
    const claimName = textAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName')
    if (claimName !== '' && created.has(claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(invalid(`${at}.persistentVolumeClaim.claimName`, claimName, detail))
    }
  }
  return { volumes: valid, errors }
}

type SourceCheck = (source: Fields, field: string, context: VolumeContext, volume: Fields) => FieldError[]

const requiredTexts =
  (...names: string[]): SourceCheck =>
  (source, field) =>
    names.flatMap(name => requireText(source, name, field))

/** In the order in which the real server looks: the first source is checked, every further one refused. */
const SOURCE_CHECKS: readonly [name: string, check: SourceCheck][] = [
  ['emptyDir', validateEmptyDir],
  ['hostPath', validateHostPath],
  ['gitRepo', validateGitRepo],
  ['gcePersistentDisk', requiredTexts('pdName')],
  ['awsElasticBlockStore', requiredTexts('volumeID')],
  ['secret', (source, field) => validateKeyedSource(source, 'secretName', field)],
  ['nfs', validateNfs],
  ['iscsi', requiredTexts('targetPortal', 'iqn')],
  ['glusterfs', requiredTexts('endpoints', 'path')],
  ['flocker', () => []],
  ['persistentVolumeClaim', requiredTexts('claimName')],
  ['rbd', validateRbd],
  ['cinder', requiredTexts('volumeID')],
  ['cephfs', validateCephFs],
  ['quobyte', requiredTexts('registry', 'volume')],
  ['downwardAPI', validateDownwardApi],
  ['fc', () => []],
  ['flexVolume', requiredTexts('driver')],
  ['configMap', (source, field) => validateKeyedSource(source, 'name', field)],
  ['azureFile', requiredTexts('secretName', 'shareName')],
  ['vsphereVolume', requiredTexts('volumePath')],
  ['photonPersistentDisk', requiredTexts('pdID')],
  ['portworxVolume', requiredTexts('volumeID')],
  ['azureDisk', validateAzureDisk],
  ['storageos', () => []],
  ['projected', validateProjected],
  ['scaleIO', requiredTexts('gateway', 'system', 'volumeName')],
  ['csi', validateCsi],
  ['ephemeral', validateEphemeral],
  ['image', validateImage],
]

function validateVolumeSource(volume: Fields, context: VolumeContext, field: string): FieldError[] {
  const errors: FieldError[] = []
  let count = 0
  for (const [name, check] of SOURCE_CHECKS) {
    const source = optionalObjectAt(volume, name)
    if (source === undefined) continue
    count += 1
    if (count > 1) errors.push(forbidden(child(field, name), 'may not specify more than 1 volume type'))
    else errors.push(...check(source, child(field, name), context, volume))
  }
  if (count === 0) errors.push(required(field, 'must specify a volume type'))
  return errors
}

function validateEmptyDir(source: Fields, field: string): FieldError[] {
  const limit = textAt(source, 'sizeLimit')
  if (limit === '' || !isNegativeQuantity(limit)) return []
  return [forbidden(child(field, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
}

function validateHostPath(source: Fields, field: string): FieldError[] {
  const path = textAt(source, 'path')
  if (path === '') return [required(child(field, 'path'))]
  const type = textAt(source, 'type')
  const errors = validatePathWithoutBacksteps(path, child(field, 'path'))
  if (!HOST_PATH_TYPES.includes(type)) errors.push(notSupported(child(field, 'type'), type, HOST_PATH_TYPES))
  return errors
}

function validateGitRepo(source: Fields, field: string): FieldError[] {
  return [
    ...requireText(source, 'repository', field),
    ...validateDescendingPath(textAt(source, 'directory'), child(field, 'directory')),
  ]
}

function validateNfs(source: Fields, field: string): FieldError[] {
  const errors = [...requireText(source, 'server', field), ...requireText(source, 'path', field)]
  const path = textAt(source, 'path')
  if (!path.startsWith('/')) errors.push(invalid(child(field, 'path'), path, 'must be an absolute path'))
  return errors
}

function validateRbd(source: Fields, field: string): FieldError[] {
  const errors = textsAt(source, 'monitors').length === 0 ? [required(child(field, 'monitors'))] : []
  return [...errors, ...requireText(source, 'image', field)]
}

function validateCephFs(source: Fields, field: string): FieldError[] {
  return textsAt(source, 'monitors').length === 0 ? [required(child(field, 'monitors'))] : []
}

function validateAzureDisk(source: Fields, field: string): FieldError[] {
  const errors = [...requireText(source, 'diskName', field), ...requireText(source, 'diskURI', field)]
  const uri = textAt(source, 'diskURI')
  const isManaged = textAt(source, 'kind') === 'Managed'
  if (isManaged && !uri.startsWith('/subscriptions')) {
    const form = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
    errors.push(notSupported(child(field, 'diskURI'), uri, [form]))
  }
  if (!isManaged && uri !== '' && !uri.startsWith('https://')) {
    const form = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'
    errors.push(notSupported(child(field, 'diskURI'), uri, [form]))
  }
  return errors
}

function validateCsi(source: Fields, field: string): FieldError[] {
  const errors = validateCsiDriverName(textAt(source, 'driver'), child(field, 'driver'))
  const secret = optionalObjectAt(source, 'nodePublishSecretRef')
  if (secret === undefined) return errors
  const name = textAt(secret, 'name')
  if (name === '') errors.push(required(`${field}.nodePublishSecretRef.name`))
  else errors.push(...checkedBy(checkSubdomain, name, child(field, 'name')))
  return errors
}

export function validateCsiDriverName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)]
  const errors: FieldError[] = []
  if (name.length > 63)
    errors.push({ type: 'FieldValueTooLong', field, value: '', detail: 'may not be more than 63 bytes' })
  return [...errors, ...checkedBy(checkSubdomain, name.toLowerCase(), field)]
}

function validateEphemeral(source: Fields, field: string, context: VolumeContext, volume: Fields): FieldError[] {
  const template = optionalObjectAt(source, 'volumeClaimTemplate')
  if (template === undefined) return [required(child(field, 'volumeClaimTemplate'))]
  const at = child(field, 'volumeClaimTemplate')
  const metadata = objectAt(template, 'metadata')
  const errors = [
    ...validateAnnotations(textMapAt(metadata, 'annotations'), `${at}.metadata.annotations`),
    ...validateLabels(textMapAt(metadata, 'labels'), `${at}.metadata.labels`),
    ...Object.keys(metadata)
      .filter(name => name !== 'annotations' && name !== 'labels' && isPresent(metadata, name))
      .map(name => forbidden(`${at}.metadata.${name}`, 'cannot be set')),
    ...validatePersistentVolumeClaimSpec(objectAt(template, 'spec'), `${at}.spec`),
  ]
  const podName = context.meta?.name ?? ''
  const name = textAt(volume, 'name')
  if (podName !== '' && name !== '') {
    const claim = `${podName}-${name}`
    const nameField = `${field.slice(0, field.lastIndexOf('.'))}.name`
    for (const reason of checkSubdomain(claim)) {
      errors.push(invalid(nameField, name, `PVC name ${goQuote(claim)}: ${reason}`))
    }
  }
  return errors
}

function validateImage(source: Fields, field: string, { isPod }: VolumeContext): FieldError[] {
  const errors = isPod ? requireText(source, 'reference', field) : []
  return [...errors, ...validateOneOf(source, 'pullPolicy', PULL_POLICIES, field)]
}

function validateMode(parent: Fields, name: string, field: string): FieldError[] {
  const mode = optionalNumberAt(parent, name)
  return mode !== undefined && (mode > 0o777 || mode < 0) ? [invalid(child(field, name), mode, FILE_MODE)] : []
}

function validateKeyedSource(source: Fields, nameField: string, field: string): FieldError[] {
  const errors = [...requireText(source, nameField, field), ...validateMode(source, 'defaultMode', field)]
  return [...errors, ...validateItems(source, field)]
}

function validateItems(source: Fields, field: string): FieldError[] {
  return listAt(source, 'items').flatMap((item, i) => {
    const at = index(child(field, 'items'), i)
    return [
      ...requireText(item, 'key', at),
      ...requireText(item, 'path', at),
      ...validateUnreservedPath(textAt(item, 'path'), child(at, 'path')),
      ...validateMode(item, 'mode', at),
    ]
  })
}

function validateDownwardApi(source: Fields, field: string): FieldError[] {
  const errors = validateMode(source, 'defaultMode', field)
  for (const file of listAt(source, 'items')) {
    errors.push(...validateDownwardFile(file, field), ...validateMode(file, 'mode', field))
  }
  return errors
}

function validateProjected(source: Fields, field: string): FieldError[] {
  const errors = validateMode(source, 'defaultMode', field)
  const paths = new Set<string>()
  const claimPath = (path: string, value: string) => {
    if (path === '') return
    if (paths.has(path)) errors.push(invalid(field, value, 'conflicting duplicate paths'))
    paths.add(path)
  }
  for (const [i, projection] of listAt(source, 'sources').entries()) {
    const at = index(child(field, 'sources'), i)
    for (const name of ['secret', 'configMap']) {
      const keyed = optionalObjectAt(projection, name)
      if (keyed === undefined) continue
      errors.push(...requireText(keyed, 'name', child(at, name)), ...validateItems(keyed, child(at, name)))
      for (const item of listAt(keyed, 'items')) claimPath(textAt(item, 'path'), textAt(keyed, 'name'))
    }
    for (const file of listAt(objectAt(projection, 'downwardAPI'), 'items')) {
      const downward = child(at, 'downwardAPI')
      errors.push(...validateDownwardFile(file, downward), ...validateMode(file, 'mode', downward))
      claimPath(textAt(file, 'path'), textAt(file, 'path'))
    }
    errors.push(...validateTokenProjection(optionalObjectAt(projection, 'serviceAccountToken'), at, field))
    const kinds = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate']
    if (kinds.filter(name => isPresent(projection, name)).length > 1) {
      errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
    }
  }
  return errors
}

const TEN_MINUTES = 600
const LONGEST_TOKEN = 2 ** 32

function validateTokenProjection(token: Fields | undefined, at: string, field: string): FieldError[] {
  if (token === undefined) return []
  const errors: FieldError[] = []
  const seconds = numberAt(token, 'expirationSeconds')
  const secondsField = `${at}.serviceAccountToken.expirationSeconds`
  if (seconds < TEN_MINUTES) {
    errors.push(invalid(secondsField, seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > LONGEST_TOKEN) {
    errors.push(invalid(secondsField, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const path = textAt(token, 'path')
  if (path === '') errors.push(required(child(field, 'path')))
  else errors.push(...validateUnreservedPath(path, child(field, 'path')))
  return errors
}
