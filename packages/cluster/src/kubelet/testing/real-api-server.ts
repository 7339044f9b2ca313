import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiServer } from '@tiphys/apiserver'
import { type Client, createClient, createHttpTransport, fixedCredential, type KubeconfigContents } from '@tiphys/kube'
import { findTool } from './kubectl.ts'

const TOOLS = ['etcd', 'kube-apiserver']
const missing = TOOLS.filter(name => !findTool(name))

/** What the name of a test that needs a real API server ends with. */
export const noRealServer =
  missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not built: node conformance/build.mjs)`

export interface RealApiServer {
  client: Client
  kubeconfig: Pick<KubeconfigContents, 'server' | 'ca' | 'user'>
  stop(): Promise<void>
}

const TOKEN = 'admin-token'

/** A kube-apiserver that knows nodes by the certificates of `authority`, and shows them one. */
export async function startRealApiServer(authority: ApiServer): Promise<RealApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-real-'))
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const user = authority.issueClientCertificate({ name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] })
  const [etcdPort = 0, peerPort = 0, port = 0] = await Promise.all([freePort(), freePort(), freePort()])
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = await file('account.key', privateKey.export({ type: 'sec1', format: 'pem' }).toString())
  const etcd = run('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync',
  ])
  const apiServer = run('kube-apiserver', [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${await file('tokens', `${TOKEN},admin,1,"system:masters"\n`)}`,
    '--authorization-mode=RBAC',
    '--endpoint-reconciler-type=none',
    '--disable-admission-plugins=ServiceAccount',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--kubelet-client-certificate=${await file('client.crt', user.certificate)}`,
    `--kubelet-client-key=${await file('client.key', user.key)}`,
    `--kubelet-certificate-authority=${await file('nodes.crt', authority.caCertificate)}`,
    '--kubelet-preferred-address-types=InternalIP',
  ])
  const stop = async () => {
    for (const child of [apiServer, etcd]) await end(child)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const caFile = join(folder, 'apiserver.crt')
    const server = `https://127.0.0.1:${port}`
    const ca = await untilReady(server, caFile, [apiServer, etcd])
    const client = createClient(connectionTo(server, ca))
    return { client, kubeconfig: { server, ca, user: { token: TOKEN } }, stop }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

const connectionTo = (server: string, ca: string) =>
  createHttpTransport({ server, ca, credentials: fixedCredential({ authorization: `Bearer ${TOKEN}` }) })

/** Gives the certificate of a server that answers. */
async function untilReady(server: string, caFile: string, processes: readonly ChildProcess[]): Promise<string> {
  for (;;) {
    const ended = processes.find(({ exitCode }) => exitCode !== null)
    if (ended) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode}`)
    if (existsSync(caFile)) {
      const ca = readFileSync(caFile, 'utf8')
      const transport = connectionTo(server, ca)
      const status = await transport.request({ method: 'GET', path: '/readyz' }).then(
        answer => answer.status,
        () => 0, // it does not listen yet
      )
      await transport.close()
      if (status === 200) return ca
    }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const run = (tool: string, flags: readonly string[]): ChildProcess =>
  spawn(findTool(tool) as string, flags, { stdio: 'ignore' })

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}
