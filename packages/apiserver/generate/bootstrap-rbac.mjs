// Writes data/bootstrap-rbac.json: the roles and bindings that a new Kubernetes 1.36 server makes for itself.
// Reads them from a real server:  KUBE_URL=https://… KUBE_TOKEN=… node --insecure… generate/bootstrap-rbac.mjs
import { writeFileSync } from 'node:fs'

const { KUBE_URL, KUBE_TOKEN } = process.env
const out = {}
for (const name of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
  const answer = await fetch(`${KUBE_URL}/apis/rbac.authorization.k8s.io/v1/${name}`, { headers: { authorization: `Bearer ${KUBE_TOKEN}` } })
  const { items } = await answer.json()
  out[name] = items
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults')
    .map(({ metadata, kind: _kind, apiVersion: _apiVersion, ...rest }) => {
      const { name, namespace, labels, annotations } = metadata
      return { metadata: { name, ...(namespace ? { namespace } : {}), labels, annotations }, ...rest }
    })
}
writeFileSync(new URL('../data/bootstrap-rbac.json', import.meta.url), `${JSON.stringify(out)}\n`)
