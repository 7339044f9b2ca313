import {
  ensureObject,
  type Fields,
  isPresent,
  listAt,
  objectAt,
  optionalObjectAt,
  setIfAbsent,
  setIfZero,
  textAt,
  textMapAt,
} from './fields.ts'
import { defaultPullPolicy } from './image-name.ts'
import { roundUpResourceList } from './quantity.ts'

/** The defaults of `template` in everything that makes pods. A pod itself has a few more, see core/pod-defaults.ts. */
export function setPodTemplateDefaults(parent: Fields): void {
  setPodSpecDefaults(ensureObject(ensureObject(parent, 'template'), 'spec'))
}

export function setPodSpecDefaults(spec: Fields): void {
  setIfZero(spec, 'dnsPolicy', 'ClusterFirst')
  setIfZero(spec, 'restartPolicy', 'Always')
  setIfAbsent(spec, 'securityContext', {})
  setIfAbsent(spec, 'terminationGracePeriodSeconds', 30)
  setIfZero(spec, 'schedulerName', 'default-scheduler')
  mirrorServiceAccountName(spec)
  for (const volume of listAt(spec, 'volumes')) setVolumeDefaults(volume)
  for (const container of podContainers(spec)) setContainerDefaults(container)
  roundUpResources(optionalObjectAt(spec, 'resources'))
  roundUpResourceList(spec.overhead as Record<string, string> | undefined)
}

export function podContainers(spec: Fields): Fields[] {
  return [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers'), ...listAt(spec, 'ephemeralContainers')]
}

// `serviceAccount` is the old name of the same field; the real server keeps the two equal in every answer.
function mirrorServiceAccountName(spec: Fields): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount')
  if (name === '') {
    delete spec.serviceAccountName
    delete spec.serviceAccount
    return
  }
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

function setContainerDefaults(container: Fields): void {
  setIfZero(container, 'imagePullPolicy', defaultPullPolicy(textAt(container, 'image')))
  setIfZero(container, 'terminationMessagePath', '/dev/termination-log')
  setIfZero(container, 'terminationMessagePolicy', 'File')
  for (const port of listAt(container, 'ports')) setIfZero(port, 'protocol', 'TCP')
  for (const variable of listAt(container, 'env')) {
    const source = optionalObjectAt(variable, 'valueFrom')
    setFieldSelectorDefaults(optionalObjectAt(source, 'fieldRef'))
    const fileKey = optionalObjectAt(source, 'fileKeyRef')
    if (fileKey !== undefined) setIfAbsent(fileKey, 'optional', false)
  }
  roundUpResources(optionalObjectAt(container, 'resources'))
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = optionalObjectAt(container, name)
    if (probe !== undefined) setProbeDefaults(probe)
  }
  const lifecycle = optionalObjectAt(container, 'lifecycle')
  // Behind a feature gate that is off: the real server drops it.
  delete lifecycle?.stopSignal
  for (const name of ['postStart', 'preStop'])
    setHttpGetDefaults(optionalObjectAt(objectAt(lifecycle, name), 'httpGet'))
}

function setProbeDefaults(probe: Fields): void {
  setIfZero(probe, 'timeoutSeconds', 1)
  setIfZero(probe, 'periodSeconds', 10)
  setIfZero(probe, 'successThreshold', 1)
  setIfZero(probe, 'failureThreshold', 3)
  setHttpGetDefaults(optionalObjectAt(probe, 'httpGet'))
  const grpc = optionalObjectAt(probe, 'grpc')
  if (grpc !== undefined) setIfAbsent(grpc, 'service', '')
}

function setHttpGetDefaults(httpGet: Fields | undefined): void {
  if (httpGet === undefined) return
  setIfZero(httpGet, 'path', '/')
  setIfZero(httpGet, 'scheme', 'HTTP')
}

function setFieldSelectorDefaults(fieldRef: Fields | undefined): void {
  if (fieldRef !== undefined) setIfZero(fieldRef, 'apiVersion', 'v1')
}

export function roundUpResources(resources: Fields | undefined): void {
  if (resources === undefined) return
  roundUpResourceList(textMapAt(resources, 'limits'))
  roundUpResourceList(textMapAt(resources, 'requests'))
}

const DEFAULT_FILE_MODE = 0o644

function setVolumeDefaults(volume: Fields): void {
  if (Object.keys(volume).every(name => name === 'name' || !isPresent(volume, name))) volume.emptyDir = {}
  const image = optionalObjectAt(volume, 'image')
  if (image !== undefined) setIfZero(image, 'pullPolicy', defaultPullPolicy(textAt(image, 'reference')))
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = optionalObjectAt(volume, name)
    if (source !== undefined) setIfAbsent(source, 'defaultMode', DEFAULT_FILE_MODE)
  }
  setDownwardApiDefaults(optionalObjectAt(volume, 'downwardAPI'))
  for (const source of listAt(objectAt(volume, 'projected'), 'sources')) {
    setDownwardApiDefaults(optionalObjectAt(source, 'downwardAPI'))
    const token = optionalObjectAt(source, 'serviceAccountToken')
    if (token !== undefined) setIfAbsent(token, 'expirationSeconds', 3600)
  }
  setVolumeSourceDefaults(volume)
  const claimTemplate = optionalObjectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate')
  if (claimTemplate !== undefined) setPersistentVolumeClaimSpecDefaults(ensureObject(claimTemplate, 'spec'))
}

function setDownwardApiDefaults(source: Fields | undefined): void {
  for (const item of listAt(source, 'items')) setFieldSelectorDefaults(optionalObjectAt(item, 'fieldRef'))
}

/** The sources that pods' volumes and persistent volumes have in common. */
export function setVolumeSourceDefaults(source: Fields): void {
  const defaults: Record<string, (of: Fields) => void> = {
    hostPath: of => setIfAbsent(of, 'type', ''),
    iscsi: of => setIfZero(of, 'iscsiInterface', 'default'),
    rbd: of => {
      setIfZero(of, 'pool', 'rbd')
      setIfZero(of, 'user', 'admin')
      setIfZero(of, 'keyring', '/etc/ceph/keyring')
    },
    azureDisk: of => {
      setIfAbsent(of, 'cachingMode', 'ReadWrite')
      setIfAbsent(of, 'fsType', 'ext4')
      setIfAbsent(of, 'readOnly', false)
      setIfAbsent(of, 'kind', 'Shared')
    },
    scaleIO: of => {
      setIfZero(of, 'storageMode', 'ThinProvisioned')
      setIfZero(of, 'fsType', 'xfs')
    },
  }
  for (const [name, setDefaults] of Object.entries(defaults)) {
    const present = optionalObjectAt(source, name)
    if (present !== undefined) setDefaults(present)
  }
}

export function setPersistentVolumeClaimSpecDefaults(spec: Fields): void {
  setIfAbsent(spec, 'volumeMode', 'Filesystem')
  roundUpResources(optionalObjectAt(spec, 'resources'))
}
