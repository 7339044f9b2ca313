import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@tiphys/env/testing'
import { toolPath } from '../tools.mjs'
import { Connection, type Endpoint } from './http.ts'
import { identities } from './identities.ts'

export interface RunningServer extends Endpoint {
  /** Makes the server forget all versions before the last. */
  compact(): Promise<void>
  stop(): Promise<void>
}

export interface RealServer extends RunningServer {
  /** File with the PEM of the CA. */
  caFile: string
  /** File with the key that ServiceAccount tokens are signed with. */
  keyFile: string
  etcdPid: number
  apiServerPid: number
}

export interface RealServerOptions {
  /** Lets etcd acknowledge writes before they are on disk: what a memory store is fairly compared with. */
  unsafeNoFsync?: boolean
  /** Where etcd keeps its data and the server its certificates; a fresh temporary directory unless told. */
  directory?: string
  apiServerFlags?: string[]
  startTimeoutMilliseconds?: number
}

/** Starts etcd and kube-apiserver on free loopback ports, and waits until the server says that it is ready. */
export async function startRealServer(options: RealServerOptions = {}): Promise<RealServer> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'tiphys-real-')))
  const [etcdPort, peerPort, port] = await freePorts(3)
  const etcd = spawnQuietly('etcd', [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    '--log-level=error',
    ...(options.unsafeNoFsync ? ['--unsafe-no-fsync'] : []),
  ])
  const { tokenFile, keyFile } = await writeCredentials(directory)
  const apiServer = spawnQuietly('kube-apiserver', [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${directory}`,
    `--token-auth-file=${tokenFile}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    ...(options.apiServerFlags ?? []),
  ])
  const processes = [apiServer, etcd]
  const stop = async () => {
    for (const running of processes) await terminate(running)
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }
  try {
    const caFile = join(directory, 'apiserver.crt')
    const caCertificate = await waitUntilReady(
      { host: '127.0.0.1', port: port ?? 0 },
      caFile,
      processes,
      options.startTimeoutMilliseconds ?? 60_000,
    )
    return {
      host: '127.0.0.1',
      port: port ?? 0,
      caCertificate,
      caFile,
      keyFile,
      etcdPid: etcd.pid ?? 0,
      apiServerPid: apiServer.pid ?? 0,
      compact: () => compactEtcd(etcdPort ?? 0),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function compactEtcd(port: number): Promise<void> {
  const ask = async (path: string, body: object): Promise<{ header: { revision: string } }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { header: { revision: string } }
  }
  const { header } = await ask('range', { key: Buffer.from('/').toString('base64') })
  await ask('compaction', { revision: header.revision, physical: true })
}

export interface QuietProcess extends ChildProcess {
  /** The last lines the process wrote, for the message when it does not come up. */
  lastWords: () => string
}

export function spawnQuietly(tool: string, flags: string[]): QuietProcess {
  const child = spawn(toolPath(tool), flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  let tail = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-4000)
  })
  child.on('error', error => {
    tail += `\n${error.message}`
  })
  return Object.assign(child, { lastWords: () => `${tool}: ${tail}` })
}

export async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await gone
  clearTimeout(impatience)
}

async function writeCredentials(directory: string): Promise<{ tokenFile: string; keyFile: string }> {
  const tokenFile = join(directory, 'tokens.csv')
  const lines = identities.map(({ token, user, uid, groups }) => `${token},${user},${uid},"${groups.join(',')}"`)
  await writeFile(tokenFile, `${lines.join('\n')}\n`, { mode: 0o600 })
  const keyFile = join(directory, 'service-accounts.pem')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeFile(keyFile, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 })
  return { tokenFile, keyFile }
}

async function waitUntilReady(
  address: { host: string; port: number },
  caFile: string,
  processes: QuietProcess[],
  timeoutMilliseconds: number,
): Promise<string> {
  const deadline = performance.now() + timeoutMilliseconds
  for (;;) {
    const dead = processes.find(child => child.exitCode !== null || child.signalCode !== null)
    if (dead) throw new Error(`the real server ended while starting. ${dead.lastWords()}`)
    if (performance.now() > deadline) {
      throw new Error(`the real server was not ready in time. ${processes.map(child => child.lastWords()).join('\n')}`)
    }
    try {
      const caCertificate = await readFile(caFile, 'utf8')
      if (await isReady({ ...address, caCertificate })) return caCertificate
    } catch {
      // Not listening, or no certificate yet: the deadline above ends the wait.
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function isReady(endpoint: Endpoint): Promise<boolean> {
  const connection = await Connection.open(endpoint)
  try {
    const answer = await connection.request({ method: 'GET', path: '/readyz' })
    return answer.status === 200
  } finally {
    connection.close()
  }
}
