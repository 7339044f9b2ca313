// Writes data/bootstrap.json: the objects that a new Kubernetes 1.36 server makes for itself, by collection, as it stores
// them. Uids, times and versions are left out: every new cluster has its own.
// Reads them from a real server that nobody has used yet and whose service range is 10.96.0.0/16:
//   KUBE_URL=https://… KUBE_TOKEN=… NODE_TLS_REJECT_UNAUTHORIZED=0 node generate/bootstrap.mjs
import { writeFileSync } from 'node:fs'

const { KUBE_URL, KUBE_TOKEN } = process.env

const SOURCES = [
  {
    path: '/api/v1/namespaces',
    collection: '/namespaces',
    wanted: name => /^(default|kube-(system|public|node-lease))$/.test(name),
  },
  {
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    collection: 'scheduling.k8s.io/priorityclasses',
    wanted: name => name.startsWith('system-'),
  },
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(name => ({
    path: `/apis/rbac.authorization.k8s.io/v1/${name}`,
    collection: `rbac.authorization.k8s.io/${name}`,
    wanted: (_name, { labels }) => labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults',
  })),
  { path: '/api/v1/namespaces/default/services', collection: '/services', wanted: name => name === 'kubernetes' },
]

const out = {}
for (const { path, collection, wanted } of SOURCES) {
  const answer = await fetch(KUBE_URL + path, { headers: { authorization: `Bearer ${KUBE_TOKEN}` } })
  const list = await answer.json()
  out[collection] = list.items
    .filter(({ metadata }) => wanted(metadata.name, metadata))
    .map(object => {
      const {
        uid: _uid,
        resourceVersion: _version,
        creationTimestamp: _created,
        managedFields = [],
        ...metadata
      } = object.metadata
      const managers = managedFields.map(({ time: _time, manager: _manager, ...entry }) => ({
        manager: 'kube-apiserver',
        ...entry,
      }))
      return {
        ...object,
        kind: list.kind.replace(/List$/, ''),
        apiVersion: list.apiVersion,
        metadata: { ...metadata, managedFields: managers },
      }
    })
}
writeFileSync(new URL('../data/bootstrap.json', import.meta.url), `${JSON.stringify(out)}\n`)
