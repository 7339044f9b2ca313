import type { Random } from '@tiphys/env'
import { goQuote, type KubeObject } from '@tiphys/kube'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { generateName } from '../../registry/names.ts'
import { copyOf, ensureObject, type Fields, listAt, optionalFlagAt, textAt } from '../fields.ts'
import { type ClusterLookup, createdObject, deny, SERVICE_ACCOUNTS } from './cluster-lookup.ts'

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const VOLUME_PREFIX = 'kube-api-access-'
const TOKEN_SECONDS = 3607
const MIRROR_POD = 'kubernetes.io/config.mirror'

/** Every pod runs as a service account, the namespace's default if it names none, and finds that account's token. */
export function serviceAccountAdmission(lookup: ClusterLookup, random: Random): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    mutate(request) {
      const pod = createdObject(request, '', 'pods')
      if (pod === undefined || pod.metadata.annotations?.[MIRROR_POD] !== undefined) return
      const spec = ensureObject(pod, 'spec')
      const name = textAt(spec, 'serviceAccountName') || 'default'
      spec.serviceAccountName = name
      spec.serviceAccount = name
      const account = lookup.get(SERVICE_ACCOUNTS, request.namespace, name)
      if (account === undefined) {
        const found = `serviceaccount ${goQuote(name)} not found`
        throw deny(request, `error looking up service account ${request.namespace}/${name}: ${found}`)
      }
      if (mountsToken(spec, account)) mountToken(spec, random)
      if (listAt(spec, 'imagePullSecrets').length === 0 && listAt(account, 'imagePullSecrets').length > 0) {
        spec.imagePullSecrets = copyOf(listAt(account, 'imagePullSecrets'))
      }
    },
  }
}

function mountsToken(spec: Fields, account: KubeObject): boolean {
  const name = 'automountServiceAccountToken'
  return optionalFlagAt(spec, name) ?? optionalFlagAt(account, name) ?? true
}

function mountToken(spec: Fields, random: Random): void {
  const volumes = listAt(spec, 'volumes')
  const existing = volumes.find(volume => textAt(volume, 'name').startsWith(VOLUME_PREFIX))
  const name = existing === undefined ? generateName(VOLUME_PREFIX, random) : textAt(existing, 'name')
  let isNeeded = false
  for (const container of [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]) {
    const mounts = listAt(container, 'volumeMounts')
    if (mounts.some(mount => textAt(mount, 'mountPath') === TOKEN_PATH)) continue
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: TOKEN_PATH }]
    isNeeded = true
  }
  if (isNeeded && existing === undefined) spec.volumes = [...volumes, tokenVolume(name)]
}

function tokenVolume(name: string): Fields {
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespace] } },
      ],
      defaultMode: 0o644,
    },
  }
}
