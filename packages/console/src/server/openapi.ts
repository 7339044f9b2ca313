import type { Route } from './route.ts'

/** The API as an OpenAPI 3.1 document. */
export function openApiOf(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const each of routes) {
    const path = `/api/v1${each.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: operation(each) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tiphys console',
      version,
      description:
        'What the console reads and does. Every call is made with the rights of the one who calls. Beside these there is a ' +
        'WebSocket at /api/v1/live (subprotocol tiphys.live.v1).',
    },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'tiphys-PORT' },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['code', 'what'],
          properties: {
            code: { type: 'string', description: 'Stable; listed in docs/errors.md.' },
            what: { type: 'string' },
            why: { type: 'string' },
            todo: { type: 'string' },
            details: { type: 'object' },
          },
        },
      },
    },
  }
}

function operation({ method, path, summary, answer, query, body }: Route): object {
  const { properties = {}, required = [] } = query?.json ?? {}
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  const unsafe = method === 'GET' ? [] : [{ name: 'x-tiphys', in: 'header', required: true, schema: { const: '1' } }]
  const error = { description: 'Refused', content: json({ $ref: '#/components/schemas/Error' }) }
  return {
    summary,
    operationId: `${method.toLowerCase()}${path.replaceAll(/[/:-]+(\w)/g, (_, first: string) => first.toUpperCase())}`,
    parameters: [...inPath, ...inQuery, ...unsafe],
    ...(body && { requestBody: { required: true, content: json(body.json) } }),
    responses: { 200: { description: answer, content: json({}) }, default: error },
  }
}

const json = (schema: object) => ({ 'application/json': { schema } })
