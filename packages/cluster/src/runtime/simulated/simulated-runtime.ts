import { PassThrough } from 'node:stream'
import { type Env, type Timer, uuid } from '@tiphys/env'
import {
  type ContainerConfig,
  type ContainerExit,
  ImageFailure,
  type PodRuntime,
  type RunningContainer,
  type Sandbox,
  type SandboxConfig,
} from '../pod-runtime.ts'
import {
  type AnnotatedSimulation,
  type Behaviour,
  behaviourOf,
  readAnnotation,
  SIMULATE_ANNOTATION,
  type SimulationRule,
} from './simulation.ts'

export interface SimulatedRuntimeOptions {
  env: Env
  rules?: readonly SimulationRule[]
}

/** Pods without processes: containers start, become ready, fail and end as their annotation and the rules say, by the
 *  clock. Every container says that it is simulated. */
export function createSimulatedRuntime({ env, rules = [] }: SimulatedRuntimeOptions): PodRuntime {
  const sandboxes = new Set<SimulatedSandbox>()
  let addresses = 0
  return {
    name: 'simulated',
    limitations: ['No program runs: containers only pretend.'],
    network: undefined,
    mountsFiles: false,
    async createSandbox(config) {
      const annotation = await readAnnotation(config.annotations[SIMULATE_ANNOTATION])
      addresses++
      const ip = `10.${88 + ((addresses >> 16) & 63)}.${(addresses >> 8) & 255}.${addresses & 255}`
      const sandbox = new SimulatedSandbox(env, rules, config, annotation, ip, () => sandboxes.delete(sandbox))
      sandboxes.add(sandbox)
      return sandbox
    },
    async close() {
      for (const sandbox of sandboxes) await sandbox.remove()
    },
  }
}

const SIMULATED = 'No program runs in this pod: its containers only pretend.'

class SimulatedSandbox implements Sandbox {
  readonly ips: readonly string[]
  readonly #env: Env
  readonly #rules: readonly SimulationRule[]
  readonly #config: SandboxConfig
  readonly #annotation: AnnotatedSimulation
  readonly #onRemove: () => void
  readonly #containers = new Set<SimulatedContainer>()

  constructor(
    env: Env,
    rules: readonly SimulationRule[],
    config: SandboxConfig,
    annotation: AnnotatedSimulation,
    ip: string,
    onRemove: () => void,
  ) {
    this.#annotation = annotation
    this.#env = env
    this.#rules = rules
    this.#config = config
    this.ips = [ip]
    this.#onRemove = onRemove
  }

  async resolveImage({ container, image, command = [], args = [] }: Parameters<Sandbox['resolveImage']>[0]) {
    const { imageFailure } = this.#behaviour(container)
    if (imageFailure !== undefined) throw new ImageFailure('ErrImagePull', imageFailure)
    return {
      imageId: `simulated://${image}`,
      argv: [...command, ...args],
      env: {},
      workingDir: undefined,
      user: undefined,
      simulated: SIMULATED,
    }
  }

  async start(config: ContainerConfig): Promise<RunningContainer> {
    const container = new SimulatedContainer(this.#env, config, this.#behaviour(config.name, config.role))
    this.#containers.add(container)
    void container.exited.then(() => this.#containers.delete(container))
    return container
  }

  async dial() {
    const stream = new PassThrough()
    stream.end()
    return stream
  }

  async remove() {
    await Promise.all([...this.#containers].map(container => container.kill('SIGKILL')))
    this.#onRemove()
  }

  #behaviour(container: string, role: ContainerConfig['role'] = 'main'): Behaviour {
    const { namespace, labels = {}, restartPolicy } = this.#config
    return behaviourOf(this.#rules, {
      namespace,
      labels,
      annotation: this.#annotation,
      container,
      isServer: role === 'sidecar' || (role === 'main' && restartPolicy === 'Always'),
    })
  }
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 }

class SimulatedContainer implements RunningContainer {
  readonly id: string
  readonly startedAt: number
  readonly exited: Promise<ContainerExit>
  readonly stdin = undefined
  readonly #env: Env
  readonly #behaviour: Behaviour
  #resolve: ((exit: ContainerExit) => void) | undefined
  #timer: Timer | undefined

  constructor(env: Env, config: ContainerConfig, behaviour: Behaviour) {
    this.#env = env
    this.#behaviour = behaviour
    this.id = `simulated://${uuid(env.random).replaceAll('-', '')}`
    this.startedAt = env.clock.now()
    this.exited = new Promise(resolve => {
      this.#resolve = resolve
    })
    const { exitCode, failures, isOutOfMemory, log, runForMs } = behaviour
    for (const line of log) void config.output('stdout', Buffer.from(`${line}\n`))
    const isFailing = config.restartCount < failures
    const lastsMs = isFailing && runForMs === Number.POSITIVE_INFINITY ? 0 : runForMs
    if (lastsMs === Number.POSITIVE_INFINITY) return
    const end = isFailing ? exitCode || 1 : failures > 0 ? 0 : exitCode
    this.#endAfter(lastsMs, isOutOfMemory ? { exitCode: 137, isOutOfMemory } : { exitCode: end, isOutOfMemory: false })
  }

  get pretence() {
    const { readyAfterMs, message } = this.#behaviour
    return { readyAt: this.startedAt + readyAfterMs, ...(message !== undefined && { message }) }
  }

  async kill(name: string) {
    if (!this.#resolve) return
    const signal = SIGNALS[name] ?? 15
    const afterMs = signal === 9 ? 0 : this.#behaviour.stopAfterMs
    if (afterMs === Number.POSITIVE_INFINITY) return
    this.#endAfter(afterMs, { exitCode: signal === 9 ? 137 : 0, isOutOfMemory: false })
  }

  async exec({ output }: Parameters<RunningContainer['exec']>[0]) {
    // A probe, a hook or a person: there is nothing to run, and nothing that could fail before it is ready.
    const isReady = this.#env.clock.now() >= this.pretence.readyAt
    void output('stdout', new Uint8Array())
    return {
      stdin: undefined,
      exited: Promise.resolve({ exitCode: isReady ? 0 : 1 }),
      resize: async () => {},
      kill: async () => {},
    }
  }

  async resize() {}

  async usage() {
    return { cpuNanoseconds: 0n, memoryBytes: 0 }
  }

  #endAfter(delayMs: number, end: Pick<ContainerExit, 'exitCode' | 'isOutOfMemory'>): void {
    this.#timer?.cancel()
    if (delayMs === 0) this.#end(end)
    else this.#timer = this.#env.clock.schedule(delayMs, () => this.#end(end))
  }

  #end(end: Pick<ContainerExit, 'exitCode' | 'isOutOfMemory'>): void {
    this.#timer?.cancel()
    this.#resolve?.({ ...end, finishedAt: this.#env.clock.now() })
    this.#resolve = undefined
  }
}
