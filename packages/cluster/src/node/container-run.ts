import { Writable } from 'node:stream'
import { asError, type Env, type Timer } from '@tiphys/env'
import type { Pod } from '@tiphys/kube/kinds'
import type { EventRecorder } from '../event-recorder.ts'
import {
  type ContainerExit,
  type ExecConfig,
  type ExecSession,
  ImageFailure,
  type RunningContainer,
  type Sandbox,
} from '../runtime/pod-runtime.ts'
import { type ContainerSetup, SetupFailure } from './container-setup.ts'
import { nextBackoff } from './crash-backoff.ts'
import { expand } from './environment/expansion.ts'
import { type LogStore, logRunOf, type RunLog } from './logs/log-store.ts'
import type { Activity, ObservedContainer, Running, Termination } from './observed-pod.ts'
import { describePod, fieldPathOf, type PodContainer } from './pod-containers.ts'

/** What a container's driver needs of its pod. */
export interface ContainerHost {
  readonly env: Env
  readonly recorder: EventRecorder
  readonly setup: ContainerSetup
  readonly logs: LogStore
  pod(): Pod
  sandbox(): Sandbox
  /** Something that is observed of the container has changed. */
  changed(): void
}

const FIRST_RETRY_MS = 10_000
const LONGEST_RETRY_MS = 300_000

/** How long a failed pull is shown as such before it is shown as waiting for the next try. */
const PULL_FAILURE_SHOWN_MS = 2_000

/** Between being told to end and being killed, whatever a hook took. */
const SHORTEST_GRACE_MS = 2_000

/** Why probes and hooks end. Made once: there is one for every container that ends, and making it takes its time. */
const OVER = new DOMException('This operation was aborted', 'AbortError')

/** Starts, watches and stops one container of a pod, over all its restarts. What it observes is in `observed`. */
export class ContainerRun {
  readonly observed: ObservedContainer
  readonly #host: ContainerHost
  readonly #each: PodContainer
  #running: RunningContainer | undefined
  #log: RunLog | undefined
  readonly #attached = new Set<ExecConfig['output']>()
  #killTimer: Timer | undefined
  #shownTimer: Timer | undefined
  /** Ends probes and hooks of the current run; few have any. */
  #life: AbortController | undefined
  /** Ends the preStop hook. */
  #hook: AbortController | undefined
  #isHookRunning = false
  #retryMs = FIRST_RETRY_MS

  constructor(host: ContainerHost, each: PodContainer, observed: ObservedContainer) {
    this.#host = host
    this.#each = each
    this.observed = observed
  }

  get running(): RunningContainer | undefined {
    return this.#running
  }

  /** Never rejects: what goes wrong is observed. */
  async start(): Promise<void> {
    const { observed } = this
    const { clock } = this.#host.env
    const after = endOf(observed.activity)
    this.#shownTimer?.cancel()
    this.#become(after ? { state: 'starting', after } : { state: 'starting' })
    try {
      const running = await this.#create(after)
      if (after) {
        observed.backoff = nextBackoff(observed.backoff, after.finishedAt, clock.now())
        observed.lastTermination = after
        observed.restartCount++
      }
      this.#retryMs = FIRST_RETRY_MS
      this.#began(running)
    } catch (thrown) {
      this.#block(thrown, after)
    }
  }

  /** Tells it to end, and kills it at `killAt` if it has not. Again with an earlier time: that one counts. */
  stop(message: string, killAt: number): void {
    const { activity } = this.observed
    if (activity.state !== 'running' || !this.#running) return
    const running = this.#running
    const isRepeated = activity.stopping !== undefined
    this.#become({ ...activity, stopping: { killAt } })
    this.#killTimer?.cancel()
    if (this.#isHookRunning || !isRepeated) this.#killAfter(running, killAt, () => this.#hook?.abort(OVER))
    else this.#killAfter(running, killAt)
    if (isRepeated) return
    this.#event('normal', 'Killing', message)
    this.#terminate(running).catch(thrown => this.#logFailure('could not be told to end', thrown))
  }

  /** Joins the streams of what runs. Undefined when nothing does. */
  attach({ stdin, output }: Omit<ExecConfig, 'argv'>): ExecSession | undefined {
    const running = this.#running
    if (!running) return undefined
    this.#attached.add(output)
    const detach = () => void this.#attached.delete(output)
    return {
      stdin: stdin && running.stdin ? this.#stdinFor(running.stdin as Writable) : undefined,
      exited: running.exited.then(({ exitCode }) => {
        detach()
        return { exitCode }
      }),
      resize: (columns, rows) => running.resize(columns, rows),
      // The container goes on without whoever was attached.
      kill: async () => detach(),
    }
  }

  /** The container's input outlives whoever was attached, unless it wants to hear one of them alone. */
  #stdinFor(into: Writable): Writable {
    const { stdinOnce = false } = this.#each.container
    return new Writable({
      write: (chunk, _, done) => void into.write(chunk, error => done(error)),
      final: done => (stdinOnce ? void into.end(done) : done()),
    })
  }

  /** Kills what runs, without a word to anybody. */
  async kill(): Promise<void> {
    this.#shownTimer?.cancel()
    this.#killTimer?.cancel()
    this.#life?.abort(OVER)
    this.#hook?.abort(OVER)
    await this.#running?.kill('SIGKILL')
  }

  /** Goes to the log, and to whoever is attached. */
  #output(log: RunLog): ExecConfig['output'] {
    return (stream, chunk) => {
      if (chunk.length > 0) delete this.observed.isSilent
      if (this.#attached.size === 0) return log.write(stream, chunk)
      const all = [log.write, ...this.#attached].map(async take => take(stream, chunk))
      return Promise.all(all).then(() => {})
    }
  }

  /** The hook may use up the grace period; the container still gets a moment after it. */
  async #terminate(running: RunningContainer): Promise<void> {
    const { clock } = this.#host.env
    const { container } = this.#each
    if (container.lifecycle?.preStop && this.observed.simulated === undefined) {
      this.#isHookRunning = true
      this.#hook = new AbortController()
      await this.#host.setup.beforeStop?.(this.#context(running), this.#hook.signal)
      this.#isHookRunning = false
    }
    await running.kill(container.lifecycle?.stopSignal ?? 'SIGTERM')
    const { activity } = this.observed
    if (activity.state !== 'running' || !activity.stopping || this.#running !== running) return
    this.#killTimer?.cancel()
    this.#killAfter(running, Math.max(activity.stopping.killAt, clock.now() + SHORTEST_GRACE_MS))
  }

  #killAfter(running: RunningContainer, killAt: number, act: () => void = () => void running.kill('SIGKILL')): void {
    const { clock } = this.#host.env
    this.#killTimer = clock.schedule(killAt - clock.now(), act)
  }

  async #create(after: Termination | undefined): Promise<RunningContainer> {
    const { container, role } = this.#each
    const { setup } = this.#host
    const sandbox = this.#host.sandbox()
    const pod = this.#host.pod()
    const environment = await setup.environment({ pod, container, ips: sandbox.ips })
    const expandAll = (texts: readonly string[] | undefined) =>
      texts?.map(text => expand(text, name => environment.get(name)))
    const image = await sandbox.resolveImage({
      container: container.name,
      image: container.image ?? '',
      imagePullPolicy: pullPolicyOf(container.imagePullPolicy),
      command: expandAll(container.command),
      args: expandAll(container.args),
      mountTargets: (container.volumeMounts ?? []).map(({ mountPath }) => mountPath),
    })
    this.observed.imageId = image.imageId
    if (image.simulated === undefined) delete this.observed.simulated
    else this.observed.simulated = image.simulated
    this.#event('normal', 'Pulled', `Container image "${container.image}" already present on machine`)
    const restartCount = after ? this.observed.restartCount + 1 : this.observed.restartCount
    this.#log = this.#host.logs.open(logRunOf(pod, container.name, restartCount))
    const config = await setup.configure({
      pod,
      container,
      role,
      image,
      environment,
      restartCount,
      ips: sandbox.ips,
      output: this.#output(this.#log),
    })
    const running = await sandbox.start(config)
    this.#event('normal', 'Created', 'Container created')
    return running
  }

  #began(running: RunningContainer): void {
    const { container } = this.#each
    const { setup } = this.#host
    this.#running = running
    this.#life = undefined
    this.#hook = undefined
    this.#isHookRunning = false
    running.exited.then(
      exit => this.#ended(running, exit),
      thrown => this.#logFailure('lost its end', thrown),
    )
    this.#become({ state: 'running', id: running.id, startedAt: running.startedAt, isStarted: false, isReady: false })
    this.#event('normal', 'Started', 'Container started')
    const isPretended = this.observed.simulated !== undefined
    if (isPretended) return this.#pretendReady(running)
    const hasProbes = container.startupProbe ?? container.livenessProbe ?? container.readinessProbe
    if (!hasProbes && !container.lifecycle?.postStart) return this.#update({ isStarted: true, isReady: true })
    this.#life = new AbortController()
    setup.afterStart?.(this.#context(running), health => this.#update(health), this.#life.signal)
  }

  #pretendReady(running: RunningContainer): void {
    const { clock } = this.#host.env
    const readyAt = running.pretence?.readyAt ?? running.startedAt
    const beReady = () => {
      if (this.#running === running) this.#update({ isStarted: true, isReady: true })
    }
    if (readyAt <= clock.now()) return beReady()
    if (Number.isFinite(readyAt)) this.#shownTimer = clock.schedule(readyAt - clock.now(), beReady)
  }

  #update(health: Partial<Pick<Running, 'isStarted' | 'isReady' | 'unhealthy'>>): void {
    const { activity } = this.observed
    if (activity.state === 'running') this.#become({ ...activity, ...health })
  }

  #ended(running: RunningContainer, exit: ContainerExit): void {
    this.#life?.abort(OVER)
    this.#hook?.abort(OVER)
    this.#killTimer?.cancel()
    this.#shownTimer?.cancel()
    const wasStopping = this.observed.activity.state === 'running' && this.observed.activity.stopping !== undefined
    this.#log?.end()
    const finish = (message: string | undefined) => {
      this.#running = undefined
      if (exit.startError !== undefined && !wasStopping) {
        this.#event('warning', 'Failed', `Error: ${exit.startError}`)
      }
      this.#become({ state: 'exited', termination: terminationOf(running, exit, message) })
    }
    const message = this.#host.setup.terminationMessage(this.#context(running), exit)
    if (message instanceof Promise) {
      message.then(finish, thrown => {
        this.#logFailure('left a termination message that cannot be read', thrown)
        finish(undefined)
      })
    } else finish(message)
  }

  #block(thrown: unknown, after: Termination | undefined): void {
    const { clock } = this.#host.env
    const { container } = this.#each
    const error = asError(thrown)
    const until = clock.now() + this.#retryMs
    const because = after ? { after } : {}
    const block = (reason: string, message: string) =>
      this.#become({ state: 'blocked', reason, message, until, ...because })
    if (error instanceof ImageFailure) {
      this.#event(
        'warning',
        error.reason === 'ErrImagePull' ? 'Failed' : error.reason,
        error.reason === 'ErrImagePull' ? `Failed to pull image "${container.image}": ${error.message}` : error.message,
      )
      this.#event('warning', 'Failed', `Error: ${error.reason}`)
      block(error.reason, error.message)
      if (error.reason === 'ErrImagePull') this.#showPullBackoff(error.message, block)
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
    } else if (error instanceof SetupFailure) {
      this.#event('warning', 'Failed', `Error: ${error.message}`)
      block('CreateContainerConfigError', error.message)
    } else {
      this.#event('warning', 'Failed', `Error: ${error.message}`)
      block('CreateContainerError', error.message)
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
    }
  }

  #showPullBackoff(message: string, block: (reason: string, message: string) => void): void {
    const image = this.#each.container.image
    this.#shownTimer = this.#host.env.clock.schedule(PULL_FAILURE_SHOWN_MS, () => {
      if (this.observed.activity.state !== 'blocked') return
      this.#event('normal', 'BackOff', `Back-off pulling image "${image}"`)
      block('ImagePullBackOff', `Back-off pulling image "${image}": ErrImagePull: ${message}`)
    })
  }

  #context(running: RunningContainer) {
    return {
      pod: this.#host.pod(),
      container: this.#each.container,
      sandbox: this.#host.sandbox(),
      running,
      restartCount: this.observed.restartCount,
    }
  }

  #become(activity: Activity): void {
    this.observed.activity = activity
    this.#host.changed()
  }

  #event(type: 'normal' | 'warning', reason: string, message: string): void {
    const pod = this.#host.pod()
    this.#host.recorder[type](pod, reason, message, fieldPathOf(pod, this.#each.container.name))
  }

  #logFailure(what: string, thrown: unknown): void {
    const { container } = this.#each
    this.#host.env.log.error(`container ${container.name} of ${describePod(this.#host.pod())} ${what}`, {
      error: asError(thrown),
    })
  }
}

const endOf = (activity: Activity): Termination | undefined => {
  if (activity.state === 'exited') return activity.termination
  return activity.state === 'blocked' ? activity.after : undefined
}

function terminationOf(running: RunningContainer, exit: ContainerExit, message: string | undefined): Termination {
  const { exitCode, isOutOfMemory, startError, finishedAt } = exit
  const times = { id: running.id, startedAt: startError === undefined ? running.startedAt : 0, finishedAt }
  if (startError !== undefined) return { ...times, exitCode: 128, reason: 'StartError', message: startError }
  const reason = isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error'
  return { ...times, exitCode, reason, ...(message !== undefined && { message }) }
}

const pullPolicyOf = (policy: string | undefined) =>
  policy === 'Always' || policy === 'Never' ? policy : 'IfNotPresent'
