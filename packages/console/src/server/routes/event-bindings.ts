import type { IncomingHttpHeaders } from 'node:http'
import type { Recorder } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import { anything } from '../../api/schema.ts'
import { audited } from '../audit.ts'
import { HttpFailure, notFound } from '../http-failure.ts'
import { type Route, route } from '../route.ts'

/** Gives an event to the WorkflowEventBindings of a namespace. Equal by structure to what the workflow engine offers. */
export type Dispatch = (
  client: Client,
  event: {
    namespace: string
    discriminator: string
    payload: unknown
    metadata: Readonly<Record<string, readonly string[]>>
  },
) => Promise<readonly { binding: string; workflow?: string; problem?: string }[]>

const BINDING = { apiVersion: 'argoproj.io/v1alpha1', kind: 'WorkflowEventBinding' }

/** Where Argo's server takes events that start Workflows. */
export function eventBindingRoutes(recorder: Recorder, dispatch: Dispatch | undefined): readonly Route[] {
  const receive = (path: '/events/:namespace/:discriminator' | '/events/:namespace/', summary: string): Route =>
    route({
      method: 'POST',
      path,
      summary,
      body: anything('The payload of the event.'),
      answer: 'The Workflows that were submitted, by the bindings that did it.',
      async run({ params, body, caller, client, demand, request }) {
        const { namespace = '', discriminator = '' } = params
        if (!dispatch) throw notFound('engine here that runs workflows')
        const target = { ...BINDING, namespace, name: discriminator }
        return audited(recorder, caller, { did: 'submit', target }, async () => {
          await demand({ verb: 'create', group: 'argoproj.io', resource: 'workflows', namespace })
          const metadata = extraHeaders(request.headers)
          const done = await dispatch(client, { namespace, discriminator, payload: body, metadata })
          const failed = done.filter(({ problem }) => problem !== undefined)
          if (failed.length === 0) return { submitted: done }
          throw new HttpFailure('console-event-refused', {
            status: 422,
            what: `${failed.length} of ${done.length} WorkflowEventBindings could do nothing with the event`,
            why: failed.map(({ binding, problem = '' }) => `${binding}: ${problem}`).join('; '),
            details: { submitted: done },
          })
        })
      },
    })
  return [
    receive('/events/:namespace/:discriminator', 'Starts Workflows by the WorkflowEventBindings of a namespace.'),
    receive('/events/:namespace/', 'The same, without a discriminator.'),
  ]
}

/** As upstream: headers of one's own begin with `x-`, and each may be there several times. */
function extraHeaders(headers: IncomingHttpHeaders): Record<string, string[]> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-tiphys')
  return Object.fromEntries(own.map(([name, value = '']) => [name, Array.isArray(value) ? value : [value]]))
}
