import type { Figures, PartFigures } from '../api/workshop.ts'

interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g
const QUANTILE = '0.99'

/** What the engines count, per source, sensor and bus, read from what they tell Prometheus. What has counted nothing yet is
 *  left out. */
export function figuresOf(metrics: string): readonly Figures[] {
  const figures = new Map<string, Figures>()
  const of = (kind: Figures['kind'], namespace = '', name = ''): Figures => {
    const key = `${kind}/${namespace}/${name}`
    const known = figures.get(key) ?? { kind, namespace, name }
    figures.set(key, known)
    return known
  }
  for (const { name, labels, value } of samplesIn(metrics)) {
    const { namespace, eventsource_name: source, sensor_name: sensor, eventbus_name: bus } = labels
    if (!Number.isFinite(value)) continue
    const part = labels.event_name ?? labels.trigger_name
    const ofPart = PART_FIELDS[name]
    if (ofPart && part !== undefined) {
      const owner = source !== undefined ? of('EventSource', namespace, source) : of('Sensor', namespace, sensor)
      partOf(owner, part)[ofPart] = value
    }
    const [field, isLargest] = FIELDS[name] ?? []
    if (field === undefined) continue
    if (labels.quantile !== undefined && labels.quantile !== QUANTILE) continue
    const target =
      source !== undefined
        ? of('EventSource', namespace, source)
        : sensor !== undefined
          ? of('Sensor', namespace, sensor)
          : of('EventBus', namespace, bus)
    const before = target[field]
    target[field] = before === undefined ? value : isLargest ? Math.max(before, value) : before + value
  }
  return [...figures.values()]
}

function partOf(owner: Figures, name: string): PartFigures {
  const known = owner.parts?.find(part => part.name === name)
  const part = known ?? { name }
  if (!known) owner.parts = [...(owner.parts ?? []), part]
  return part
}

type Field = Exclude<keyof Figures, 'kind' | 'namespace' | 'name' | 'parts'>

/** What is told of each entry or trigger by itself. */
const PART_FIELDS: Readonly<Record<string, Exclude<keyof PartFigures, 'name'>>> = {
  argo_events_events_sent_total: 'sent',
  argo_events_action_triggered_total: 'done',
  tiphys_watch_silence_milliseconds: 'silenceMs',
  tiphys_source_waiting: 'waiting',
  tiphys_checkpoint_objects: 'remembered',
  tiphys_checkpoint_version: 'version',
  tiphys_consumer_position: 'position',
  tiphys_consumer_backlog: 'backlog',
  tiphys_parked: 'parked',
}

/** What each series is, and whether of several (entries, triggers) the largest counts instead of the sum. */
const FIELDS: Readonly<Record<string, readonly [field: Field, isLargest?: true]>> = {
  argo_events_event_service_running_total: ['running'],
  argo_events_events_sent_total: ['sent'],
  argo_events_events_processing_failed_total: ['failed'],
  argo_events_event_processing_duration_milliseconds: ['slowestMs', true],
  tiphys_events_filtered_total: ['filtered'],
  tiphys_events_repeated_total: ['repeated'],
  argo_events_action_triggered_total: ['done'],
  argo_events_action_failed_total: ['failed'],
  argo_events_action_duration_milliseconds: ['slowestMs', true],
  tiphys_consumer_backlog: ['backlog'],
  tiphys_parked: ['parked'],
  tiphys_bus_events: ['events'],
  tiphys_bus_bytes: ['bytes'],
  tiphys_bus_head: ['head'],
}

function* samplesIn(metrics: string): Iterable<Sample> {
  for (const line of metrics.split('\n')) {
    const [, name, labels = '', value] = LINE.exec(line) ?? []
    if (name === undefined || line.startsWith('#')) continue
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, unescaped(text)] as const)
    yield { name, labels: Object.fromEntries(pairs), value: Number(value) }
  }
}

const unescaped = (text: string) => text.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
