import {
  type Answer,
  Connection,
  type Endpoint,
  type Json,
  type JsonObject,
  parseLossless,
  type Request,
} from './http.ts'
import { authorization, type IdentityName } from './identities.ts'
import { Kubectl, type KubectlOptions, type KubectlResult, normaliseOutput } from './kubectl.ts'
import { asText, isObject, type Step } from './transcript.ts'
import { WatchStream } from './watch-stream.ts'

export interface RequestOptions {
  /** Who asks; the administrator unless told. */
  as?: IdentityName
  /** A bearer token other than those of the known identities. */
  token?: string
  /** Content-Type of the body; application/json unless told. */
  type?: string
  accept?: string
  headers?: Record<string, string>
  /** Headers of the answer to compare beside Content-Type, Warning and Retry-After. */
  showHeaders?: string[]
  /** Leave this request out of the transcript: it only prepares. */
  unrecorded?: boolean
}

export type Body = Json | Buffer

/** A server's answer, easy to look into. */
export class Reply {
  readonly status: number
  readonly headers: Map<string, string[]>
  readonly text: string
  readonly body: Json

  constructor(answer: Answer) {
    this.status = answer.status
    this.headers = answer.headers
    this.text = answer.text
    this.body = parseLossless(answer.text)
  }

  /** The value at a dotted path; undefined where the way ends early. */
  at(path: string): Json | undefined {
    let value: Json | undefined = this.body
    for (const part of path.split('.')) {
      if (Array.isArray(value)) value = value[Number(part)]
      else if (isObject(value)) value = value[part]
      else return undefined
    }
    return value
  }

  string(path: string): string {
    const value = this.at(path)
    if (typeof value !== 'string') throw new Error(`no text at ${path} in ${this.text.slice(0, 500)}`)
    return value
  }

  object(): JsonObject {
    if (!isObject(this.body)) throw new Error(`not an object: ${this.text.slice(0, 500)}`)
    return structuredClone(this.body)
  }

  get resourceVersion(): string {
    return this.string('metadata.resourceVersion')
  }

  get uid(): string {
    return this.string('metadata.uid')
  }
}

export type SessionServer = Endpoint & { compact?: () => Promise<void> }

/** What a scenario talks through: it sends requests and remembers every answer. */
export class Session {
  readonly namespace: string
  readonly group: string
  readonly steps: Step[] = []
  /** Values that the scenario sent before any answer had them. */
  readonly invented = new Set<string>()
  readonly #answered = new Set<string>()
  readonly #server: SessionServer
  #connection: Connection | undefined
  #kubectl: Promise<Kubectl> | undefined
  readonly #watches: WatchStream[] = []
  readonly #customResources: string[] = []

  constructor(server: SessionServer, namespace: string, group: string) {
    this.#server = server
    this.namespace = namespace
    this.group = group
  }

  /** Creates the scenario's namespace with the service account that pods need, whoever makes that on this server. */
  async prepare(): Promise<number> {
    const namespace = await this.post(
      '/api/v1/namespaces',
      { metadata: { name: this.namespace } },
      { unrecorded: true },
    )
    if (namespace.status !== 201) throw new Error(`cannot create a namespace: ${namespace.text}`)
    await this.post(this.core('serviceaccounts'), { metadata: { name: 'default' } }, { unrecorded: true })
    return Number(namespace.resourceVersion)
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    for (const name of this.#customResources) {
      await this.delete(crdPath(name), undefined, { unrecorded: true })
    }
    this.#connection?.close()
    await (await this.#kubectl)?.remove()
  }

  /** Path of a core resource in the scenario's namespace. */
  core(rest: string): string {
    return `/api/v1/namespaces/${this.namespace}/${rest}`
  }

  /** Path of a resource of an API group (`apps/v1`) in the scenario's namespace. */
  api(groupVersion: string, rest: string): string {
    return `/apis/${groupVersion}/namespaces/${this.namespace}/${rest}`
  }

  /** Path of a custom resource of the scenario's group, version v1 unless told, in its namespace. */
  custom(rest: string, version = 'v1'): string {
    return this.api(`${this.group}/${version}`, rest)
  }

  get(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('GET', path, undefined, options)
  }

  post(path: string, body?: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('POST', path, body, options)
  }

  put(path: string, body?: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('PUT', path, body, options)
  }

  delete(path: string, body?: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('DELETE', path, body, options)
  }

  jsonPatch(path: string, body: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('PATCH', path, body, { type: 'application/json-patch+json', ...options })
  }

  mergePatch(path: string, body: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('PATCH', path, body, { type: 'application/merge-patch+json', ...options })
  }

  strategicPatch(path: string, body: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('PATCH', path, body, { type: 'application/strategic-merge-patch+json', ...options })
  }

  /** Server-side apply. The query has the field manager and whether to force. */
  apply(path: string, body: Body, options?: RequestOptions): Promise<Reply> {
    return this.request('PATCH', path, body, { type: 'application/apply-patch+yaml', ...options })
  }

  async request(method: string, path: string, body?: Body, options: RequestOptions = {}): Promise<Reply> {
    const encoded =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    this.#remember(`${path} ${Buffer.isBuffer(encoded) ? '' : (encoded ?? '')}`, this.invented)
    const headers = this.#headers(options, encoded !== undefined)
    const request = { method, path, headers, ...(encoded === undefined ? {} : { body: encoded }) }
    const reply = await this.#send(request)
    this.#remember(reply.text, this.#answered)
    if (!options.unrecorded) {
      const step = this.#record(`${method} ${path}`, reply.status, reply.headers, options)
      if (reply.text !== '') step.body = reply.body
    }
    return reply
  }

  /** A real server that has just taken over a changed definition asks to try again: no behaviour to compare. */
  async #send(request: Request): Promise<Reply> {
    for (;;) {
      if (!this.#connection?.isOpen) this.#connection = await Connection.open(this.#server)
      const reply = new Reply(await this.#connection.request(request))
      if (reply.status !== 429 || !reply.text.includes('storage is (re)initializing')) return reply
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** Opens a watch. The events that `next` waits for become part of the transcript, at this place in it. */
  async watch(path: string, options: RequestOptions = {}): Promise<WatchStream> {
    const connection = await Connection.open(this.#server)
    const { status, headers, lines } = await connection.stream({
      method: 'GET',
      path,
      headers: this.#headers(options, false),
    })
    const step = this.#record(`GET ${path}`, status, headers, options)
    step.events = []
    const watch = new WatchStream(connection, lines, step.events)
    this.#watches.push(watch)
    return watch
  }

  /** Runs kubectl in the scenario's namespace and records what it printed. Words with spaces are quoted with '. */
  async kubectl(command: string, options: KubectlOptions & { keep?: RegExp } = {}): Promise<KubectlResult> {
    this.#remember(`${command} ${options.stdin ?? ''}`, this.invented)
    const kubectl = await this.#commandLine()
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    const result = await kubectl.run(words, options)
    this.#remember(result.stdout, this.#answered)
    const { keep = /./ } = options
    const lines = (text: string) => normaliseOutput(text, this.#server).filter(line => keep.test(line))
    this.steps.push({
      request: `${options.program ?? 'kubectl'} ${command}`,
      status: result.exitCode ?? -1,
      body: { stdout: lines(result.stdout), stderr: lines(result.stderr) },
    })
    return result
  }

  /** Puts files where commands run. */
  async writeFiles(files: Record<string, string>): Promise<void> {
    await (await this.#commandLine()).write(files)
  }

  #commandLine(): Promise<Kubectl> {
    this.#kubectl ??= Kubectl.for(this.#server, this.namespace)
    return this.#kubectl
  }

  /** Records a fact that the scenario worked out from unrecorded answers. */
  note(label: string, fact: Json): void {
    this.steps.push({ request: label, status: 0, body: fact })
  }

  /** Bytes sent as they are on a connection of their own. */
  async exchangeBytes(label: string, bytes: string | Buffer): Promise<string> {
    const connection = await Connection.open(this.#server)
    const text = await connection.exchangeBytes(bytes, 1_000)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    this.steps.push({ request: label, status: statuses[0] ?? 0, body: { statuses } })
    return text
  }

  /** Repeats a request until its answer satisfies, and records only that answer. */
  async until(
    ask: (options: RequestOptions) => Promise<Reply>,
    isDone: (reply: Reply) => boolean,
    atMostMilliseconds = 10_000,
  ): Promise<Reply> {
    const deadline = performance.now() + atMostMilliseconds
    for (;;) {
      const kept = this.steps.length
      const reply = await ask({})
      if (isDone(reply) || performance.now() > deadline) return reply
      this.steps.length = kept
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  /** Creates a definition (unrecorded) and waits until its kind is served. Removed when the scenario ends. */
  async define(definition: JsonObject): Promise<void> {
    const created = await this.post(crdPath(), definition, { unrecorded: true })
    if (created.status !== 201) throw new Error(`the definition was refused: ${created.text}`)
    await this.served(created.string('metadata.name'))
  }

  /** Waits, unrecorded, until a definition's kind is served and discoverable in every served version. */
  async served(name: string): Promise<void> {
    this.removeAtEnd(name)
    const established = await this.until(() => this.get(crdPath(name), { unrecorded: true }), isEstablished)
    if (!isEstablished(established)) throw new Error(`${name} was not established: ${established.text}`)
    const versions = established.at('spec.versions')
    if (!Array.isArray(versions)) throw new Error(`no such definition: ${established.text}`)
    const plural = established.string('spec.names.plural')
    const group = established.string('spec.group')
    for (const version of versions) {
      if (!isObject(version) || version.served !== true) continue
      const path = `/apis/${group}/${asText(version.name)}`
      await this.until(
        () => this.get(path, { unrecorded: true }),
        reply => reply.status === 200 && reply.text.includes(`"name":"${plural}"`),
      )
      await this.until(
        () => this.get(`${path}/${plural}`, { unrecorded: true }),
        reply => reply.status === 200,
      )
    }
  }

  /** Makes the server forget its history. Only for scenarios that have a server of their own. */
  async compact(): Promise<void> {
    await this.#server.compact?.()
  }

  removeAtEnd(definition: string): void {
    if (!this.#customResources.includes(definition)) this.#customResources.push(definition)
  }

  #remember(text: string, into: Set<string>): void {
    for (const [value] of text.slice(0, 200_000).matchAll(tellingValues)) {
      if (into === this.#answered || !this.#answered.has(value)) into.add(value)
    }
  }

  #headers(options: RequestOptions, hasBody: boolean): Record<string, string> {
    const credentials = options.token === undefined ? authorization(options.as ?? 'admin') : `Bearer ${options.token}`
    return {
      'User-Agent': 'conformance/1.0',
      Accept: options.accept ?? 'application/json',
      ...(credentials === undefined ? {} : { Authorization: credentials }),
      ...(hasBody ? { 'Content-Type': options.type ?? 'application/json' } : {}),
      ...options.headers,
    }
  }

  #record(request: string, status: number, headers: Map<string, string[]>, options: RequestOptions): Step {
    const step: Step = { request: describeRequest(request, options), status }
    const shown: Record<string, string> = {}
    for (const name of ['content-type', 'warning', 'retry-after', ...(options.showHeaders ?? [])]) {
      const values = headers.get(name)
      if (values === undefined || (name === 'content-type' && values[0] === 'application/json')) continue
      shown[name] = values.join(' | ')
    }
    if (Object.keys(shown).length > 0) step.headers = shown
    this.steps.push(step)
    return step
  }
}

/** What normalisation would take for chance: uids, addresses, ports, and names. */
const tellingValues =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b10\.96\.\d+\.\d+\b|\b[23]\d{4}\b|(?<="name":")[^"]*/g

function describeRequest(request: string, options: RequestOptions): string {
  const notes = [
    options.as === undefined ? '' : `as ${options.as}`,
    options.type === undefined ? '' : options.type,
    options.accept === undefined ? '' : `accepting ${options.accept}`,
  ].filter(note => note !== '')
  return notes.length > 0 ? `${request} (${notes.join(', ')})` : request
}

function isEstablished(reply: Reply): boolean {
  const conditions = reply.at('status.conditions')
  return (
    Array.isArray(conditions) &&
    conditions.some(condition => isObject(condition) && condition.type === 'Established' && condition.status === 'True')
  )
}

export function crdPath(name?: string): string {
  const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  return name === undefined ? collection : `${collection}/${name}`
}
