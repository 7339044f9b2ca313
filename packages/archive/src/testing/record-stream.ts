import { createHash } from 'node:crypto'
import { seededRandom } from '@tiphys/env'
import type { Json, NewRecord, ObjectReference, RunReference, TraceRecord } from '@tiphys/journal/records'

export interface RecordStreamOptions {
  seed: number
  events: number
  /** How many of the events that are let through start a run; 0.5 unless told. */
  runShare?: number
  /** When the first event happened. */
  from?: number
  /** Between two events. */
  everyMs?: number
  namespaces?: readonly string[]
  /** How many objects of each kind there are in each namespace. */
  objects?: number
}

/** A record, and of a log the output that it refers to. */
export interface StreamedRecord {
  record: TraceRecord
  content?: Buffer
}

const FROM = Date.UTC(2026, 0, 5, 8)
const MEMCACHED = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' }
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' }
const FAILURES = [
  'deployments.apps is forbidden: User "system:serviceaccount:default:operator" cannot patch resource',
  'connect ECONNREFUSED 10.0.0.7:8443',
  'the server was unable to return a response in the time allotted, but may still be processing the request',
]

/** What a small operator leaves behind: Memcacheds change, a sensor lets most changes through, its trigger writes a Deployment or
 *  starts a run that does, and the change of the Deployment is an event again. The same for the same seed. */
export function* recordStream(options: RecordStreamOptions): Generator<StreamedRecord> {
  const scene = new Scene(options)
  for (let number = 0; number < options.events; number++) yield* scene.event(number)
}

interface Thing {
  reference: ObjectReference & { namespace: string; uid: string }
  version: number
  size: number
  body: Json | undefined
}

class Scene {
  readonly #random
  readonly #runShare: number
  readonly #from: number
  readonly #everyMs: number
  readonly #things: Thing[]
  #version = 1000
  #at: number
  /** What the next event tells of: a write of ours. */
  readonly #caused: Thing[] = []

  constructor({
    seed,
    runShare = 0.5,
    from = FROM,
    everyMs = 250,
    namespaces = ['default', 'shop', 'test'],
    objects = 40,
  }: RecordStreamOptions) {
    this.#random = seededRandom(seed)
    this.#runShare = runShare
    this.#from = from
    this.#at = from
    this.#everyMs = everyMs
    this.#things = namespaces.flatMap(namespace =>
      Array.from({ length: objects }, (_, i) => this.#thing(MEMCACHED, namespace, `cache-${i}`)),
    )
  }

  #thing(kind: { apiVersion: string; kind: string }, namespace: string, name: string): Thing {
    const uid = this.#id(`${kind.kind}/${namespace}/${name}`)
    return { reference: { ...kind, namespace, name, uid: uuidOf(uid) }, version: 0, size: 1, body: undefined }
  }

  *event(number: number): Generator<StreamedRecord> {
    this.#at = this.#from + number * this.#everyMs
    const caused = this.#caused.shift()
    const thing = caused ?? this.#pick(this.#things)
    if (!thing) return
    const { namespace } = thing.reference
    const isNew = thing.body === undefined
    if (!caused) {
      thing.version = ++this.#version
      thing.size = 1 + this.#below(5)
    }
    const body = bodyOf(thing, this.#at)
    const trace = this.#id(`event/${number}`)
    const source = { namespace, name: caused ? 'deployments' : 'memcached', part: 'changes' }
    yield this.#record({
      kind: 'event',
      trace,
      source,
      bus: `${namespace}/default`,
      type: 'resource',
      position: number + 1,
      object: thing.reference,
      key: `${thing.reference.kind}/${namespace}/${thing.reference.name}`,
      body: {
        type: isNew ? 'ADD' : 'UPDATE',
        ...(isNew ? {} : { oldBody: thing.body }),
        body,
        namespace,
        group: 'g',
        version: 'v1',
        resource: 'r',
      },
    })
    thing.body = body
    yield* this.#decide(trace, thing, caused !== undefined)
  }

  *#decide(trace: string, thing: Thing, isCaused: boolean): Generator<StreamedRecord> {
    const { namespace } = thing.reference
    const trigger = { namespace, name: isCaused ? 'report' : 'memcached', part: isCaused ? 'status' : 'reconcile' }
    const common = { trigger, dependency: 'changed', events: [trace], trace }
    const luck = this.#random.next()
    const inputs = [{ path: 'body.body.spec.size', value: thing.size }]
    if (luck < 0.25) {
      yield this.#record({
        kind: 'decision',
        ...common,
        verdict: 'filtered',
        by: 'data filter body.body.spec.size > 3',
        inputs,
      })
      return
    }
    yield this.#record({
      kind: 'decision',
      ...common,
      verdict: 'passed',
      by: 'data filter body.body.spec.size > 3',
      inputs,
    })
    const action = this.#id(`action/${trace}`)
    const delivery = { kind: 'delivery', trigger, trace, action, events: [trace] } as const
    yield this.#record({ ...delivery, outcome: 'started', attempt: 1 })
    if (luck > 0.97) {
      const message = this.#pick(FAILURES) as string
      yield this.#record({ ...delivery, outcome: 'failed', attempt: 1, reason: 'Failed', message, durationMs: 12 })
      const isParked = this.#random.next() < 0.5
      if (isParked) yield this.#record({ ...delivery, outcome: 'parked', attempt: 1, reason: 'Failed', message })
      if (isParked) return
      yield this.#record({ ...delivery, outcome: 'retried', attempt: 2 })
    }
    yield this.#record({
      ...delivery,
      outcome: 'succeeded',
      attempt: luck > 0.97 ? 2 : 1,
      durationMs: 3 + this.#below(20),
    })
    if (this.#random.next() < this.#runShare) yield* this.#run(trace, action, thing)
    else if (!isCaused) yield* this.#write(trace, thing, { action })
  }

  *#run(trace: string, action: string, thing: Thing): Generator<StreamedRecord> {
    const { namespace, name } = thing.reference
    const run: RunReference = {
      namespace,
      name: `reconcile-${action.slice(0, 10)}`,
      uid: uuidOf(this.#id(`run/${action}`)),
    }
    const isFailed = this.#random.next() < 0.05
    const template = 'WorkflowTemplate/reconcile'
    const startedAt = this.#at
    const common = { kind: 'run', trace, run, action, template, object: thing.reference, startedAt } as const
    yield this.#record({ ...common, phase: 'Running', progress: '0/2', parameters: [{ name: 'name', value: name }] })
    const names = ['render', 'apply']
    for (const [i, step] of names.entries()) {
      const id = `${run.name}-${i}`
      const stepRecord = {
        kind: 'step',
        trace,
        run,
        step: id,
        name: `${run.name}.${step}`,
        displayName: step,
        type: 'Pod',
        template: step,
        attempt: 1,
        pod: id,
      } as const
      yield this.#record({ ...stepRecord, phase: 'Running', startedAt: this.#at })
      const isLast = isFailed && i === names.length - 1
      const lines = Array.from(
        { length: 5 + this.#below(10) },
        (_, n) => `${new Date(this.#at).toISOString()} ${step} ${name}: line ${n} of size ${thing.size}`,
      )
      if (isLast) lines.push(`Error: ${this.#pick(FAILURES)}`)
      const content = Buffer.from(`${lines.join('\n')}\n`)
      const chunk = { store: 'files', key: `${run.uid}/${id}/0`, bytes: content.length }
      yield { ...this.#record({ kind: 'log', trace, run, step: id, container: 'main', chunk }), content }
      this.#at += 40 + this.#below(100)
      yield this.#record({
        ...stepRecord,
        phase: isLast ? 'Failed' : 'Succeeded',
        exitCode: isLast ? 1 : 0,
        ...(isLast ? { message: 'Error (exit code 1)' } : {}),
        startedAt,
        finishedAt: this.#at,
      })
      if (i === 1 && !isLast) yield* this.#write(trace, thing, { action, run, step: id })
    }
    const message = isFailed ? { message: 'child failed: apply' } : {}
    yield this.#record({
      ...common,
      phase: isFailed ? 'Failed' : 'Succeeded',
      progress: isFailed ? '1/2' : '2/2',
      finishedAt: this.#at,
      ...message,
    })
  }

  *#write(
    trace: string,
    owner: Thing,
    why: { action: string; run?: RunReference; step?: string },
  ): Generator<StreamedRecord> {
    const thing = this.#thing(DEPLOYMENT, owner.reference.namespace, owner.reference.name)
    thing.version = ++this.#version
    thing.size = owner.size
    const { uid, ...object } = thing.reference
    yield this.#record({
      kind: 'write',
      trace,
      object,
      verb: 'apply',
      uid,
      resourceVersion: String(thing.version),
      outcome: 'changed',
      as: `system:serviceaccount:${object.namespace}:operator`,
      ...why,
      diff: [{ path: 'spec.replicas', from: 1, to: thing.size }],
    })
    if (this.#random.next() < 0.3) this.#caused.push(thing)
  }

  #record(record: NewRecord): StreamedRecord {
    return { record: { v: 1, at: this.#at, ...record } }
  }

  #id(text: string): string {
    return createHash('md5').update(text).digest('hex')
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count)
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#below(items.length)]
  }
}

function bodyOf({ reference, version, size }: Thing, at: number): Json {
  const { apiVersion, kind, namespace, name, uid } = reference
  const time = new Date(at).toISOString()
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(version),
      generation: version,
      creationTimestamp: time,
      labels: { 'app.kubernetes.io/name': name, team: namespace },
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Apply',
          apiVersion,
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { 'f:team': {} } },
            'f:spec': { 'f:size': {}, 'f:containerPort': {} },
          },
        },
      ],
    },
    spec: { size, containerPort: 11211, image: 'memcached:1.6.26-alpine3.19' },
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'Reconciling',
          lastTransitionTime: time,
          message: `Deployment for custom resource (${name}) with ${size} replicas created successfully`,
        },
      ],
    },
  }
}

function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
