/** What is counted, under the names that Argo Events gives it where it has one. */
export interface Metrics {
  add(name: CounterName, labels: Labels, by?: number): void
  observe(name: SummaryName, labels: Labels, value: number): void
  /** As Prometheus reads it. `gauges` are read now. */
  text(gauges: Iterable<Gauge>): string
}

export type Labels = Readonly<Record<string, string>>

export interface Gauge {
  name: GaugeName
  labels: Labels
  value: number
}

const COUNTERS = {
  argo_events_events_sent_total: 'How many events have been sent successfully.',
  argo_events_events_sent_failed_total: 'How many events the bus did not take.',
  argo_events_events_processing_failed_total: 'How many events failed to process for any reason.',
  argo_events_action_triggered_total: 'How many actions have been triggered successfully.',
  argo_events_action_failed_total: 'How many attempts of actions failed.',
  argo_events_action_retries_failed_total: 'How many actions failed after all their attempts.',
  tiphys_events_filtered_total: 'How many events were held back by filters.',
  tiphys_events_repeated_total: 'How many events came again under an id that the bus knows, and were dropped.',
} as const

const SUMMARIES = {
  argo_events_event_processing_duration_milliseconds: 'Time from making an event to having it stored.',
  argo_events_action_duration_milliseconds: 'Time of one attempt of an action.',
} as const

const GAUGES = {
  argo_events_event_service_running_total: 'How many entries of the EventSource are running.',
  tiphys_watch_silence_milliseconds: 'Time since the server last said something about what the entry watches.',
  tiphys_source_waiting: 'How many changes the entry has seen that are not on the bus yet.',
  tiphys_checkpoint_objects: 'How many objects the entry remembers.',
  tiphys_checkpoint_version: 'The resourceVersion up to which the entry has read.',
  tiphys_bus_head: 'Position of the last event on the bus.',
  tiphys_bus_events: 'How many events the bus holds.',
  tiphys_bus_bytes: 'How many bytes of events the bus holds.',
  tiphys_bus_available: 'Whether the bus takes events.',
  tiphys_consumer_position: 'Position up to which the trigger has handled everything.',
  tiphys_consumer_backlog: 'How many events the trigger has not handled yet.',
  tiphys_parked: 'How many deliveries of the trigger are parked.',
} as const

export type CounterName = keyof typeof COUNTERS
export type SummaryName = keyof typeof SUMMARIES
export type GaugeName = keyof typeof GAUGES

/** The newest values, for the quantiles. */
const KEPT = 500
const QUANTILES = [0.5, 0.9, 0.99]

interface Summary {
  labels: Labels
  newest: number[]
  next: number
  sum: number
  count: number
}

export function createMetrics(): Metrics {
  const counters = new Map<CounterName, Map<string, number>>()
  const summaries = new Map<SummaryName, Map<string, Summary>>()

  function* lines(gauges: Iterable<Gauge>): Iterable<string> {
    for (const [name, help] of Object.entries(COUNTERS) as [CounterName, string][]) {
      yield* head(name, help, 'counter')
      for (const [labels, value] of counters.get(name) ?? []) yield `${name}${labels} ${value}`
    }
    const read = [...gauges]
    for (const [name, help] of Object.entries(GAUGES) as [GaugeName, string][]) {
      yield* head(name, help, 'gauge')
      for (const gauge of read) if (gauge.name === name) yield `${name}${written(gauge.labels)} ${gauge.value}`
    }
    for (const [name, help] of Object.entries(SUMMARIES) as [SummaryName, string][]) {
      yield* head(name, help, 'summary')
      for (const { labels, newest, sum, count } of (summaries.get(name) ?? new Map()).values()) {
        const sorted = [...newest].sort((a, b) => a - b)
        for (const quantile of QUANTILES) {
          const value = sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? Number.NaN
          yield `${name}${written({ ...labels, quantile: String(quantile) })} ${value}`
        }
        yield `${name}_sum${written(labels)} ${sum}`
        yield `${name}_count${written(labels)} ${count}`
      }
    }
  }

  return {
    add(name, labels, by = 1) {
      const values = counters.get(name) ?? new Map<string, number>()
      counters.set(name, values)
      const key = written(labels)
      values.set(key, (values.get(key) ?? 0) + by)
    },
    observe(name, labels, value) {
      const of = summaries.get(name) ?? new Map<string, Summary>()
      summaries.set(name, of)
      const key = written(labels)
      const summary = of.get(key) ?? { labels, newest: [], next: 0, sum: 0, count: 0 }
      of.set(key, summary)
      summary.newest[summary.next] = value
      summary.next = (summary.next + 1) % KEPT
      summary.sum += value
      summary.count++
    },
    text: gauges => `${[...lines(gauges)].join('\n')}\n`,
  }
}

const head = (name: string, help: string, type: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]

/** Whoever counts does so with the same labels again and again. */
const texts = new WeakMap<Labels, string>()

function written(labels: Labels): string {
  const known = texts.get(labels)
  if (known !== undefined) return known
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  const text = pairs.length === 0 ? '' : `{${pairs.join(',')}}`
  texts.set(labels, text)
  return text
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
