import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { asError, type Clock } from '@tiphys/env'
import type { ContainerConfig, ContainerExit, ExecConfig, ExecSession, RunningContainer } from '../pod-runtime.ts'
import { containerSpec, type SandboxPlace } from './container-spec.ts'
import { type EngineClient, EngineRefusal } from './engine-client.ts'
import { readOutput } from './engine-process.ts'

interface ContainerState {
  State: { ExitCode: number; OOMKilled: boolean; StartedAt: string; FinishedAt: string; Error?: string }
}

interface Statistics {
  cpu_stats?: { cpu_usage?: { total_usage?: number } }
  memory_stats?: { usage?: number; stats?: Record<string, number> }
}

/** How the engine calls a container that could not be started. */
const START_FAILED = 128

/** Creates and starts a container in a pod's sandbox. One that the engine refuses to start is one that has ended. */
export async function startContainer(
  engine: EngineClient,
  clock: Clock,
  name: string,
  config: ContainerConfig,
  place: SandboxPlace,
): Promise<RunningContainer> {
  let id = ''
  let streams: Duplex | undefined
  try {
    const spec = containerSpec(config, place)
    id = (await engine.json<{ Id: string }>('/containers/create', { method: 'POST', query: { name }, body: spec })).Id
    const wanted = { stream: '1', stdout: '1', stderr: '1', ...(config.stdin && { stdin: '1' }) }
    // Before the start, so that not a byte is lost.
    streams = await engine.hijack(`/containers/${id}/attach`, { method: 'POST', query: wanted })
    await engine.json(`/containers/${id}/start`, { method: 'POST' })
  } catch (thrown) {
    streams?.destroy()
    if (id !== '') await removeContainer(engine, id).catch(() => {})
    return neverStarted(id || name, clock.now(), asError(thrown).message)
  }
  const written = readOutput(streams, config.tty, config.output)
  const container = streams
  let isKilledFromHere = false
  return {
    id: `docker://${id}`,
    startedAt: clock.now(),
    exited: whenExited(engine, clock, id, written).then(exit => {
      // Not every engine tells: a SIGKILL that nobody sent came from the kernel, for want of memory.
      const isOutOfMemory = exit.exitCode === 137 && !isKilledFromHere && config.limits.memoryBytes !== undefined
      return { ...exit, isOutOfMemory: exit.isOutOfMemory || isOutOfMemory }
    }),
    stdin: config.stdin ? container : undefined,
    async kill(signal) {
      isKilledFromHere = true
      await unlessGone(engine.json(`/containers/${id}/kill`, { method: 'POST', query: { signal } }))
    },
    exec: exec => startExec(engine, id, exec),
    async resize(columns, rows) {
      await unlessGone(
        engine.json(`/containers/${id}/resize`, { method: 'POST', query: { w: `${columns}`, h: `${rows}` } }),
      )
    },
    async usage() {
      const query = { stream: 'false', 'one-shot': 'true' }
      return usageOf(await unlessGone(engine.json<Statistics>(`/containers/${id}/stats`, { query })))
    },
  }
}

async function whenExited(
  engine: EngineClient,
  clock: Clock,
  id: string,
  written: Promise<void>,
): Promise<ContainerExit> {
  try {
    // Docker tells at once; Podman looks again and again, as often as it is told to.
    await engine.json(`/containers/${id}/wait`, { method: 'POST', query: { interval: '20ms' } })
    await written
    const { State } = await engine.json<ContainerState>(`/containers/${id}/json`)
    const signal = State.ExitCode > 128 && State.ExitCode <= 128 + 64 ? State.ExitCode - 128 : undefined
    const finishedAt = Date.parse(State.FinishedAt)
    return {
      exitCode: State.ExitCode,
      ...(signal !== undefined && { signal }),
      isOutOfMemory: State.OOMKilled,
      finishedAt: Number.isNaN(finishedAt) ? clock.now() : finishedAt,
    }
  } catch {
    // It was removed while it ran, or the engine has gone: it was killed, as far as anybody can tell.
    return { exitCode: 137, signal: 9, isOutOfMemory: false, finishedAt: clock.now() }
  } finally {
    // A container that has ended is of no use to anybody; what failed to be removed goes with the pod.
    await removeContainer(engine, id).catch(() => {})
  }
}

async function startExec(engine: EngineClient, container: string, config: ExecConfig): Promise<ExecSession> {
  const { argv, stdin, tty, output } = config
  const body = { Cmd: argv, AttachStdin: stdin, AttachStdout: true, AttachStderr: !tty, Tty: tty }
  const { Id } = await engine.json<{ Id: string }>(`/containers/${container}/exec`, { method: 'POST', body })
  const streams = await engine.hijack(`/exec/${Id}/start`, { method: 'POST', body: { Detach: false, Tty: tty } })
  const exited = readOutput(streams, tty, output).then(async () => {
    streams.destroy()
    const { ExitCode } = await engine.json<{ ExitCode: number | null }>(`/exec/${Id}/json`)
    return { exitCode: ExitCode ?? 0 }
  })
  return {
    stdin: stdin ? streams : undefined,
    exited: exited.catch(() => ({ exitCode: 137 })),
    async resize(columns, rows) {
      await unlessGone(engine.json(`/exec/${Id}/resize`, { method: 'POST', query: { w: `${columns}`, h: `${rows}` } }))
    },
    async kill() {
      // Engines cannot end a program that was started so; without its terminal or pipes it ends when it uses them.
      if (streams.destroyed) return
      streams.destroy()
      await once(streams, 'close')
    },
  }
}

/** Kills it first: Podman would wait for it to end by itself. Throws when it is still there afterwards. */
export async function removeContainer(engine: EngineClient, id: string): Promise<void> {
  await unlessGone(engine.json(`/containers/${id}/kill`, { method: 'POST', query: { signal: 'SIGKILL' } }))
  await unlessGone(engine.json(`/containers/${id}`, { method: 'DELETE', query: { force: '1', v: '1' } }))
}

/** A container that is not there, or not running, has been spared what was asked. */
async function unlessGone<Result>(answer: Promise<Result>): Promise<Result | undefined> {
  try {
    return await answer
  } catch (thrown) {
    if (thrown instanceof EngineRefusal && isGone(thrown)) return undefined
    throw thrown
  }
}

/** Podman calls a container in the wrong state its own failure. */
function isGone({ status, message }: EngineRefusal): boolean {
  return status === 404 || status === 409 || (status === 500 && message.endsWith('container state improper'))
}

function usageOf(statistics: Statistics | undefined) {
  const cpu = statistics?.cpu_stats?.cpu_usage?.total_usage
  const memory = statistics?.memory_stats?.usage
  if (cpu === undefined || memory === undefined) return undefined
  const stats = statistics?.memory_stats?.stats ?? {}
  const cached = stats.total_inactive_file ?? stats.inactive_file ?? 0
  return { cpuNanoseconds: BigInt(cpu), memoryBytes: Math.max(0, memory - cached) }
}

function neverStarted(id: string, now: number, startError: string): RunningContainer {
  const exit: ContainerExit = { exitCode: START_FAILED, isOutOfMemory: false, finishedAt: now, startError }
  return {
    id: `docker://${id}`,
    startedAt: now,
    exited: Promise.resolve(exit),
    stdin: undefined,
    kill: async () => {},
    exec: () => Promise.reject(new Error(`the container did not start: ${startError}`)),
    resize: async () => {},
    usage: async () => undefined,
  }
}
