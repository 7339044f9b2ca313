import { once } from 'node:events'
import { connect } from 'node:tls'
import { type Clock, createLog, type Env, formatJson, type Random, seededRandom, systemClock } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type ApiServer, createApiServer } from './api-server.ts'

/* Requests that no sane client sends, from a seed. TIPHYS_FULL=1 sends all of them, FUZZ_SEED=n others. */

const isFull = Boolean(process.env.TIPHYS_FULL)
const REQUESTS = isFull ? 50_000 : 4000
const CONNECTIONS = isFull ? 2000 : 100
const SEED = Number(process.env.FUZZ_SEED ?? 1)
const PATIENCE_MS = 2000

/** Answers of 500 and above that the real server gives too. The reasons say which were asked of it; the others are read
 *  from RELIABILITY's list and from the messages of its libraries. */
const REAL_FAILURES: { message: RegExp; why: string }[] = [
  {
    message: /resourceVersion should not be set on objects to be created/,
    why: 'the storage layer refuses it, and nothing above gives that a better code',
  },
  {
    message: /Invalid value: .*: strconv\.ParseUint: parsing/,
    why: 'a get with a resourceVersion that is no number fails in the storage layer',
  },
  {
    message: /^failed to create typed patch object \(/,
    why: 'an apply whose values do not have the types of the schema fails while it is read as a set of fields',
  },
  {
    message:
      /^(expected a \[\]interface \{\}, but received|unknown patch type: |unable to find api field in struct |map: |list element types are not identical: )/,
    why: 'a strategic merge patch whose directives make no sense fails in the merge',
  },
  {
    message: /^no preferred addresses found; known addresses: /,
    why: 'a proxy to a node without addresses, as the golden answers have it',
  },
]

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

interface Served {
  apiVersion: string
  name: string
  kind: string
  namespaced: boolean
}

const NAMESPACE = 'fuzz'
const container = { name: 'c', image: 'busybox', env: [{ name: 'A', value: 'b' }], ports: [{ containerPort: 80 }] }
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container], restartPolicy: 'Always' } }
const selector = { matchLabels: { a: 'b' } }
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        count: { type: 'integer', default: 1, minimum: 0 },
        list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        any: { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' },
        port: { 'x-kubernetes-int-or-string': true },
      },
      'x-kubernetes-validations': [{ rule: '!has(self.count) || self.count < 100' }],
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
}

/** What is valid of each kind, beside its metadata; kinds that are not here start out empty. */
const BODIES: Record<string, JsonObject> = {
  ConfigMap: { data: { a: 'b' }, binaryData: { c: 'AAAA' } },
  Secret: { data: { a: 'Yg==' }, type: 'Opaque' },
  Pod: { spec: { containers: [container] } },
  Service: { spec: { ports: [{ port: 80, targetPort: 'http' }], selector: { a: 'b' } } },
  Deployment: { spec: { replicas: 1, selector, template } },
  ReplicaSet: { spec: { replicas: 1, selector, template } },
  StatefulSet: { spec: { serviceName: 's', replicas: 1, selector, template } },
  DaemonSet: { spec: { selector, template } },
  Job: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
  CronJob: {
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
  },
  Ingress: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  NetworkPolicy: { spec: { podSelector: selector, ingress: [{}] } },
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
  },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector } },
  Role: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ClusterRole: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  RoleBinding: { roleRef: role, subjects: [{ kind: 'User', name: 'joe', apiGroup: role.apiGroup }] },
  ClusterRoleBinding: { roleRef: { ...role, kind: 'ClusterRole' }, subjects: [] },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  StorageClass: { provisioner: 'example.com/disk' },
  Lease: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2024-01-01T00:00:00.000000Z' } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
  PriorityClass: { value: 5 },
  Event: {
    involvedObject: { kind: 'Pod', name: 'a', namespace: NAMESPACE },
    reason: 'r',
    message: 'm',
    type: 'Normal',
  },
  SubjectAccessReview: { spec: { user: 'joe', resourceAttributes: { verb: 'get', resource: 'pods' } } },
  TokenReview: { spec: { token: 'x' } },
  CustomResourceDefinition: {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema as unknown as Json },
          subresources: { status: {}, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
        },
      ],
    },
  },
  Widget: { spec: { count: 1, list: [{ name: 'x' }], any: { deep: { er: 1 } }, port: 80 } },
}

const NAMES = ['a', 'b', 'c', 'widgets.example.com', 'default', NAMESPACE]
const ODD_NAMES = [
  '..',
  '%2e%2e',
  'a%2Fb',
  '%zz',
  '%00',
  'A_B',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  '',
  'é',
  '%F0',
]
const SUBRESOURCES = [
  'status',
  'scale',
  'log',
  'exec',
  'binding',
  'eviction',
  'token',
  'proxy',
  'approval',
  'finalize',
  'x',
  '',
]
const PATHS = [
  '/',
  '/api',
  '/apis',
  '/version',
  '/healthz',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/metrics',
  '/x/y',
  '//',
  '/apis/apps',
  '/apis/nope/v1/x',
]
const METHODS = [
  'GET',
  'GET',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'PATCH',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'FOO',
]
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
  'application/json',
]
const BODY_TYPES = [
  'application/json',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  '',
  'application/json; charset=utf-8',
  ';;',
]
const ACCEPTS = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  '*/*',
  'text/html',
  'application/json;as=Table;v=v9;g=x',
  ';q=',
  'application/json;stream=watch',
]
const QUERIES: Record<string, string[]> = {
  watch: ['1', 'true', 'false', 'x'],
  limit: ['1', '0', '-1', '99999999999999999999', 'x'],
  continue: ['x', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0', '%', 'eyJydiI6LTF9'],
  resourceVersion: ['0', '1', '100', '99999999', 'abc', '-1', '18446744073709551616', '1.5'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  labelSelector: ['a=b', 'a in (b,c)', '!a', 'a=', '=', 'a in (', 'a'.repeat(300), '__proto__=x', 'a>1'],
  fieldSelector: ['metadata.name=a', 'spec.nodeName=', 'x=y', 'metadata.name!=a,metadata.namespace=b', '=', 'a\\'],
  timeoutSeconds: ['0', '1', '-1', 'x'],
  allowWatchBookmarks: ['true', 'x'],
  sendInitialEvents: ['true', 'false', 'x'],
  dryRun: ['All', 'x', ''],
  fieldManager: ['m', '', 'x'.repeat(200), '\u0000', 'é'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  force: ['true', 'x'],
  propagationPolicy: ['Foreground', 'Background', 'Orphan', 'x'],
  orphanDependents: ['true', 'x'],
  gracePeriodSeconds: ['0', '-1', 'x', '99999999999'],
  pretty: ['true'],
  includeObject: ['None', 'Object', 'Metadata', 'x'],
  container: ['c', 'x'],
  command: ['ls'],
  __proto__x: ['1'],
}
const ODD_VALUES: Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '',
  'x',
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  '💥',
  '__proto__',
  '../..',
  '-5Gi',
  '1e400',
  '2024-13-45T99:99:99Z',
  [],
  {},
  [null],
  [[]],
  [{}],
  [1, 'a', null],
  { __proto__x: 1 },
  { '': '' },
  { a: { b: { c: {} } } },
]
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  'x',
  'a.b/c',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  '$deleteFromPrimitiveList/finalizers',
  'metadata',
  'spec',
  'status',
  'kind',
  'managedFields',
  'é',
  '\u0000',
]
const ODD_TEXTS = [
  '',
  'null',
  '[]',
  '{',
  '{}',
  '"',
  '1',
  '{"a":1}{"b":2}',
  '\ufeff{}',
  `${'['.repeat(12_000)}`,
  `{"a":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
  'a: &a [*a]',
  '- x\n- y',
  '---\n---\n',
  '{"metadata":{"name":1e999}}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
]

/** Everything that is random in a request, from one sequence. */
class Fuzzer {
  readonly #random: Random
  readonly #served: Served[]

  constructor(random: Random, served: Served[]) {
    this.#random = random
    this.#served = served
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit)
  }

  chance(share: number): boolean {
    return this.#random.next() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  request(): Fuzzed {
    const served = this.pick(this.#served)
    const method = this.pick(METHODS)
    const path = this.chance(0.06) ? this.pick(PATHS) : this.#path(served, method)
    const type = this.pick(method === 'PATCH' ? PATCH_TYPES : BODY_TYPES)
    return { method, path, query: this.#query(), headers: this.#headers(type), body: this.#body(served, method, type) }
  }

  #path({ apiVersion, name, namespaced }: Served, method: string): string {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const scope = namespaced && !this.chance(0.1) ? `/namespaces/${this.chance(0.95) ? NAMESPACE : this.#name()}` : ''
    const wantsName = method === 'POST' ? this.chance(0.15) : this.chance(0.8)
    const object = wantsName ? `/${this.#name()}` : ''
    const child = wantsName && this.chance(0.2) ? `/${this.pick(SUBRESOURCES)}` : ''
    const watched = this.chance(0.03) ? '/watch' : ''
    return base + watched + scope + `/${name}` + object + child
  }

  #name(): string {
    return this.chance(0.9) ? this.pick(NAMES) : this.pick(ODD_NAMES)
  }

  #query(): URLSearchParams {
    const query = new URLSearchParams()
    while (this.chance(0.45)) {
      const name = this.pick(Object.keys(QUERIES))
      query.append(name, this.pick(QUERIES[name] as string[]))
    }
    return query
  }

  #headers(type: string): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {
      accept: this.chance(0.6) ? 'application/json' : this.pick(ACCEPTS),
    }
    if (type !== '') headers['content-type'] = type
    if (this.chance(0.03))
      headers['impersonate-user'] = this.pick(['joe', '', 'system:serviceaccount:fuzz:a', '\u0000'])
    if (this.chance(0.02)) headers['impersonate-group'] = [this.pick(['g', 'system:masters', ''])]
    if (this.chance(0.02)) headers[`impersonate-extra-${this.pick(['a', '%', '__proto__'])}`] = ['x']
    if (this.chance(0.1)) headers['user-agent'] = this.pick(['kubectl/v1', '', '\u0000', 'x'.repeat(500), '__proto__'])
    return headers
  }

  #body(served: Served, method: string, type: string): Buffer {
    if (method === 'GET' || method === 'HEAD') return Buffer.alloc(0)
    if (this.chance(0.06)) return Buffer.from(this.pick(ODD_TEXTS))
    const value = method === 'DELETE' ? this.#deleteOptions() : this.#value(served, type)
    for (let i = this.chance(0.3) ? 0 : 1 + this.below(4); i > 0; i--) this.#mutate(value)
    return this.#garble(Buffer.from(JSON.stringify(value)))
  }

  #value(served: Served, type: string): Json {
    if (type === 'application/json-patch+json') return this.#jsonPatch()
    const metadata: JsonObject = { name: this.pick(NAMES) }
    if (this.chance(0.2)) metadata.labels = { a: 'b' }
    if (this.chance(0.1)) metadata.finalizers = ['example.com/f']
    if (this.chance(0.05)) metadata.generateName = 'g-'
    if (this.chance(0.05)) metadata.resourceVersion = String(this.below(500))
    return { apiVersion: served.apiVersion, kind: served.kind, metadata, ...structuredClone(BODIES[served.kind] ?? {}) }
  }

  #deleteOptions(): JsonObject {
    return {
      kind: 'DeleteOptions',
      apiVersion: this.pick(['v1', 'meta.k8s.io/v1', 'x']),
      propagationPolicy: this.pick(['Background', 'Foreground', 'Orphan', 'x']),
      preconditions: this.chance(0.2) ? { uid: 'x' } : {},
    }
  }

  #jsonPatch(): Json {
    return Array.from({ length: 1 + this.below(4) }, () => ({
      op: this.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
      path: this.#pointer(),
      from: this.#pointer(),
      value: structuredClone(this.pick(ODD_VALUES)),
    }))
  }

  #pointer(): string {
    const parts = [
      'data',
      'spec',
      'metadata',
      'labels',
      'a',
      '0',
      '-',
      '-1',
      '99999',
      '01',
      '__proto__',
      'constructor',
      '~1',
      '~',
      '',
      'containers',
      'finalizers',
    ]
    return this.chance(0.1)
      ? this.pick(parts)
      : Array.from({ length: this.below(4) }, () => `/${this.pick(parts)}`).join('')
  }

  /** Changes one place of a value. */
  #mutate(value: Json): void {
    const places: (Json[] | JsonObject)[] = []
    const visit = (node: Json) => {
      if (node === null || typeof node !== 'object') return
      places.push(node)
      for (const child of Object.values(node)) visit(child)
    }
    visit(value)
    if (places.length === 0) return
    const place = this.pick(places)
    if (Array.isArray(place)) {
      const index = this.below(place.length + 1)
      const change = this.#random.next()
      if (change < 0.3) place.splice(index, 1)
      else if (change < 0.5) place.push(...structuredClone(place.slice(0, 20)))
      else place[index] = structuredClone(this.pick(ODD_VALUES))
      return
    }
    const keys = Object.keys(place)
    const key = keys.length === 0 || this.chance(0.15) ? this.pick(ODD_KEYS) : this.pick(keys)
    if (this.chance(0.2)) delete place[key]
    else
      Object.defineProperty(place, key, {
        value: structuredClone(this.pick(ODD_VALUES)),
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }

  #garble(bytes: Buffer): Buffer {
    if (this.chance(0.04)) return bytes.subarray(0, this.below(bytes.length + 1))
    if (this.chance(0.04)) {
      for (let i = 1 + this.below(5); i > 0 && bytes.length > 0; i--) bytes[this.below(bytes.length)] = this.below(256)
    }
    if (this.chance(0.01)) return Buffer.from(this.#random.bytes(this.below(300)))
    if (this.chance(0.01))
      return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), this.#random.bytes(this.below(200))])
    return bytes
  }
}

interface Fuzzed {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string | string[]>
  body: Buffer
}

const describeRequest = ({ method, path, query, headers, body }: Fuzzed): string =>
  `${method} ${path.slice(0, 200)}?${query.toString()} ${JSON.stringify(headers)} ${JSON.stringify(body.toString('latin1').slice(0, 1500))}`

/** A clock whose timers are always due, so that what waits for a time does not make the test wait. */
const hastyClock: Clock = { ...systemClock, schedule: (_delayMs, task) => systemClock.schedule(0, task) }

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const JOE = { name: 'joe', groups: ['system:authenticated'] }

describe('fuzzed requests', () => {
  let server: ApiServer
  const logged: string[] = []
  const log = createLog({ now: () => 0, write: line => logged.push(formatJson(line)) })
  const env: Env = { clock: hastyClock, random: seededRandom(SEED), log }

  beforeAll(async () => {
    server = await createApiServer({ env, tokens: [{ token: 'admin', user: 'admin', groups: ['system:masters'] }] })
  })
  afterAll(() => server.close())

  const ask = (method: string, path: string, body: Json = null, user = ADMIN): Promise<ApiResponse> =>
    server.handle(
      requestFor(
        {
          method,
          path,
          query: new URLSearchParams(),
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify(body)),
        },
        user,
      ),
    )

  async function servedResources(): Promise<Served[]> {
    const served: Served[] = []
    for (const path of await groupPaths()) {
      const list = valueOf(await ask('GET', path)) as {
        groupVersion: string
        resources: { name: string; kind: string; namespaced: boolean }[]
      }
      for (const { name, kind, namespaced } of list.resources) {
        if (!name.includes('/')) served.push({ apiVersion: list.groupVersion, name, kind, namespaced })
      }
    }
    return served
  }

  async function groupPaths(): Promise<string[]> {
    const { groups } = valueOf(await ask('GET', '/apis')) as { groups: { versions: { groupVersion: string }[] }[] }
    return ['/api/v1', ...groups.flatMap(group => group.versions.map(version => `/apis/${version.groupVersion}`))]
  }

  /** Makes again what deletions took away, so that later requests find something. */
  async function seed(served: Served[]): Promise<void> {
    await ask('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    for (const { apiVersion, name, kind, namespaced } of served) {
      const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
      const object = {
        metadata: { name: kind === 'CustomResourceDefinition' ? 'widgets.example.com' : 'a' },
        ...BODIES[kind],
      }
      if (BODIES[kind])
        await ask('POST', `${base}${namespaced ? `/namespaces/${NAMESPACE}` : ''}/${name}`, {
          apiVersion,
          kind,
          ...object,
        })
    }
  }

  it(`get an answer that is no crash, no hang and no 500, ${REQUESTS} times (seed ${SEED})`, {
    timeout: 600_000,
  }, async () => {
    const definitions = (await servedResources()).filter(({ kind }) => kind === 'CustomResourceDefinition')
    await seed(definitions)
    let served = await servedResources()
    while (!served.some(({ kind }) => kind === 'Widget')) {
      await new Promise(resolve => setImmediate(resolve))
      served = await servedResources()
    }
    const fuzzer = new Fuzzer(seededRandom(SEED), served)
    const problems = new Map<string, string>()
    const codes = new Map<number, number>()
    let revision = 0
    for (let i = 0; i < REQUESTS; i++) {
      if (i % 100 === 0) await seed(served)
      const fuzzed = fuzzer.request()
      const user = fuzzer.chance(0.97) ? ADMIN : JOE
      const { problem, status } = await outcomeOf(server, fuzzed, user)
      codes.set(status, (codes.get(status) ?? 0) + 1)
      if (problem) problems.set(problem, problems.get(problem) ?? describeRequest(fuzzed))
      if (server.storage.revision < revision) problems.set('the revision went back', describeRequest(fuzzed))
      revision = server.storage.revision
      const polluted = pollution()
      if (polluted.length > 0)
        throw new Error(`Object.prototype has ${polluted.join()} after ${describeRequest(fuzzed)}`)
    }
    expect([...problems].map(([problem, request]) => `${problem}\n  ${request}`)).toEqual([])
    for (const code of [200, 201, 400, 404, 405, 409, 415, 422])
      expect(codes.get(code) ?? 0).toBeGreaterThan(REQUESTS / 1000)
    await expectConsistency(served)
  })

  async function expectConsistency(served: Served[]): Promise<void> {
    for (const { apiVersion, name } of served) {
      const answer = await ask('GET', `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/${name}`)
      if (answer.status === 404 || answer.status === 405) continue
      const { items } = JSON.parse(textOf(answer)) as {
        items: { metadata: { resourceVersion: string; uid: string } }[]
      }
      expect(items.filter(({ metadata }) => !(Number(metadata.resourceVersion) <= server.storage.revision))).toEqual([])
      expect(new Set(items.map(({ metadata }) => metadata.uid)).size).toBe(items.length)
    }
  }

  it(`over TLS leave a server that answers the next one, ${CONNECTIONS} times (seed ${SEED})`, {
    timeout: 300_000,
  }, async () => {
    const { host, port, caCertificate: ca } = await server.listen()
    const fuzzer = new Fuzzer(seededRandom(SEED + 1), await servedResources())
    for (let i = 0; i < CONNECTIONS; i++) {
      const bytes = wireBytes(fuzzer)
      const socket = connect({ host, port, ca })
      // A reset is an answer to what was sent; the next connection shows whether the server lives.
      socket.on('error', () => {})
      await once(socket, 'secureConnect')
      const answered = Promise.race([once(socket, 'data'), once(socket, 'close'), once(socket, 'end')])
      socket.end(bytes)
      const hung = await isLate(answered)
      expect(hung ? `no answer to ${JSON.stringify(bytes.toString('latin1').slice(0, 500))}` : '').toBe('')
      socket.destroy()
    }
    expect((await ask('GET', '/version')).status).toBe(200)
  })
})

function wireBytes(fuzzer: Fuzzer): Buffer {
  const { method, path, query, headers, body } = fuzzer.request()
  const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')
  const lines = Object.entries({ ...headers, host: 'x', authorization: 'Bearer admin', connection: 'close' }).map(
    ([name, value]) => `${name}: ${printable(String(value))}`,
  )
  const head = `${method} ${encodeURI(path).replaceAll('%25', '%')}?${query.toString()} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`
  const bytes = Buffer.concat([Buffer.from(head), body])
  if (fuzzer.chance(0.15)) return bytes.subarray(0, fuzzer.below(bytes.length))
  if (fuzzer.chance(0.15))
    for (let i = fuzzer.below(10); i >= 0; i--) bytes[fuzzer.below(Math.min(bytes.length, 200))] = fuzzer.below(256)
  return bytes
}

function requestFor({ method, path, query, headers, body }: Fuzzed, user: ApiRequest['user']): ApiRequest {
  return {
    method,
    path,
    query,
    headers,
    body: async () => ({ bytes: body }),
    signal: new AbortController().signal,
    ...(user ? { user } : {}),
  }
}

async function outcomeOf(
  server: ApiServer,
  fuzzed: Fuzzed,
  user: ApiRequest['user'],
): Promise<{ problem: string | undefined; status: number }> {
  try {
    const answer = server.handle(requestFor(fuzzed, user))
    if (await isLate(answer)) return { problem: `no answer in ${PATIENCE_MS} ms`, status: 0 }
    const response = await answer
    return { problem: await problemOf(response), status: response.status }
  } catch (thrown) {
    return { problem: `thrown: ${(thrown as Error).stack?.split('\n').slice(0, 3).join(' ')}`, status: 0 }
  }
}

async function problemOf(response: ApiResponse): Promise<string | undefined> {
  const { status, body } = response
  if (!(status >= 200 && status < 600)) return `the status ${status}`
  if (body.type === 'watch') {
    body
      .start({ send: event => void (JSON.parse(event.line()) === event.value()), isBehind: () => false, end: () => {} })
      .stop()
    return undefined
  }
  if (body.type !== 'json') return undefined
  const value = JSON.parse(body.text()) as { message?: string }
  if (status < 500 || status === 504) return undefined
  const message = value.message ?? ''
  if (REAL_FAILURES.some(known => known.message.test(message))) return undefined
  return `${status} ${message.replaceAll(/"[^"]*"|\d+/g, '…').slice(0, 200)}`
}

function valueOf({ body }: ApiResponse): unknown {
  return body.type === 'json' ? body.value() : undefined
}

function textOf({ body }: ApiResponse): string {
  return body.type === 'json' ? body.text() : ''
}

async function isLate(work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof systemClock.schedule> | undefined
  const late = new Promise<boolean>(resolve => {
    timer = systemClock.schedule(PATIENCE_MS, () => resolve(true))
  })
  const isOver = await Promise.race([
    work.then(
      () => false,
      () => false,
    ),
    late,
  ])
  timer?.cancel()
  return isOver
}

/** What should not be on the prototype of every object. */
function pollution(): string[] {
  return Object.keys(Object.prototype)
}
