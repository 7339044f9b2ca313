// The programs of other projects that Tiphys is compared with, each built from its Go module.
// A tool's file name carries its version, so a warm cache needs no check beyond its existence.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const kubernetesVersion = '1.36.3'

const kubernetesStamp = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(versionPackage => [
  `-X ${versionPackage}.gitVersion=v${kubernetesVersion}`,
  `-X ${versionPackage}.gitMajor=1`,
  `-X ${versionPackage}.gitMinor=36`,
  `-X ${versionPackage}.gitTreeState=clean`,
])

const kubernetes = (/** @type {string} */ name) => ({
  name,
  version: kubernetesVersion,
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  ldflags: kubernetesStamp,
})

/** @type {{ name: string, version: string, module: string, package: string, ldflags: string[] }[]} */
export const tools = [
  { name: 'etcd', version: '3.6.16', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', ldflags: [] },
  kubernetes('kube-apiserver'),
  kubernetes('kubectl'),
  kubernetes('kube-controller-manager'),
  kubernetes('kube-scheduler'),
  {
    name: 'helm3',
    version: '3.22.0',
    module: 'helm3',
    package: 'helm.sh/helm/v3/cmd/helm',
    ldflags: ['-X helm.sh/helm/v3/internal/version.version=v3.22.0'],
  },
  {
    name: 'helm4',
    version: '4.3.1',
    module: 'helm4',
    package: 'helm.sh/helm/v4/cmd/helm',
    ldflags: ['-X helm.sh/helm/v4/internal/version.version=v4.3.1'],
  },
  {
    name: 'nats-server',
    version: '2.15.2',
    module: 'nats-server',
    package: 'github.com/nats-io/nats-server/v2',
    ldflags: [],
  },
]

/** Where built tools are kept, outside the repository so that a fresh checkout does not build them again. */
export function cacheDirectory() {
  return process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin')
}

/** @param {string} name */
export function toolPath(name) {
  const tool = tools.find(candidate => candidate.name === name)
  if (!tool) throw new Error(`unknown tool ${name}; known: ${tools.map(known => known.name).join(', ')}`)
  return join(cacheDirectory(), `${tool.name}-${tool.version}`)
}

/** @param {string} name */
export function isBuilt(name) {
  return existsSync(toolPath(name))
}

/** What the name of a test that needs these tools ends with: nothing when they are built, else why it is skipped.
 *  @param {string[]} names */
export function whySkipped(...names) {
  const missing = names.filter(name => !isBuilt(name))
  if (missing.length === 0) return ''
  const what = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not built`
  return ` (skipped: ${what}: node conformance/build.mjs ${missing.join(' ')})`
}

/** @param {string} module */
export function moduleDirectory(module) {
  return fileURLToPath(new URL(`go/${module}/`, import.meta.url))
}
