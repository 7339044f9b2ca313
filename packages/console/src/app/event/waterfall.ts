import type { RunDetail, Trace } from '@tiphys/archive'
import { withoutStepGroups } from '../run/step-groups.ts'
import { stateOf } from '../run/step-state.ts'
import { eventPath, href, objectPath, runHref } from '../url.ts'

/** One line of the trace. */
export interface Line {
  key: string
  depth: number
  kind: 'event' | 'decision' | 'delivery' | 'run' | 'step' | 'write' | 'effect'
  title: string
  status: string
  from: number
  to: number
  href?: string
  note?: string
}

/** An event and all that came of it as lines, each below what led to it. */
export function linesOf(trace: Trace, now: number): Line[] {
  const { event, outcomes, decisions, deliveries, runs } = trace
  const lines: Line[] = []
  if (event) {
    const { at, object, source, verdict } = event
    const about = object ? `${object.kind} ${object.name}` : `${source.name}/${source.part}`
    lines.push({
      key: 'event',
      depth: 0,
      kind: 'event',
      title: `${event.change ?? event.type} ${about}`,
      status: verdict,
      from: at,
      to: at,
    })
  }
  const shownRuns = new Set<string>()
  const shownWrites = new Set<number>()
  const triggers = new Map<string, { namespace: string; name: string; part: string }>()
  for (const { trigger } of [...decisions, ...outcomes, ...deliveries]) triggers.set(nameOf(trigger), trigger)

  for (const [name, trigger] of triggers) {
    const own = <T extends { trigger: typeof trigger }>(all: readonly T[]) =>
      all.filter(each => nameOf(each.trigger) === name)
    for (const [i, decision] of own(decisions).entries()) {
      lines.push({
        key: `decision-${name}-${i}`,
        depth: 1,
        kind: 'decision',
        title: `${trigger.name} · ${trigger.part}`,
        status: decision.verdict,
        from: decision.at,
        to: decision.at,
        ...noted(decisionNote(decision)),
      })
    }
    const actions = new Set(own(deliveries).map(({ action }) => action))
    for (const action of actions) {
      lines.push(
        ...attemptsOf(
          own(deliveries).filter(each => each.action === action),
          now,
        ),
      )
      for (const run of runs.filter(each => each.action === action)) {
        shownRuns.add(run.run.uid)
        lines.push(...linesOfRun(run, 3, now, shownWrites))
      }
      for (const write of trace.writes.filter(
        each => each.action === action && !each.run && !shownWrites.has(each.id),
      )) {
        shownWrites.add(write.id)
        lines.push(writeLine(write, 3))
      }
    }
  }
  for (const run of runs) if (!shownRuns.has(run.run.uid)) lines.push(...linesOfRun(run, 1, now, shownWrites))
  for (const write of trace.writes) if (!shownWrites.has(write.id)) lines.push(writeLine(write, 1))
  for (const { event: effect } of trace.effects) {
    const about = effect.object ? `${effect.object.kind} ${effect.object.name}` : effect.id.slice(0, 8)
    lines.push({
      key: `effect-${effect.id}`,
      depth: 1,
      kind: 'effect',
      title: `${effect.change ?? effect.type} ${about}`,
      status: effect.verdict,
      from: effect.at,
      to: effect.at,
      href: href(eventPath(effect.id)),
    })
  }
  return lines
}

type Deliveries = Trace['deliveries']

/** The records of one action as its attempts: begun, and how each ended. */
function attemptsOf(deliveries: Deliveries, now: number): Line[] {
  const lines: Line[] = []
  const attempts = [...new Set(deliveries.map(({ attempt }) => attempt))].sort((a, b) => a - b)
  for (const attempt of attempts) {
    const own = deliveries.filter(each => each.attempt === attempt)
    const begun = own.find(({ outcome }) => outcome === 'started')
    const ended = own.findLast(({ outcome }) => outcome !== 'started')
    const last = ended ?? begun
    if (!last) continue
    const from = begun?.at ?? last.at - (last.durationMs ?? 0)
    lines.push({
      key: `delivery-${last.action}-${attempt}`,
      depth: 2,
      kind: 'delivery',
      title: attempt === 1 ? `deliver to ${last.trigger.part}` : `attempt ${attempt}`,
      status: last.outcome,
      from,
      to: ended ? Math.max(from, ended.at) : now,
      ...noted(last.message ?? last.reason),
    })
  }
  return lines
}

function linesOfRun(run: RunDetail, depth: number, now: number, shownWrites: Set<number>): Line[] {
  const isOver = run.finishedAt !== undefined
  const lines: Line[] = [
    {
      key: `run-${run.run.uid}`,
      depth,
      kind: 'run',
      title: run.run.name,
      status: run.phase,
      from: run.startedAt ?? run.at,
      to: run.finishedAt ?? (isOver ? run.at : now),
      href: runHref(run.run),
      ...noted(run.message),
    },
  ]
  for (const step of withoutStepGroups(run.steps.items).slice(0, 200)) {
    if (step.step === run.run.name) continue
    lines.push({
      key: `step-${run.run.uid}-${step.step}`,
      depth: depth + 1,
      kind: 'step',
      title: step.displayName ?? step.name,
      status: stateOf(step),
      from: step.startedAt ?? step.at,
      to: step.finishedAt ?? (isOver ? step.changedAt : now),
      href: runHref(run.run, { step: step.step }),
      ...noted(step.message),
    })
    for (const write of run.writes.filter(each => each.step === step.step && !shownWrites.has(each.id))) {
      shownWrites.add(write.id)
      lines.push(writeLine(write, depth + 2))
    }
  }
  for (const write of run.writes.filter(each => !shownWrites.has(each.id))) {
    shownWrites.add(write.id)
    lines.push(writeLine(write, depth + 1))
  }
  return lines
}

function writeLine(write: Trace['writes'][number], depth: number): Line {
  return {
    key: `write-${write.id}`,
    depth,
    kind: 'write',
    title: `${write.verb} ${write.object.kind} ${write.object.name}`,
    status: write.outcome,
    from: write.at,
    to: write.at,
    href: href(objectPath(write.object)),
    ...noted(write.as && `as ${write.as}`),
  }
}

const nameOf = ({ namespace, name, part }: { namespace: string; name: string; part: string }) =>
  `${namespace}/${name}/${part}`
/** What decided, and of one that came to no answer also why. */
function decisionNote({ verdict, by, message }: Trace['decisions'][number]): string | undefined {
  if (verdict === 'superseded' && by !== undefined) return `by ${by.slice(0, 8)}`
  if (verdict === 'failed' && by !== undefined && message !== undefined) return `${by}: ${message}`
  return by ?? message
}
const noted = (note: string | undefined) => (note === undefined || note === '' ? {} : { note })
