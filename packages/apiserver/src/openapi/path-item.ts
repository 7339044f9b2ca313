import { type Definition, type OpenApiVersion, reference } from './builtin-definitions.ts'
import type { Parameter } from './parameters.ts'

export type PathItem = Record<string, unknown>

/** One method of one path, before it is written in a version of OpenAPI. */
export interface Operation {
  method: string
  id: string
  tag: string
  action?: string
  kind?: { group: string; version: string; kind: string }
  parameters: readonly Parameter[]
  body?: { type: string; required: boolean; formats: readonly string[] }
  formats: readonly string[]
  /** Status code → name of the definition that is answered; without a name it is plain text. */
  answers: Record<string, string | undefined>
}

/** Writes the operations of one path. What all of them take stands once, at the path. */
export function pathItem(version: OpenApiVersion, operations: readonly Operation[]): PathItem {
  const taken = operations.map(operation => allParameters(version, operation))
  const isShared = (name: string) => taken.every(parameters => parameters.has(name))
  const item: PathItem = {}
  operations.forEach((operation, index) => {
    const own = [...(taken[index] as Map<string, unknown>)].filter(([name]) => !isShared(name)).map(([, made]) => made)
    item[operation.method] = version === 2 ? writeV2(operation, own) : writeV3(operation, own)
  })
  const shared = [...(taken[0] ?? [])].filter(([name]) => isShared(name)).map(([, made]) => made)
  if (shared.length > 0) item.parameters = shared
  return item
}

function allParameters(version: OpenApiVersion, { parameters, body }: Operation): Map<string, unknown> {
  const byName = [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1))
  const made = new Map<string, unknown>()
  if (version === 2 && body) {
    const required = body.required ? { required: true } : {}
    made.set(`body ${body.type}`, { name: 'body', in: 'body', ...required, schema: reference(2, body.type) })
  }
  for (const { name, in: place, type } of byName) {
    const described = version === 2 ? { type, uniqueItems: true } : { schema: { type, uniqueItems: true } }
    made.set(`${place} ${name}`, { name, in: place, ...(place === 'path' ? { required: true } : {}), ...described })
  }
  return made
}

function writeV3({ body, formats, answers, ...operation }: Operation, parameters: unknown[]): Definition {
  const content = (types: readonly string[], schema: Definition) =>
    Object.fromEntries(types.map(type => [type, { schema }]))
  const responses = Object.entries(answers).map(([code, type]) => [
    code,
    { description: DESCRIPTIONS[code], content: content(formats, answered(3, type)) },
  ])
  return {
    ...identity(operation, parameters),
    ...(body
      ? {
          requestBody: {
            content: content(body.formats, reference(3, body.type)),
            ...(body.required ? { required: true } : {}),
          },
        }
      : {}),
    responses: { ...(Object.fromEntries(responses) as Definition), 401: UNAUTHORIZED },
    ...meaning(operation),
  }
}

function writeV2({ body, formats, answers, ...operation }: Operation, parameters: unknown[]): Definition {
  const responses = Object.entries(answers).map(([code, type]) => [
    code,
    { description: DESCRIPTIONS[code], schema: answered(2, type) },
  ])
  return {
    ...(body ? { consumes: body.formats } : {}),
    produces: formats,
    schemes: ['https'],
    ...identity(operation, parameters),
    responses: { ...(Object.fromEntries(responses) as Definition), 401: UNAUTHORIZED },
    ...meaning(operation),
  }
}

const DESCRIPTIONS: Record<string, string> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }
const UNAUTHORIZED = { description: 'Unauthorized' }

const answered = (version: OpenApiVersion, type: string | undefined): Definition =>
  type === undefined ? { type: 'string' } : reference(version, type)

const identity = ({ tag, id }: Pick<Operation, 'tag' | 'id'>, parameters: unknown[]): Definition => ({
  tags: [tag],
  operationId: id,
  ...(parameters.length > 0 ? { parameters } : {}),
})

const meaning = ({ action, kind }: Pick<Operation, 'action' | 'kind'>): Definition => ({
  ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
  ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': kind }),
})
