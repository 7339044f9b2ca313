import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

/** What comes before a connection to a node, and what is said when there is none. */
export const nodeConnections = area('node-connections')
const { scenario } = nodeConnections

const quiet = { unrecorded: true }
const UPGRADES = [
  { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'v4.channel.k8s.io' },
  {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol': 'v4.channel.k8s.io',
  },
]

/** A pod on a node where nobody listens. */
async function unreachablePod(t: Session): Promise<string> {
  const node = `node-${t.namespace}`
  await t.post('/api/v1/nodes', { metadata: { name: node } }, quiet)
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }]
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } }
  await t.mergePatch(`/api/v1/nodes/${node}/status`, { status }, quiet)
  await t.post(t.core('pods'), podOn(node, 'p', ['a']), quiet)
  return node
}

const podOn = (nodeName: string | undefined, name: string, containers: string[]) => ({
  metadata: { name },
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    initContainers: [{ name: 'first', image: 'x' }],
    containers: containers.map(container => ({ name: container, image: 'x' })),
  },
})

scenario('the options of a log are checked', async t => {
  const node = await unreachablePod(t)
  for (const query of [
    'tailLines=abc',
    'tailLines=',
    'tailLines=-1',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceSeconds=3&sinceTime=2020-01-01T00:00:00Z',
    'sinceTime=abc',
    'stream=Stdout',
    'tailLines=-1&limitBytes=-5',
    'container=none',
  ]) {
    await t.get(t.core(`pods/p/log?${query}`))
  }
  await t.post(t.core('pods/p/log'), {})
  await t.delete(`/api/v1/nodes/${node}`, undefined, quiet)
})

scenario('the log of a pod whose node does not answer', async t => {
  const node = await unreachablePod(t)
  await t.get(t.core('pods/p/log'))
  await t.get(t.core('pods/p/log?follow=maybe&previous=0&timestamps=1&tailLines=5&container=first&limitBytes=3'))
  await t.get(t.core('pods/p/log?sinceTime=2020-01-01T01:00:00%2B01:00&sinceSeconds='))
  await t.delete(`/api/v1/nodes/${node}`, undefined, quiet)
})

scenario('the log of a pod that has no node', async t => {
  await t.post(t.core('pods'), podOn(undefined, 'several', ['a', 'b']), quiet)
  await t.post(t.core('pods'), podOn(`gone-${t.namespace}`, 'lost', ['a']), quiet)
  await t.get(t.core('pods/several/log'))
  await t.get(t.core('pods/several/log?container=b'))
  await t.get(t.core('pods/lost/log'))
  await t.get(t.core('pods/none/log'))
})

for (const subresource of ['exec', 'attach', 'portforward']) {
  scenario(`${subresource} is refused before a node is asked`, async t => {
    const query =
      subresource === 'exec' ? 'command=ls&stdout=true' : subresource === 'attach' ? 'stdout=true' : 'ports=80'
    await t.post(t.core('pods'), podOn(undefined, 'several', ['a', 'b']), quiet)
    await t.post(t.core('pods'), podOn(`gone-${t.namespace}`, 'lost', ['a']), quiet)
    for (const headers of UPGRADES) {
      await t.get(t.core(`pods/several/${subresource}?${query}`), { headers })
      await t.get(t.core(`pods/several/${subresource}?${query}&container=none`), { headers })
      await t.get(t.core(`pods/several/${subresource}?${query}&container=a`), { headers })
      await t.get(t.core(`pods/none/${subresource}?${query}`), { headers })
      await t.get(t.core(`pods/lost/${subresource}?${query}`), { headers })
      await t.get(t.core(`pods/several/${subresource}?${query}`), { headers, as: 'nobody' })
      await t.get(t.core(`pods/several/${subresource}?${query}`), { headers, token: 'nonsense' })
    }
    await t.get(t.core(`pods/lost/${subresource}?${query}`))
    await t.delete(t.core(`pods/several/${subresource}?${query}`))
  })

  scenario(`${subresource} tells that a node does not answer`, async t => {
    const node = await unreachablePod(t)
    const path = t.core(`pods/p/${subresource}?command=ls&stdout=true`)
    await t.get(path)
    await t.post(path, undefined)
    for (const headers of UPGRADES) await t.get(path, { headers })
    await t.delete(`/api/v1/nodes/${node}`, undefined, quiet)
  })
}

scenario('exec needs the right to create, whatever the method', async t => {
  await t.post(t.core('pods'), podOn(undefined, 'p', ['a']), quiet)
  const rules = [{ apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['get'] }]
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${t.namespace}`
  await t.post(`${role}/roles`, { metadata: { name: 'reader' }, rules }, quiet)
  await t.post(
    `${role}/rolebindings`,
    {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'joe' }],
    },
    quiet,
  )
  // Grants take a moment on the real server.
  await t.until(
    () => t.get(t.core('pods/p'), { ...quiet, as: 'joe' }),
    ({ status }) => status === 200,
  )
  for (const headers of UPGRADES) await t.get(t.core('pods/p/exec?command=ls&stdout=true'), { headers, as: 'joe' })
  await t.get(t.core('pods/p/exec?command=ls&stdout=true'), { as: 'joe' })
})

scenario('proxies to pods and services that cannot be reached', async t => {
  await t.post(t.core('pods'), podOn(undefined, 'p', ['a']), quiet)
  await t.post(t.core('services'), { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } }, quiet)
  for (const path of [
    'pods/p/proxy',
    'pods/p/proxy/',
    'pods/p:80/proxy/x',
    'pods/a:b:c:d/proxy/',
    'pods/ftp:p:80/proxy/',
    'pods/none/proxy/',
    'services/s/proxy/',
    'services/s:99/proxy/',
    'services/none/proxy/',
    'services/none:80/proxy/',
    'services/a:b:c:d/proxy/',
  ]) {
    await t.get(t.core(path))
  }
  await t.post(t.core('pods/p/proxy/x'), { any: 'thing' })
})

scenario('proxies to nodes that cannot be reached', async t => {
  const node = `node-${t.namespace}`
  await t.post('/api/v1/nodes', { metadata: { name: node } }, quiet)
  await t.get(`/api/v1/nodes/${node}/proxy/`)
  await t.get(`/api/v1/nodes/none-${t.namespace}/proxy/`)
  await t.get(`/api/v1/nodes/ftp:${node}:99/proxy/x`)
  await t.delete(`/api/v1/nodes/${node}`, undefined, quiet)
})
