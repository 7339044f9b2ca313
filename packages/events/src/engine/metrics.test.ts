import { expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

it('metrics are written as Prometheus reads them', () => {
  const metrics = createMetrics()
  const labels = { sensor_name: 'a "b"\n\\c' }
  metrics.add('argo_events_action_triggered_total', labels)
  metrics.add('argo_events_action_triggered_total', labels, 2)
  for (const value of [1, 2, 3, 4]) metrics.observe('argo_events_action_duration_milliseconds', {}, value)
  const text = metrics.text([{ name: 'tiphys_parked', labels: { trigger_name: 't' }, value: 5 }])
  for (const line of [
    '# TYPE argo_events_action_triggered_total counter',
    'argo_events_action_triggered_total{sensor_name="a \\"b\\"\\n\\\\c"} 3',
    'argo_events_action_duration_milliseconds{quantile="0.5"} 3',
    'argo_events_action_duration_milliseconds_sum 10',
    'argo_events_action_duration_milliseconds_count 4',
    'tiphys_parked{trigger_name="t"} 5',
  ])
    expect(text.split('\n')).toContain(line)
})

it('a summary forgets old values, but not their number', () => {
  const metrics = createMetrics()
  for (let i = 0; i < 1000; i++) metrics.observe('argo_events_action_duration_milliseconds', {}, i < 500 ? 1000 : 1)
  const lines = metrics.text([]).split('\n')
  expect(lines).toContain('argo_events_action_duration_milliseconds{quantile="0.99"} 1')
  expect(lines).toContain('argo_events_action_duration_milliseconds_count 1000')
})
