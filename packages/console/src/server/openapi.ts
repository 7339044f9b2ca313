import { LIVE_PROTOCOL } from '../api/live.ts'
import { LIVE_REQUEST } from '../api/live-request.ts'
import { type JsonSchema, object, text } from '../api/schema.ts'
import { MOST_SUBSCRIPTIONS } from './live.ts'
import type { Route } from './route.ts'

export interface OpenApiOptions {
  version: string
  /** The name of the cookie that stands for a session. */
  cookie: string
  /** What is in `data/answers.json`. */
  described: { answers: Readonly<Record<string, JsonSchema>>; schemas: Readonly<Record<string, JsonSchema>> }
}

type Operation = Readonly<Record<string, unknown>>

/** The API as an OpenAPI 3.1 document: the routes' own declarations, and the schemas of their answers. */
export function openApiOf(routes: readonly Route[], { version, cookie, described }: OpenApiOptions): object {
  const { answers, schemas } = described
  const paths: Record<string, Record<string, Operation>> = {}
  const add = (method: string, path: string, operation: Operation) => {
    const address = `/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`
    const [, tag] = path.split('/')
    const common = { operationId: idOf(method, path), tags: [tag] }
    paths[address] = { ...paths[address], [method.toLowerCase()]: { ...common, ...operation } }
  }
  for (const [method, operation] of Object.entries(SESSION))
    add(method, '/session', { ...operation, responses: answered('Done.', answers[`${method} /session`]) })
  for (const each of routes) add(each.method, each.path, operationOf(each, answers[`${each.method} ${each.path}`]))
  add('GET', '/openapi.json', { summary: 'This document.', responses: answered('It.', ANY) })
  add('GET', '/live', {
    summary: 'What is new, over a WebSocket.',
    description: LIVE_WORDS,
    responses: { 101: { description: `It is a WebSocket of ${LIVE_PROTOCOL} from now on.` }, default: REFUSED },
    'x-websocket': {
      subprotocol: LIVE_PROTOCOL,
      receives: { $ref: '#/components/schemas/LiveRequest' },
      sends: answers.live,
    },
  })
  return {
    openapi: '3.1.0',
    info: { title: 'Tiphys console', version, description: WORDS },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: cookie },
      },
      responses: { Refused: { description: REFUSALS, content: json(answers.error) } },
      schemas: { ...schemas, LiveRequest: LIVE_REQUEST.json },
    },
  }
}

function operationOf({ method, path, summary, answer, query, body, isFile }: Route, schema?: JsonSchema): Operation {
  const { properties = {}, required = [] } = query?.json ?? {}
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PARTS[name],
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }))
  return {
    summary,
    parameters: [...inPath, ...inQuery, ...(method === 'GET' ? [] : [TIPHYS_HEADER])],
    ...(body && { requestBody: { required: true, content: json(body.json) } }),
    responses: isFile ? { 200: { description: answer, content: FILE }, default: REFUSED } : answered(answer, schema),
  }
}

const ANY: JsonSchema = { type: 'object', additionalProperties: true }
const json = (schema: object | undefined) => ({ 'application/json': { schema } })
const answered = (description: string, schema: JsonSchema | undefined) => ({
  200: { description, content: json(schema) },
  default: REFUSED,
})

/** `getRunsNamespaceName` */
const idOf = (method: string, path: string) =>
  `${method.toLowerCase()}${path.replaceAll(/\W+(\w?)/g, (_, first: string) => first.toUpperCase())}${path.endsWith('/') ? 'Root' : ''}`

/** The parts of paths. */
const PARTS: Readonly<Record<string, string>> = {
  id: 'Of an event: 32 hexadecimal digits.',
  namespace: 'A namespace; - where the kind has none.',
  name: 'The name of the object or run.',
  step: 'The id of a step, as the run lists it.',
  container: 'A container of the step’s pod.',
  pod: 'The name of the pod.',
  kind: 'The kind of the object, such as WorkflowTemplate.',
  gvk: 'Kind, version and group: Deployment.v1.apps, Pod.v1.',
  write: 'The number of the write.',
  fingerprint: 'Of the failure, as /parked lists it.',
  discriminator: 'What the selectors of the WorkflowEventBindings see as discriminator.',
}

const TIPHYS_HEADER = {
  name: 'x-tiphys',
  in: 'header',
  description: 'Needed with the cookie; a bearer token does without.',
  schema: { const: '1' },
}
const FILE = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
const REFUSED = { $ref: '#/components/responses/Refused' }

export const SIGN_IN = object({ token: text('The one that tiphys printed, or one of the cluster.') })

/** Signing in and out, which is no route: it is answered before anybody is known. */
const SESSION: Readonly<Record<string, Operation>> = {
  POST: {
    summary: 'Exchanges a token for the cookie of a session.',
    security: [],
    parameters: [{ ...TIPHYS_HEADER, required: true }],
    requestBody: {
      required: true,
      content: json(SIGN_IN.json),
    },
  },
  DELETE: {
    summary: 'Ends the session: its cookie is worth nothing any more, wherever there is a copy of it.',
    security: [],
    parameters: [{ ...TIPHYS_HEADER, required: true }],
  },
}

const WORDS = `What the console reads and does, always with the rights of the one who calls: locally of whoever has the token that
tiphys printed, else of the owner of a token of the cluster.

Times are milliseconds since 1970. Lists come in pages: give \`next\` of one as \`after\` of the following. Later versions may add
fields to answers; unknown parameters and fields of what is sent are refused.`

const LIVE_WORDS = `One connection carries up to ${MOST_SUBSCRIPTIONS} subscriptions, and there is a limit to what one user follows over all connections (429). Each message is JSON (sent in binary frames, taken in any), and \`x-websocket\` describes both directions. A
subscription is answered with no rows at first, then with rows as they come, oldest first, at most ten times a second. Where no
WebSocket passes, GET /api/v1/poll does the same.`

const REFUSALS = `Refused. 400: it is not of the form that is described here; 401: nobody is signed in; 403: the cluster's rules do not
allow it, or another page has sent it; 404: there is no such thing, or the caller may not see it; 405: not with this method; 413: the body is
too large; 415: the body is no JSON; 421: the console is not served under this name; 422: it was understood and cannot be done; 426: only
as a WebSocket; 429: too much is asked for at once; 501: nothing runs beside the console that could do it; 503: the cluster or the
archive's database does not answer now. Whatever the cluster itself refuses has the cluster's own code.`
