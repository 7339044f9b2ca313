import type { ObjectHistory, Outcome, Provenance, Trace } from '../archive.ts'
import { refusals } from './grounds.ts'
import { whyNothing } from './why-nothing.ts'
import { duration, objectName, partName, plain, shortened, told } from './words-of.ts'

/** In words: what last happened to an object, what it waits for, and what comes next. With the traces of its last events also what
 *  the filters looked at that turned them away. */
export function explain(history: ObjectHistory, now: number, traces: readonly Trace[] = []): string {
  const ago = (at: number) => `${duration(Math.max(0, now - at))} ago`
  const paragraphs = [
    identity(history, ago),
    lastChange(history, ago),
    lastEvents(history, ago, traces),
    conditions(history, ago),
    failure(history, ago),
    waiting(history, ago),
    `Next: ${next(history)}`,
  ]
  return `${paragraphs.filter(text => text !== '').join('\n')}\n`
}

type Ago = (at: number) => string

function identity({ object, events, writes, firstAt, isDeleted }: ObjectHistory, ago: Ago): string {
  const gone = isDeleted ? ', which is deleted,' : ''
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
  return `${objectName(object)}${gone} has been known for ${ago(firstAt).replace(' ago', '')}: ${count(events, 'event')} about it, ${count(writes, 'write')} to it.`
}

function lastChange({ changes }: ObjectHistory, ago: Ago): string {
  const change = changes.find(({ write }) => write.outcome !== 'unchanged')
  if (!change) return 'Nothing that Tiphys runs has changed it.'
  const { write } = change
  const what =
    write.diff?.slice(0, 3).map(({ path, from, to }) => `${plain(path)} from ${told(from)} to ${told(to)}`) ?? []
  const how = what.length > 0 ? `, setting ${what.join(', ')}${(write.diff?.length ?? 0) > 3 ? ' and more' : ''}` : ''
  const who = write.as === undefined ? '' : ` as ${plain(write.as)}`
  return `It was last ${CHANGED[write.outcome] ?? 'changed'} ${ago(write.at)} by ${write.verb}${who}${how}${whyOf(change)}.`
}

function whyOf({ run, step, event }: Provenance): string {
  const inRun = run ? `, in ${step ? `step ${plain(step.name)} of ` : ''}run ${plain(run.run.name)}` : ''
  const of = event?.object ? ` about ${objectName(event.object)}` : ''
  const because = event ? `, because of event ${event.id} (${plain(event.change ?? event.type)}${of})` : ''
  return `${inRun}${because}`
}

function lastEvents({ lastEvent, otherEvents }: ObjectHistory, ago: Ago, traces: readonly Trace[]): string {
  if (!lastEvent) return 'No event about it was seen.'
  const became = (event: typeof lastEvent) => {
    const decisions = traces.find(({ id }) => id === event.id)?.decisions ?? []
    const what = event.outcomes.map(outcome => outcomeText(outcome, decisions)).join('; ')
    return `${ago(event.at)}: ${what === '' ? whyNothing(event) : what}.`
  }
  const told = ({ change, type }: typeof lastEvent) => plain(change ?? type)
  return [
    `The last event about it was ${plain(lastEvent.id)} (${told(lastEvent)} from ${partName(lastEvent.source)}), ${became(lastEvent)}`,
    ...otherEvents.map(
      event => `The last from ${partName(event.source)} was ${plain(event.id)} (${told(event)}), ${became(event)}`,
    ),
  ].join('\n')
}

function outcomeText({ trigger, state, reason, message, attempt }: Outcome, decisions: Trace['decisions']): string {
  const isOwn = (other: Outcome['trigger']) =>
    partName(other) === partName(trigger) && other.namespace === trigger.namespace
  const said = state === 'filtered' ? decisions.filter(one => isOwn(one.trigger)).flatMap(refusals) : []
  const words = [reason, message].filter(text => text !== undefined).map(text => shortened(text))
  const why = [...words, ...(said.length > 0 ? [said.join(' and ')] : [])]
  const because = why.length > 0 ? ` (${why.join(': ')})` : ''
  const tries = attempt !== undefined && attempt > 1 ? ` after ${attempt} attempts` : ''
  return `${partName(trigger)} ${STATES[state]}${tries}${state === 'ran' ? '' : because}`
}

function conditions({ conditions: all }: ObjectHistory, ago: Ago): string {
  const bad = all.filter(({ status }) => status !== 'True')
  return bad
    .map(({ condition, status, reason, message, at }) => {
      const said = message === undefined ? '' : `, ${shortened(message, 200)}`
      return `Its condition ${plain(condition)} is ${status} since ${ago(at)}: ${plain(reason)}${said}.`
    })
    .join('\n')
}

function failure({ failedRun }: ObjectHistory, ago: Ago): string {
  if (!failedRun) return ''
  const { run, phase, message, finishedAt, at } = failedRun
  const said = message === undefined ? '' : `: ${shortened(message, 200)}`
  return `Its last run ${plain(run.name)} ended ${ago(finishedAt ?? at)} as ${plain(phase)}${said}.`
}

function waiting({ runs }: ObjectHistory, ago: Ago): string {
  return runs
    .map(({ run, phase, progress, at }) => {
      const far = progress === undefined ? '' : `, ${plain(progress)} steps`
      return `It waits for run ${plain(run.name)} (${plain(phase)}${far}), which began ${ago(at)}.`
    })
    .join('\n')
}

function next({ lastEvent, otherEvents, runs, failedRun, isDeleted, conditions: all }: ObjectHistory): string {
  const events = lastEvent ? [lastEvent, ...otherEvents] : []
  const outcomes = events.flatMap(event => event.outcomes)
  const parked = outcomes.find(({ state }) => state === 'parked')
  if (parked)
    return `nothing happens until somebody retries or discards the delivery of ${partName(parked.trigger)} (tiphys retry, or the console's dead letters).`
  if (runs.length > 0) return 'its run goes on; what it writes is an event again.'
  const state = outcomes.find(({ state: one }) => one === 'failed' || one === 'running' || one === 'waiting')?.state
  if (state === 'failed') return 'the failed delivery is tried again, or given up, as its retryStrategy says.'
  if (state === 'running') return 'the delivery that is under way ends.'
  if (state === 'waiting') return 'its event waits for its turn or for the other events that its sensor joins.'
  if (failedRun)
    return `nothing, until it changes or somebody retries the run (tiphys retry ${plain(failedRun.run.name)}).`
  if (isDeleted) return 'nothing, it is gone.'
  if (all.some(({ status }) => status !== 'True')) return 'nothing by itself; the condition above says what is missing.'
  if (events.length > 0 && events.every(({ verdict }) => verdict === 'unheard'))
    return 'nothing, also when it changes, until a Sensor listens.'
  return 'nothing, until it changes.'
}

const CHANGED: Readonly<Record<string, string>> = { created: 'created', changed: 'changed', deleted: 'deleted' }

const STATES: Readonly<Record<Outcome['state'], string>> = {
  parked: 'gave up and waits for a person',
  failed: 'failed',
  running: 'is acting on it',
  waiting: 'let it through and waits',
  ran: 'acted on it',
  discarded: 'was told by a person to leave it',
  superseded: 'took a newer event instead',
  filtered: 'turned it away',
  pending: 'has not looked at it',
  unheard: 'does not depend on it',
}
