import { number, object, optional } from '../../api/schema.ts'
import { sendDownload } from '../download.ts'
import { notFound } from '../http-failure.ts'
import { type Route, route } from '../route.ts'
import { listQuery, pageOf, pageQuery, selectionOf, within } from './list-query.ts'
import { relativesOf, traceOf } from './placeless.ts'

export const eventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/events',
    summary: 'Events, newest first.',
    answer: 'A page of events, with its cursors and the number of all.',
    query: listQuery,
    run: async call => call.archive.events(await selectionOf(call), pageOf(call.query)),
  }),
  route({
    method: 'GET',
    path: '/sensors/:namespace/:name/events',
    summary: 'Events that a Sensor has looked at, newest first.',
    answer: 'A page of events. The verdict of each is what that Sensor made of it.',
    query: pageQuery,
    run: async ({ archive, query, params: { namespace = '', name = '' }, scope }) =>
      archive.sensorEvents({ namespace, name }, within(await scope()), pageOf(query)),
  }),
  route({
    method: 'GET',
    path: '/events/:id',
    summary: 'An event and everything that came of it.',
    answer: 'The trace: event, decisions, deliveries, runs, writes, cause and effects.',
    query: object({
      depth: optional(number('Generations of caused events.', { type: 'integer', minimum: 0, maximum: 5 })),
    }),
    async run({ archive, params: { id = '' }, query, scope }) {
      const trace = await archive.trace(id, { ...within(await scope()), depth: query.depth ?? 0 })
      if (!trace) throw notFound(`event ${id}`)
      return traceOf(trace)
    },
  }),
  route({
    method: 'GET',
    path: '/events/:id/payload',
    summary: 'The payload of an event, whole.',
    answer: 'The payload as a file.',
    isFile: true,
    async run({ archive, params: { id = '' }, scope, response }) {
      const payload = await archive.payload(id, within(await scope()))
      if (!payload) throw notFound(`payload of the event ${id}`)
      sendDownload(response, `event-${id}.json`, [payload])
    },
  }),
  route({
    method: 'GET',
    path: '/events/:id/export',
    summary: 'Everything that is recorded of an event’s trace.',
    answer: 'JSON lines that `tiphys` can import elsewhere, as a file.',
    isFile: true,
    async run({ archive, params: { id = '' }, scope, response }) {
      const event = await archive.event(id, within(await scope()))
      if (!event) throw notFound(`event ${id}`)
      const records = archive.export({ query: `id:${id}`, ...within(await scope()) })
      sendDownload(response, `trace-${id}.jsonl`, lined(records))
    },
  }),
  route({
    method: 'GET',
    path: '/events/:id/relatives',
    summary: 'What led to an event, and what it led to.',
    answer: 'Two graphs of events, runs, writes and objects.',
    async run({ archive, params: { id = '' }, scope }) {
      const options = { ...within(await scope()), limit: 200 }
      const [ancestors, descendants] = await Promise.all([
        archive.ancestors({ event: id }, options),
        archive.descendants({ event: id }, options),
      ])
      // An event that is there is the first of its own descendants.
      if (descendants.nodes.length === 0) throw notFound(`event ${id}`)
      return { ancestors: relativesOf(ancestors), descendants: relativesOf(descendants) }
    },
  }),
]

async function* lined(texts: AsyncIterable<string>): AsyncIterable<string> {
  for await (const text of texts) yield `${text}\n`
}
