/** The kinds that Prometheus has, as far as manifests can ask for them. */
export type MetricType = 'gauge' | 'counter' | 'histogram'

export interface Sample {
  name: string
  help: string
  type: MetricType
  labels: Readonly<Record<string, string>>
  buckets?: readonly number[]
}

interface Family {
  help: string
  type: MetricType
  labelNames: string
  series: Map<string, Series>
}

interface Series {
  labels: Readonly<Record<string, string>>
  value: () => number
  /** Of a histogram: how many were not above each bound. */
  buckets?: Map<number, number>
  count?: number
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/
/** Labels are made of what runs are given: nobody may fill the memory with them. */
const MOST_SERIES = 10_000

/** Series of numbers under names that manifests choose. A name has one type, help and set of labels: what differs is an error. */
export class MetricSeries {
  readonly #families = new Map<string, Family>()
  #series = 0

  /** Throws when the sample is none, or does not go with what was there before. */
  set(sample: Sample, value: () => number): void {
    this.#of(sample).value = value
  }

  add(sample: Sample, amount: number): void {
    const series = this.#of(sample)
    const sum = series.value() + amount
    series.value = () => sum
  }

  observe(sample: Sample, value: number): void {
    const series = this.#of(sample)
    const counts = (series.buckets ??= new Map((sample.buckets ?? []).map(bound => [bound, 0])))
    for (const [bound, count] of counts) if (value <= bound) counts.set(bound, count + 1)
    series.count = (series.count ?? 0) + 1
    const sum = series.value() + value
    series.value = () => sum
  }

  text(): string {
    const lines: string[] = []
    for (const [name, { help, type, series }] of this.#families) {
      lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`)
      for (const { labels, value, buckets, count = 0 } of series.values()) {
        if (type !== 'histogram') {
          lines.push(`${name}${labelText(labels)} ${value()}`)
          continue
        }
        for (const [bound, below] of buckets ?? [])
          lines.push(`${name}_bucket${labelText({ ...labels, le: String(bound) })} ${below}`)
        lines.push(`${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`)
        lines.push(`${name}_sum${labelText(labels)} ${value()}`, `${name}_count${labelText(labels)} ${count}`)
      }
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`
  }

  #of({ name, help, type, labels }: Sample): Series {
    if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a metric`)
    const wrong = Object.keys(labels).find(key => !LABEL.test(key))
    if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} is no name of a label`)
    const labelNames = Object.keys(labels).toSorted().join(',')
    const family = this.#families.get(name) ?? { help, type, labelNames, series: new Map<string, Series>() }
    if (family.type !== type || family.help !== help || family.labelNames !== labelNames)
      throw new Error(
        `the metric ${name} is a ${family.type} with the labels (${family.labelNames}) and another help already`,
      )
    this.#families.set(name, family)
    const key = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const known = family.series.get(key)
    if (known) return known
    if (this.#series >= MOST_SERIES)
      throw new Error(`there are ${MOST_SERIES} series already: use labels with fewer values`)
    this.#series++
    const series: Series = { labels, value: () => 0 }
    family.series.set(key, series)
    return series
  }
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([key, value]) => `${key}=${quoted(value)}`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

const quoted = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
