import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, connect, type KubeObject, kindRef, parseYaml } from '@tiphys/kube'
import type { Figure } from './figure.ts'
import { kubeApiserver } from './kube-apiserver.ts'
import { OperatorProcess } from './operator-process.ts'
import { median } from './statistics.ts'

export interface EventsBench {
  /** The `tiphys` command. */
  command: string
  /** `bench/peers`. */
  peers: string
  /** The bundled program of the bare webhook. */
  bareWebhook: string
  /** The operator made with controller-runtime. */
  controllerRuntime?: string
  /** A Python that has Kopf. */
  kopf?: string
  scratch: string
  rounds: number
  /** How many custom resources come in a burst. */
  things: number
  /** How many of them come one after the other, each when all is quiet. */
  single: number
  /** How many objects are watched when memory is read. */
  watched: number
  /** How many requests a webhook gets: a burst, and so many that the archive has to store beside it. */
  requests: number
  lastingRequests: number
  say: (line: string) => void
}

export interface EventsRound {
  tiphys: number
  controllerRuntime?: number
  kopf?: number
  /** Without an operator: whoever creates the custom resources creates the children too. */
  nobody: number
  /** Milliseconds from a change to its effect, and of a create alone. */
  effectMs: number
  createMs: number
  megabytes: number
  webhook: number
  bareWebhook: number
  lastingWebhook: number
  lastingBareWebhook: number
}

const THING = { apiVersion: 'bench.tiphys.dev/v1', kind: 'Thing' }
const NAMESPACE = kindRef('v1', 'Namespace')
const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const CONNECTIONS = 32
/** The number of a Thing that is no part of any measurement. */
const FIRST_OF_ALL = 1_000_000
const NEVER_SAID = /(?!)/

type Operator = (place: { kubeconfig: string; directory: string }) => Promise<OperatorProcess>

/** All sides work on one real kube-apiserver, one after the other in every round. */
export async function measureEvents(bench: EventsBench): Promise<EventsRound[]> {
  const directory = await mkdtemp(join(bench.scratch, 'events-'))
  const launch = await kubeApiserver('fsync').launch(join(directory, 'server'))
  const server = launch.start()
  try {
    const client = await connectWhenReady(launch.kubeconfig)
    const definition = await readFile(join(bench.peers, 'thing-crd.yaml'), 'utf8')
    await client.create((await parseYaml(definition)).value as KubeObject)
    await until(async () => (await client.list(THING).catch(() => undefined)) !== undefined)
    const rounds: EventsRound[] = []
    for (let number = 0; number < bench.rounds; number++) {
      const scene = new Scene(bench, client, launch.kubeconfig, directory, number)
      rounds.push(await scene.measure())
    }
    await client.close()
    return rounds
  } finally {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** What the rounds say about each promise. */
export function eventFigures(
  rounds: readonly EventsRound[],
  { things, watched, requests, lastingRequests }: EventsBench,
): Figure[] {
  const each = (of: keyof EventsRound) => rounds.map(round => round[of] as number)
  const against = (peer: 'controllerRuntime' | 'kopf') =>
    rounds.every(round => round[peer] !== undefined) ? { peers: each(peer) } : {}
  const burst = `${things.toLocaleString('en')} custom resources in a burst → one child each`
  return [
    {
      what: `${burst}, against controller-runtime (16 workers)`,
      unit: '/s',
      better: 'more',
      bar: 0.7,
      ours: each('tiphys'),
      ...against('controllerRuntime'),
    },
    { what: `${burst}, against Kopf`, unit: '/s', better: 'more', bar: 8, ours: each('tiphys'), ...against('kopf') },
    {
      what: 'the most that the server takes: both objects from the load itself, without an operator, against Kopf',
      unit: '/s',
      better: 'more',
      ours: each('nobody'),
      ...against('kopf'),
    },
    {
      what: 'change → effect when nothing else happens (median), against a create',
      unit: 'ms',
      better: 'less',
      share: 3,
      ours: each('effectMs'),
      peers: each('createMs'),
    },
    {
      what: `webhook → durable bus → log trigger, ${requests.toLocaleString('en')} times, against a bare server that appends and syncs`,
      unit: '/s',
      better: 'more',
      bar: 0.5,
      ours: each('webhook'),
      peers: each('bareWebhook'),
    },
    {
      what: `the same ${lastingRequests.toLocaleString('en')} times, while the archive stores what has happened`,
      unit: '/s',
      better: 'more',
      ours: each('lastingWebhook'),
      peers: each('lastingBareWebhook'),
    },
    {
      // Half of what Argo Events' two processes take: 131 + 167 MB.
      what: `resident memory of \`tiphys run\` with ${watched.toLocaleString('en')} watched objects`,
      unit: 'MB',
      better: 'less',
      limit: 149,
      ours: each('megabytes'),
    },
  ]
}

/** One round: every operator has its turn. */
class Scene {
  readonly #bench: EventsBench
  readonly #client: Client
  readonly #kubeconfig: string
  readonly #directory: string
  readonly #number: number

  constructor(bench: EventsBench, client: Client, kubeconfig: string, directory: string, number: number) {
    this.#bench = bench
    this.#client = client
    this.#kubeconfig = kubeconfig
    this.#directory = directory
    this.#number = number
  }

  async measure(): Promise<EventsRound> {
    const { controllerRuntime, kopf } = this.#bench
    const ours = async () => ({ tiphys: await this.#burst('tiphys', this.#tiphys) })
    const theirs = async () => ({
      ...(controllerRuntime === undefined
        ? {}
        : { controllerRuntime: await this.#burst('controller-runtime', this.#controllerRuntime) }),
      ...(kopf === undefined ? {} : { kopf: await this.#burst('kopf', this.#kopf) }),
    })
    const bursts =
      this.#number % 2 === 0 ? { ...(await ours()), ...(await theirs()) } : { ...(await theirs()), ...(await ours()) }
    const quiet = await this.#quiet()
    const megabytes = await this.#memory()
    const nobody = await this.#both()
    const { requests, lastingRequests } = this.#bench
    const [webhook, bareWebhook] = await this.#webhooks(requests)
    const [lastingWebhook, lastingBareWebhook] = await this.#webhooks(lastingRequests)
    return { ...bursts, nobody, ...quiet, megabytes, webhook, bareWebhook, lastingWebhook, lastingBareWebhook }
  }

  readonly #tiphys: Operator = place => this.#run('tiphys', place)

  readonly #controllerRuntime: Operator = async ({ kubeconfig, directory }) => {
    const operator = new OperatorProcess(this.#bench.controllerRuntime as string, [kubeconfig], { cwd: directory })
    await operator.says(/^ready$/m)
    return operator
  }

  readonly #kopf: Operator = async ({ kubeconfig, directory }) => {
    const program = join(this.#bench.peers, 'kopf/operator.py')
    const args = ['-m', 'kopf', 'run', '--all-namespaces', '--standalone', program]
    const operator = new OperatorProcess(this.#bench.kopf as string, args, {
      cwd: directory,
      env: { KUBECONFIG: kubeconfig },
    })
    await Promise.race([this.#hasHandledOne(), operator.says(NEVER_SAID)])
    return operator
  }

  /** Only in its debug log would Kopf say when it is ready; that it has handled something shows it too. */
  async #hasHandledOne(): Promise<void> {
    const place = { namespace: 'default', name: `thing-${FIRST_OF_ALL}` }
    const child = this.#child(place.namespace, place.name)
    await this.#client.create(thing(place.namespace, FIRST_OF_ALL))
    await child
    for (const kind of [THING, CONFIG_MAP]) await this.#client.delete({ ...kind, ...place })
  }

  async #run(folder: string, { kubeconfig, directory }: { kubeconfig: string; directory: string }) {
    const manifests = join(this.#bench.peers, folder)
    const flags = ['--kubeconfig', kubeconfig, '--data', join(directory, 'data'), '--console-port', '0']
    const operator = new OperatorProcess(this.#bench.command, ['run', manifests, ...flags], { cwd: directory })
    await operator.says(/tiphys is ready/)
    return operator
  }

  /** Gives an operator a namespace, has it work there, and clears away what it was given. */
  async #visit<T>(name: string, operator: Operator, work: (namespace: string, running: OperatorProcess) => Promise<T>) {
    const namespace = await this.#begin(name)
    const directory = await mkdtemp(join(this.#directory, 'operator-'))
    const running = await operator({ kubeconfig: this.#kubeconfig, directory })
    try {
      return await work(namespace, running)
    } finally {
      await running.stop()
      await this.#clear(namespace)
      await rm(directory, { recursive: true, force: true })
    }
  }

  async #begin(name: string): Promise<string> {
    this.#bench.say(`round ${this.#number + 1} of ${this.#bench.rounds}: ${name}`)
    const namespace = `round-${this.#number}-${name}`
    await this.#client.create({ ...NAMESPACE, metadata: { name: namespace } })
    return namespace
  }

  async #clear(namespace: string): Promise<void> {
    for (const kind of [THING, CONFIG_MAP]) await this.#client.deleteCollection({ ...kind, namespace })
  }

  /** Children per second. */
  #burst(name: string, operator: Operator): Promise<number> {
    const { things } = this.#bench
    return this.#visit(name, operator, async namespace => {
      const children = this.#children(namespace, things)
      const begin = performance.now()
      await this.#createThings(namespace, things)
      return (things / ((await children) - begin)) * 1000
    })
  }

  /** Pairs of parent and child per second. */
  async #both(): Promise<number> {
    const { things } = this.#bench
    const namespace = await this.#begin('nobody')
    const begin = performance.now()
    await this.#createThings(namespace, things, ({ metadata: { name }, spec }) =>
      this.#client.create({
        ...CONFIG_MAP,
        metadata: { namespace, name, labels: { bench: 'child' } },
        data: spec,
      }),
    )
    const rate = (things / (performance.now() - begin)) * 1000
    await this.#clear(namespace)
    return rate
  }

  async #quiet(): Promise<{ effectMs: number; createMs: number }> {
    const times = await this.#visit('quiet', this.#tiphys, async namespace => {
      const effects: number[] = []
      const creates: number[] = []
      // One watch for all of them: to open one is work for the server, and no part of what is measured.
      const children = this.#created(namespace)[Symbol.asyncIterator]()
      for (let number = 0; number < this.#bench.single; number++) {
        const begun = performance.now()
        await this.#client.create({ ...CONFIG_MAP, metadata: { namespace, name: `alone-${number}` } })
        creates.push(performance.now() - begun)
        const child = children.next().then(() => performance.now())
        const begin = performance.now()
        await this.#client.create(thing(namespace, number))
        effects.push((await child) - begin)
      }
      await children.return?.()
      return { effects, creates }
    })
    return { effectMs: median(times.effects), createMs: median(times.creates) }
  }

  #memory(): Promise<number> {
    const { watched } = this.#bench
    return this.#visit('memory', this.#tiphys, async (namespace, running) => {
      const children = this.#children(namespace, watched)
      await this.#createThings(namespace, watched)
      await children
      // What the burst needed is given back when nothing has happened for some seconds.
      await pause(15_000)
      return running.megabytes()
    })
  }

  /** Requests a second, of ours and of the bare one. */
  async #webhooks(requests: number): Promise<[number, number]> {
    const { bareWebhook, say } = this.#bench
    const ours = () =>
      this.#visit(
        `webhook-${requests}`,
        place => this.#run('tiphys-webhook', place),
        () => postMany('http://127.0.0.1:12000/hook', requests),
      )
    const theirs = async () => {
      say(`round ${this.#number + 1} of ${this.#bench.rounds}: bare webhook`)
      const file = join(this.#directory, `bare-${this.#number}-${requests}`)
      const bare = new OperatorProcess(process.execPath, [bareWebhook, file], { cwd: this.#directory })
      const [port] = await bare.says(/^\d+/m)
      const rate = await postMany(`http://127.0.0.1:${port}/hook`, requests)
      await bare.stop()
      return rate
    }
    if (this.#number % 2 === 0) return [await ours(), await theirs()]
    const bare = await theirs()
    return [await ours(), bare]
  }

  async #createThings(namespace: string, count: number, then?: (created: Thing) => Promise<unknown>): Promise<void> {
    let next = 0
    const create = async () => {
      while (next < count) {
        const one = thing(namespace, next++)
        await this.#client.create(one)
        await then?.(one)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, create))
  }

  /** Resolves, with the time, when so many children are there. */
  async #children(namespace: string, count: number): Promise<number> {
    const seen = new Set<string>()
    for await (const name of this.#created(namespace)) {
      seen.add(name)
      if (seen.size === count) return performance.now()
    }
    throw new Error('the watch ended before all children were there')
  }

  async #child(namespace: string, name: string): Promise<number> {
    for await (const created of this.#created(namespace)) if (created === name) return performance.now()
    throw new Error('the watch ended before the child was there')
  }

  async *#created(namespace: string): AsyncIterable<string> {
    const watching = new AbortController()
    const selection = { ...CONFIG_MAP, namespace, labelSelector: 'bench=child' }
    try {
      for await (const event of this.#client.watch(selection, { metadataOnly: true, signal: watching.signal }))
        if (event.type === 'ADDED') yield event.object.metadata.name as string
    } finally {
      watching.abort()
    }
  }
}

type Thing = ReturnType<typeof thing>

const thing = (namespace: string, number: number) => ({
  ...THING,
  metadata: { namespace, name: `thing-${number}` },
  spec: { value: `value ${number}` },
})

/** Requests per second; every one must be answered with 200. */
async function postMany(url: string, count: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS * 2 })
  const body = JSON.stringify({ greeting: 'x'.repeat(200) })
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers }, answer => {
        answer.resume()
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`the webhook answered ${answer.statusCode}`)),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })
  let left = count
  const begin = performance.now()
  const worker = async () => {
    while (left-- > 0) await post()
  }
  await Promise.all(Array.from({ length: CONNECTIONS * 2 }, worker))
  const seconds = (performance.now() - begin) / 1000
  agent.destroy()
  return count / seconds
}

async function connectWhenReady(kubeconfig: string): Promise<Client> {
  for (;;) {
    const client = await connect({ kubeconfig }).catch(() => undefined)
    if (client && (await client.get({ ...NAMESPACE, name: 'default' }).catch(() => undefined))) return client
    await client?.close()
    await pause(50)
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(50)
}
