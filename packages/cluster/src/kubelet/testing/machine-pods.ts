import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Pod } from '@tiphys/kube/kinds'
import { type ContainerRef, type NodePods, NodeRefusal } from '../../node/node-pods.ts'
import type { ExecConfig, ExecSession } from '../../runtime/pod-runtime.ts'

/** Pods for tests: every container is this machine without any walls, and its log is what a test writes. */
export class MachinePods implements NodePods {
  readonly #pods: Pod[] = []
  readonly #logs = new Map<string, LogLine[]>()
  readonly #previous = new Map<string, LogLine[]>()
  readonly #changes = new Set<() => void>()
  /** The sizes that terminals were told. */
  readonly sizes: { columns: number; rows: number }[] = []
  /** How many logs are being followed. */
  following = 0
  /** How many bytes of an endless log were read. */
  endlessBytes = 0
  /** How many programs run. */
  readonly running = new Set<ChildProcess>()
  /** What runs in containers that are attached to. */
  attached = ['cat']

  add(pod: Pod): void {
    this.#pods.push(pod)
  }

  write(container: ContainerRef, time: number, text: string): void {
    this.#linesOf(container, this.#logs).push({ time, text })
    for (const wake of this.#changes) wake()
  }

  restart(container: ContainerRef): void {
    this.#previous.set(keyOf(container), this.#linesOf(container, this.#logs))
    this.#logs.set(keyOf(container), [])
  }

  pods(): readonly Pod[] {
    return this.#pods
  }

  pod(namespace: string, name: string): Pod | undefined {
    return this.#pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
  }

  async *logs(container: ContainerRef, options: Parameters<NodePods['logs']>[1]): AsyncGenerator<Uint8Array> {
    const { previous, follow, tailLines, timestamps, sinceSeconds, limitBytes, signal } = options
    if (container.container === 'endless') return yield* this.#endless()
    if (container.container === 'waiting') {
      throw new NodeRefusal(400, `container "waiting" in pod "${container.pod}" is waiting to start: ContainerCreating`)
    }
    const lines = this.#linesOf(container, previous ? this.#previous : this.#logs)
    const since = sinceSeconds === undefined ? 0 : Date.now() - sinceSeconds * 1000
    const format = ({ time, text }: LogLine) => `${timestamps ? `${new Date(time).toISOString()} ` : ''}${text}\n`
    const wanted = lines
      .filter(({ time }) => time >= since)
      .slice(tailLines === undefined ? 0 : -tailLines || lines.length)
    let at = lines.length
    const text = Buffer.from(wanted.map(format).join(''))
    if (text.length > 0) yield limitBytes === undefined ? text : text.subarray(0, limitBytes)
    if (!follow) return
    this.following++
    try {
      while (!signal?.aborted) {
        for (; at < lines.length; at++) yield Buffer.from(format(lines[at] as LogLine))
        await new Promise<void>(resolve => {
          this.#changes.add(resolve)
          signal?.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    } finally {
      this.following--
    }
  }

  async *#endless(): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.alloc(64 * 1024, 'endless\n')
    for (;;) {
      this.endlessBytes += chunk.length
      yield chunk
    }
  }

  exec({ container }: ContainerRef, config: ExecConfig): Promise<ExecSession> {
    if (container === 'waiting') throw new NodeRefusal(500, 'container not found ("waiting")')
    return this.#run(config)
  }

  attach(_container: ContainerRef, config: Omit<ExecConfig, 'argv'>): Promise<ExecSession> {
    return this.#run({ ...config, argv: this.attached })
  }

  async dial(_pod: unknown, port: number) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }

  usage = async () => ({ cpuNanoseconds: 1_500_000_000n, memoryBytes: 1024 })

  async #run({ argv, tty, stdin, output }: ExecConfig): Promise<ExecSession> {
    const [program = '', ...words] = tty ? ['script', '-qec', argv.map(quoted).join(' '), '/dev/null'] : argv
    const child = spawn(program, words, { stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
    await once(child, 'spawn')
    this.running.add(child)
    child.once('exit', () => this.running.delete(child))
    const pump = async (stream: 'stdout' | 'stderr') => {
      for await (const chunk of child[stream] as AsyncIterable<Buffer>) await output(stream, chunk)
    }
    const closed = new Promise<number>(resolve =>
      child.once('exit', (code, signal) => resolve(code ?? (signal ? 137 : 0))),
    )
    const exited = Promise.all([closed, pump('stdout'), pump('stderr')]).then(([exitCode]) => ({ exitCode }))
    return {
      stdin: child.stdin ?? undefined,
      exited,
      resize: async (columns, rows) => void this.sizes.push({ columns, rows }),
      kill: async () => void child.kill('SIGKILL'),
    }
  }

  #linesOf(container: ContainerRef, logs: Map<string, LogLine[]>): LogLine[] {
    const key = keyOf(container)
    const lines = logs.get(key) ?? []
    logs.set(key, lines)
    return lines
  }
}

interface LogLine {
  time: number
  text: string
}

const keyOf = ({ namespace, pod, container }: ContainerRef): string => `${namespace}/${pod}/${container}`
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
