import { number, object, oneOf, optional, text } from '../../api/schema.ts'
import { failingSensors, lonelyFailures } from '../overview.ts'
import { type Route, route } from '../route.ts'
import { listQuery, NS, namespaceQuery, pageOf, selectionOf, selectionQuery, within } from './list-query.ts'

export const overviewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/overview',
    summary: 'What needs attention, what is under way, and how it flows.',
    answer: 'Attention, counters, the flow graph, and the state of the archive.',
    query: object({
      ns: NS,
      window: optional(number('Seconds that rates are taken over.', { minimum: 10, maximum: 604_800 })),
    }),
    async run({ archive, query, scope }) {
      const visible = within(await scope(query.ns))
      const windowMs = (query.window ?? 3600) * 1000
      const [attention, failures, counters, flow, status] = await Promise.all([
        archive.attention(visible),
        lonelyFailures(archive, visible),
        archive.counters({ ...visible, minutes: 60 }),
        archive.flow({ ...visible, windowMs }),
        archive.status(),
      ])
      const sensors = await failingSensors(archive, flow, visible)
      const { state, lag, lagMs, problem, gaps } = status
      const behind = { state, lag, lagMs, gaps, ...(problem !== undefined && { problem }) }
      return { attention: [...attention, ...sensors, ...failures], counters, flow, archive: behind }
    },
  }),
  route({
    method: 'GET',
    path: '/parked',
    summary: 'Deliveries that were given up, grouped by how they failed.',
    answer: 'The groups.',
    query: selectionQuery,
    run: async call => call.archive.parked(await selectionOf(call)),
  }),
  route({
    method: 'GET',
    path: '/parked/:fingerprint',
    summary: 'The deliveries of one group.',
    answer: 'A page of deliveries.',
    query: listQuery,
    run: async call =>
      call.archive.parkedItems(
        { ...(await selectionOf(call)), fingerprint: call.params.fingerprint ?? '' },
        pageOf(call.query),
      ),
  }),
  route({
    method: 'GET',
    path: '/health',
    summary: 'The newest condition of everything, the bad ones first.',
    answer: 'The conditions.',
    query: selectionQuery,
    run: async call => call.archive.health(await selectionOf(call)),
  }),
  route({
    method: 'GET',
    path: '/health-history',
    summary: 'How conditions changed.',
    answer: 'A page of changes.',
    query: listQuery,
    run: async call => call.archive.healthHistory(await selectionOf(call), pageOf(call.query)),
  }),
  route({
    method: 'GET',
    path: '/audit',
    summary: 'What people did.',
    answer: 'A page of deeds.',
    query: listQuery,
    run: async call => call.archive.audit(await selectionOf(call), pageOf(call.query)),
  }),
  route({
    method: 'GET',
    path: '/complete',
    summary: 'Values of a field that begin so.',
    answer: 'The values, the most frequent first.',
    query: object({
      field: text('A field of the query language.', { maxLength: 200 }),
      prefix: optional(text('How they begin.', { maxLength: 200 })),
      ns: NS,
      of: optional(oneOf(['events', 'runs', 'objects'])),
    }),
    run: async ({ archive, query, scope }) =>
      archive.complete(query.field, query.prefix ?? '', {
        ...within(await scope(query.ns)),
        ...(query.of !== undefined && { of: query.of }),
      }),
  }),
  route({
    method: 'GET',
    path: '/status',
    summary: 'The archive: how far it is, how large, what is missing.',
    answer: 'Its state; how much is in it only for callers that may see everything.',
    query: namespaceQuery,
    async run({ archive, scope }) {
      const [visible, { place: _, ...status }] = await Promise.all([scope(), archive.status()])
      if (visible === undefined) return status
      const { database, schema, lag, lagMs, state, problem, gaps, retention } = status
      return {
        database,
        schema,
        lag,
        lagMs,
        state,
        gaps,
        ...(problem !== undefined && { problem }),
        ...(retention && { retention }),
      }
    },
  }),
]
