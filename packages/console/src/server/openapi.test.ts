import { systemEnv } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { readData } from '../data.ts'
import { type OpenApiOptions, openApiOf } from './openapi.ts'
import { apiRoutes } from './routes/index.ts'

const routes = apiRoutes({
  env: systemEnv,
  recorder: {
    record() {},
    secretsIn: () => undefined,
    settled: async () => {},
    close: async () => {},
    waitingBytes: 0,
    dropped: 0,
  },
  namespacesOf: async () => [],
  follow: () => () => {},
  version: '',
  mode: 'local',
})
const described = JSON.parse(await readData('answers.json')) as OpenApiOptions['described']
const document = openApiOf(routes, { version: '1.2.3', cookie: 'tiphys-2746', described }) as Document

interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, object>>
}

interface Operation {
  operationId: string
  summary: string
  parameters?: { name: string; in: string; description?: string; required?: boolean; schema: object }[]
  responses: Record<string, { description?: string; $ref?: string; content?: Record<string, { schema?: object }> }>
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

describe('the OpenAPI document', () => {
  it('has a schema for the answer of every route but those of files, and none for what is no route', () => {
    const named = (each: { method: string; path: string }) => `${each.method} ${each.path}`
    const answered = routes.filter(({ isFile }) => !isFile).map(named)
    const beside = ['POST /session', 'DELETE /session', 'live', 'error']
    expect(Object.keys(described.answers).sort()).toEqual([...answered, ...beside].sort())
    for (const { path, method, responses } of operations) {
      const schemas = Object.values(responses[200]?.content ?? {}).map(
        ({ schema }) => Object.keys(schema ?? {}).length > 0,
      )
      expect([method, path, ...schemas]).toEqual([method, path, ...(path === '/api/v1/live' ? [] : [true])])
    }
  })

  it('refers only to what it has, and has nothing that nobody refers to', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, each]) => each as string)
    const targets = ['schemas', 'responses'].flatMap(part =>
      Object.keys(document.components[part] ?? {}).map(name => `#/components/${part}/${name}`),
    )
    expect([...new Set(references)].sort()).toEqual(targets.sort())
  })

  it('gives every operation a name of its own that programs can have, and words', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter(id => !/^[a-z]\w+$/i.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    expect(operations.filter(({ summary }) => summary === '')).toEqual([])
  })

  it('declares every part of a path once, and no path twice under other names', () => {
    for (const { path, method, parameters = [] } of operations) {
      const inPath = parameters.filter(each => each.in === 'path')
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect([method, path, ...inPath.map(({ name }) => name)]).toEqual([method, path, ...parts])
      expect(inPath.every(({ required }) => required)).toBe(true)
    }
    const shapes = Object.keys(document.paths).map(path => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  it('says of every parameter what it is', () => {
    const silent = operations.flatMap(({ method, path, parameters = [] }) =>
      parameters
        .filter(({ description = '', schema }) => description === '' && !('enum' in schema))
        .map(({ name }) => `${method} ${path} ${name}`),
    )
    expect(silent).toEqual([])
  })

  it('says of every operation how it is refused', () => {
    for (const { path, responses } of operations)
      expect([path, responses.default]).toEqual([path, { $ref: '#/components/responses/Refused' }])
  })
})
