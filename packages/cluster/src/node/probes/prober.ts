import { asError, delay, type Env } from '@tiphys/env'
import type { Probe } from '@tiphys/kube/kinds'
import type { Running } from '../observed-pod.ts'
import { type CheckResult, type CheckTarget, checkExec, checkGrpc, checkHttp, checkTcp } from './container-check.ts'
import { initialProbe, type ProbeKind, type ProbeState, stepProbe } from './probe-state.ts'

type Health = Partial<Pick<Running, 'isStarted' | 'isReady' | 'unhealthy'>>

export interface ProberOptions {
  env: Env
  target: CheckTarget
  report: (health: Health) => void
  /** Tells of a failure, for an Event. */
  onFailure: (message: string) => void
  signal: AbortSignal
}

/** Probes one run of a container until the signal aborts: first for its start, then for its life and readiness. */
export async function runProbes(options: ProberOptions): Promise<void> {
  const { startupProbe, livenessProbe, readinessProbe } = options.target.container
  const { report } = options
  if (startupProbe) {
    const isStarted = await probeUntil(options, 'startup', startupProbe, ({ verdict }) => verdict !== undefined)
    if (isStarted === undefined) return
    if (!isStarted) return report({ unhealthy: 'startup' })
  }
  report({ isStarted: true, isReady: readinessProbe === undefined })
  await Promise.all([
    livenessProbe && watchLife(options, livenessProbe),
    readinessProbe && watchReadiness(options, readinessProbe),
  ])
}

async function watchLife(options: ProberOptions, probe: Probe): Promise<void> {
  const isAlive = await probeUntil(options, 'liveness', probe, ({ verdict }) => verdict === false)
  if (isAlive === false) options.report({ unhealthy: 'liveness' })
}

async function watchReadiness(options: ProberOptions, probe: Probe): Promise<void> {
  let isReady = false
  await probeUntil(options, 'readiness', probe, ({ verdict = false }) => {
    if (verdict !== isReady) options.report({ isReady: verdict })
    isReady = verdict
    return false
  })
}

/** The verdict at which `isOver` said so; undefined when the signal came first. */
async function probeUntil(
  { env, target, onFailure, signal }: ProberOptions,
  kind: ProbeKind,
  probe: Probe,
  isOver: (state: ProbeState) => boolean,
): Promise<boolean | undefined> {
  let state = initialProbe
  const waited = env.clock.now() - target.running.startedAt
  try {
    await delay(env.clock, Math.max(0, (probe.initialDelaySeconds ?? 0) * 1000 - waited), signal)
    for (;;) {
      const { isSuccess, output } = await check(env, target, probe, signal)
      if (signal.aborted) return undefined
      if (!isSuccess) onFailure(`${NAMES[kind]} probe failed: ${output}`)
      state = stepProbe(state, isSuccess, probe)
      if (isOver(state)) return state.verdict
      await delay(env.clock, (probe.periodSeconds ?? 10) * 1000, signal)
    }
  } catch (thrown) {
    // The container has ended, and its probes with it.
    if (signal.aborted) return undefined
    throw thrown
  }
}

const NAMES: Readonly<Record<ProbeKind, string>> = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' }

/** One look at the container, cut off at the probe's timeout. */
async function check(env: Env, target: CheckTarget, probe: Probe, signal: AbortSignal): Promise<CheckResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  const abort = new AbortController()
  const end = () => abort.abort()
  signal.addEventListener('abort', end, { once: true })
  let isLate = false
  const late = new Promise<CheckResult>(resolve => {
    abort.signal.addEventListener('abort', () => resolve({ isSuccess: false, output: lateMessage(probe) }), {
      once: true,
    })
  })
  const timer = env.clock.schedule(timeoutMs, () => {
    isLate = true
    abort.abort()
  })
  try {
    const result = await Promise.race([look(target, probe, abort.signal), late])
    return isLate ? { isSuccess: false, output: result.output || lateMessage(probe) } : result
  } catch (thrown) {
    return { isSuccess: false, output: asError(thrown).message }
  } finally {
    timer.cancel()
    signal.removeEventListener('abort', end)
    abort.abort()
  }
}

function look(target: CheckTarget, probe: Probe, signal: AbortSignal): Promise<CheckResult> {
  if (probe.exec) return checkExec(target, probe.exec.command ?? [], signal)
  if (probe.httpGet) return checkHttp(target, probe.httpGet, signal)
  if (probe.tcpSocket) return checkTcp(target, probe.tcpSocket)
  if (probe.grpc) return checkGrpc(target, probe.grpc, signal)
  return Promise.resolve({ isSuccess: true, output: '' })
}

function lateMessage({ exec, timeoutSeconds = 1 }: Probe): string {
  if (!exec) return 'context deadline exceeded'
  return `command timed out: "${(exec.command ?? []).join(' ')}" timed out after ${timeoutSeconds}s`
}
