import { type Definitions, type JsonSchema, problemsOf } from '../api/schema.ts'

export interface DescribedOperation {
  method: string
  /** `/events/{id}`, below `/api/v1`. */
  path: string
}

/** The OpenAPI document of a console, to hold answers against. */
export interface ApiDocument {
  readonly operations: readonly DescribedOperation[]
  /** The operation that answers a request, if one is described. */
  find(method: string, path: string): DescribedOperation | undefined
  /** What of an answer is not as described, fields that are not among them. */
  problemsOf(request: { method: string; path: string }, answer: Answer): readonly string[]
  /** What of a message over the WebSocket is not as described. */
  messageProblemsOf(message: unknown): readonly string[]
}

interface Answer {
  status: number
  contentType: string
  text: string
}

interface Response {
  $ref?: string
  content?: Readonly<Record<string, { schema: JsonSchema }>>
}

interface Operation {
  responses: Readonly<Record<string, Response>>
  'x-websocket'?: { sends: JsonSchema }
}

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Definitions; responses: Readonly<Record<string, Response>> }
}

const BASE = '/api/v1'

export function readApiDocument(text: string): ApiDocument {
  const { paths, components } = JSON.parse(text) as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.slice(BASE.length),
      pattern: new RegExp(`^${path.slice(BASE.length).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      operation,
    })),
  )
  const find = (method: string, path: string) => {
    const [name = ''] = path.split('?')
    return operations.find(each => each.method === method && each.pattern.test(name))
  }
  const check = (value: unknown, schema: JsonSchema) => problemsOf(value, schema, 'it', components.schemas)
  return {
    operations,
    find,
    problemsOf({ method, path }, { status, contentType, text: body }) {
      const responses = find(method, path)?.operation.responses
      // What nothing is described of is refused as everything is.
      const described = (status === 200 ? responses?.[200] : responses?.default) ?? components.responses.Refused
      const response = described?.$ref === undefined ? described : components.responses.Refused
      const [type = ''] = contentType.split(';')
      const content = response?.content?.[type]
      if (!content) return [`it is ${type}, which is not described for ${status}`]
      return type === 'application/json' ? check(JSON.parse(body), content.schema) : []
    },
    messageProblemsOf(message) {
      const socket = operations.find(({ operation }) => operation['x-websocket'])?.operation['x-websocket']
      return socket ? check(message, socket.sends) : ['no WebSocket is described']
    },
  }
}
