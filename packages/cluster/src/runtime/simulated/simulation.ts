import { type LabelSelectorObject, labelSelectorFrom, parseYaml } from '@tiphys/kube'

/** The annotation that says what a simulated pod does. Its value is YAML: a `Simulation`, and under `containers` others for
 *  single containers, by name. */
export const SIMULATE_ANNOTATION = 'tiphys.dev/simulate'

/** What a container that is only pretended does. Times are durations (`500ms`, `90s`, `1h30m`) or seconds. */
export interface Simulation {
  /** How long after its start its probes begin to succeed. At once unless given. */
  readyAfter?: string | number
  /** How long it runs. For ever in a pod that restarts always, not at all in any other, unless given. */
  runFor?: string | number
  exitCode?: number
  /** It ends as if it had used more memory than it may. */
  oom?: boolean
  /** How many runs fail (with `exitCode`, or 1) before one goes as described. A server's failing runs end at once, unless
   *  `runFor` says otherwise. */
  failures?: number
  /** What it prints at its start, a line each. */
  log?: string | readonly string[]
  /** How long it goes on after it was told to end; `never` means until it is killed. */
  stopAfter?: string | number
  /** What its termination message file says in the end. */
  message?: string
  /** It waits for its image with this message. */
  imageFailure?: string
}

export interface SimulationRule extends Simulation {
  /** Of the pods' labels; a rule without one is for all. */
  selector?: LabelSelectorObject
  namespace?: string
  /** The name of the container. */
  container?: string
}

export interface AnnotatedSimulation extends Simulation {
  containers?: Readonly<Record<string, Simulation>>
}

/** What a container does, ready to use. */
export interface Behaviour {
  readyAfterMs: number
  /** Infinity: for ever. */
  runForMs: number
  exitCode: number
  isOutOfMemory: boolean
  failures: number
  log: readonly string[]
  stopAfterMs: number
  message: string | undefined
  imageFailure: string | undefined
}

export interface SimulatedContainer {
  namespace: string
  labels: Readonly<Record<string, string>>
  annotation: AnnotatedSimulation
  container: string
  isServer: boolean
}

/** Rules in order, a later one wins field by field; the pod's own annotation wins over rules. Throws when
 *  a duration cannot be read. */
export function behaviourOf(rules: readonly SimulationRule[], of: SimulatedContainer): Behaviour {
  const matching = rules.filter(
    ({ selector, namespace, container }) =>
      (selector === undefined || labelSelectorFrom(selector).matches(of.labels)) &&
      (namespace === undefined || namespace === of.namespace) &&
      (container === undefined || container === of.container),
  )
  const { containers = {}, ...annotated } = of.annotation
  const own = Object.hasOwn(containers, of.container) ? containers[of.container] : {}
  const simulation: Simulation = Object.assign({}, ...matching, annotated, own)
  const { readyAfter = 0, runFor, oom = false, failures = 0, log = [], stopAfter = 0 } = simulation
  const isFailing = simulation.exitCode !== undefined && simulation.exitCode !== 0
  // Who says only how a server ends says that it ends.
  const endsByDefault = !of.isServer || ((isFailing || oom) && failures === 0)
  return {
    readyAfterMs: parseDuration(readyAfter),
    runForMs: runFor === undefined ? (endsByDefault ? 0 : Number.POSITIVE_INFINITY) : parseDuration(runFor),
    exitCode: simulation.exitCode ?? 0,
    isOutOfMemory: oom,
    failures,
    log: typeof log === 'string' ? log.split('\n') : log,
    stopAfterMs: parseDuration(stopAfter),
    message: simulation.message,
    imageFailure: simulation.imageFailure,
  }
}

/** What a pod's annotation says. Throws when it is not an object. */
export async function readAnnotation(annotation: string | undefined): Promise<AnnotatedSimulation> {
  if (annotation === undefined || annotation.trim() === '') return {}
  const object = parseJsonObject(annotation) ?? (await parseYaml(annotation)).value
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new Error(`the annotation ${SIMULATE_ANNOTATION} is not an object`)
  }
  return object
}

/** JSON is what programs write; it spares loading the YAML reader. */
function parseJsonObject(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // YAML may begin like this, too.
    return undefined
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds. */
function parseDuration(value: string | number): number {
  if (typeof value === 'number') return value * 1000
  if (value === 'never' || value === 'forever') return Number.POSITIVE_INFINITY
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu)]
  if (parts.length === 0 || parts.map(([text]) => text).join('') !== value) {
    throw new Error(`${JSON.stringify(value)} is not a duration; write it like 500ms, 90s or 1h30m`)
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0)
}
