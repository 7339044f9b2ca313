import { type Client, isAlreadyExists, type KubeObject } from '@tiphys/kube'
import type { PolicyRule } from '@tiphys/kube/kinds'

export const ENGINE_NAMESPACE = 'tiphys-system'
export const ENGINE_ACCOUNT = 'tiphys'
export const ENGINE_USER = `system:serviceaccount:${ENGINE_NAMESPACE}:${ENGINE_ACCOUNT}`

const FOLLOW = ['list', 'watch']

/** Everything that the engines do as themselves, and nothing else. What a manifest asks for they do as the ServiceAccount
 *  that it names, by impersonation. */
export const ENGINE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
  { apiGroups: ['argoproj.io'], resources: ['eventbus', 'eventsources', 'sensors'], verbs: FOLLOW },
  {
    apiGroups: ['argoproj.io'],
    resources: ['eventbus/status', 'eventsources/status', 'sensors/status'],
    verbs: ['patch'],
  },
  { apiGroups: ['tiphys.dev'], resources: ['replays', 'retries', 'discards'], verbs: FOLLOW },
  {
    apiGroups: ['tiphys.dev'],
    resources: ['replays/status', 'retries/status', 'discards/status'],
    verbs: ['patch'],
  },
  {
    apiGroups: ['argoproj.io'],
    resources: ['workflows'],
    verbs: ['get', ...FOLLOW, 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: ['argoproj.io'], resources: ['cronworkflows'], verbs: [...FOLLOW, 'update'] },
  {
    apiGroups: ['argoproj.io'],
    resources: ['workflowtemplates', 'clusterworkflowtemplates', 'workfloweventbindings'],
    verbs: FOLLOW,
  },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', ...FOLLOW, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  // Over WebSockets it is asked for with GET, over SPDY with POST.
  { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['create', 'delete'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['create', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: FOLLOW },
  { apiGroups: [''], resources: ['events'], verbs: ['list', 'create', 'patch'] },
]

const label = { 'app.kubernetes.io/name': 'tiphys', 'app.kubernetes.io/managed-by': 'tiphys' }

const OBJECTS: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ENGINE_NAMESPACE, labels: label } },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: ENGINE_ACCOUNT, namespace: ENGINE_NAMESPACE, labels: label },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'tiphys', labels: label },
    rules: ENGINE_RULES,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'tiphys', labels: label },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tiphys' },
    subjects: [{ kind: 'ServiceAccount', name: ENGINE_ACCOUNT, namespace: ENGINE_NAMESPACE }],
  },
]

/** Gives the engines of an embedded cluster an account of their own. */
export async function installEngineRole(administrator: Client): Promise<void> {
  for (const object of OBJECTS) {
    try {
      await administrator.create(object, { fieldManager: 'tiphys' })
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown
      // An earlier version may have needed other rights.
      if (object.kind === 'ClusterRole') await administrator.apply(object, { fieldManager: 'tiphys', force: true })
    }
  }
}

/** As the server would see a token of the account. */
export const engineGroups = (): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${ENGINE_NAMESPACE}`,
  'system:authenticated',
]
