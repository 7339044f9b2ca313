/** The server refused, or there was none to answer. */
export class RequestFailure extends Error {
  readonly status: number
  readonly code: string
  readonly todo: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, answer: { code?: string; what?: string; why?: string; todo?: string; details?: object }) {
    super(answer.why === undefined ? (answer.what ?? `the server answered ${status}`) : `${answer.what}: ${answer.why}`)
    this.status = status
    this.code = answer.code ?? 'console-unknown'
    this.todo = answer.todo
    this.details = (answer.details ?? {}) as Readonly<Record<string, unknown>>
  }
}

const AGAIN_MS = 2000

/** After how long it is asked again: a server that is away, or cannot find out now what it needs for an answer, comes back; what is
 *  refused is refused again. */
export function againAfter(error: unknown): number | false {
  const isPassing = error instanceof RequestFailure && (error.status === 0 || error.status === 503)
  return isPassing ? AGAIN_MS : false
}

/** Why there is nothing to show. What was read stays while the server is away: it comes back. */
export function failureOf({ data, error }: { data: unknown; error: Error | null }): Error | undefined {
  return error && (data === undefined || againAfter(error) === false) ? error : undefined
}

const signedOut = new Set<() => void>()
/** Calls back when the server no longer knows who this is. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener)
  return () => signedOut.delete(listener)
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `/api/v1${path}${search === '' ? '' : `?${search}`}`
}

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(address(path, query), { method: 'GET', ...(signal && { signal }) })
}

export function post<T>(path: string, body: unknown = {}, method: 'POST' | 'DELETE' = 'POST'): Promise<T> {
  return sendJson(path, JSON.stringify(body), method)
}

/** Posts what is JSON already: numbers keep their digits. */
export const postJson = <T>(path: string, json: string): Promise<T> => sendJson(path, json, 'POST')

/** A file as it is, for instance a payload with all digits of its numbers. */
export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await answered(address(path), { method: 'GET', ...(signal && { signal }) })).text
}

function sendJson<T>(path: string, body: string, method: 'POST' | 'DELETE'): Promise<T> {
  return send<T>(address(path), { method, headers: { 'content-type': 'application/json', 'x-tiphys': '1' }, body })
}

async function send<T>(url: string, init: RequestInit): Promise<T> {
  return (await answered(url, init)).answer as T
}

async function answered(url: string, init: RequestInit): Promise<{ text: string; answer: unknown }> {
  let response: Response
  try {
    response = await fetch(url, { ...init, credentials: 'same-origin', redirect: 'error' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new RequestFailure(0, {
      code: 'console-unreachable',
      what: 'The console’s server does not answer',
      todo: 'See whether tiphys still runs. This page goes on by itself as soon as it does.',
    })
  }
  const text = await response.text()
  const answer: unknown = text === '' ? undefined : safeJson(text)
  if (response.ok) return { text, answer }
  if (response.status === 401 && !url.endsWith('/session')) for (const listener of signedOut) listener()
  throw new RequestFailure(response.status, answer ?? {})
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // a proxy's page: the status says enough
  }
}
