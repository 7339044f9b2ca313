import { definition } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import { asText, isObject } from '../src/transcript.ts'

export const openapi = area('openapi')
const { scenario } = openapi

const quiet = { unrecorded: true }

scenario('lists its documents with hashes', async t => {
  await t.get('/openapi/v3')
})

scenario('serves a document for ever under its hash', async t => {
  const index = await t.get('/openapi/v3', quiet)
  const paths = index.at('paths')
  const lease = isObject(paths) ? paths['apis/coordination.k8s.io/v1'] : undefined
  const url = isObject(lease) ? asText(lease.serverRelativeURL) : ''
  const document = await t.get(url, quiet)
  t.note('hashed', {
    status: document.status,
    cache: document.headers.get('cache-control') ?? null,
    hasEtag: document.headers.has('etag'),
    type: document.headers.get('content-type') ?? null,
  })
  const again = await t.get(url, { ...quiet, headers: { 'If-None-Match': document.headers.get('etag')?.[0] ?? '' } })
  t.note('unchanged', again.status)
  const stale = await t.get('/openapi/v3/apis/coordination.k8s.io/v1?hash=00', quiet)
  t.note('stale hash', {
    status: stale.status,
    location: stale.headers.get('location')?.[0]?.replace(/hash=.*/, 'hash=…') ?? null,
  })
})

scenario('describes the paths and schemas of a group', async t => {
  const document = await t.get('/openapi/v3/apis/coordination.k8s.io/v1', quiet)
  const paths = document.at('paths')
  const schemas = document.at('components.schemas')
  t.note('openapi', document.at('openapi') ?? null)
  t.note('paths', isObject(paths) ? Object.keys(paths).sort() : null)
  t.note('schemas', isObject(schemas) ? Object.keys(schemas).sort() : null)
})

scenario('names kinds and merge keys in schemas', async t => {
  const document = await t.get('/openapi/v3/apis/apps/v1', quiet)
  const schemas = document.at('components.schemas')
  const schema = (name: string) => (isObject(schemas) ? schemas[name] : undefined)
  const withoutProse = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutProse)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, inner]) => !(key === 'description' && typeof inner === 'string'))
        .map(([key, inner]) => [key, withoutProse(inner)]),
    )
  }
  for (const name of [
    'io.k8s.api.apps.v1.Deployment',
    'io.k8s.api.apps.v1.DeploymentSpec',
    'io.k8s.api.core.v1.PodSpec',
    'io.k8s.api.core.v1.Container',
  ]) {
    t.note(name, withoutProse(schema(name)) as never)
  }
})

scenario('describes the kinds of a definition', async t => {
  await t.define(
    definition(t, {
      schema: {
        type: 'object',
        description: 'a widget',
        properties: {
          spec: {
            type: 'object',
            required: ['size'],
            properties: {
              size: { type: 'integer', minimum: 1, description: 'how large' },
              port: { 'x-kubernetes-int-or-string': true },
            },
          },
        },
      },
      version: { subresources: { status: {} } },
    }),
  )
  const path = `/openapi/v3/apis/${t.group}/v1`
  const document = await t.until(
    () => t.get(path, quiet),
    reply => reply.status === 200 && reply.text.includes('Widget'),
    20_000,
  )
  const schemas = document.at('components.schemas')
  const key = isObject(schemas) ? Object.keys(schemas).find(name => name.endsWith('.Widget')) : undefined
  const widget = isObject(schemas) && key !== undefined ? schemas[key] : undefined
  const properties = isObject(widget) ? widget.properties : undefined
  t.note('spec', isObject(properties) ? (properties.spec ?? null) : null)
  t.note('kind', isObject(widget) ? (widget['x-kubernetes-group-version-kind'] ?? null) : null)
  const paths = document.at('paths')
  t.note('paths', isObject(paths) ? Object.keys(paths).sort() : null)
})

scenario('serves version 2 as one document', async t => {
  const document = await t.get('/openapi/v2', quiet)
  t.note('version 2', {
    status: document.status,
    swagger: document.at('swagger') ?? null,
    title: document.at('info.title') ?? null,
    hasEtag: document.headers.has('etag'),
  })
})

scenario('has no document for a group that does not exist', async t => {
  await t.get('/openapi/v3/apis/no.such.group/v1')
})
