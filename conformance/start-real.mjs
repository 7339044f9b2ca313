// Starts a real kube-apiserver in the foreground, to ask it questions:
//   node conformance/start-real.mjs [--directory DIR] [--kubeconfig FILE]
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
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
  process.once(signal, async () => {
    await server.stop()
    process.exit(0)
  })
}

/** Node 20 cannot import TypeScript; the harness is bundled into the build directory first.
 *  @param {string} source */
async function loadTypeScript(source) {
  const outfile = fileURLToPath(new URL('../.build/conformance/real-server.mjs', import.meta.url))
  await build({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  return import(outfile)
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
