import { stepsByOwner } from '@tiphys/journal/records'
import type { Decision, Delivery, EventItem, RunDetail, StepDetail, Trace, WriteItem } from '../archive.ts'
import { groundLines } from './grounds.ts'
import { whyNothing } from './why-nothing.ts'
import { duration, moment, objectName, partName, plain, shortened, told } from './words-of.ts'

/** A line, and what hangs from it. */
interface Branch {
  line: string
  branches: Branch[]
}

const MOST_CHANGES = 5

/** The chain of an event as a tree for a terminal: event, decisions, deliveries, runs with their steps and the last lines of the step that
 *  failed, writes, and the events that came of them. Why an event was turned away is told always, why it was let through with `isWhy`. */
export function drawTrace(trace: Trace, { isWhy = false }: { isWhy?: boolean } = {}): string {
  const lines: string[] = []
  if (trace.cause) lines.push(`caused by ${causeLine(trace)}`)
  draw(traceBranch(trace, isWhy), '', '', lines)
  if (trace.isCut) lines.push('… there is more of it than is shown')
  return `${lines.join('\n')}\n`
}

function draw({ line, branches }: Branch, first: string, rest: string, lines: string[]): void {
  lines.push(`${first}${line}`)
  for (const [i, branch] of branches.entries()) {
    const isLast = i === branches.length - 1
    draw(branch, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`, lines)
  }
}

const leaf = (line: string): Branch => ({ line, branches: [] })

function traceBranch(trace: Trace, isWhy: boolean): Branch {
  const { event, decisions, deliveries, runs, writes, effects, replays } = trace
  // A run that no event led to has a trace of its own.
  const isOwn = runs.some(({ run }) => run.uid === trace.id)
  const inRuns = new Set(runs.flatMap(run => run.writes.map(({ id }) => id)))
  const effectsOf = (write: WriteItem) => effects.filter(effect => effect.write === write.id)
  const writeBranch = (write: WriteItem): Branch => ({
    line: writeLine(write),
    branches: effectsOf(write).map(effect =>
      effect.trace ? traceBranch(effect.trace, isWhy) : untoldBranch(effect.event),
    ),
  })
  return {
    line: event ? eventLine(event) : isOwn ? 'no event: somebody started it' : unknownEventLine(trace),
    branches: [
      ...(event && isAlone(trace) ? [leaf(whyNothing(event))] : []),
      ...decisions.map(decision => decisionBranch(decision, isWhy)),
      ...deliveries.filter(isWorthTelling).map(delivery => leaf(deliveryLine(delivery))),
      ...runs.map(run => runBranch(run, writeBranch)),
      ...writes.filter(({ id }) => !inRuns.has(id)).map(writeBranch),
      ...replays.map(replay => leaf(`replayed as ${eventLine(replay)}`)),
    ],
  }
}

/** An event that is further from the first than is told: of one that something came of, how to go on. */
const untoldBranch = (event: EventItem): Branch => ({
  line: eventLine(event),
  branches: ENDED.has(event.verdict) ? [] : [leaf(`… tiphys trace ${plain(event.id)} shows what came of it`)],
})

const ENDED: ReadonlySet<string> = new Set<EventItem['verdict']>(['filtered', 'superseded', 'pending', 'unheard'])

/** Nobody has made anything of it. */
const isAlone = ({ decisions, deliveries, runs, writes }: Trace): boolean =>
  [decisions, deliveries, runs, writes].every(({ length }) => length === 0)

function causeLine({ cause }: Trace): string {
  if (!cause) return ''
  const by = cause.run ? ` in run ${plain(cause.run.run.name)}` : ''
  const event = cause.event ? `, event ${cause.event.id}` : ''
  return `${writeLine(cause.write)}${by}${event}`
}

function eventLine(event: EventItem): string {
  const what = event.object ? objectName(event.object) : partName(event.source)
  const from = `from ${partName(event.source)}`
  return `${MARKS[event.verdict] ?? '○'} event ${plain(event.id)}  ${plain(event.change ?? event.type)} ${what}  ${from}  ${moment(event.at)}  ${event.verdict}`
}

/** What a source's own filter ends never becomes an event of the bus. */
function unknownEventLine({ id, decisions }: Trace): string {
  const isEnded = decisions.some(({ by }) => by === 'filter.expression')
  return `event ${plain(id)}, ${isEnded ? 'which its source did not publish' : 'of which there is no record'}`
}

function decisionBranch(decision: Decision, isWhy: boolean): Branch {
  const { trigger, verdict, by, message, dependency } = decision
  const mark = verdict === 'failed' ? '✘' : DROPPED.has(verdict) ? '◌' : '✔'
  const why = [by, message].filter(text => text !== undefined).map(text => shortened(text))
  const of = dependency === '' ? '' : ` (${plain(dependency)})`
  const line = `${mark} decision ${partName(trigger)}  ${verdict}${of}${why.length > 0 ? `  ${why.join(': ')}` : ''}`
  const isLetThrough = verdict === 'passed' || verdict === 'joined'
  return { line, branches: isLetThrough && !isWhy ? [] : groundLines(decision).map(leaf) }
}

const DROPPED: ReadonlySet<string> = new Set<Decision['verdict']>(['filtered', 'superseded', 'reset', 'repeated'])

/** That something has started is told by how it ended. */
const isWorthTelling = ({ outcome }: Delivery, i: number, all: readonly Delivery[]): boolean =>
  outcome !== 'started' || i === all.length - 1

function deliveryLine({ trigger, outcome, attempt, durationMs, heldBackMs, reason, message }: Delivery): string {
  const mark = outcome === 'succeeded' ? '✔' : outcome === 'failed' || outcome === 'parked' ? '✘' : '◌'
  const held = heldBackMs === undefined ? [] : [`held back ${duration(heldBackMs)} by the rate limit`]
  const times = [...(durationMs === undefined ? [] : [duration(durationMs)]), ...held]
  const took = times.length > 0 ? `  ${times.join(', ')}` : ''
  const why = [reason, message].filter(text => text !== undefined).map(text => shortened(text))
  return `${mark} delivery ${partName(trigger)}  attempt ${attempt} ${outcome}${took}${why.length > 0 ? `  ${why.join(': ')}` : ''}`
}

function runBranch(run: RunDetail, writeBranch: (write: WriteItem) => Branch): Branch {
  const { name, namespace } = run.run
  const took =
    run.startedAt !== undefined && run.finishedAt !== undefined ? `  ${duration(run.finishedAt - run.startedAt)}` : ''
  const message = run.message === undefined ? '' : `  ${shortened(run.message)}`
  const { roots, under } = nested(run.steps.items)
  const ofSteps = new Set(run.steps.items.map(({ step }) => step))
  return {
    line: `${phaseMark(run.phase)} run ${plain(`${namespace}/${name}`)}  ${plain(run.phase)}${took}${message}`,
    branches: [
      ...roots.map(step => stepBranch(step, run, under, writeBranch)),
      ...run.writes.filter(({ step }) => step === undefined || !ofSteps.has(step)).map(writeBranch),
    ],
  }
}

/** The first template is not told: its phase is that of the run. */
function nested(steps: readonly StepDetail[]) {
  const under = stepsByOwner(steps, ({ step, parent, children }) => ({ id: step, parent, children }))
  const roots = under.get(undefined) ?? []
  return { roots: roots.flatMap(root => (isTemplate(root) ? (under.get(root.step) ?? []) : [root])), under }
}

const isTemplate = ({ type, parent }: StepDetail): boolean =>
  parent === undefined && (type === 'Steps' || type === 'DAG')

function stepBranch(
  step: StepDetail,
  run: RunDetail,
  under: ReadonlyMap<string | undefined, readonly StepDetail[]>,
  writeBranch: (write: WriteItem) => Branch,
): Branch {
  const took =
    step.startedAt !== undefined && step.finishedAt !== undefined
      ? `  ${duration(step.finishedAt - step.startedAt)}`
      : ''
  const message = step.message === undefined ? '' : `  ${shortened(step.message)}`
  const lines = run.culprit?.step === step.step ? run.culprit.lastLines : []
  return {
    line: `${phaseMark(step.phase)} ${plain(step.displayName ?? step.name)}  ${plain(step.phase)}${took}${message}`,
    branches: [
      ...(under.get(step.step) ?? []).map(inner => stepBranch(inner, run, under, writeBranch)),
      ...run.writes.filter(write => write.step === step.step).map(writeBranch),
      ...lines.map(line => leaf(`| ${shortened(line, 200)}`)),
    ],
  }
}

function writeLine({ verb, outcome, object, diff, as }: WriteItem): string {
  const changes = (diff ?? [])
    .slice(0, MOST_CHANGES)
    .map(({ path, from, to }) => `${plain(path)} ${told(from)} → ${told(to)}`)
  const more = (diff?.length ?? 0) > MOST_CHANGES ? `, and ${(diff?.length ?? 0) - MOST_CHANGES} more` : ''
  const who = as === undefined ? '' : ` as ${plain(as)}`
  return `✎ ${verb} ${objectName(object)}  ${outcome}${who}${changes.length > 0 ? `  ${changes.join(', ')}${more}` : ''}`
}

const MARKS: Readonly<Record<string, string>> = {
  ran: '✔',
  failed: '✘',
  parked: '✘',
  running: '◐',
  waiting: '◐',
  filtered: '◌',
}

const phaseMark = (phase: string): string =>
  phase === 'Succeeded'
    ? '✔'
    : phase === 'Failed' || phase === 'Error'
      ? '✘'
      : phase === 'Skipped' || phase === 'Omitted'
        ? '◌'
        : '◐'
