/** What a Workflow or a template wants to be measured, as upstream has it. */
export interface Metrics {
  prometheus?: PrometheusMetric[]
}

/** Exactly one of gauge, counter and histogram is set. All texts may have variables. */
export interface PrometheusMetric {
  name: string
  help: string
  labels?: { key: string; value: string }[]
  /** Left out: always. */
  when?: string
  gauge?: { value: string; realtime?: boolean; operation?: 'Set' | 'Add' | 'Sub' }
  counter?: { value: string }
  histogram?: { value: string; buckets: number[] }
}
