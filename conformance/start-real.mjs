// Starts a real kube-apiserver in the foreground, to ask it questions:
//   node conformance/start-real.mjs [--directory DIR] [--kubeconfig FILE]
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadTypeScript } from './load-typescript.mjs'
import { toolPath } from './tools.mjs'

const { values } = parseArgs({ options: { directory: { type: 'string' }, kubeconfig: { type: 'string' } } })
const { startRealServer } = await loadTypeScript('src/real-server.ts')
if (values.directory) mkdirSync(values.directory, { recursive: true })
const server = await startRealServer({
  unsafeNoFsync: true,
  ...(values.directory ? { directory: values.directory } : {}),
})
const url = `https://${server.host}:${server.port}`
const kubeconfig = values.kubeconfig ?? `${server.caFile}.kubeconfig`
writeFileSync(kubeconfig, kubeconfigFor(url, server.caCertificate), { mode: 0o600 })
console.log(
  JSON.stringify({ url, caFile: server.caFile, token: 'admin-token', kubeconfig, kubectl: toolPath('kubectl') }),
)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void server.stop().then(() => process.exit(0)))
}

/** @param {string} url
 *  @param {string} caCertificate */
function kubeconfigFor(url, caCertificate) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'real',
    clusters: [
      {
        name: 'real',
        cluster: { server: url, 'certificate-authority-data': Buffer.from(caCertificate).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token: 'admin-token' } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
  })
}
