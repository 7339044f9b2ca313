import { expect, it } from 'vitest'
import { figuresOf } from './figures.ts'
import { visibleFigures, type Workshop } from './routes/workshop.ts'

const METRICS = `# HELP argo_events_events_sent_total How many events have been sent successfully.
# TYPE argo_events_events_sent_total counter
argo_events_events_sent_total{namespace="shop",eventsource_name="orders",event_name="incoming"} 3
argo_events_events_sent_total{namespace="shop",eventsource_name="orders",event_name="returned"} 4
argo_events_action_triggered_total{namespace="shop",sensor_name="a \\"quoted\\" name",trigger_name="t"} 5
tiphys_consumer_backlog{namespace="shop",sensor_name="a \\"quoted\\" name",trigger_name="t"} 2
tiphys_consumer_position{namespace="shop",sensor_name="a \\"quoted\\" name",trigger_name="t"} 118
tiphys_bus_bytes{namespace="shop",eventbus_name="default"} 1024
tiphys_bus_head{namespace="shop",eventbus_name="default"} 120
tiphys_watch_silence_milliseconds{namespace="shop",eventsource_name="orders",event_name="incoming"} 3400
tiphys_checkpoint_objects{namespace="shop",eventsource_name="orders",event_name="incoming"} 12
tiphys_checkpoint_version{namespace="shop",eventsource_name="orders",event_name="incoming"} 4711
tiphys_source_waiting{namespace="shop",eventsource_name="orders",event_name="incoming"} 0
argo_events_event_processing_duration_milliseconds{namespace="shop",eventsource_name="orders",event_name="incoming",quantile="0.5"} 1
argo_events_event_processing_duration_milliseconds{namespace="shop",eventsource_name="orders",event_name="incoming",quantile="0.99"} 7
argo_events_event_processing_duration_milliseconds{namespace="shop",eventsource_name="orders",event_name="returned",quantile="0.99"} 12.5
argo_events_event_processing_duration_milliseconds_count{namespace="shop",eventsource_name="orders",event_name="returned"} 4
argo_workflows_gauge{phase="Running"} 1
tiphys_workflows_ended_total 9
`

it('reads what the engines count: sums over entries and triggers and each by itself, of times the slowest', () => {
  expect(figuresOf(METRICS)).toEqual([
    {
      kind: 'EventSource',
      namespace: 'shop',
      name: 'orders',
      sent: 7,
      slowestMs: 12.5,
      parts: [
        { name: 'incoming', sent: 3, silenceMs: 3400, remembered: 12, version: 4711, waiting: 0 },
        { name: 'returned', sent: 4 },
      ],
    },
    {
      kind: 'Sensor',
      namespace: 'shop',
      name: 'a "quoted" name',
      done: 5,
      backlog: 2,
      parts: [{ name: 't', done: 5, backlog: 2, position: 118 }],
    },
    { kind: 'EventBus', namespace: 'shop', name: 'default', bytes: 1024, head: 120 },
  ])
})

it('leaves out what is no number, and what it does not know', () => {
  expect(
    figuresOf('argo_events_event_processing_duration_milliseconds{quantile="0.99"} NaN\nother 3\nno sense'),
  ).toEqual([])
})

it('figures are not left out as if nobody might see them while the cluster cannot be asked', async () => {
  const workshop = { metrics: () => 'tiphys_bus_head{namespace="shop",eventbus_name="default"} 4711' } as Workshop
  expect(await visibleFigures(workshop, async () => ({ answer: 'denied', why: 'no role grants it' }))).toEqual([])
  await expect(visibleFigures(workshop, async () => ({ answer: 'unknown', why: 'away' }))).rejects.toMatchObject({
    code: 'console-access-unknown',
    status: 503,
  })
})
