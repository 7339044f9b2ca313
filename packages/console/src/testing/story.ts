import { createHash } from 'node:crypto'
import type { Json, NewRecord, ObjectReference, RunReference } from '@tiphys/journal/records'

/** A record, and of a log the output that is to be stored for it. */
export interface StoryRecord {
  record: NewRecord
  output?: string
}

const MEMCACHED = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' }
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' }
const ARGO = 'argoproj.io/v1alpha1'
const FORBIDDEN =
  'deployments.apps is forbidden: User "system:serviceaccount:shop:operator" cannot patch resource "deployments" in API group "apps" in the namespace "shop"'
/** Markup and control sequences, where only text may be shown. */
export const HOSTILE = '<img src=x onerror="window.hacked=1">'

export const idOf = (text: string): string => createHash('md5').update(text).digest('hex')
const uidOf = (text: string) => {
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

/** The history of a small shop: an operator for caches, orders that come by webhook, a few failures. Ends at `now`. */
export function story(now: number): readonly StoryRecord[] {
  return [...told(new Story(now))].sort((a, b) => (a.record.at ?? 0) - (b.record.at ?? 0))
}

function* told(scene: Story): Generator<StoryRecord> {
  yield* scene.health()
  yield* scene.ordinary()
  yield* scene.wideRun()
  yield* scene.parked()
  yield* scene.filtered()
  yield* scene.failedRun()
  yield* scene.runningRun()
  yield* scene.ran()
  yield* scene.hostile()
  yield* scene.large()
  yield* scene.audit()
}

class Story {
  readonly #now: number
  #version = 4000

  constructor(now: number) {
    this.#now = now
  }

  *health(): Generator<StoryRecord> {
    const at = this.#now - 3_400_000
    const good = (kind: string, namespace: string, name: string, condition: string): StoryRecord => ({
      record: {
        kind: 'health',
        at,
        trace: '',
        object: { apiVersion: ARGO, kind, namespace, name },
        condition,
        status: 'True',
        reason: 'Running',
      },
    })
    yield good('EventBus', 'shop', 'default', 'Deployed')
    yield good('EventBus', 'default', 'default', 'Deployed')
    yield good('EventSource', 'shop', 'memcached', 'Deployed')
    yield good('EventSource', 'default', 'memcached', 'Deployed')
    yield good('EventSource', 'shop', 'orders', 'Deployed')
    yield good('Sensor', 'shop', 'memcached', 'Deployed')
    yield {
      record: {
        kind: 'health',
        at: this.#now - 900_000,
        trace: '',
        object: { apiVersion: ARGO, kind: 'Sensor', namespace: 'shop', name: 'memcached' },
        condition: 'TriggersPermitted',
        status: 'False',
        was: 'True',
        reason: 'Forbidden',
        message: FORBIDDEN,
      },
    }
    yield {
      record: {
        kind: 'health',
        at: this.#now - 300_000,
        trace: '',
        object: { apiVersion: ARGO, kind: 'EventSource', namespace: 'default', name: 'deployments' },
        condition: 'WatchHealthy',
        status: 'False',
        was: 'True',
        reason: 'WatchStalled',
        message: 'No bytes came for 90 s although the server is there; the list is read again in 12 s.',
      },
    }
  }

  /** Changes that go through as they should; every fourth causes an event again. */
  *ordinary(): Generator<StoryRecord> {
    for (let i = 0; i < 48; i++) {
      const at = this.#now - 3_300_000 + i * 62_000
      const namespace = i % 3 === 0 ? 'shop' : 'default'
      const object = this.#object(MEMCACHED, namespace, `cache-${i % 9}`)
      const trace = idOf(`ordinary-${i}`)
      yield this.#event(
        trace,
        at,
        namespace,
        'memcached',
        object,
        { size: (i % 4) + 1 },
        i < 9 ? undefined : { size: ((i + 1) % 4) + 1 },
      )
      if (i % 5 === 4) {
        yield this.#decision(trace, at + 3, namespace, 'filtered', (i % 4) + 1)
        continue
      }
      yield this.#decision(trace, at + 3, namespace, 'passed', (i % 4) + 1)
      const action = idOf(`action-${i}`)
      yield* this.#delivered(trace, at + 5, namespace, action)
      const run = { namespace, name: `reconcile-${action.slice(0, 8)}`, uid: uidOf(action) }
      yield* this.#smallRun(trace, at + 20, run, action, object)
      if (i % 4 === 3) yield this.#caused(at + 900, namespace, `cache-${i % 9}`, i)
    }
  }

  *#smallRun(
    trace: string,
    at: number,
    run: RunReference,
    action: string,
    object: ObjectReference,
  ): Generator<StoryRecord> {
    const common = { kind: 'run', trace, run, action, object, template: 'WorkflowTemplate/reconcile' } as const
    yield { record: { ...common, at, phase: 'Pending' } }
    yield { record: { ...common, at: at + 40, phase: 'Running', startedAt: at + 40, progress: '0/2' } }
    yield* this.#step(run, trace, at + 60, 'root', {
      type: 'Steps',
      phase: 'Succeeded',
      ms: 760,
      children: ['render'],
      displayName: run.name,
    })
    yield* this.#step(run, trace, at + 80, 'render', {
      phase: 'Succeeded',
      ms: 240,
      parent: 'root',
      children: ['apply'],
      output: `rendered ${object.name}\n`,
    })
    yield* this.#step(run, trace, at + 340, 'apply', {
      phase: 'Succeeded',
      ms: 420,
      parent: 'root',
      output: `deployment.apps/${object.name} configured\n`,
    })
    yield this.#write(trace, at + 700, run, action, object, 'apply')
    yield {
      record: {
        ...common,
        at: at + 820,
        phase: 'Succeeded',
        startedAt: at + 40,
        finishedAt: at + 820,
        progress: '2/2',
      },
    }
  }

  /** A thousand steps at once, of which three failed. */
  *wideRun(): Generator<StoryRecord> {
    const run = { ...STORY.wideRun, uid: uidOf('wide') }
    const at = this.#now - 1_500_000
    const common = { kind: 'run', trace: '', run, template: 'WorkflowTemplate/fan-out' } as const
    // It is the second attempt.
    yield { record: { ...common, at: at - 9000, phase: 'Running', startedAt: at - 9000 } }
    yield { record: { ...common, at: at - 4000, phase: 'Error', startedAt: at - 9000, finishedAt: at - 4000 } }
    yield { record: { ...common, at, phase: 'Running', startedAt: at } }
    const names = Array.from({ length: 998 }, (_, i) => `shard-${i}`)
    yield* this.#step(run, '', at, 'root', {
      type: 'DAG',
      phase: 'Failed',
      ms: 30_000,
      children: names,
      displayName: 'fan-out',
      message: '3 of 998 shards failed',
    })
    for (const [i, name] of names.entries()) {
      const isFailed = i === 17 || i === 500 || i === 991
      yield* this.#step(run, '', at + 20 + i * 20, name, {
        phase: isFailed ? 'Failed' : 'Succeeded',
        ms: 900 + (i % 7) * 130,
        parent: 'root',
        ...(isFailed && {
          message: 'Error (exit code 3)',
          exitCode: 3,
          output: `reading shard ${i}\nshard ${i}: checksum mismatch\n`,
        }),
      })
    }
    yield* this.#step(run, '', at + 29_000, 'summary', { phase: 'Omitted', ms: 0, parent: 'root' })
    yield {
      record: {
        ...common,
        at: at + 30_000,
        phase: 'Failed',
        message: '3 of 998 shards failed',
        startedAt: at,
        finishedAt: at + 30_000,
      },
    }
  }

  /** Three deliveries that were given up for the same reason. */
  *parked(): Generator<StoryRecord> {
    for (let i = 0; i < 3; i++) {
      const at = this.#now - 840_000 + i * 90_000
      const trace = idOf(`parked-${i}`)
      const object = this.#object(MEMCACHED, 'shop', `session-${i}`)
      yield this.#event(trace, at, 'shop', 'memcached', object, { size: 5 })
      yield this.#decision(trace, at + 2, 'shop', 'passed', 5)
      const delivery = {
        kind: 'delivery',
        trace,
        trigger: { namespace: 'shop', name: 'memcached', part: 'reconcile' },
        action: idOf(`parked-action-${i}`),
        events: [trace],
        object,
      } as const
      for (const attempt of [1, 2, 3]) {
        yield {
          record: { ...delivery, at: at + 10 + attempt * 400, outcome: attempt === 1 ? 'started' : 'retried', attempt },
        }
        yield {
          record: {
            ...delivery,
            at: at + 40 + attempt * 400,
            outcome: 'failed',
            attempt,
            durationMs: 30,
            reason: 'Forbidden',
            message: FORBIDDEN,
          },
        }
      }
      yield {
        record: { ...delivery, at: at + 1300, outcome: 'parked', attempt: 3, reason: 'Forbidden', message: FORBIDDEN },
      }
    }
  }

  *filtered(): Generator<StoryRecord> {
    const at = this.#now - 240_000
    const object = this.#object(MEMCACHED, 'shop', 'cache-3')
    yield this.#event(STORY.filtered, at, 'shop', 'memcached', object, { size: 2 }, { size: 1 })
    yield this.#decision(STORY.filtered, at + 4, 'shop', 'filtered', 2)
  }

  /** Fails in its second step, after two attempts; the log says why. */
  *failedRun(): Generator<StoryRecord> {
    const at = this.#now - 180_000
    const trace = STORY.failed
    const object = this.#object(MEMCACHED, 'shop', 'cache-7')
    const run = { ...STORY.failedRun, uid: uidOf('failed-run') }
    const action = idOf('failed-action')
    yield this.#event(trace, at, 'shop', 'memcached', object, { size: 4 }, { size: 2 })
    yield this.#decision(trace, at + 3, 'shop', 'passed', 4)
    yield* this.#delivered(trace, at + 5, 'shop', action)
    const common = {
      kind: 'run',
      trace,
      run,
      action,
      object,
      template: 'WorkflowTemplate/reconcile',
      parameters: [{ name: 'name', value: 'cache-7' }],
    } as const
    yield { record: { ...common, at: at + 30, phase: 'Pending' } }
    yield { record: { ...common, at: at + 90, phase: 'Running', startedAt: at + 90, progress: '0/4' } }
    yield* this.#step(run, trace, at + 90, 'root', {
      type: 'DAG',
      phase: 'Failed',
      ms: 9000,
      children: ['render', 'lint'],
      displayName: 'reconcile',
      message: 'child apply failed',
    })
    yield* this.#step(run, trace, at + 120, 'render', {
      phase: 'Succeeded',
      ms: 800,
      parent: 'root',
      children: ['apply'],
      output: 'reading template\nrendered 3 manifests\n',
      outputs: [{ name: 'manifests', value: 'deployment.yaml service.yaml config.yaml' }],
    })
    yield* this.#step(run, trace, at + 130, 'lint', {
      phase: 'Succeeded',
      ms: 400,
      parent: 'root',
      children: ['apply'],
      output: 'no findings\n',
    })
    yield* this.#step(run, trace, at + 1100, 'apply', {
      type: 'Retry',
      phase: 'Failed',
      ms: 7800,
      parent: 'root',
      children: ['apply-0', 'apply-1'],
      message: 'No more retries left',
    })
    yield* this.#step(run, trace, at + 1150, 'apply-0', {
      phase: 'Failed',
      ms: 2900,
      parent: 'apply',
      displayName: 'apply(0)',
      attempt: 1,
      message: 'Error (exit code 1)',
      exitCode: 1,
      output: 'applying\ntimed out\n',
    })
    const lines = Array.from(
      { length: 130 },
      (_, i) => `2026-01-05T08:00:${String(i % 60).padStart(2, '0')}Z applying object ${i + 1} of 130`,
    )
    lines.splice(60, 0, '\x1b[33mwarning\x1b[0m: deployments "cache-7" has no readiness probe')
    lines.push(`\x1b[31;1merror\x1b[0m: ${FORBIDDEN}`, 'exit status 1')
    yield* this.#step(run, trace, at + 5100, 'apply-1', {
      phase: 'Failed',
      ms: 3700,
      parent: 'apply',
      children: ['verify'],
      displayName: 'apply(1)',
      attempt: 2,
      message: 'Error (exit code 1): the ServiceAccount may not patch deployments',
      exitCode: 1,
      output: `${lines.join('\n')}\n`,
      inputs: [
        { name: 'name', value: 'cache-7' },
        { name: 'size', value: '4' },
      ],
    })
    yield* this.#step(run, trace, at + 8900, 'verify', { phase: 'Omitted', ms: 0, parent: 'root' })
    yield {
      record: {
        ...common,
        at: at + 9100,
        phase: 'Failed',
        message: 'child apply failed',
        startedAt: at + 90,
        finishedAt: at + 9100,
        progress: '2/4',
      },
    }
  }

  *runningRun(): Generator<StoryRecord> {
    const at = this.#now - 25_000
    const trace = idOf('running')
    const object = this.#object(MEMCACHED, 'default', 'cache-2')
    const run = { ...STORY.runningRun, uid: uidOf('running-run') }
    const action = idOf('running-action')
    const repeats = { namespace: 'default', name: 'reconcile-cache-1', uid: '' }
    yield this.#event(trace, at, 'default', 'memcached', object, { size: 3 }, { size: 1 })
    yield this.#decision(trace, at + 3, 'default', 'passed', 3)
    yield* this.#delivered(trace, at + 5, 'default', action)
    const common = { kind: 'run', trace, run, action, object, repeats, template: 'WorkflowTemplate/reconcile' } as const
    yield { record: { ...common, at: at + 60, phase: 'Running', startedAt: at + 60, progress: '1/2' } }
    yield* this.#step(run, trace, at + 60, 'root', {
      type: 'Steps',
      phase: 'Running',
      children: ['render'],
      displayName: run.name,
    })
    yield* this.#step(run, trace, at + 80, 'render', {
      phase: 'Succeeded',
      ms: 900,
      parent: 'root',
      children: ['apply'],
      output: 'rendered cache-2\n',
    })
    yield* this.#step(run, trace, at + 1100, 'apply', {
      phase: 'Running',
      parent: 'root',
      output: 'waiting for 3 replicas\n1 of 3 is ready\n',
    })
  }

  /** From the change to a written Deployment, whose change is an event again. */
  *ran(): Generator<StoryRecord> {
    const at = this.#now - 60_000
    const object = this.#object(MEMCACHED, 'default', 'cache-1')
    const action = idOf('ran-action')
    const run = { namespace: 'default', name: 'reconcile-cache-1', uid: uidOf('ran-run') }
    yield this.#event(STORY.ran, at, 'default', 'memcached', object, { size: 4 }, { size: 1 })
    yield this.#decision(STORY.ran, at + 3, 'default', 'passed', 4)
    yield* this.#delivered(STORY.ran, at + 5, 'default', action)
    yield* this.#smallRun(STORY.ran, at + 20, run, action, object)
    yield this.#caused(at + 1000, 'default', 'cache-1', 999)
    yield {
      record: {
        kind: 'event',
        at: at + 20_000,
        trace: idOf('replayed'),
        source: { namespace: 'default', name: 'memcached', part: 'changes' },
        type: 'resource',
        object,
        replayOf: STORY.ran,
        body: { type: 'UPDATE', body: this.#body(object, { size: 4 }) },
      },
    }
  }

  *hostile(): Generator<StoryRecord> {
    const at = this.#now - 30_000
    const trace = STORY.hostile
    const source = { namespace: 'shop', name: 'orders', part: 'incoming' }
    const body = { html: HOSTILE, link: 'javascript:window.hacked=1', '<script>window.hacked=1</script>': 'a name' }
    yield { record: { kind: 'event', at, trace, source, type: 'webhook', key: HOSTILE, body } }
    yield {
      record: {
        kind: 'decision',
        at: at + 2,
        trace,
        trigger: { namespace: 'shop', name: 'orders', part: HOSTILE },
        dependency: 'order',
        verdict: 'failed',
        events: [trace],
        by: HOSTILE,
        inputs: [{ path: HOSTILE, value: HOSTILE }],
        message: HOSTILE,
      },
    }
    const run = { namespace: 'shop', name: 'hostile', uid: uidOf('hostile-run') }
    yield { record: { kind: 'run', at: at + 5, trace, run, phase: 'Running', startedAt: at + 5 } }
    yield* this.#step(run, trace, at + 6, 'root', {
      phase: 'Failed',
      ms: 10,
      displayName: HOSTILE,
      message: HOSTILE,
      output: `${HOSTILE}\n\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07\n\x1b]0;title\x07plain\n`,
    })
    yield {
      record: {
        kind: 'run',
        at: at + 20,
        trace,
        run,
        phase: 'Failed',
        message: HOSTILE,
        startedAt: at + 5,
        finishedAt: at + 20,
      },
    }
  }

  /** A payload of a megabyte and a half. */
  *large(): Generator<StoryRecord> {
    const body = { lines: Array.from({ length: 9000 }, (_, i) => `${idOf(`line-${i}`)} ${'x'.repeat(70)}`) }
    yield {
      record: {
        kind: 'event',
        at: this.#now - 20_000,
        trace: STORY.large,
        source: { namespace: 'shop', name: 'orders', part: 'incoming' },
        type: 'webhook',
        body,
      },
    }
  }

  *audit(): Generator<StoryRecord> {
    const target = { apiVersion: ARGO, kind: 'Sensor', namespace: 'shop', name: 'memcached' }
    yield {
      record: {
        kind: 'audit',
        at: this.#now - 600_000,
        trace: '',
        who: 'jane@example.com',
        groups: ['sre'],
        did: 'retry',
        target,
        outcome: 'allowed',
      },
    }
    yield {
      record: {
        kind: 'audit',
        at: this.#now - 500_000,
        trace: '',
        who: 'intern@example.com',
        did: 'discard',
        target,
        outcome: 'refused',
        reason: 'you may not create discards.tiphys.dev in shop',
      },
    }
  }

  #object(kind: { apiVersion: string; kind: string }, namespace: string, name: string): ObjectReference {
    return { ...kind, namespace, name, uid: uidOf(`${kind.kind}/${namespace}/${name}`) }
  }

  #body(object: ObjectReference, spec: Json): Json {
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

  #event(
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
      ...(old !== undefined && { oldBody: this.#body(object, old) }),
      body: this.#body(object, spec),
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

  #decision(trace: string, at: number, namespace: string, verdict: 'passed' | 'filtered', size: number): StoryRecord {
    return {
      record: {
        kind: 'decision',
        at,
        trace,
        trigger: { namespace, name: 'memcached', part: 'reconcile' },
        dependency: 'changed',
        verdict,
        events: [trace],
        by: `data filter: body.spec.size ${verdict === 'filtered' ? '>' : '≤'} 3`,
        inputs: [
          { path: 'body.spec.size', value: size },
          { path: 'body.metadata.labels.app', value: 'cache' },
        ],
      },
    }
  }

  *#delivered(trace: string, at: number, namespace: string, action: string): Generator<StoryRecord> {
    const delivery = {
      kind: 'delivery',
      trace,
      trigger: { namespace, name: 'memcached', part: 'reconcile' },
      action,
      events: [trace],
      attempt: 1,
    } as const
    yield { record: { ...delivery, at, outcome: 'started' } }
    yield { record: { ...delivery, at: at + 12, outcome: 'succeeded', durationMs: 12 } }
  }

  #write(
    trace: string,
    at: number,
    run: RunReference,
    action: string,
    owner: ObjectReference,
    step: string,
  ): StoryRecord {
    const object = this.#object(DEPLOYMENT, owner.namespace ?? '', owner.name)
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

  #caused(at: number, namespace: string, name: string, number: number): StoryRecord {
    const object = this.#object(DEPLOYMENT, namespace, name)
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

  *#step(run: RunReference, trace: string, at: number, step: string, given: StepGiven): Generator<StoryRecord> {
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

interface StepGiven {
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
