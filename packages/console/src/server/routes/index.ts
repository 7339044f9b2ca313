import type { Env } from '@tiphys/env'
import { LIVE_SELECTION } from '../../api/live-request.ts'
import { object } from '../../api/schema.ts'
import type { Caller } from '../caller.ts'
import { nextUpdate } from '../live.ts'
import { type Route, route } from '../route.ts'
import { type ActionOptions, actionRoutes } from './actions.ts'
import { artifactRoutes, type OpenArtifact } from './artifacts.ts'
import { clusterRoutes } from './cluster.ts'
import { type Dispatch, eventBindingRoutes } from './event-bindings.ts'
import { eventRoutes } from './events.ts'
import { objectRoutes } from './objects.ts'
import { overviewRoutes } from './overview.ts'
import { runRoutes } from './runs.ts'
import { type Workshop, workshopRoutes } from './workshop.ts'

export interface ApiOptions extends ActionOptions {
  env: Env
  workshop?: Workshop
  dispatch?: Dispatch
  openArtifact?: OpenArtifact
  namespacesOf(caller: Caller): Promise<readonly string[]>
  /** Called when somebody begins to wait for what is new; gives what is to be called when that has ended. Throws when they follow too much. */
  follow(caller: Caller): () => void
  version: string
  mode: 'local' | 'cluster'
}

const POLL_MS = 25_000

/** Everything below /api/v1, but for signing in and the WebSocket. */
export function apiRoutes(options: ApiOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/session',
      summary: 'Who am I, and where?',
      answer: 'User, groups, namespaces that can be chosen, and what this console can do.',
      async run({ caller }) {
        const { version, mode, runControl, fire, workshop } = options
        const namespaces = await options.namespacesOf(caller)
        const can = { fire: fire !== undefined, control: runControl !== undefined, rehearse: workshop !== undefined }
        return { user: caller.user, groups: caller.groups, mode, version, namespaces, can }
      },
    }),
    route({
      method: 'GET',
      path: '/poll',
      summary: 'Waits for what is new of a topic; for networks that let no WebSocket pass.',
      answer: 'Rows and the next cursor, or nothing after 25 seconds.',
      query: object(LIVE_SELECTION),
      async run({ archive, caller, query: { topic, q, ns, cursor }, scope, request, response }) {
        const leave = options.follow(caller)
        const ended = new AbortController()
        request.once('close', () => ended.abort())
        response.once('close', () => ended.abort())
        const timer = options.env.clock.schedule(POLL_MS, () => ended.abort())
        try {
          const subscription = { topic, ...(q !== undefined && { q }), ...(cursor !== undefined && { cursor }) }
          const update = await nextUpdate(archive, subscription, { scope: await scope(ns), signal: ended.signal })
          return update ?? { rows: [], cursor: cursor ?? '' }
        } finally {
          timer.cancel()
          leave()
        }
      },
    }),
    ...overviewRoutes,
    ...eventRoutes,
    ...eventBindingRoutes(options.recorder, options.dispatch),
    ...runRoutes,
    ...artifactRoutes(options.openArtifact),
    ...objectRoutes,
    ...clusterRoutes(options.workshop, options.env.clock),
    ...actionRoutes(options),
    ...workshopRoutes(options.workshop, options.env.clock),
  ]
}
