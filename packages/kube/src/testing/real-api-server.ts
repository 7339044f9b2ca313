import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '@tiphys/env/testing'
import type { Client } from '../client.ts'
import { fixedCredential } from '../credentials.ts'
import { createHttpTransport } from '../http-transport.ts'
import { createClient } from '../kube-client.ts'
import type { KubeconfigContents } from '../kubeconfig-file.ts'
import { findTool } from './built-tool.ts'

const missing = ['etcd', 'kube-apiserver'].filter(name => !findTool(name))

/** What the name of a test that needs a real API server ends with. */
export const noRealServer: string =
  missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not built: node conformance/build.mjs)`

export interface RealApiServerOptions {
  /** Files by name that flags may name. */
  files?: Readonly<Record<string, string>>
  /** Beside the usual ones; gets the path of a file. */
  flags?: (file: (name: string) => string) => readonly string[]
}

const TOKEN = 'admin-token'
const LOOK_EVERY_MS = 50

/** etcd and kube-apiserver on free ports of loopback, for an administrator who shows a token. */
export class RealApiServer {
  readonly #folder: string
  readonly #ports: readonly [number, number, number]
  readonly #flags: readonly string[]
  readonly #etcd: ChildProcess
  #apiServer!: ChildProcess
  #ca = ''
  #client: Client | undefined

  private constructor(folder: string, ports: readonly [number, number, number], flags: readonly string[]) {
    const [etcdPort, peerPort] = ports
    this.#folder = folder
    this.#ports = ports
    this.#flags = flags
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

  /** Resolves when it is ready. */
  static async start({ files = {}, flags = () => [] }: RealApiServerOptions = {}): Promise<RealApiServer> {
    const folder = await mkdtemp('/var/tmp/tiphys-real-')
    const path = (name: string) => join(folder, name)
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const all = {
      'account.key': privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      tokens: `${TOKEN},admin,1,"system:masters"\n`,
      ...files,
    }
    for (const [name, text] of Object.entries(all)) await writeFile(path(name), text)
    const ports = (await freePorts(3)) as [number, number, number]
    const server = new RealApiServer(folder, ports, flags(path))
    try {
      await server.startApiServer()
    } catch (thrown) {
      await server.stop()
      throw thrown
    }
    return server
  }

  get url(): string {
    return `https://127.0.0.1:${this.#ports[2]}`
  }

  /** How an administrator reaches it. */
  get contents(): Pick<KubeconfigContents, 'server' | 'ca' | 'user'> {
    return { server: this.url, ca: this.#ca, user: { token: TOKEN } }
  }

  /** An administrator's; closed by `stop`. */
  get client(): Client {
    this.#client ??= createClient(this.#transport())
    return this.#client
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
      ...this.#flags,
    ])
    await this.#untilReady()
  }

  async killApiServer(): Promise<void> {
    await end(this.#apiServer)
  }

  async stop(): Promise<void> {
    await this.#client?.close()
    for (const child of [this.#apiServer, this.#etcd]) await end(child)
    await rm(this.#folder, { recursive: true, force: true })
  }

  #transport() {
    const credentials = fixedCredential({ authorization: `Bearer ${TOKEN}` })
    return createHttpTransport({ server: this.url, ca: this.#ca, credentials })
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
          () => false, // It does not listen yet.
        )
        await transport.close()
        if (isReady) return
      }
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
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
