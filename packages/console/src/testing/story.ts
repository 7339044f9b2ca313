import { RunStory } from './run-story.ts'
import {
  ARGO,
  FORBIDDEN,
  HOSTILE,
  idOf,
  MEMCACHED,
  STORY,
  type StoryRecord,
  StoryRecords,
  uidOf,
} from './story-records.ts'

/** The history of a small shop: an operator for caches, orders that come by webhook, a few failures. Ends at `now`. */
export function story(now: number): readonly StoryRecord[] {
  return [...told(new Story(now))].sort((a, b) => (a.record.at ?? 0) - (b.record.at ?? 0))
}

function* told(scene: Story): Generator<StoryRecord> {
  yield* scene.health()
  yield* scene.ordinary()
  yield* scene.runs.wideRun()
  yield* scene.parked()
  yield* scene.filtered()
  yield* scene.runs.failedRun()
  yield* scene.runs.runningRun()
  yield* scene.ran()
  yield* scene.hostile()
  yield* scene.large()
  yield* scene.audit()
}

class Story {
  readonly #now: number
  readonly #records = new StoryRecords()
  readonly runs: RunStory

  constructor(now: number) {
    this.#now = now
    this.runs = new RunStory(now, this.#records)
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
      const object = this.#records.object(MEMCACHED, namespace, `cache-${i % 9}`)
      const trace = idOf(`ordinary-${i}`)
      yield this.#records.event(
        trace,
        at,
        namespace,
        'memcached',
        object,
        { size: (i % 4) + 1 },
        i < 9 ? undefined : { size: ((i + 1) % 4) + 1 },
      )
      if (i % 5 === 4) {
        yield this.#records.decision(trace, at + 3, namespace, 'filtered', (i % 4) + 1)
        continue
      }
      yield this.#records.decision(trace, at + 3, namespace, 'passed', (i % 4) + 1)
      const action = idOf(`action-${i}`)
      yield* this.#records.delivered(trace, at + 5, namespace, action)
      const run = { namespace, name: `reconcile-${action.slice(0, 8)}`, uid: uidOf(action) }
      yield* this.runs.smallRun(trace, at + 20, run, action, object)
      if (i % 4 === 3) yield this.#records.caused(at + 900, namespace, `cache-${i % 9}`, i)
    }
  }

  /** Three deliveries that were given up for the same reason. */
  *parked(): Generator<StoryRecord> {
    for (let i = 0; i < 3; i++) {
      const at = this.#now - 840_000 + i * 90_000
      const trace = idOf(`parked-${i}`)
      const object = this.#records.object(MEMCACHED, 'shop', `session-${i}`)
      yield this.#records.event(trace, at, 'shop', 'memcached', object, { size: 5 })
      yield this.#records.decision(trace, at + 2, 'shop', 'passed', 5)
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
    const object = this.#records.object(MEMCACHED, 'shop', 'cache-3')
    yield this.#records.event(STORY.filtered, at, 'shop', 'memcached', object, { size: 7 }, { size: 1 })
    yield this.#records.decision(STORY.filtered, at + 4, 'shop', 'filtered', 7)
  }

  /** From the change to a written Deployment, whose change is an event again. */
  *ran(): Generator<StoryRecord> {
    const at = this.#now - 60_000
    const object = this.#records.object(MEMCACHED, 'default', 'cache-1')
    const action = idOf('ran-action')
    const run = { namespace: 'default', name: 'reconcile-cache-1', uid: uidOf('ran-run') }
    yield this.#records.event(STORY.ran, at, 'default', 'memcached', object, { size: 4 }, { size: 1 })
    yield this.#records.decision(STORY.ran, at + 3, 'default', 'passed', 4, {
      filters: [
        { by: 'exprs', paths: ['body.spec.size'], says: 'size > 3 || size < 0', passed: true },
        { by: 'data', paths: ['body.metadata.labels.app'], says: '= cache', passed: true },
        { by: 'data', paths: ['body.spec.size'], says: '<= 9' },
      ],
      transform: { output: { name: object.name, wanted: 4 } },
    })
    yield* this.#records.delivered(STORY.ran, at + 5, 'default', action, { heldBackMs: 1500 })
    yield* this.runs.smallRun(STORY.ran, at + 20, run, action, object)
    yield this.#records.caused(at + 1000, 'default', 'cache-1', 999)
    yield {
      record: {
        kind: 'event',
        at: at + 20_000,
        trace: idOf('replayed'),
        source: { namespace: 'default', name: 'memcached', part: 'changes' },
        type: 'resource',
        object,
        replayOf: STORY.ran,
        body: { type: 'UPDATE', body: this.#records.body(object, { size: 4 }) },
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
        filters: [{ by: 'data', paths: [HOSTILE], says: HOSTILE, passed: false }],
        transform: { output: { [HOSTILE]: HOSTILE } },
        message: HOSTILE,
      },
    }
    const run = { namespace: 'shop', name: 'hostile', uid: uidOf('hostile-run') }
    yield { record: { kind: 'run', at: at + 5, trace, run, phase: 'Running', startedAt: at + 5 } }
    yield* this.#records.step(run, trace, at + 6, 'root', {
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
}
