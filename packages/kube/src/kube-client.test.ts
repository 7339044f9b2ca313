import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { type Answer, answeringServer, sendJson } from './answering-server.ts'
import { ApiError, isExpired, isNotFound, UnknownKindFailure } from './api-error.ts'
import { createHttpTransport } from './http-transport.ts'
import { type ClientOptions, createClient } from './kube-client.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const podVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const CORE = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      versions: [
        {
          version: 'v1',
          resources: [
            {
              resource: 'pods',
              responseKind: { kind: 'Pod' },
              scope: 'Namespaced',
              singularResource: 'pod',
              verbs: podVerbs,
              shortNames: ['po'],
              categories: ['all'],
              subresources: ['log', 'exec', 'portforward', 'status'].map(subresource => ({ subresource })),
            },
            { resource: 'nodes', responseKind: { kind: 'Node' }, scope: 'Cluster', verbs: ['get'] },
          ],
        },
      ],
    },
  ],
}
const GROUPS = { kind: 'APIGroupDiscoveryList', items: [] as unknown[] }

const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'web' }
const PODS = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns' }
const pod = (name: string) => ({ metadata: { name, namespace: 'ns' } })

/** A server with pods and nodes whose other answers are the test's. */
async function serve(answer: Answer, options: ClientOptions = {}, groups: () => unknown = () => GROUPS) {
  const server = await answeringServer((request, response, raw) => {
    if (request.url === '/api') return sendJson(response, CORE)
    if (request.url === '/apis') return sendJson(response, groups())
    return answer(request, response, raw)
  })
  const client = createClient(createHttpTransport({ server: server.url }), options)
  open.push(server, client)
  const asked = () => server.requests.filter(({ url }) => url !== '/api' && url !== '/apis')
  return { server, client, asked }
}

const echo: Answer = ({ body }, response) => sendJson(response, body === '' ? pod('web') : JSON.parse(body))

describe('paths', () => {
  it('come from discovery', async () => {
    const { client, asked } = await serve(echo)
    await client.get(POD)
    await client.get({ apiVersion: 'v1', kind: 'Node', name: 'n', namespace: 'ignored' })
    await client.list({ apiVersion: 'v1', kind: 'Pod' })
    await client.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'b c' } })
    await client.update(
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'b' } },
      { subresource: 'status' },
    )
    expect(asked().map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/namespaces/ns/pods/web',
      'GET /api/v1/nodes/n',
      'GET /api/v1/pods',
      'POST /api/v1/namespaces/b%20c/pods',
      'PUT /api/v1/namespaces/b/pods/a/status',
    ])
  })

  it('never leave the object: a name that would is refused', async () => {
    const { client, asked } = await serve(echo)
    for (const name of ['', '.', '..', 'a/b', 'a%2fb']) {
      await expect(client.get({ ...POD, name })).rejects.toThrow('cannot be the name of an object')
    }
    expect(asked()).toEqual([])
  })

  it('need a namespace where there are any, or the client’s own', async () => {
    const { client } = await serve(echo)
    const ref = { apiVersion: 'v1', kind: 'Pod', name: 'web' }
    await expect(client.get(ref)).rejects.toThrow('Pod web has no namespace')
    const other = await serve(echo, { namespace: 'mine' })
    await other.client.get(ref)
    expect(other.asked()[0]?.url).toBe('/api/v1/namespaces/mine/pods/web')
  })
})

describe('discovery', () => {
  it('is read once, and anew when a kind is missing', async () => {
    const widgets = {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'example.com' },
          versions: [
            { version: 'v1', resources: [{ resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Cluster' }] },
          ],
        },
      ],
    }
    let groups: unknown = GROUPS
    const { server, client, asked } = await serve(echo, {}, () => groups)
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' }
    await client.get(POD)
    await client.get(POD)
    expect(server.requests.filter(({ url }) => url === '/apis')).toHaveLength(1)
    await expect(client.get(widget)).rejects.toThrow(UnknownKindFailure)
    groups = widgets
    await client.get(widget)
    expect(asked().at(-1)?.url).toBe('/apis/example.com/v1/widgets/w')
    expect(server.requests.filter(({ url }) => url === '/apis')).toHaveLength(3)
  })

  it('falls back to the older form, and goes on without a group that does not answer', async () => {
    const server = await answeringServer(({ url }, response) => {
      if (url === '/api') return sendJson(response, { kind: 'APIVersions', versions: ['v1'] })
      if (url === '/apis') {
        const versions = (...names: string[]) => ({ versions: names.map(groupVersion => ({ groupVersion })) })
        return sendJson(response, { kind: 'APIGroupList', groups: [versions('apps/v1'), versions('down.io/v1')] })
      }
      if (url === '/apis/down.io/v1') return sendJson(response, { kind: 'Status', code: 503 }, 503)
      const [name, kind] = url === '/api/v1' ? ['pods', 'Pod'] : ['deployments', 'Deployment']
      const resources = [
        { name, singularName: kind.toLowerCase(), namespaced: true, kind, verbs: ['get'], shortNames: ['x'] },
        { name: `${name}/status`, singularName: '', namespaced: true, kind, verbs: ['get'] },
      ]
      return sendJson(response, { kind: 'APIResourceList', resources })
    })
    const client = createClient(createHttpTransport({ server: server.url }))
    open.push(server, client)
    expect(await client.resourceFor({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      resource: 'deployments',
      singular: 'deployment',
      namespaced: true,
      verbs: ['get'],
      shortNames: ['x'],
      categories: [],
      subresources: ['status'],
    })
    await expect(client.resourceFor({ apiVersion: 'down.io/v1', kind: 'Thing' })).rejects.toThrow(
      'the server does not know the kind Thing of down.io/v1: down.io/v1 did not answer discovery',
    )
  })
})

describe('lists', () => {
  it('name the kind of their items when the server does not', async () => {
    const { client } = await serve((_, response) =>
      sendJson(response, { kind: 'PodList', metadata: {}, items: [pod('a')] }),
    )
    expect((await client.list(PODS)).items).toEqual([{ apiVersion: 'v1', kind: 'Pod', ...pod('a') }])
  })

  it('are empty when the server says null', async () => {
    const { client } = await serve((_, response) => sendJson(response, { kind: 'PodList', metadata: {}, items: null }))
    expect((await client.list(PODS)).items).toEqual([])
  })

  it('are read page by page, with the version asked only once', async () => {
    const { client, asked } = await serve(({ url }, response) => {
      const token = new URL(url, 'http://x').searchParams.get('continue')
      const page = token === null ? { continue: 'p2', remainingItemCount: 1 } : {}
      sendJson(response, { kind: 'PodList', metadata: { resourceVersion: '7', ...page }, items: [pod(token ?? 'p1')] })
    })
    const list = await client.listAll(PODS, { limit: 1, resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' })
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['p1', 'p2'])
    expect(list.metadata).toEqual({ resourceVersion: '7' })
    expect(asked().map(({ url }) => url.split('?')[1])).toEqual([
      'limit=1&resourceVersion=5&resourceVersionMatch=NotOlderThan',
      'limit=1&continue=p2',
    ])
  })

  it('start over when their snapshot expires between pages, at last without pages', async () => {
    const { client, asked } = await serve(({ url }, response) => {
      const query = new URL(url, 'http://x').searchParams
      if (query.has('continue')) return sendJson(response, { kind: 'Status', reason: 'Expired', code: 410 }, 410)
      const more = query.has('limit') ? { continue: 'next' } : {}
      sendJson(response, { kind: 'PodList', metadata: more, items: [pod('a')] })
    })
    expect((await client.listAll(PODS)).items).toHaveLength(1)
    expect(asked().map(({ url }) => url.split('?')[1] ?? '')).toEqual([
      ...Array(3).fill(['limit=500', 'limit=500&continue=next']).flat(),
      '',
    ])
  })

  it('of metadata alone keep the name of the kind', async () => {
    const { client, asked } = await serve((_, response) =>
      sendJson(response, {
        items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', ...pod('a'), spec: {} }],
        metadata: {},
      }),
    )
    const { items } = await client.list(PODS, { metadataOnly: true })
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'Pod', ...pod('a') }])
    expect(asked()[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    )
  })
})

describe('writes', () => {
  it('say in the query what they are', async () => {
    const { client, asked } = await serve(echo)
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'ns' } }
    await client.create(object, { dryRun: true, fieldManager: 'm', fieldValidation: 'Strict' })
    await client.apply(object, { fieldManager: 'm', force: true })
    await client.patch(POD, { type: 'json', operations: [{ op: 'remove', path: '/x' }] })
    await client.patch(POD, { type: 'merge', patch: { a: 1 } }, { subresource: 'status' })
    await client.patch(POD, { type: 'strategic', patch: { a: 1 } })
    expect(asked().map(({ method, url, headers }) => [method, url.split('/').at(-1), headers['content-type']])).toEqual(
      [
        ['POST', 'pods?dryRun=All&fieldManager=m&fieldValidation=Strict', 'application/json'],
        ['PATCH', 'web?force=true&fieldManager=m', 'application/apply-patch+yaml'],
        ['PATCH', 'web', 'application/json-patch+json'],
        ['PATCH', 'status', 'application/merge-patch+json'],
        ['PATCH', 'web', 'application/strategic-merge-patch+json'],
      ],
    )
  })

  it('delete with their options in the body, where the server looks for them', async () => {
    const { client, asked } = await serve((_, response) => sendJson(response, { kind: 'Status', status: 'Success' }))
    await client.delete(POD, {
      dryRun: true,
      propagationPolicy: 'Orphan',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
    })
    await client.deleteCollection({ ...PODS, labelSelector: 'a=b' })
    expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      dryRun: ['All'],
      propagationPolicy: 'Orphan',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
    })
    expect(asked()[1]?.url).toBe('/api/v1/namespaces/ns/pods?labelSelector=a%3Db')
  })

  it('report every warning of the server', async () => {
    const warnings: string[] = []
    const headers = { warning: '299 - "unknown field \\"spec.x\\"", 299 - "v1beta1 is deprecated"' }
    const { client } = await serve((_, response) => sendJson(response, pod('a'), 200, headers), {
      onWarning: text => warnings.push(text),
    })
    await client.get(POD)
    expect(warnings).toEqual(['unknown field "spec.x"', 'v1beta1 is deprecated'])
  })
})

describe('errors', () => {
  it('carry what the server said', async () => {
    const status = {
      kind: 'Status',
      message: 'pods "web" not found',
      reason: 'NotFound',
      code: 404,
      details: { name: 'web' },
    }
    const { client } = await serve((_, response) => sendJson(response, status, 404))
    const error = await client.get(POD).catch(thrown => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: 'pods "web" not found',
      statusCode: 404,
      reason: 'NotFound',
      details: { name: 'web' },
    })
    expect(isNotFound(error)).toBe(true)
    expect(isExpired(error)).toBe(false)
  })

  it('are made from what a proxy answers', async () => {
    const { client } = await serve((_, response) =>
      response.writeHead(503, { 'retry-after': '7' }).end('upstream is gone\n'),
    )
    await expect(client.get(POD)).rejects.toMatchObject({
      message: 'upstream is gone',
      statusCode: 503,
      reason: 'ServiceUnavailable',
      retryAfterSeconds: 7,
    })
  })
})

describe('somebody else', () => {
  it('is named in the headers', async () => {
    const { client, asked } = await serve(echo)
    const bob = client.as({ user: 'bob', groups: ['a', 'b'], uid: '1', extra: { 'Acme.com/x y': ['1', '2'] } })
    await bob.get(POD)
    expect(asked()[0]?.headers).toMatchObject({
      'impersonate-user': 'bob',
      'impersonate-group': 'a, b',
      'impersonate-uid': '1',
      'impersonate-extra-acme.com%2fx%20y': '1, 2',
    })
    await bob.close()
    await client.get(POD)
    expect(asked()[1]?.headers['impersonate-user']).toBeUndefined()
  })
})

describe('streams', () => {
  it('a watch gives events until its signal says stop, and errors as events', async () => {
    const error = { type: 'ERROR', object: { kind: 'Status', code: 410 } }
    const { client, asked } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`${JSON.stringify({ type: 'ADDED', object: pod('a') })}\n${JSON.stringify(error)}\n`)
    })
    const controller = new AbortController()
    const seen: unknown[] = []
    const options = { resourceVersion: '5', allowWatchBookmarks: true, timeoutSeconds: 60, signal: controller.signal }
    for await (const event of client.watch({ ...PODS, fieldSelector: 'metadata.name=a' }, options)) {
      seen.push(event)
      if (seen.length === 2) controller.abort()
    }
    expect(seen).toEqual([{ type: 'ADDED', object: pod('a') }, error])
    expect(asked()[0]?.url.split('?')[1]).toBe(
      'fieldSelector=metadata.name%3Da&watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=60',
    )
  })

  it('logs arrive as they are', async () => {
    const { client, asked } = await serve((_, response) => response.writeHead(200).end('line 1\nline 2\n'))
    const pieces: Uint8Array[] = []
    for await (const piece of client.logs(POD, { container: 'c', follow: true, tailLines: 5 })) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe('line 1\nline 2\n')
    expect(asked()[0]?.url).toBe('/api/v1/namespaces/ns/pods/web/log?container=c&follow=true&tailLines=5')
  })
})

describe('exec', () => {
  async function withCommand(status: object, run: (received: string[]) => void = () => {}) {
    const { server, client } = await serve(() => {})
    const urls: string[] = []
    const sockets = new WebSocketServer({ server: server.server })
    sockets.on('connection', (socket, request) => {
      urls.push(request.url ?? '')
      const received: string[] = []
      const finish = () => {
        run(received)
        socket.send(Buffer.from(`\x01out:${received.join('')}`))
        socket.send(Buffer.from('\x02err'))
        socket.send(Buffer.from(`\x03${JSON.stringify(status)}`))
      }
      if (!request.url?.includes('stdin=true')) finish()
      socket.on('message', (data: Buffer) => {
        if (data[0] === 255) finish()
        else received.push(data.subarray(1).toString())
      })
    })
    open.push({ close: async () => sockets.close() })
    return { client, urls }
  }

  it('passes input, output and the exit code', async () => {
    const causes = [{ reason: 'ExitCode', message: '3' }]
    const { client, urls } = await withCommand({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes } })
    const out: string[] = []
    const result = await client.exec(POD, {
      command: ['sh', '-c', 'cat'],
      container: 'c',
      stdin: (async function* () {
        yield Buffer.from('hel')
        yield Buffer.from('lo')
      })(),
      onStdout: chunk => void out.push(`1${Buffer.from(chunk).toString()}`),
      onStderr: chunk => out.push(`2${Buffer.from(chunk).toString()}`),
    })
    expect(result).toEqual({ exitCode: 3 })
    expect(out).toEqual(['1out:hello', '2err'])
    expect(urls[0]).toBe(
      '/api/v1/namespaces/ns/pods/web/exec?command=sh&command=-c&command=cat&container=c&stdin=true&stdout=true&stderr=true',
    )
  })

  it('reads no further while what was read is not taken', async () => {
    const { client } = await withCommand({ status: 'Success' })
    const order: string[] = []
    await client.exec(POD, {
      command: ['x'],
      async onStdout() {
        await new Promise<void>(resolve => setImmediate(resolve))
        order.push('taken')
      },
      onStderr: () => void order.push('next'),
    })
    expect(order).toEqual(['taken', 'next'])
  })

  it('is an ApiError when the command could not run', async () => {
    const { client } = await withCommand({ status: 'Failure', reason: 'InternalError', message: 'no such container' })
    await expect(client.exec(POD, { command: ['x'] })).rejects.toThrow('no such container')
  })
})
