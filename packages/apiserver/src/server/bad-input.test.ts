import { once } from 'node:events'
import { Agent, request as httpsRequest } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { systemEnv, VirtualClock } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer } from './api-server.ts'

/* What hostile and broken clients send, over HTTPS. The numbers are those of the list of bad inputs; the codes are what
 * kube-apiserver 1.36 answers. The texts of the answers are compared with the real server's by the conformance run. */

interface Sent {
  method?: string
  path: string
  body?: unknown
  type?: string
  headers?: Record<string, string>
}

interface Answer {
  status: number
  warnings: string[]
  body: { data?: Record<string, string>; spec?: Record<string, unknown> }
  text: string
}

let server: ApiServer
let address: { host: string; port: number; ca: string }
const agent = new Agent({ keepAlive: true })

beforeAll(async () => {
  server = await createApiServer({
    tokens: [
      { token: 'admin', user: 'admin', groups: ['system:masters'] },
      { token: 'joe', user: 'joe' },
    ],
  })
  const { host, port, caCertificate } = await server.listen()
  address = { host, port, ca: caCertificate }
  expect((await send({ path: DEFINITIONS, body: widgets })).status).toBe(201)
})

afterAll(async () => {
  agent.destroy()
  await server.close()
})

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'
const OTHER_UID = '11111111-2222-4333-8444-555555555555'

const definition = (plural: string, spec: object) => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    names: { plural, kind: plural[0]?.toUpperCase() + plural.slice(1, -1) },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
})
const widgets = definition('widgets', {
  type: 'object',
  properties: {
    count: { type: 'integer', format: 'int64' },
    text: { type: 'string', pattern: '^(a+)+$' },
  },
})

const configMap = (name: string, more: object = {}) => ({ metadata: { name }, ...more })
const withMeta = (name: string, metadata: object) => ({ metadata: { name, ...metadata } })
const widget = (name: string, spec: string) =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":${spec}}`
const jsonPatch = (name: string, operations: unknown): Sent => ({
  method: 'PATCH',
  path: `${CONFIG_MAPS}/${name}`,
  body: operations,
  type: 'application/json-patch+json',
})
const apply = (name: string, query: string, body: object): Sent => ({
  method: 'PATCH',
  path: `${CONFIG_MAPS}/${name}${query}`,
  body: { apiVersion: 'v1', kind: 'ConfigMap', ...body },
  type: 'application/apply-patch+yaml',
})
const get = (path: string, headers?: Record<string, string>): Sent => ({
  method: 'GET',
  path,
  ...(headers ? { headers } : {}),
})

function send({ method = 'POST', path, body, type = 'application/json', headers = {} }: Sent): Promise<Answer> {
  const bytes =
    body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  // Node sends a DELETE with a body and without its length unless it is told.
  const length = String(Buffer.byteLength(bytes))
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        ...address,
        agent,
        method,
        path,
        headers: { authorization: 'Bearer admin', 'content-type': type, 'content-length': length, ...headers },
      },
      incoming => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const warnings = incoming.headersDistinct.warning ?? []
          resolve({ status: incoming.statusCode ?? 0, warnings, text, body: parsed(text) as Answer['body'] })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const aliasBomb = () => {
  const levels = Array.from({ length: 9 }, (_, i) => `  l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(',')}]`)
  return `metadata: {name: bomb}\ndata:\n  l0: &l0 ["lol"]\n${levels.join('\n')}\n`
}
const nested = (depth: number) => `{"metadata":{"name":"deep"},"data":${'['.repeat(depth)}${']'.repeat(depth)}}`
const badText = Buffer.concat([
  Buffer.from('{"metadata":{"name":"utf8"},"data":{"x":"'),
  Buffer.from([0xff, 0x61]),
  Buffer.from('"}}'),
])
const copies = Array.from({ length: 9000 }, (_, i) => ({ op: 'copy', from: '/data/x', path: `/data/k${i}` }))
const tooExpensive = {
  type: 'array',
  items: { type: 'array', items: { type: 'string' } },
  'x-kubernetes-validations': [{ rule: 'self.all(a, a.all(b, a.all(c, b == c)))' }],
}

type Case = [what: string, code: number, request: Sent, check?: (answer: Answer) => void]

const cases: Case[] = [
  ['1 a YAML alias bomb', 400, { path: CONFIG_MAPS, body: aliasBomb(), type: 'application/yaml' }],
  ['2 JSON of depth 10,000', 400, { path: CONFIG_MAPS, body: nested(10_001) }],
  ['3 a body of 4 MiB', 413, { path: CONFIG_MAPS, body: configMap('large', { data: { x: 'x'.repeat(2 ** 22) } }) }],
  [
    '4 a ConfigMap of 1.1 MiB',
    422,
    { path: CONFIG_MAPS, body: configMap('big', { data: { x: 'x'.repeat(1_150_000) } }) },
  ],
  [
    '5 a key given twice',
    201,
    { path: CONFIG_MAPS, body: '{"metadata":{"name":"twice"},"data":{"k":"1","k":"2"}}' },
    answer => expect(answer.warnings.join()).toContain('duplicate field'),
  ],
  [
    '5 a key given twice, strictly',
    400,
    { path: `${CONFIG_MAPS}?fieldValidation=Strict`, body: '{"metadata":{"name":"b"},"data":{"k":"1","k":"2"}}' },
  ],
  [
    '6 an unknown field',
    201,
    { path: CONFIG_MAPS, body: configMap('unknown', { surprise: true }) },
    answer => expect(answer.warnings.join()).toContain('unknown field'),
  ],
  [
    '6 an unknown field, strictly',
    400,
    { path: `${CONFIG_MAPS}?fieldValidation=Strict`, body: configMap('b', { surprise: true }) },
  ],
  [
    '7 __proto__ as data',
    201,
    { path: CONFIG_MAPS, body: '{"metadata":{"name":"proto"},"data":{"__proto__":"x"}}' },
    answer => expect(answer.text).toContain('"__proto__":"x"'),
  ],
  ['7 __proto__ as label', 422, { path: CONFIG_MAPS, body: '{"metadata":{"name":"b","labels":{"__proto__":"x"}}}' }],
  ['8 a patch of __proto__', 422, jsonPatch('here', [{ op: 'add', path: '/__proto__/x', value: 'y' }])],
  [
    '9 a patch of 10,001 operations',
    413,
    jsonPatch('here', Array(10_001).fill({ op: 'test', path: '/data/x', value: 'x' })),
  ],
  ['10 a patch that copies and copies', 422, jsonPatch('kilobyte', copies)],
  ['11 bad UTF-8', 201, { path: CONFIG_MAPS, body: badText }, answer => expect(answer.body.data?.x).toBe('\ufffda')],
  [
    '11 a lone surrogate',
    201,
    { path: CONFIG_MAPS, body: '{"metadata":{"name":"lone"},"data":{"x":"\\ud800"}}' },
    answer => expect(answer.body.data?.x).toBe('\ufffd'),
  ],
  [
    '12 2^53 + 1',
    201,
    { path: WIDGETS, body: widget('exact', '{"count":9007199254740993}') },
    answer => expect(answer.text).toContain('9007199254740993'),
  ],
  ['13 1e400', 400, { path: WIDGETS, body: widget('w', '{"count":1e400}') }],
  ['13 2^63', 422, { path: WIDGETS, body: widget('w', '{"count":9223372036854775808}') }],
  ['13 1.5', 422, { path: WIDGETS, body: widget('w', '{"count":1.5}') }],
  [
    '13 1.0',
    201,
    { path: WIDGETS, body: widget('whole', '{"count":1.0}') },
    answer => expect(answer.text).toMatch(/"count":1[,}]/),
  ],
  ['14 the name Bad_Name', 422, { path: CONFIG_MAPS, body: configMap('Bad_Name') }],
  ['14 a name of 254 characters', 422, { path: CONFIG_MAPS, body: configMap('x'.repeat(254)) }],
  ['14 the name ../x', 422, { path: CONFIG_MAPS, body: configMap('../x') }],
  ['14 an empty name', 422, { path: CONFIG_MAPS, body: configMap('') }],
  ['15 escaped dots in a path', 400, get(`${CONFIG_MAPS}/%2e%2e`)],
  ['15 an escaped slash in a path', 404, get(`${CONFIG_MAPS}/a%2Fb`)],
  ['16 another namespace', 400, { path: CONFIG_MAPS, body: withMeta('a', { namespace: 'kube-system' }) }],
  ['16 a missing namespace', 404, { path: '/api/v1/namespaces/none/configmaps', body: configMap('a') }],
  ['17 a list for a body', 400, { path: CONFIG_MAPS, body: '[]' }],
  ['17 an empty body', 400, { path: CONFIG_MAPS, body: '' }],
  ['17 a truncated body', 400, { path: CONFIG_MAPS, body: '{"metadata":' }],
  ['17 a body with something behind it', 400, { path: CONFIG_MAPS, body: '{"metadata":{"name":"a"}} more' }],
  ['18 a wrong media type', 415, { path: CONFIG_MAPS, body: configMap('a'), type: 'text/plain' }],
  ['18 a wrong Accept', 406, get(CONFIG_MAPS, { accept: 'text/html' })],
  ['19 a label of 64 characters', 422, { path: CONFIG_MAPS, body: withMeta('a', { labels: { x: 'y'.repeat(64) } }) }],
  [
    '19 annotations of 257 KiB',
    422,
    { path: CONFIG_MAPS, body: withMeta('a', { annotations: { x: 'y'.repeat(257 * 1024) } }) },
  ],
  ['20 a stale resourceVersion', 409, put('here', withMeta('here', { resourceVersion: '1' }))],
  ['20 a wrong uid', 409, put('here', withMeta('here', { uid: OTHER_UID }))],
  ['20 a wrong name', 400, put('here', configMap('other'))],
  ['21 a resourceVersion that is no number', 500, get(`${CONFIG_MAPS}/here?resourceVersion=abc`)],
  [
    '22 a deletion with a wrong uid',
    409,
    { method: 'DELETE', path: `${CONFIG_MAPS}/here`, body: { preconditions: { uid: OTHER_UID } } },
  ],
  ['23 an apply without manager', 422, apply('applied', '', configMap('applied'))],
  [
    '23 an apply with managedFields',
    400,
    apply('applied', '?fieldManager=m', withMeta('applied', { managedFields: [{}] })),
  ],
  ['23 an apply in conflict', 409, apply('owned', '?fieldManager=two', configMap('owned', { data: { x: '2' } }))],
  ['24 a bad continue token', 400, get(`${CONFIG_MAPS}?limit=1&continue=%00`)],
  ['24 a bad selector', 400, get(`${CONFIG_MAPS}?labelSelector=%3D`)],
  ['26 no token', 403, get(CONFIG_MAPS, { authorization: '' })],
  ['26 a garbage token', 401, get(CONFIG_MAPS, { authorization: 'Bearer garbage' })],
  ['26 another user', 403, get(CONFIG_MAPS, { authorization: 'Bearer joe' })],
  ['27 CEL over budget', 422, { path: DEFINITIONS, body: definition('costlies', tooExpensive) }],
  ['27 a look-ahead', 422, { path: DEFINITIONS, body: definition('lookers', { type: 'string', pattern: '^(?=a)b' }) }],
  ['27 no structural schema', 422, { path: DEFINITIONS, body: definition('loosies', { properties: { a: {} } }) }],
  ['28 a pattern that explodes', 422, { path: WIDGETS, body: widget('w', `{"text":"${'a'.repeat(50_000)}!"}`) }],
  [
    '29 a field that is not declared',
    201,
    { path: WIDGETS, body: widget('pruned', '{"count":1,"other":2}') },
    answer => {
      expect(answer.body.spec).toEqual({ count: 1 })
      expect(answer.warnings.join()).toContain('spec.other')
    },
  ],
  [
    '30 a YAML boolean as text',
    400,
    { path: CONFIG_MAPS, body: 'metadata: {name: a}\ndata: {a: no}', type: 'application/yaml' },
  ],
  [
    '30 several YAML documents',
    201,
    {
      path: CONFIG_MAPS,
      body: 'metadata: {name: document}\n---\nmetadata: {name: second}\n',
      type: 'application/yaml',
    },
    answer => expect(answer.text).toContain('"name":"document"'),
  ],
  ['31 a bad finalizer', 422, { path: CONFIG_MAPS, body: withMeta('a', { finalizers: ['x'] }) }],
  ['31 a bad owner', 422, { path: CONFIG_MAPS, body: withMeta('a', { ownerReferences: [{}] }) }],
  ['31 a bad dry run', 422, { path: `${CONFIG_MAPS}?dryRun=x`, body: configMap('a') }],
]

function put(name: string, body: object): Sent {
  return { method: 'PUT', path: `${CONFIG_MAPS}/${name}`, body }
}

describe('bad input', () => {
  beforeAll(async () => {
    await send({ path: CONFIG_MAPS, body: configMap('here', { data: { x: 'x' } }) })
    await send({ path: CONFIG_MAPS, body: configMap('kilobyte', { data: { x: 'x'.repeat(1000) } }) })
    await send(apply('owned', '?fieldManager=one', configMap('owned', { data: { x: '1' } })))
  })

  it.each(cases)('%s is answered with %i', async (_what, code, request, check) => {
    const answer = await send(request)
    expect(`${answer.status} ${answer.status === code ? '' : answer.text.slice(0, 300)}`).toBe(`${code} `)
    check?.(answer)
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('24: a list of the future waits three seconds for it, then says 504', async () => {
    const clock = new VirtualClock(Date.now())
    const patient = await createApiServer({ env: { ...systemEnv, clock } })
    const answer = patient.handle({
      method: 'GET',
      path: CONFIG_MAPS,
      query: new URLSearchParams({ resourceVersion: '999999999' }),
      headers: {},
      body: async () => ({ bytes: Buffer.alloc(0) }),
      user: { name: 'admin', groups: ['system:masters'] },
      signal: new AbortController().signal,
    })
    while (clock.waiting === 0) await new Promise(resolve => setImmediate(resolve))
    await clock.advance(3000)
    expect((await answer).status).toBe(504)
    await patient.close()
  })
})

describe('connections', () => {
  const AUTHORIZED = 'Host: x\r\nAuthorization: Bearer admin\r\n'

  async function open(): Promise<TLSSocket> {
    const { host, port, ca } = address
    const socket = connect({ socket: connectTcp({ host, port, allowHalfOpen: true }), ca, host })
    // A reset is one of the ways in which a server may end a hopeless connection.
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    return socket
  }

  /** All that comes back until the server closes. */
  async function exchange(bytes: string, { half = false } = {}): Promise<string> {
    const socket = await open()
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    const closed = new Promise(resolve => socket.once('end', resolve).once('close', resolve))
    socket.write(bytes)
    if (half) socket.end()
    await closed
    socket.destroy()
    return Buffer.concat(chunks).toString('latin1')
  }

  const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(match => Number(match[1]))

  it.each([
    [
      'two lengths',
      400,
      `POST ${CONFIG_MAPS} HTTP/1.1\r\n${AUTHORIZED}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    ],
    [
      'a length and chunks',
      400,
      `POST ${CONFIG_MAPS} HTTP/1.1\r\n${AUTHORIZED}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a bad chunk', 400, `POST ${CONFIG_MAPS} HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`],
    ['a broken line', 400, 'GET\r\n\r\n'],
    ['no host', 400, 'GET /version HTTP/1.1\r\n\r\n'],
    ['a space in a header name', 400, 'GET /version HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n'],
  ])('with %s end with %i', async (_what, code, bytes) => {
    expect(statuses(await exchange(bytes))).toEqual([code])
  })

  it('31: with a header of 2 MB end with 431', async () => {
    const text = await exchange(`GET /version HTTP/1.1\r\n${AUTHORIZED}X: ${'x'.repeat(2_000_000)}\r\n\r\n`)
    // A client that is still writing when the connection ends may not get to read why.
    expect([[], [431]]).toContainEqual(statuses(text))
    expect((await send(get('/version'))).status).toBe(200)
  })

  it('answers pipelined requests in order', async () => {
    const [first, second] = ['/version', '/healthz'].map(path => `GET ${path} HTTP/1.1\r\n${AUTHORIZED}`)
    const text = await exchange(`${first}\r\n${second}Connection: close\r\n\r\n`)
    expect(statuses(text)).toEqual([200, 200])
    expect(text.indexOf('gitVersion')).toBeLessThan(text.indexOf('\r\n\r\nok'))
  })

  it('answers a client that has closed its half', async () => {
    expect(statuses(await exchange(`GET /version HTTP/1.1\r\n${AUTHORIZED}\r\n`, { half: true }))).toEqual([200])
  })

  it('forgets a client that leaves in the middle of its body', async () => {
    const socket = await open()
    socket.write(`POST ${CONFIG_MAPS} HTTP/1.1\r\n${AUTHORIZED}Content-Length: 100\r\n\r\n{"meta`)
    socket.destroy()
    expect((await send(get('/version'))).status).toBe(200)
  })

  it('serves 500 at once, and others while 500 of them say nothing', { timeout: 60_000 }, async () => {
    const sockets = await Promise.all(Array.from({ length: 500 }, open))
    expect((await send(get('/version'))).status).toBe(200)
    const answers = sockets.map(async socket => {
      socket.write(`GET ${CONFIG_MAPS}/here HTTP/1.1\r\n${AUTHORIZED}\r\n`)
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return chunk.toString('latin1', 0, 12)
    })
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']))
  })
})
