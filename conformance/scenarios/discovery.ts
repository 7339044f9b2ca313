import { definition } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import { asText } from '../src/transcript.ts'

export const discovery = area('discovery')
const { scenario } = discovery

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'

scenario('lists the versions of the core group', async t => {
  await t.get('/api')
})

scenario('lists all API groups', async t => {
  await t.get('/apis')
})

scenario('describes one API group', async t => {
  await t.get('/apis/apps')
  await t.get('/apis/autoscaling')
  await t.get('/apis/no.such.group')
})

scenario('lists the resources of the core group', async t => {
  await t.get('/api/v1')
})

const groupVersions = [
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'resource.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
]

scenario('lists the resources of every other built-in group', async t => {
  for (const groupVersion of groupVersions) await t.get(`/apis/${groupVersion}`)
})

scenario('aggregates discovery of the core group', async t => {
  await t.get('/api', { accept: aggregated })
})

scenario('aggregates discovery of all groups', async t => {
  await t.get('/apis', { accept: aggregated })
})

scenario('does not aggregate the resources of one version', async t => {
  await t.get('/apis/coordination.k8s.io/v1', { accept: aggregated })
})

scenario('answers 304 when aggregated discovery is unchanged', async t => {
  const first = await t.get('/api', { accept: aggregated, unrecorded: true })
  const etag = first.headers.get('etag')?.[0] ?? ''
  t.note('has an ETag', /^"[0-9A-F]+"$/.test(etag))
  await t.get('/api', { accept: aggregated, headers: { 'If-None-Match': etag } })
  await t.get('/api', { accept: aggregated, headers: { 'If-None-Match': '"other"' } })
})

scenario('varies discovery by Accept', async t => {
  await t.get('/api', { accept: aggregated, showHeaders: ['vary'] })
  await t.get('/api', { showHeaders: ['vary'] })
})

scenario('shows a new definition in every form of discovery', async t => {
  await t.define(
    definition(t, {
      names: { shortNames: ['wd'], categories: ['all', 'parts'] },
      version: {
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    }),
  )
  await t.get(`/apis/${t.group}`)
  await t.get(`/apis/${t.group}/v1`)
  const all = await t.until(
    () => t.get('/apis', { accept: aggregated, unrecorded: true }),
    reply => reply.text.includes(`"${t.group}"`),
  )
  const items = all.at('items')
  t.note(
    'in aggregated discovery',
    Array.isArray(items) ? items.filter(item => JSON.stringify(item).includes(t.group)) : null,
  )
})

scenario('forgets a removed definition', async t => {
  await t.define(definition(t))
  await t.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${t.group}`, undefined, {
    unrecorded: true,
  })
  await t.until(
    () => t.get(`/apis/${t.group}/v1`),
    reply => reply.status === 404,
  )
  await t.until(
    () => t.get(`/apis/${t.group}`),
    reply => reply.status === 404,
  )
})

scenario('lists the paths it serves', async t => {
  const reply = await t.get('/', { unrecorded: true })
  const paths = reply.at('paths')
  t.note(
    'paths of APIs',
    Array.isArray(paths) ? paths.filter(path => /^\/(api|apis|version|openapi)/.test(asText(path))) : null,
  )
})

scenario('shows discovery to every authenticated user and to no one else', async t => {
  await t.get('/api', { as: 'joe' })
  await t.get('/apis', { as: 'nobody' })
  await t.get('/apis/apps/v1', { as: 'nobody' })
  await t.get('/openapi/v3', { as: 'nobody' })
})
