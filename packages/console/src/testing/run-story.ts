import type { ObjectReference, RunReference } from '@tiphys/journal/records'
import { FORBIDDEN, idOf, MEMCACHED, STORY, type StoryRecord, type StoryRecords, uidOf } from './story-records.ts'

/** The runs of the story, with their steps and logs. */
export class RunStory {
  readonly #now: number
  readonly #records: StoryRecords

  constructor(now: number, records: StoryRecords) {
    this.#now = now
    this.#records = records
  }

  *smallRun(
    trace: string,
    at: number,
    run: RunReference,
    action: string,
    object: ObjectReference,
  ): Generator<StoryRecord> {
    const common = { kind: 'run', trace, run, action, object, template: 'WorkflowTemplate/reconcile' } as const
    yield { record: { ...common, at, phase: 'Pending' } }
    yield { record: { ...common, at: at + 40, phase: 'Running', startedAt: at + 40, progress: '0/2' } }
    yield* this.#records.step(run, trace, at + 60, 'root', {
      type: 'Steps',
      phase: 'Succeeded',
      ms: 760,
      children: ['render'],
      displayName: run.name,
    })
    yield* this.#records.step(run, trace, at + 80, 'render', {
      phase: 'Succeeded',
      ms: 240,
      parent: 'root',
      children: ['apply'],
      output: `rendered ${object.name}\n`,
    })
    yield* this.#records.step(run, trace, at + 340, 'apply', {
      phase: 'Succeeded',
      ms: 420,
      parent: 'root',
      output: `deployment.apps/${object.name} configured\n`,
    })
    yield this.#records.write(trace, at + 700, run, action, object, 'apply')
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
    yield* this.#records.step(run, '', at, 'root', {
      type: 'DAG',
      phase: 'Failed',
      ms: 30_000,
      children: names,
      displayName: 'fan-out',
      message: '3 of 998 shards failed',
    })
    for (const [i, name] of names.entries()) {
      const isFailed = i === 17 || i === 500 || i === 991
      yield* this.#records.step(run, '', at + 20 + i * 20, name, {
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
    yield* this.#records.step(run, '', at + 29_000, 'summary', { phase: 'Omitted', ms: 0, parent: 'root' })
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

  /** Fails in its second step, after two attempts; the log says why. */
  *failedRun(): Generator<StoryRecord> {
    const at = this.#now - 180_000
    const trace = STORY.failed
    const object = this.#records.object(MEMCACHED, 'shop', 'cache-7')
    const run = { ...STORY.failedRun, uid: uidOf('failed-run') }
    const action = idOf('failed-action')
    yield this.#records.event(trace, at, 'shop', 'memcached', object, { size: 4 }, { size: 2 })
    yield this.#records.decision(trace, at + 3, 'shop', 'passed', 4)
    yield* this.#records.delivered(trace, at + 5, 'shop', action)
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
    yield* this.#records.step(run, trace, at + 90, 'root', {
      type: 'DAG',
      phase: 'Failed',
      ms: 9000,
      children: ['render', 'lint'],
      displayName: 'reconcile',
      message: 'child apply failed',
    })
    yield* this.#records.step(run, trace, at + 120, 'render', {
      phase: 'Succeeded',
      ms: 800,
      parent: 'root',
      children: ['apply'],
      output: 'reading template\nrendered 3 manifests\n',
      outputs: [{ name: 'manifests', value: 'deployment.yaml service.yaml config.yaml' }],
    })
    yield* this.#records.step(run, trace, at + 130, 'lint', {
      phase: 'Succeeded',
      ms: 400,
      parent: 'root',
      children: ['apply'],
      output: 'no findings\n',
    })
    yield* this.#records.step(run, trace, at + 1100, 'apply', {
      type: 'Retry',
      phase: 'Failed',
      ms: 7800,
      parent: 'root',
      children: ['apply-0', 'apply-1'],
      message: 'No more retries left',
    })
    yield* this.#records.step(run, trace, at + 1150, 'apply-0', {
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
    yield* this.#records.step(run, trace, at + 5100, 'apply-1', {
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
    yield* this.#records.step(run, trace, at + 8900, 'verify', { phase: 'Omitted', ms: 0, parent: 'root' })
    yield {
      record: {
        ...common,
        at: at + 9100,
        phase: 'Failed',
        message: 'child apply failed',
        cause: {
          step: 'apply(1)',
          message: 'Error (exit code 1): the ServiceAccount may not patch deployments',
        },
        startedAt: at + 90,
        finishedAt: at + 9100,
        progress: '2/4',
      },
    }
  }

  *runningRun(): Generator<StoryRecord> {
    const at = this.#now - 25_000
    const trace = idOf('running')
    const object = this.#records.object(MEMCACHED, 'default', 'cache-2')
    const run = { ...STORY.runningRun, uid: uidOf('running-run') }
    const action = idOf('running-action')
    const repeats = { namespace: 'default', name: 'reconcile-cache-1', uid: '' }
    yield this.#records.event(trace, at, 'default', 'memcached', object, { size: 3 }, { size: 1 })
    yield this.#records.decision(trace, at + 3, 'default', 'passed', 3)
    yield* this.#records.delivered(trace, at + 5, 'default', action)
    const common = { kind: 'run', trace, run, action, object, repeats, template: 'WorkflowTemplate/reconcile' } as const
    yield { record: { ...common, at: at + 60, phase: 'Running', startedAt: at + 60, progress: '1/2' } }
    yield* this.#records.step(run, trace, at + 60, 'root', {
      type: 'Steps',
      phase: 'Running',
      children: ['render'],
      displayName: run.name,
    })
    yield* this.#records.step(run, trace, at + 80, 'render', {
      phase: 'Succeeded',
      ms: 900,
      parent: 'root',
      children: ['apply'],
      output: 'rendered cache-2\n',
    })
    yield* this.#records.step(run, trace, at + 1100, 'apply', {
      phase: 'Running',
      parent: 'root',
      output: 'waiting for 3 replicas\n1 of 3 is ready\n',
    })
  }
}
