import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ServiceRoute } from '../../runtime/pod-runtime.ts'

export type NetworkCall =
  | { call: 'setUp'; egressDevice?: string | undefined }
  | { call: 'addPod' | 'removePod'; uid: string }
  | { call: 'setServices'; services: readonly ServiceRoute[] }
  | { call: 'start' | 'run'; uid: string; argv: readonly string[] }
  | { call: 'dial'; ip: string; port: number; say: string }
  | { call: 'dialLoopback'; uid: string; port: number; say: string }
  | { call: 'problems' | 'close' }

interface Pending {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** The ways to have namespaces of one's own: as root, and as anybody where the kernel allows it. */
export const NAMESPACES = {
  'as root': ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child'],
  'in a user namespace': [
    '--user',
    '--map-root-user',
    '--mount',
    '--net',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
  ],
}

/** Undefined when a network of pods can be made here, else what stands in the way. */
export function whyNoNamespaces(flags: readonly string[]): string | undefined {
  const script = 'ip link add name bridge0 type bridge && ip link add name pod0 type veth peer name pod1'
  const { status, stderr, error } = spawnSync('unshare', [...flags, 'sh', '-c', script], { encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}

/** A network of pods in namespaces of its own, driven from outside. Everything ends with it. */
export class NetworkHarness {
  readonly apiSocket: string
  /** The program runs in its namespaces. */
  readonly whenStarted: Promise<void>
  readonly #folder: string
  readonly #process: ChildProcess
  readonly #pending = new Map<number, Pending>()
  #serial = 0

  static async start(flags: readonly string[]): Promise<NetworkHarness> {
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-network-'))
    const harness = new NetworkHarness(
      folder,
      await bundleProgram(new URL('network-program.ts', import.meta.url), folder),
      flags,
    )
    await harness.setUp()
    return harness
  }

  /** `setUp` must be the first call. */
  constructor(folder: string, program: string, flags: readonly string[]) {
    this.#folder = folder
    this.apiSocket = join(folder, 'api.sock')
    const netns = join(folder, 'netns')
    mkdirSync(netns)
    const node = [process.execPath, program, netns, this.apiSocket, join(folder, 'resolv.conf')]
    this.#process = spawn('unshare', [...flags, ...node], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process.once('close', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the network has ended'))
    })
    this.whenStarted = new Promise(resolve => this.#process.stdout?.once('data', () => resolve()))
    createInterface({ input: this.#process.stdout as NodeJS.ReadableStream }).on('line', line => {
      if (line === '') return
      const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: string }
      const pending = this.#pending.get(id)
      this.#pending.delete(id)
      if (error === undefined) pending?.resolve(result)
      else pending?.reject(new Error(error))
    })
  }

  /** A process in the network's namespaces. */
  get pid(): number {
    return this.#process.pid ?? 0
  }

  setUp(egressDevice?: string) {
    return this.#call<void>({ call: 'setUp', egressDevice })
  }

  addPod(uid: string) {
    return this.#call<{ ip: string; netns: string; milliseconds: number }>({ call: 'addPod', uid })
  }

  removePod(uid: string) {
    return this.#call<void>({ call: 'removePod', uid })
  }

  setServices(services: readonly ServiceRoute[]) {
    return this.#call<void>({ call: 'setServices', services })
  }

  problems() {
    return this.#call<string[]>({ call: 'problems' })
  }

  /** Starts a program in a pod and resolves when it says that it is ready: by any word on its standard output. */
  startIn(uid: string, ...argv: string[]) {
    return this.#call<number>({ call: 'start', uid, argv })
  }

  runIn(uid: string, ...argv: string[]) {
    return this.#call<{ stdout: string; stderr: string; code: number }>({ call: 'run', uid, argv })
  }

  /** What a port of a pod answers to what is said to it from outside the pods. */
  dial(ip: string, port: number, say: string) {
    return this.#call<string>({ call: 'dial', ip, port, say })
  }

  /** As `dial`, but listens only when there is nothing to say. */
  dialLoopback(uid: string, port: number, say: string) {
    return this.#call<string>({ call: 'dialLoopback', uid, port, say })
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#process.once('close', resolve))
    this.#process.stdin?.end()
    await closed
    rmSync(this.#folder, { recursive: true })
  }

  #call<Result>(call: NetworkCall): Promise<Result> {
    return new Promise((resolve, reject) => {
      const id = this.#serial++
      this.#pending.set(id, { resolve: value => resolve(value as Result), reject })
      this.#process.stdin?.write(`${JSON.stringify({ id, ...call })}\n`)
    })
  }
}

/** Makes one plain file of a program, so that it starts without a TypeScript loader. */
export async function bundleProgram(program: URL, folder: string): Promise<string> {
  const { build } = await import('esbuild')
  const entry = fileURLToPath(program)
  const outfile = join(folder, `${basename(entry, '.ts')}.mjs`)
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['esbuild'],
    logLevel: 'silent',
  })
  return outfile
}
