import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Archive, Scope } from '@tiphys/archive'
import type { Client } from '@tiphys/kube'
import type { AnswerOf, Permission } from '../api/answers.ts'
import { problemsOf, type Schema } from '../api/schema.ts'
import type { Verdict } from './access.ts'
import type { Caller } from './caller.ts'
import { badRequest } from './http-failure.ts'

/** What a route's handler is given. */
export interface Call<Query = Readonly<Record<string, string | undefined>>, Body = unknown> {
  caller: Caller
  /** The parts of the path that begin with a colon, decoded. */
  params: Readonly<Record<string, string>>
  query: Query
  body: Body
  /** The body as it was sent: a number of `body` has some 16 digits. */
  written: string
  archive: Archive
  /** The cluster, as the caller. */
  client: Client
  /** What the caller may see of the archive; undefined is everything. With a namespace: of that one alone. */
  scope(namespace?: string): Promise<Scope | undefined>
  may(permission: Permission): Promise<Verdict>
  demand(permission: Permission): Promise<void>
  request: IncomingMessage
  response: ServerResponse
}

/** One address of the API. The table of them is the API: requests are matched and checked by it, and the OpenAPI document
 *  is made from it. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** `/events/:id`, below `/api/v1`. */
  path: string
  summary: string
  /** What is answered, in words. */
  answer: string
  query?: Schema<object>
  body?: Schema<unknown>
  /** It answers with a file to be kept, not with JSON. */
  isFile?: boolean
  /** How many bytes a body may have; 1 MiB unless told otherwise. */
  maxBytes?: number
  /** Rejects when the caller may not, before the body is read. */
  admits?(call: Pick<Call, 'caller' | 'demand'>): Promise<void>
  /** Resolves with what is sent as JSON; with undefined when the handler has answered by itself. */
  run(call: Call<never, never>): Promise<unknown>
}

/** Declares a route whose query and body have the declared types, and whose answer is the one that `Answers` has for it. */
export function route<
  M extends Route['method'],
  P extends string,
  Q extends object = Record<string, never>,
  B = Record<string, never>,
>(
  declared: Omit<Route, 'method' | 'path' | 'query' | 'body' | 'run'> & {
    method: M
    path: P
    query?: Schema<Q>
    body?: Schema<B>
    run(call: Call<Q, B>): Promise<AnswerOf<`${M} ${P}`>>
  },
): Route {
  return declared
}

export interface Match {
  route: Route
  params: Record<string, string>
}

/** Finds the route of a path; says for which methods there is one, when it is for others. */
export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => Match | Route['method'][] | undefined {
  const compiled = routes.map(each => ({
    route: each,
    names: [...each.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string),
    pattern: new RegExp(`^${each.path.replaceAll(/:\w+/g, '([^/]+)')}$`),
  }))
  return (method, path) => {
    const known: Route['method'][] = []
    for (const { route: each, names, pattern } of compiled) {
      const found = pattern.exec(path)
      if (!found) continue
      known.push(each.method)
      if (each.method !== method) continue
      return { route: each, params: Object.fromEntries(names.map((name, i) => [name, decode(found[i + 1] as string)])) }
    }
    return known.length > 0 ? known : undefined
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badRequest('the address is not encoded as addresses are')
  }
}

/** The query as its schema declares it: numbers are numbers. Unknown parameters are refused, never ignored. */
export function readQuery(search: URLSearchParams, schema: Schema<object> | undefined): object {
  const properties = schema?.json.properties ?? {}
  const query: Record<string, unknown> = {}
  for (const [name, value] of search) {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!declared)
      throw badRequest(`the parameter ${name} is not known`, `Known: ${Object.keys(properties).join(', ')}`)
    if (Object.hasOwn(query, name)) throw badRequest(`the parameter ${name} is given twice`)
    query[name] = READERS[declared.type ?? '']?.(value) ?? value
  }
  return checked(query, schema, 'the query')
}

const asNumber = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)
/** What else than texts parameters are; what cannot be read stays a text, and is refused as one. */
const READERS: Readonly<Record<string, (text: string) => number | boolean | undefined>> = {
  number: asNumber,
  integer: asNumber,
  boolean: text => (text === 'true' ? true : text === 'false' ? false : undefined),
}

export function checked<T>(value: unknown, schema: Schema<T> | undefined, place: string): T {
  const problems = schema ? problemsOf(value, schema.json, place) : []
  if (problems.length > 0) throw badRequest(problems.slice(0, 5).join('; '))
  return value as T
}
