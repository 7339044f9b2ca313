import type { ApiRequest, User } from '../request/api-request.ts'
import type { Json } from '../schema/schema.ts'
import type { ApiServer } from './api-server.ts'

export interface TestCall {
  method?: string
  /** With its query. */
  path: string
  body?: unknown
  token?: string
  /** Who asks, without credentials. */
  as?: User
  headers?: Record<string, string | readonly string[]>
}

export interface TestAnswer {
  status: number
  /** Empty when the answer is not JSON. */
  body: Record<string, unknown> & { message?: string }
}

/** One request to a server in this process, for tests. A body makes it a POST. */
export async function call(server: Pick<ApiServer, 'handle'>, sent: TestCall): Promise<TestAnswer> {
  const [path = '', query = ''] = sent.path.split('?')
  const request: ApiRequest = {
    method: sent.method ?? (sent.body === undefined ? 'GET' : 'POST'),
    path,
    query: new URLSearchParams(query),
    headers: { ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }), ...sent.headers },
    body: async () => ({ value: (sent.body ?? null) as Json }),
    signal: new AbortController().signal,
    ...(sent.as === undefined ? {} : { user: sent.as }),
  }
  const { status, body } = await server.handle(request)
  return { status, body: (body.type === 'json' ? body.value() : {}) as TestAnswer['body'] }
}
