import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createClient, createHttpTransport, fixedCredential, kubeconfigFor } from '@tiphys/kube'
import type { ReachableServer } from './events-loss-scene.ts'

const CACHE = process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin')

function findTool(tool: string): string | undefined {
  if (!existsSync(CACHE)) return undefined
  const newest = readdirSync(CACHE)
    .filter(name => name.startsWith(`${tool}-`))
    .sort()
    .at(-1)
  return newest && join(CACHE, newest)
}

const missing = ['etcd', 'kube-apiserver'].filter(tool => !findTool(tool))

/** What the name of a test that needs a real API server ends with. */
export const noRealServer =
  missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not built: node conformance/build.mjs)`

const TOKEN = 'admin-token'

/** etcd and kube-apiserver, on free ports of loopback. Only for tests. */
export class RealServer implements ReachableServer {
  readonly #folder: string
  readonly #ports: readonly number[]
  readonly #etcd: ChildProcess
  #apiServer!: ChildProcess
  #ca = ''
  client!: ReachableServer['client']

  private constructor(folder: string, ports: readonly number[]) {
    const [etcdPort, peerPort] = ports
    this.#folder = folder
    this.#ports = ports
    this.#etcd = run('etcd', [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
    ])
  }

  static async start(): Promise<RealServer> {
    const folder = await mkdtemp('/var/tmp/tiphys-real-')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await writeFile(join(folder, 'account.key'), privateKey.export({ type: 'sec1', format: 'pem' }).toString())
    await writeFile(join(folder, 'tokens'), `${TOKEN},admin,1,"system:masters"\n`)
    const server = new RealServer(folder, await Promise.all([freePort(), freePort(), freePort()]))
    await server.startApiServer()
    server.client = createClient(server.#transport())
    return server
  }

  get kubeconfig(): string {
    return kubeconfigFor({ name: 'test', server: this.#url, ca: this.#ca, user: { token: TOKEN } })
  }

  /** Starts it, also anew after a kill, on the data that etcd has. */
  async startApiServer(): Promise<void> {
    const key = join(this.#folder, 'account.key')
    this.#apiServer = run('kube-apiserver', [
      `--etcd-servers=http://127.0.0.1:${this.#ports[0]}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${this.#ports[2]}`,
      `--cert-dir=${this.#folder}`,
      `--token-auth-file=${join(this.#folder, 'tokens')}`,
      '--authorization-mode=RBAC',
      '--endpoint-reconciler-type=none',
      '--disable-admission-plugins=ServiceAccount',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
    ])
    await this.#untilReady()
  }

  async killApiServer(): Promise<void> {
    await end(this.#apiServer)
  }

  async stop(): Promise<void> {
    await this.client?.close()
    await end(this.#apiServer)
    await end(this.#etcd)
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #url(): string {
    return `https://127.0.0.1:${this.#ports[2]}`
  }

  #transport() {
    const credentials = fixedCredential({ authorization: `Bearer ${TOKEN}` })
    return createHttpTransport({ server: this.#url, ca: this.#ca, credentials })
  }

  async #untilReady(): Promise<void> {
    const file = join(this.#folder, 'apiserver.crt')
    for (;;) {
      for (const { exitCode, spawnfile } of [this.#apiServer, this.#etcd])
        if (exitCode !== null) throw new Error(`${spawnfile} ended with ${exitCode}`)
      if (existsSync(file)) {
        this.#ca = readFileSync(file, 'utf8')
        const transport = this.#transport()
        const isReady = await transport.request({ method: 'GET', path: '/readyz' }).then(
          ({ status }) => status === 200,
          () => false, // it does not listen yet
        )
        await transport.close()
        if (isReady) return
      }
      await new Promise(resolve => setTimeout(resolve, 50))
    }
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
