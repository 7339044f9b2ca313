import type { NewRecord, ObjectReference, PartReference, RunReference } from '@tiphys/journal/records'

/** One line about something that happened. */
export interface ActivityLine {
  tone: 'plain' | 'dim' | 'good' | 'bad'
  /** What it is, in one word. */
  label: string
  text: string
  /** Something is well again that was told of: told wherever trouble is. */
  endsTrouble?: true
}

/** What a person who looks on wants to be told; undefined for what only the archive is for. */
export function describeRecord(record: NewRecord): ActivityLine | undefined {
  switch (record.kind) {
    case 'event': {
      const object = record.object ? ` ${objectName(record.object)}` : ''
      const replay = record.replayOf === undefined ? '' : ' (again)'
      return { tone: 'plain', label: 'event', text: `${partName(record.source)} ${typeOf(record)}${object}${replay}` }
    }
    case 'decision':
      return describeDecision(record)
    case 'delivery':
      return describeDelivery(record)
    case 'run':
      return describeRun(record)
    case 'step':
      if (!hasFailed(record.phase) || record.type !== 'Pod') return undefined
      return {
        tone: 'bad',
        label: 'step',
        text: `${record.displayName ?? record.name} failed${because(record.message)}`,
      }
    case 'write':
      // What a trigger wrote is told by its delivery.
      if (record.outcome === 'unchanged' || record.run === undefined) return undefined
      return { tone: 'good', label: 'write', text: `${record.outcome} ${objectName(record.object)}` }
    case 'health':
      return describeHealth(record)
    case 'audit':
      return record.outcome === 'refused'
        ? { tone: 'bad', label: 'action', text: `${record.who} may not ${record.did}${because(record.reason)}` }
        : { tone: 'plain', label: 'action', text: `${record.who}: ${record.did}` }
    case 'log':
      return undefined
  }
}

type Of<K extends NewRecord['kind']> = Extract<NewRecord, { kind: K }>

function describeDecision({ verdict, trigger, by, message }: Of<'decision'>): ActivityLine | undefined {
  const why = because([by, message].filter(Boolean).join(': ') || undefined)
  if (verdict === 'failed') return { tone: 'bad', label: 'filter', text: `${partName(trigger)} could not decide${why}` }
  if (verdict === 'filtered') return { tone: 'dim', label: 'filter', text: `${partName(trigger)} left it out${why}` }
  if (verdict === 'superseded')
    return { tone: 'dim', label: 'filter', text: `${partName(trigger)} took a newer one${why}` }
  return undefined
}

function describeDelivery(record: Of<'delivery'>): ActivityLine | undefined {
  const { outcome, trigger, attempt, message, reason } = record
  const why = because(message ?? reason)
  const name = partName(trigger)
  switch (outcome) {
    case 'started':
    case 'retried':
      return undefined
    case 'succeeded':
      return { tone: 'good', label: 'trigger', text: `${name} ${oneLine(message ?? 'done')}` }
    case 'failed':
      return { tone: 'bad', label: 'trigger', text: `${name} failed (attempt ${attempt})${why}` }
    case 'parked': {
      // Why it failed is told by the attempt before.
      const attempts = `${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`
      return {
        tone: 'bad',
        label: 'parked',
        text: `${name} gave up after ${attempts}: tiphys retry sensor/${trigger.name}`,
      }
    }
    case 'discarded':
      return { tone: 'dim', label: 'trigger', text: `${name} was discarded${why}` }
  }
}

function describeRun({ run, phase, message, startedAt, finishedAt }: Of<'run'>): ActivityLine | undefined {
  const took =
    startedAt === undefined || finishedAt === undefined ? '' : ` in ${formatDuration(finishedAt - startedAt)}`
  if (phase === 'Succeeded') return { tone: 'good', label: 'run', text: `${runName(run)} succeeded${took}` }
  if (hasFailed(phase))
    return { tone: 'bad', label: 'run', text: `${runName(run)} ${phase.toLowerCase()}${took}${because(message)}` }
  return phase === 'Running' ? { tone: 'plain', label: 'run', text: `${runName(run)} runs` } : undefined
}

/** Whether a status is good depends on what the condition is called; ours and upstream's are good when true. */
function describeHealth({ object, condition, status, was, reason, message }: Of<'health'>): ActivityLine | undefined {
  // What its triggers could not do is told one by one.
  if (object.kind === 'Sensor' && condition === 'Healthy') return undefined
  if (status === 'False')
    return { tone: 'bad', label: 'health', text: `${objectName(object)}: ${condition} ${reason}${because(message)}` }
  if (status === 'True' && was === 'False')
    return { tone: 'good', label: 'health', text: `${objectName(object)}: ${condition} again` }
  return undefined
}

/** What happened to the object, where it is about one. */
function typeOf({ type, body }: Of<'event'>): string {
  const change = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined
  return type === 'resource' && typeof change === 'string' ? change : type
}

const hasFailed = (phase: string) => phase === 'Failed' || phase === 'Error'
const because = (why: string | undefined) => (why === undefined || why === '' ? '' : `: ${oneLine(why)}`)
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

export const partName = ({ name, part }: PartReference): string => `${name}/${part}`
export const runName = ({ namespace, name }: Pick<RunReference, 'namespace' | 'name'>): string => `${namespace}/${name}`
export const objectName = ({ kind, namespace, name }: ObjectReference): string =>
  `${kind} ${namespace === undefined || namespace === '' ? '' : `${namespace}/`}${name}`

/** `340ms`, `1.2s`, `3m05s`, `2h10m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor((ms % 60_000) / 1000)]
  if (minutes < 60) return `${minutes}m${String(seconds).padStart(2, '0')}s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h${String(minutes % 60).padStart(2, '0')}m` : `${Math.floor(hours / 24)}d`
}
