import { createHash } from 'node:crypto'
import type {
  DecisionRecord,
  DeliveryRecord,
  Json,
  NewRecord,
  ObjectReference,
  RunReference,
} from '@tiphys/journal/records'

/** A record, and of a log the output that is to be stored for it. */
export interface StoryRecord {
  record: NewRecord
  output?: string
}

export const MEMCACHED = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' }
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' }
export const ARGO = 'argoproj.io/v1alpha1'
export const FORBIDDEN =
  'deployments.apps is forbidden: User "system:serviceaccount:shop:operator" cannot patch resource "deployments" in API group "apps" in the namespace "shop"'
/** Markup and control sequences, where only text may be shown. */
export const HOSTILE = '<img src=x onerror="window.hacked=1">'

export const idOf = (text: string): string => createHash('md5').update(text).digest('hex')
export const uidOf = (text: string) => {
  const id = idOf(text)
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20)}`
}

/** What tests and screenshots look at, by name. */
export const STORY = {
  ran: idOf('ran'),
  filtered: idOf('filtered'),
  failed: idOf('failed'),
  hostile: idOf('hostile'),
  large: idOf('large'),
  failedRun: { namespace: 'shop', name: 'reconcile-cache-7' },
  runningRun: { namespace: 'default', name: 'reconcile-cache-2' },
  wideRun: { namespace: 'default', name: 'fan-out' },
} as const

/** The records that stories are made of, as the engines would write them. */
export class StoryRecords {
  #version = 4000

  object(kind: { apiVersion: string; kind: string }, namespace: string, name: string): ObjectReference {
    return { ...kind, namespace, name, uid: uidOf(`${kind.kind}/${namespace}/${name}`) }
  }

  body(object: ObjectReference, spec: Json): Json {
    const { apiVersion, kind, namespace, name, uid } = object
    return {
      apiVersion,
      kind,
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        resourceVersion: String(++this.#version),
        labels: { app: name },
      },
      spec,
      status: { ready: true },
    }
  }

  event(
    trace: string,
    at: number,
    namespace: string,
    source: string,
    object: ObjectReference,
    spec: Json,
    old?: Json,
  ): StoryRecord {
    const body = {
      type: old ? 'UPDATE' : 'ADD',
      ...(old !== undefined && { oldBody: this.body(object, old) }),
      body: this.body(object, spec),
    }
    return {
      record: {
        kind: 'event',
        at,
        trace,
        source: { namespace, name: source, part: 'changes' },
        bus: `${namespace}/default`,
        type: 'resource',
        object,
        key: `${object.kind}/${namespace}/${object.name}`,
        body,
      },
    }
  }

  /** Without more it is as engines wrote it that kept no filters. */
  decision(
    trace: string,
    at: number,
    namespace: string,
    verdict: 'passed' | 'filtered',
    size: number,
    more: Pick<DecisionRecord, 'filters' | 'transform'> = {},
  ): StoryRecord {
    return {
      record: {
        kind: 'decision',
        at,
        trace,
        trigger: { namespace, name: 'memcached', part: 'reconcile' },
        dependency: 'changed',
        verdict,
        events: [trace],
        ...(verdict === 'filtered' && { by: 'data' }),
        inputs: [
          { path: 'body.spec.size', value: size },
          { path: 'body.metadata.labels.app', value: 'cache' },
        ],
        ...more,
      },
    }
  }

  *delivered(
    trace: string,
    at: number,
    namespace: string,
    action: string,
    more: Pick<DeliveryRecord, 'heldBackMs'> = {},
  ): Generator<StoryRecord> {
    const delivery = {
      kind: 'delivery',
      trace,
      trigger: { namespace, name: 'memcached', part: 'reconcile' },
      action,
      events: [trace],
      attempt: 1,
    } as const
    yield { record: { ...delivery, at, outcome: 'started' } }
    yield { record: { ...delivery, at: at + 12, outcome: 'succeeded', durationMs: 12, ...more } }
  }

  write(
    trace: string,
    at: number,
    run: RunReference,
    action: string,
    owner: ObjectReference,
    step: string,
  ): StoryRecord {
    const object = this.object(DEPLOYMENT, owner.namespace ?? '', owner.name)
    return {
      record: {
        kind: 'write',
        at,
        trace,
        object,
        verb: 'apply',
        uid: object.uid ?? '',
        resourceVersion: String(++this.#version),
        outcome: 'changed',
        as: `system:serviceaccount:${owner.namespace}:operator`,
        action,
        run,
        step,
        diff: [
          { path: 'spec.replicas', from: 1, to: 4 },
          { path: 'spec.template.spec.containers[0].image', from: 'memcached:1.6.25', to: 'memcached:1.6.26' },
        ],
      },
    }
  }

  caused(at: number, namespace: string, name: string, number: number): StoryRecord {
    const object = this.object(DEPLOYMENT, namespace, name)
    const body = {
      type: 'UPDATE',
      body: {
        ...DEPLOYMENT,
        metadata: { name, namespace, uid: object.uid ?? '', resourceVersion: String(this.#version) },
      },
    }
    return {
      record: {
        kind: 'event',
        at,
        trace: idOf(`caused-${number}`),
        source: { namespace, name: 'deployments', part: 'changes' },
        bus: `${namespace}/default`,
        type: 'resource',
        object,
        body,
      },
    }
  }

  *step(run: RunReference, trace: string, at: number, step: string, given: StepGiven): Generator<StoryRecord> {
    const { ms, output, type = 'Pod', phase, ...more } = given
    const common = {
      kind: 'step',
      trace,
      run,
      step: step === 'root' ? run.name : step,
      name: `${run.name}.${step}`,
      type,
      attempt: 1,
      template: step,
      displayName: step,
      ...more,
      ...(more.parent === 'root' && { parent: run.name }),
      ...(type === 'Pod' && { pod: `${run.name}-${step}` }),
    } as const
    const isStarted = phase !== 'Omitted'
    yield { record: { ...common, at, phase: isStarted ? 'Pending' : phase } }
    if (!isStarted) return
    yield { record: { ...common, at: at + 15, phase: 'Running', startedAt: at + 15 } }
    if (output !== undefined)
      yield {
        record: {
          kind: 'log',
          at: at + 16,
          trace,
          run,
          step: common.step,
          container: 'main',
          chunk: { store: 'story', key: '', bytes: 0 },
        },
        output,
      }
    if (phase !== 'Running')
      yield {
        record: { ...common, at: at + 15 + (ms ?? 0), phase, startedAt: at + 15, finishedAt: at + 15 + (ms ?? 0) },
      }
  }
}

export interface StepGiven {
  phase: string
  type?: string
  ms?: number
  parent?: string
  children?: readonly string[]
  displayName?: string
  attempt?: number
  message?: string
  exitCode?: number
  output?: string
  inputs?: readonly { name: string; value: string }[]
  outputs?: readonly { name: string; value: string }[]
}
