import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Archive, Scope } from '@tiphys/archive'
import type { Client } from '@tiphys/kube'
import { problemsOf, type Schema, type TypeOf } from '../api/schema.ts'
import type { Permission, Verdict } from './access.ts'
import type { Caller } from './caller.ts'
import { badRequest } from './http-failure.ts'

/** What a route's handler is given. */
export interface Call<Query = Readonly<Record<string, string | undefined>>, Body = unknown> {
  caller: Caller
  /** The parts of the path that begin with a colon, decoded. */
  params: Readonly<Record<string, string>>
  query: Query
  body: Body
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
  body?: Schema<object>
  /** How many bytes a body may have; 1 MiB unless told otherwise. */
  maxBytes?: number
  /** Resolves with what is sent as JSON; with undefined when the handler has answered by itself, or has nothing to say. */
  run(call: Call<never, never>): Promise<unknown>
}

/** Declares a route whose query and body have the declared types. */
export function route<Q extends object = Record<string, never>, B extends object = Record<string, never>>(
  declared: Omit<Route, 'query' | 'body' | 'run'> & {
    query?: Schema<Q>
    body?: Schema<B>
    run(call: Call<Q, B>): Promise<unknown>
  },
): Route {
  return declared
}

export interface Match {
  route: Route
  params: Record<string, string>
}

/** Finds the route of a path; says `method` when there is one, but for other methods. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match | 'method' | undefined {
  const compiled = routes.map(each => ({
    route: each,
    names: [...each.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string),
    pattern: new RegExp(`^${each.path.replaceAll(/:\w+/g, '([^/]+)')}$`),
  }))
  return (method, path) => {
    let isKnown = false
    for (const { route: each, names, pattern } of compiled) {
      const found = pattern.exec(path)
      if (!found) continue
      isKnown = true
      if (each.method !== method) continue
      return { route: each, params: Object.fromEntries(names.map((name, i) => [name, decode(found[i + 1] as string)])) }
    }
    return isKnown ? 'method' : undefined
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
    query[name] = declared.type === 'number' || declared.type === 'integer' ? Number(value) : value
    if (declared.type === 'boolean') query[name] = value === 'true'
  }
  return checked(query, schema, 'the query')
}

export function checked<T extends object>(
  value: unknown,
  schema: Schema<T> | undefined,
  place: string,
): TypeOf<Schema<T>> {
  const problems = schema ? problemsOf(value, schema.json, place) : []
  if (problems.length > 0) throw badRequest(problems.slice(0, 5).join('; '))
  return value as T
}
