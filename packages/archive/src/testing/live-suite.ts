import { seededRandom } from '@tiphys/env'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventItem, Page, PageRequest, RunItem, Scope } from '../archive.ts'
import { eventsToReplay } from '../replay.ts'
import { recordStream } from './record-stream.ts'
import { type ArchiveScene, openScene, type SceneOptions } from './scene.ts'

/** What an archive makes of records as they come. */
export function liveSuite(options: () => Promise<SceneOptions>): void {
  describe('as things happen', () => {
    let scene: ArchiveScene
    afterEach(() => scene.close())

    const source = { namespace: 'default', name: 'web', part: 'hook' }
    const trigger = { namespace: 'default', name: 'sensor', part: 'go' }
    const run = { namespace: 'default', name: 'run-1', uid: 'u1' }
    const event = (trace: string) => ({ kind: 'event', trace, source, type: 'webhook', body: { n: trace } }) as const

    it('keeps a delivery parked until a person retries it, and then says that it ran', async () => {
      scene = await openScene(await options())
      const delivery = { kind: 'delivery', trigger, trace: 'e1', action: 'a1', events: ['e1'], attempt: 1 } as const
      await scene.record(
        event('e1'),
        { ...delivery, outcome: 'started' },
        { ...delivery, outcome: 'parked', reason: 'Failed', message: 'no' },
      )
      expect((await scene.archive.event('e1'))?.verdict).toBe('parked')
      expect((await scene.archive.attention())[0]).toMatchObject({ type: 'parked', count: 1, detail: 'no' })
      await scene.record(
        { ...delivery, outcome: 'retried', attempt: 2 },
        { ...delivery, outcome: 'succeeded', attempt: 2 },
      )
      expect((await scene.archive.event('e1'))?.verdict).toBe('ran')
      expect(await scene.archive.parked()).toEqual([])
      expect(await scene.archive.counters()).toMatchObject({ parked: 0, eventsByVerdict: { ran: 1 } })
    })

    it('tells of events what one sensor made of them, whatever came of them elsewhere', async () => {
      scene = await openScene(await options())
      const decision = { kind: 'decision', trace: 'e1', events: ['e1'], dependency: 'd', at: 1 } as const
      const delivery = { kind: 'delivery', trace: 'e1', events: ['e1'], action: 'a1', attempt: 1 } as const
      const other = { ...trigger, name: 'other' }
      await scene.record(
        event('e1'),
        { ...decision, trigger: other, verdict: 'filtered' },
        { ...delivery, trigger, outcome: 'failed' },
        { ...decision, trigger: { ...trigger, part: 'second' }, verdict: 'filtered' },
        event('e2'),
        { ...decision, trace: 'e2', events: ['e2'], trigger: { ...other, namespace: 'shop' }, verdict: 'waiting' },
      )
      const seen = async (sensor: { namespace: string; name: string }) =>
        (await scene.archive.sensorEvents(sensor)).items.map(({ id, verdict }) => [id, verdict])
      expect(await seen(trigger)).toEqual([['e1', 'failed']])
      expect(await seen(other)).toEqual([['e1', 'filtered']])
      expect(await seen({ namespace: 'default', name: 'none' })).toEqual([])
      expect((await scene.archive.sensorEvents(other, { scope: { grants: [] } })).items).toEqual([])
    })

    it('finds output under the name that a person gives its step', async () => {
      scene = await openScene(await options())
      const step = {
        kind: 'step',
        trace: 'u1',
        run,
        step: 'run-1-2094567',
        name: 'run-1[0].fetch',
        type: 'Pod',
      } as const
      await scene.record(
        { kind: 'run', trace: 'u1', run, phase: 'Running' },
        { ...step, phase: 'Running', attempt: 1, displayName: 'fetch' },
      )
      await scene.log({ kind: 'log', trace: 'u1', run, step: step.step, container: 'main' }, 'the needle is here\n')
      const { items } = await scene.archive.search('needle')
      expect(items[0]).toMatchObject({ title: 'run-1 fetch main', step: step.step, line: 1 })
    })

    it.each([
      ['as it stands in the log', 'error: connect ECONNREFUSED - giving "up --after=3'],
      ['with a blank behind each colon', '"error": connect: "econnrefused"'],
      ['as far as it was typed', 'econnref*'],
      ['by the beginning of what stands side by side', 'connect.econn*'],
    ])('shows the line that was looked for %s', async (_, text) => {
      scene = await openScene(await options())
      await scene.record({ kind: 'run', trace: 'u1', run, phase: 'Running' })
      const log = { kind: 'log', trace: 'u1', run, step: 's1', container: 'main' } as const
      const line = 'error: connect ECONNREFUSED - giving "up --after=3'
      await scene.log(log, `connect\nconnecting an error after 3\n${line}\n`)
      const { items } = await scene.archive.search(text)
      expect(items).toMatchObject([{ type: 'log', line: 3, excerpt: expect.stringContaining('connect ECONNREFUSED') }])
    })

    it('finds what stands side by side at the end of long output', async () => {
      scene = await openScene(await options())
      await scene.record({ kind: 'run', trace: 'u1', run, phase: 'Running' })
      const log = { kind: 'log', trace: 'u1', run, step: 's1', container: 'main' } as const
      const lines = Array.from({ length: 4000 }, (_, i) => `level=info msg=line number ${i} of cache-7`)
      await scene.log(log, `${lines.join('\n')}\nlevel=error msg=boom in web-99\n`)
      for (const text of ['web-99', 'level=error', '"boom in web"', 'in.web.9*'])
        expect((await scene.archive.search(text)).items).toMatchObject([{ type: 'log', line: 4001 }])
      expect((await scene.archive.search('web-98')).items).toEqual([])
      expect((await scene.archive.runs({ query: 'web-99' })).items).toHaveLength(1)
    })

    it('finds what was made from a template by its name, and not by the end of it', async () => {
      scene = await openScene(await options())
      const made = (name: string, template: string) =>
        ({ kind: 'run', trace: name, run: { ...run, name, uid: name }, phase: 'Running', template }) as const
      await scene.record(
        event('a'),
        event('b'),
        event('c'),
        made('a', 'WorkflowTemplate/apply'),
        made('b', 'WorkflowTemplate/pre-apply'),
        made('c', 'apply'),
      )
      const found = async (query: string) => [
        (await scene.archive.runs({ query })).items.map(item => item.run.name),
        (await scene.archive.events({ query })).items.map(({ id }) => id),
      ]
      expect(await found('template:apply')).toEqual([
        ['c', 'a'],
        ['c', 'a'],
      ])
      expect(await found('template:app*')).toEqual([
        ['c', 'a'],
        ['c', 'a'],
      ])
      expect(await found('template:*apply')).toEqual([
        ['c', 'b', 'a'],
        ['c', 'b', 'a'],
      ])
      expect(await found('template:WorkflowTemplate/apply')).toEqual([['a'], ['a']])
    })

    it('tells what happened to an object last by its time, whatever older history was imported since', async () => {
      scene = await openScene(await options())
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'c', uid: 'new' }
      const written = { kind: 'write', trace: 'e', verb: 'update', outcome: 'changed' } as const
      const health = { kind: 'health', trace: '', condition: 'Ready' } as const
      const history = (uid: string, from: number) => [
        { ...event(`${uid}-1`), object: { ...object, uid }, at: from },
        { ...written, object, uid, resourceVersion: `${from}`, at: from + 1 },
        { ...health, object: { ...object, uid }, status: 'True' as const, reason: `${uid}-${from}`, at: from + 2 },
        { ...event(`${uid}-2`), object: { ...object, uid }, at: from + 3 },
        { ...written, object, uid, resourceVersion: `${from + 4}`, at: from + 4 },
      ]
      await scene.record(...history('new', 5000))
      const lines = [...history('old', 1000), ...history('new', 2000)].map(record =>
        JSON.stringify({ record: { v: 1, ...record, trace: `${record.trace}-${record.at}` } }),
      )
      expect(await scene.archive.import(lines)).toEqual({ records: 10, skipped: 0 })
      const { uid: _, ...called } = object
      const found = await scene.archive.object(called)
      expect(found?.object.uid).toBe('new')
      expect(found?.lastEvent?.id).toBe('new-2')
      expect(found?.changes.map(({ write }) => write.at)).toEqual([5004, 5001, 2004, 2001, 1004, 1001])
      expect(found?.conditions.map(({ reason }) => reason)).toEqual(['new-5000', 'old-1000'])
      const { nodes } = await scene.archive.descendants({ object: called }, { limit: 3 })
      expect(nodes[0]).toMatchObject({ type: 'event', event: { id: 'new-2' } })
      // What tells no uid is about the one that is there.
      await scene.record({ ...health, object: called, status: 'False', reason: 'now', at: 6000 })
      expect((await scene.archive.object(called))?.condition?.reason).toBe('now')
      expect((await scene.archive.object(called))?.object.uid).toBe('new')
    })

    it('is as badly off as the runs that it has started, until they are tried again with success', async () => {
      scene = await openScene(await options())
      const verdict = async () => (await scene.archive.event('e1'))?.verdict
      const count = async (status: string) => (await scene.archive.events({ query: `status:${status}` })).total.count
      const delivery = { kind: 'delivery', trigger, trace: 'e1', action: 'a1', events: ['e1'], attempt: 1 } as const
      const told = { kind: 'run', trace: 'e1', run, action: 'a1', template: 'WorkflowTemplate/t' } as const
      await scene.record(
        event('e1'),
        { ...delivery, outcome: 'started' },
        { ...delivery, outcome: 'succeeded' },
        { ...told, phase: 'Running' },
      )
      expect(await verdict()).toBe('ran')
      // In a later batch, and after the archive has forgotten all it knew.
      await scene.reopen()
      await scene.record({ ...told, phase: 'Failed', message: 'no' })
      expect(await verdict()).toBe('failed')
      expect([await count('failed'), await count('ran')]).toEqual([1, 0])
      await scene.record({ ...told, phase: 'Running' })
      expect(await verdict()).toBe('ran')
      const other = { ...told, run: { ...run, name: 'run-2', uid: 'u2' } }
      await scene.record({ ...told, phase: 'Error' }, { ...other, phase: 'Failed' }, { ...told, phase: 'Succeeded' })
      expect(await verdict()).toBe('failed')
      await scene.record({ ...other, phase: 'Succeeded' })
      expect(await verdict()).toBe('ran')
      expect([await count('failed'), await count('ran')]).toEqual([0, 1])
    })

    it('says how often a run was begun', async () => {
      scene = await openScene(await options())
      const told = { kind: 'run', trace: 'e1', run } as const
      await scene.record({ ...told, phase: 'Running' }, { ...told, phase: 'Failed', message: 'no host' })
      expect((await scene.archive.runs()).items).toMatchObject([{ attempt: 1, message: 'no host' }])
      await scene.reopen()
      await scene.record({ ...told, phase: 'Running' }, { ...told, phase: 'Error' }, { ...told, phase: 'Running' })
      const again = (await scene.archive.runs()).items
      expect(again).toMatchObject([{ attempt: 3 }])
      expect(again[0]).not.toHaveProperty('message')
      expect(await scene.archive.run({ uid: 'u1' })).toMatchObject({ attempt: 3 })
      // Of this one it was not told that it was begun again, but it ended again; and the same end may be told twice.
      const other = { ...told, run: { ...run, name: 'run-2', uid: 'u2' }, phase: 'Failed' } as const
      const [first, second] = [
        { ...other, startedAt: 1000, finishedAt: 9000 },
        { ...other, startedAt: 9000, finishedAt: 12_000 },
      ]
      await scene.record(first, first, { ...first, startedAt: 1412 })
      expect(await scene.archive.run({ uid: 'u2' })).toMatchObject({ attempt: 1 })
      await scene.record(second, second)
      expect(await scene.archive.run({ uid: 'u2' })).toMatchObject({ attempt: 2 })
    })

    it('shows what became of a join to every event that took part', async () => {
      scene = await openScene(await options())
      const joined = { trace: 'e1', trigger, events: ['e1', 'e2'] } as const
      const delivery = { kind: 'delivery', ...joined, action: 'a1', attempt: 1 } as const
      const told = { kind: 'run', trace: 'e1', run, action: 'a1', template: 'WorkflowTemplate/t' } as const
      const alone = { ...told, run: { ...run, name: 'run-2', uid: 'u2' }, action: 'a2' } as const
      await scene.record(
        event('e1'),
        event('e2'),
        event('e3'),
        { kind: 'decision', ...joined, dependency: '', verdict: 'joined', by: 'conditions' },
        { ...delivery, outcome: 'started' },
        // Another trigger did something for the first alone.
        { ...delivery, trigger: { ...trigger, part: 'other' }, action: 'a2', events: ['e1'], outcome: 'succeeded' },
        { ...alone, phase: 'Running' },
      )
      // In a later batch, and after the archive has forgotten all it knew.
      await scene.reopen()
      await scene.record({ ...told, phase: 'Running' }, { ...delivery, outcome: 'succeeded' })
      const { items } = await scene.archive.events({}, { order: 'oldest' })
      expect(items.map(({ id, verdict, runs }) => [id, verdict, runs])).toEqual([
        ['e1', 'ran', 2],
        ['e2', 'ran', 1],
        ['e3', 'pending', 0],
      ])
      const runsOf = async (query: string) => (await scene.archive.runs({ query })).items.map(item => item.run.name)
      expect(await runsOf('event:e1')).toEqual([run.name, 'run-2'])
      expect(await runsOf('event:e2')).toEqual([run.name])
      expect(await runsOf('event:e3')).toEqual([])
      expect(await runsOf('event:e1,e2 phase:Running')).toEqual([run.name, 'run-2'])
      await scene.reopen()
      await scene.record(
        { ...told, phase: 'Failed', message: 'no' },
        {
          kind: 'write',
          trace: 'e1',
          run,
          object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'made' },
          uid: 'o1',
          resourceVersion: '7',
          verb: 'create',
          outcome: 'created',
        },
      )
      const second = await scene.archive.trace('e2')
      expect(second?.event).toMatchObject({ verdict: 'failed', runs: 1 })
      expect(second?.decisions.map(({ verdict }) => verdict)).toEqual(['joined'])
      expect(second?.deliveries.map(({ action, outcome }) => [action, outcome])).toEqual([
        ['a1', 'started'],
        ['a1', 'succeeded'],
      ])
      expect(second?.runs.map(({ run: { name } }) => name)).toEqual(['run-1'])
      expect(second?.writes.map(({ object: { name } }) => name)).toEqual(['made'])
      expect(second?.together.map(({ id }) => id)).toEqual(['e1'])
      const lines: string[] = []
      for await (const line of scene.archive.export({ query: 'id:e2' })) lines.push(line)
      const elsewhere = await openScene(await options())
      try {
        await elsewhere.archive.import(lines)
        const brought = await elsewhere.archive.trace('e2')
        expect(brought).toMatchObject({ decisions: second?.decisions, deliveries: second?.deliveries })
        expect(brought?.runs.map(({ run: { name }, phase }) => [name, phase])).toEqual([['run-1', 'Failed']])
        expect(brought?.writes.map(({ object: { name } }) => name)).toEqual(['made'])
      } finally {
        await elsewhere.close()
      }
      const first = await scene.archive.trace('e1')
      expect([first?.runs.length, first?.together.map(({ id }) => id)]).toEqual([2, ['e2']])
      const found = await scene.archive.events({ query: 'run:run-1' })
      expect(found.items.map(({ id }) => id)).toEqual(['e2', 'e1'])
      const up = await scene.archive.ancestors({ run: 'u1' })
      expect(up.nodes.flatMap(node => (node.type === 'event' ? [node.event.id] : []))).toEqual(['e1', 'e2'])
      const down = await scene.archive.descendants({ event: 'e2' })
      expect(down.nodes.flatMap(node => (node.type === 'run' ? [node.run.run.name] : []))).toEqual(['run-1'])
    })

    it('tells once of a delivery that was given up for several events, and counts it once', async () => {
      scene = await openScene(await options())
      const parked = { kind: 'delivery', trigger, attempt: 1, outcome: 'parked', message: 'no' } as const
      await scene.record(
        event('e1'),
        event('e2'),
        { ...parked, trace: 'e1', action: 'a1', events: ['e1', 'e2'] },
        event('e3'),
        { ...parked, trace: 'e3', action: 'a3', events: ['e3'] },
      )
      const found = async (query: string, page?: PageRequest) => {
        const { items, total } = await scene.archive.parkedItems({ query }, page)
        return [items.map(({ action }) => action), total.count]
      }
      for (const query of ['', 'ns:default', '-e4']) expect(await found(query)).toEqual([['a3', 'a1'], 2])
      expect(await found('event:e2')).toEqual([['a1'], 1])
      expect(await found('', { limit: 1 })).toEqual([['a3'], 2])
      expect(await found('', { limit: 3, order: 'oldest' })).toEqual([['a1', 'a3'], 2])
      expect(await scene.archive.counters()).toMatchObject({ parked: 2, eventsByVerdict: { parked: 3 } })
    })

    it('groups runs by the step that they failed because of, whichever round of a loop it was', async () => {
      scene = await openScene(await options())
      const failed = (name: string, step: string, message: string) =>
        ({
          kind: 'run',
          trace: '',
          run: { namespace: 'default', name, uid: name },
          phase: 'Failed',
          message: `child '${name}-17' failed`,
          cause: { step, message },
          template: 'WorkflowTemplate/t',
        }) as const
      await scene.record(
        failed('a', 'apply(0:web)', 'exit code 1'),
        failed('b', 'apply(1:db)', 'exit code 1'),
        failed('c', 'render', 'exit code 1'),
      )
      const groups = await scene.archive.runGroups('fingerprint')
      expect(groups.map(({ count, message }) => [count, message])).toEqual([
        [1, 'render: exit code 1'],
        [2, 'apply(1:db): exit code 1'],
      ])
    })

    it('knows the namespaces in which there were only runs', async () => {
      scene = await openScene(await options())
      await scene.record({ kind: 'run', trace: '', run: { ...run, namespace: 'quiet' }, phase: 'Running' })
      const names = async (scope?: Scope) =>
        (await scene.archive.complete('ns', 'q', scope && { scope })).map(({ value }) => value)
      expect(await names()).toEqual(['quiet'])
      expect(await names({ grants: [{ kind: '*', namespaces: ['quiet'] }] })).toEqual(['quiet'])
      expect(await names({ grants: [{ kind: '*', namespaces: ['shop'] }] })).toEqual([])
    })

    it('counts runs that were told of before their event', async () => {
      scene = await openScene(await options())
      await scene.record({ kind: 'run', trace: 'e1', run, phase: 'Failed', message: 'no' })
      await scene.reopen()
      await scene.record(event('e1'))
      expect(await scene.archive.event('e1')).toMatchObject({ verdict: 'failed' })
      expect((await scene.archive.events()).items).toMatchObject([{ verdict: 'failed', runs: 1 }])
    })

    it('tells what no sensor depends on from what is still to be looked at, until one does look at it', async () => {
      scene = await openScene(await options())
      await scene.record({ ...event('e1'), isUnheard: true }, { ...event('e2'), isUnheard: true }, event('e3'))
      const idsOf = async (query: string) => (await scene.archive.events({ query })).items.map(({ id }) => id)
      expect(await idsOf('status:unheard')).toEqual(['e2', 'e1'])
      expect(await idsOf('status:pending')).toEqual(['e3'])
      expect((await scene.archive.counters()).eventsByVerdict).toEqual({ unheard: 2, pending: 1 })
      // A sensor was made at that moment, and its watch told of it later.
      await scene.reopen()
      await scene.record({
        kind: 'decision',
        trace: 'e1',
        trigger,
        events: ['e1'],
        dependency: 'a',
        verdict: 'filtered',
      })
      expect(await idsOf('status:unheard')).toEqual(['e2'])
      expect((await scene.archive.counters()).eventsByVerdict).toEqual({ unheard: 1, pending: 1, filtered: 1 })
    })

    it('lists what its own source ended with what it said, as something that was on no bus', async () => {
      scene = await openScene(await options())
      const decision = { kind: 'decision', dependency: '', by: 'filter.expression', trigger: source } as const
      await scene.record(
        { ...event('e1'), isEnded: true, body: { user: 'jane' } },
        { ...decision, trace: 'e1', events: ['e1'], verdict: 'filtered' },
        { ...event('e2'), isEnded: true },
        { ...decision, trace: 'e2', events: ['e2'], verdict: 'failed', message: 'no such field' },
        event('e3'),
      )
      const { items } = await scene.archive.events({ query: 'status:filtered jane' })
      expect(items).toMatchObject([{ id: 'e1', verdict: 'filtered' }])
      expect(items[0]).not.toHaveProperty('bus')
      expect((await scene.archive.events({ query: 'status:failed' })).items).toMatchObject([{ id: 'e2' }])
      const toReplay: string[] = []
      for await (const { id } of eventsToReplay(scene.archive, {}, 'all')) toReplay.push(id)
      expect(toReplay).toEqual(['e3'])
      const { edges } = await scene.archive.flow({ windowMs: Date.now() })
      expect(edges.map(({ count }) => count)).toEqual([1])
    })

    it('is as badly off as the worst of its triggers', async () => {
      scene = await openScene(await options())
      const decision = { kind: 'decision', trace: 'e1', dependency: 'd', events: ['e1'] } as const
      await scene.record(
        event('e1'),
        { ...decision, trigger, verdict: 'filtered', by: 'a filter' },
        { ...decision, trigger: { ...trigger, part: 'other' }, verdict: 'passed' },
      )
      expect((await scene.archive.event('e1'))?.verdict).toBe('waiting')
      await scene.record({
        kind: 'delivery',
        trigger: { ...trigger, part: 'other' },
        trace: 'e1',
        action: 'a',
        events: ['e1'],
        attempt: 1,
        outcome: 'succeeded',
      })
      const trace = await scene.archive.trace('e1')
      expect(trace?.event?.verdict).toBe('ran')
      expect(trace?.outcomes.map(({ state }) => state)).toEqual(['filtered', 'ran'])
    })

    it('does not let a dependency that turns an event away undo what another made of it', async () => {
      scene = await openScene(await options())
      const decision = { kind: 'decision', trace: 'e1', events: ['e1'], trigger } as const
      await scene.record(
        event('e1'),
        { ...decision, dependency: 'a', verdict: 'passed' },
        { ...decision, dependency: 'b', verdict: 'filtered' },
      )
      expect((await scene.archive.event('e1'))?.verdict).toBe('waiting')
    })

    it('takes an event that is published again after a crash for the same', async () => {
      scene = await openScene(await options())
      await scene.record(event('e1'), event('e1'), event('e2'))
      expect((await scene.archive.events()).items.map(({ id }) => id)).toEqual(['e2', 'e1'])
      expect((await scene.archive.status()).events).toBe(2)
    })

    it('takes it for the same also when it remembers nothing of it', async () => {
      scene = await openScene(await options())
      await scene.record(event('e1'), event('e2'))
      await scene.reopen()
      await scene.record(event('e3'), event('e1'), { kind: 'run', trace: 'e1', run, phase: 'Running' })
      const { items } = await scene.archive.events()
      expect(items.map(({ id, runs }) => [id, runs])).toEqual([
        ['e3', 0],
        ['e2', 0],
        ['e1', 1],
      ])
      expect(await scene.archive.status()).toMatchObject({ events: 3, records: 4 })
      expect((await scene.archive.verify()).damaged).toEqual([])
    })

    it('shows what followed an event whose own record is missing', async () => {
      scene = await openScene(await options())
      await scene.record({ kind: 'run', trace: 'lost', run, phase: 'Running' })
      const trace = await scene.archive.trace('lost')
      expect(trace?.event).toBeUndefined()
      expect(trace?.runs).toHaveLength(1)
    })

    it('reads a log line by line, across chunks that end in the middle of one', async () => {
      scene = await openScene(await options())
      const log = { kind: 'log', trace: 'e1', run, step: 's1', container: 'main' } as const
      await scene.record({ kind: 'run', trace: 'e1', run, phase: 'Running' })
      await scene.log(log, 'one\ntwo\nthr')
      await scene.log(log, 'ee\nfour')
      await scene.log(log, '\nfive\nsix')
      const of = { run: 'u1', step: 's1', container: 'main' }
      expect(await scene.archive.log(of)).toMatchObject({
        from: 1,
        lines: ['one', 'two', 'three', 'four', 'five', 'six'],
        total: 6,
        missing: 0,
      })
      for (let from = 1; from <= 6; from++) {
        const part = await scene.archive.log(of, { from, lines: 2 })
        expect(part?.lines).toEqual(['one', 'two', 'three', 'four', 'five', 'six'].slice(from - 1, from + 1))
      }
      expect((await scene.archive.log(of, { tail: true, lines: 2 }))?.lines).toEqual(['five', 'six'])
      expect((await scene.archive.search('three')).items).toHaveLength(0)
      expect((await scene.archive.search('five')).items[0]).toMatchObject({ type: 'log', line: 5 })
    })

    it('keeps output once that is read again from its start, and all that a step prints when it is tried again', async () => {
      scene = await openScene(await options())
      const log = { kind: 'log', trace: 'e1', run, step: 's1', container: 'main' } as const
      const of = { run: 'u1', step: 's1', container: 'main' }
      await scene.record({ kind: 'run', trace: 'e1', run, phase: 'Running' })
      await scene.log({ ...log, pod: 'p1', offset: 0 }, 'one\n')
      await scene.log({ ...log, pod: 'p1', offset: 4 }, 'two\n')
      await scene.archive.caughtUp()
      await scene.reopen()
      await scene.log({ ...log, pod: 'p1', offset: 0 }, 'one\ntw')
      await scene.log({ ...log, pod: 'p1', offset: 6 }, 'o\nthree\n')
      expect(await scene.archive.log(of)).toMatchObject({ lines: ['one', 'two', 'three'], total: 3, bytes: 14 })
      expect((await scene.archive.search('three')).items[0]).toMatchObject({ type: 'log', line: 3 })
      expect((await scene.archive.search('two')).items).toHaveLength(1)
      await scene.log({ ...log, pod: 'p2', offset: 0 }, 'one\n')
      expect((await scene.archive.log(of))?.lines).toEqual(['one', 'two', 'three', 'one'])
    })

    it('says that output was gone before it could be copied', async () => {
      scene = await openScene(await options())
      await scene.record({
        kind: 'log',
        trace: '',
        run,
        step: 's1',
        container: 'main',
        chunk: { store: 'files', key: 'gone', bytes: 9 },
      })
      expect(await scene.archive.log({ run: 'u1', step: 's1', container: 'main' })).toMatchObject({
        lines: [],
        missing: 1,
      })
    })

    it('finds the newest with a word that very many have, like one who looks at all of them', async () => {
      scene = await openScene(await options())
      await scene.add(recordStream({ seed: 5, events: 400 }))
      for (const list of ['events', 'runs', 'writes'] as const) {
        const ask = (page: PageRequest) => scene.archive[list]({ query: 'cache' }, page)
        const all = await ask({ order: 'oldest', limit: 1000 })
        const { items, total } = await ask({ limit: 20 })
        const cursors = all.items.map(({ cursor }) => cursor).toReversed()
        expect(cursors.length).toBeGreaterThan(20)
        expect(items.map(({ cursor }) => cursor)).toEqual(cursors.slice(0, 20))
        expect(total.count).toBeGreaterThanOrEqual(20)
        expect(total.count).toBeLessThanOrEqual(cursors.length)
        if (total.exact) expect(total.count).toBe(cursors.length)
      }
    })

    it('finds in every page what was said long after it began', async () => {
      scene = await openScene(await options())
      const numbers = [1, 2, 3, 4, 5, 6]
      const runOf = (number: number) => ({ ...run, name: `run-${number}`, uid: `u${number}` })
      for (const number of numbers)
        await scene.record(event(`e${number}`), {
          kind: 'run',
          trace: `e${number}`,
          run: runOf(number),
          phase: 'Running',
        })
      for (const number of [3, 5, 1, 6, 2, 4])
        await scene.record(
          {
            kind: 'delivery',
            trace: `e${number}`,
            trigger,
            action: `a${number}`,
            events: [`e${number}`],
            attempt: 1,
            outcome: 'failed',
            message: 'too late',
          },
          { kind: 'run', trace: `e${number}`, run: runOf(number), phase: 'Failed', message: 'too long' },
        )
      const walk = async (list: 'events' | 'runs', query: string, order: 'newest' | 'oldest') => {
        const found: string[] = []
        for (let page: PageRequest | undefined = { limit: 2, order }; page; ) {
          const { items, next }: Page<EventItem | RunItem> = await scene.archive[list]({ query }, page)
          found.push(...items.map(item => ('id' in item ? item.id : item.run.name)))
          page = next === undefined ? undefined : { limit: 2, order, after: next }
        }
        return found
      }
      const called = (prefix: string) => numbers.map(number => `${prefix}${number}`)
      for (const query of ['late', 'long']) {
        expect(await walk('events', query, 'oldest')).toEqual(called('e'))
        expect(await walk('events', query, 'newest')).toEqual(called('e').reverse())
      }
      expect(await walk('runs', 'long', 'oldest')).toEqual(called('run-'))
      expect(await walk('runs', 'long', 'newest')).toEqual(called('run-').reverse())
    })

    it('finds a dead letter by what its event said, however many others have said it since', async () => {
      scene = await openScene(await options())
      const said = (trace: string, word: string) => ({ ...event(trace), body: { word } })
      const parked = (trace: string) => {
        const delivery = {
          kind: 'delivery',
          trigger,
          trace,
          action: `a-${trace}`,
          events: [trace],
          attempt: 1,
        } as const
        return { ...delivery, outcome: 'parked', reason: 'Failed', message: 'no' } as const
      }
      await scene.record(said('old', 'quince'), said('other', 'plum'), parked('other'))
      await scene.record(...Array.from({ length: 400 }, (_, i) => said(`e${i}`, i < 350 ? 'quince' : 'plum')))
      await scene.record(parked('old'), parked('e9'), parked('e399'))
      const found = async (query: string) =>
        (await scene.archive.parkedItems({ query })).items.map(({ events }) => events[0])
      expect(await found('quince')).toEqual(['e9', 'old'])
      expect(await found('plum')).toEqual(['e399', 'other'])
      expect(await found('-quince')).toEqual(['e399', 'other'])
    })

    it('finds objects by what they are called, and does not say that there are no others', async () => {
      scene = await openScene(await options())
      const written = (name: string, i: number) =>
        ({
          kind: 'write',
          trace: '',
          object: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name },
          verb: 'update',
          uid: `u-${name}`,
          resourceVersion: String(i),
          outcome: 'changed',
        }) as const
      const names = ['Größe-Cache-7', 'cache-70', 'cache-7-x', 'cache', 'x-cache--7', 'BIG-CACHE-7']
      await scene.record(...names.map(written))
      await scene.record(...Array.from({ length: 300 }, (_, i) => written('cache-7', i)))
      const found = async (query: string) => {
        const { items, total } = await scene.archive.objects({ query })
        return [items.map(({ object }) => object.name).sort(), total]
      }
      const called = ['BIG-CACHE-7', 'Größe-Cache-7', 'cache-7', 'cache-7-x', 'x-cache--7']
      expect(await found('cache-7')).toEqual([called, { count: 5, exact: false }])
      expect(await found('shop cache')).toMatchObject([[...names, 'cache-7'].sort(), { count: 7 }])
      expect(await found('POD Cache-7*')).toEqual([[...called, 'cache-70'].sort(), { count: 6, exact: false }])
      expect(await found('große')).toEqual([['Größe-Cache-7'], { count: 1, exact: true }])
      expect(await found('pod '.repeat(1000))).toMatchObject([[...names, 'cache-7'].sort(), { count: 7 }])
    })

    it('tells live what is new and what changed, each once', async () => {
      scene = await openScene(await options())
      const stopping = new AbortController()
      const following = scene.archive
        .follow([{ topic: 'events' }, { topic: 'runs' }], undefined, stopping.signal)
        [Symbol.asyncIterator]()
      const first = following.next()
      // It begins when it is asked for the first time, in one of two threads; who asks both afterwards comes after it.
      await Promise.all([scene.archive.status(), scene.archive.status()])
      await scene.record(event('e1'))
      const batch = (await first).value
      expect(batch.items).toMatchObject([{ type: 'event', item: { id: 'e1', verdict: 'pending' } }])
      await scene.record({ kind: 'run', trace: 'e1', run, phase: 'Running' })
      const second = (await following.next()).value
      expect(second.items).toMatchObject([
        { type: 'event', item: { id: 'e1', runs: 1 } },
        { type: 'run', item: { run, phase: 'Running' } },
      ])
      stopping.abort()
      expect((await following.next()).done).toBe(true)
      const resumed = scene.archive
        .follow([{ topic: 'events' }], batch.cursor, AbortSignal.timeout(20_000))
        [Symbol.asyncIterator]()
      expect((await resumed.next()).value.items).toMatchObject([{ type: 'event', item: { id: 'e1', runs: 1 } }])
      await resumed.return?.()
    })

    it('keeps conditions and what people did', async () => {
      scene = await openScene(await options())
      const object = { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventSource', namespace: 'default', name: 'web' }
      await scene.record(
        { kind: 'health', trace: '', object, condition: 'Ready', status: 'True', reason: 'Started' },
        {
          kind: 'health',
          trace: '',
          object,
          condition: 'Ready',
          status: 'False',
          was: 'True',
          reason: 'Forbidden',
          message: 'cannot watch pods',
        },
        { kind: 'audit', trace: '', who: 'jane', did: 'retry', target: object, outcome: 'allowed' },
        {
          kind: 'audit',
          trace: '',
          who: 'john',
          did: 'discard',
          target: { action: 'a1' },
          outcome: 'refused',
          reason: 'no',
        },
      )
      const { archive } = scene
      expect(await archive.health()).toMatchObject([
        { object, condition: 'Ready', status: 'False', reason: 'Forbidden' },
      ])
      expect((await archive.healthHistory()).items.map(({ reason }) => reason)).toEqual(['Forbidden', 'Started'])
      expect((await archive.attention()).map(({ type, detail }) => [type, detail])).toEqual([
        ['condition', 'cannot watch pods'],
      ])
      expect((await archive.audit()).items.map(({ who }) => who)).toEqual(['john', 'jane'])
      expect((await archive.audit({ query: 'who:ja* outcome:allowed' })).items.map(({ who }) => who)).toEqual(['jane'])
      expect((await archive.health({ query: 'status:True' })).length).toBe(0)
    })

    it('keeps records that it does not know, and hands them on', async () => {
      scene = await openScene(await options())
      await scene.journal.append({ data: JSON.stringify({ v: 9, kind: 'dream', at: 5, trace: 'e1', of: 'sheep' }) })
      await scene.journal.append({ data: '{ torn' })
      await scene.journal.append({ data: JSON.stringify({ v: 1, kind: 'run', at: 5, trace: '', run: 'not a run' }) })
      await scene.archive.caughtUp()
      expect(await scene.archive.status()).toMatchObject({ unknown: 3, lag: 0 })
      const lines: string[] = []
      for await (const line of scene.archive.export()) lines.push(line)
      expect(lines.map(line => JSON.parse(line).record)).toMatchObject([
        { kind: 'dream', of: 'sheep' },
        '{ torn',
        { run: 'not a run' },
      ])
    })

    it('takes names and texts of every kind as they are', async () => {
      scene = await openScene(await options())
      const evil = '<img src=x onerror=alert(1)> \u0000 \ud800 \u202e %00 \' " \\ ${x} __proto__'
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: '__proto__' }
      await scene.record(
        {
          kind: 'event',
          trace: 'e1',
          source,
          type: evil,
          object,
          body: JSON.parse('{"__proto__":{"polluted":1},"x":"\\u0000"}'),
        },
        {
          kind: 'delivery',
          trigger,
          trace: 'e1',
          action: evil,
          events: ['e1'],
          attempt: 1,
          outcome: 'parked',
          reason: evil,
          message: evil,
        },
        { kind: 'step', trace: 'e1', run, step: '__proto__', name: 'x', type: 'Pod', phase: '__proto__', attempt: 1 },
      )
      const found = await scene.archive.event('e1')
      expect(JSON.stringify(found?.body)).toBe('{"__proto__":{"polluted":1},"x":"\\u0000"}')
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
      expect((await scene.archive.parked())[0]?.message).toContain('<img src=x')
      expect((await scene.archive.run({ uid: 'u1' }))?.steps.items[0]?.step).toBe('__proto__')
      expect((await scene.archive.verify()).damaged).toEqual([])
    })

    it('stores a version of an object once, however many events tell of it', async () => {
      scene = await openScene(await options())
      const blob = Buffer.from(seededRandom(5).bytes(50_000)).toString('hex')
      const body = (version: number) => ({ metadata: { name: 'a', version }, blob })
      for (let version = 1; version <= 20; version++)
        await scene.record({
          ...event(`e${version}`),
          body: { type: 'UPDATE', body: body(1), oldBody: body(1), number: version },
        })
      const { bytes } = await (await scene.reopen()).status()
      const single = JSON.stringify(body(1)).length
      const { bytes: told } = (await scene.archive.event('e1')) as { bytes: number }
      expect(told).toBeGreaterThan(2 * single)
      // 40 copies were told of; the database has the room of a few.
      const empty = await openScene(await options())
      const overhead = (await empty.archive.status()).bytes
      await empty.close()
      expect(bytes - overhead).toBeLessThan(6 * single)
    })
  })
}
