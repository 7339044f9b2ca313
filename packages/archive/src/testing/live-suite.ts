import { seededRandom } from '@tiphys/env'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventItem, Page, PageRequest, RunItem } from '../archive.ts'
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
      await scene.record({ ...told, phase: 'Running' }, { ...told, phase: 'Failed' })
      expect((await scene.archive.runs()).items).toMatchObject([{ attempt: 1 }])
      await scene.reopen()
      await scene.record({ ...told, phase: 'Running' }, { ...told, phase: 'Error' }, { ...told, phase: 'Running' })
      expect((await scene.archive.runs()).items).toMatchObject([{ attempt: 3 }])
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
      const first = await scene.archive.trace('e1')
      expect([first?.runs.length, first?.together.map(({ id }) => id)]).toEqual([2, ['e2']])
      const found = await scene.archive.events({ query: 'run:run-1' })
      expect(found.items.map(({ id }) => id)).toEqual(['e2', 'e1'])
      const up = await scene.archive.ancestors({ run: 'u1' })
      expect(up.nodes.flatMap(node => (node.type === 'event' ? [node.event.id] : []))).toEqual(['e1', 'e2'])
      const down = await scene.archive.descendants({ event: 'e2' })
      expect(down.nodes.flatMap(node => (node.type === 'run' ? [node.run.run.name] : []))).toEqual(['run-1'])
    })

    it('counts runs that were told of before their event', async () => {
      scene = await openScene(await options())
      await scene.record({ kind: 'run', trace: 'e1', run, phase: 'Failed', message: 'no' })
      await scene.reopen()
      await scene.record(event('e1'))
      expect(await scene.archive.event('e1')).toMatchObject({ verdict: 'failed' })
      expect((await scene.archive.events()).items).toMatchObject([{ verdict: 'failed', runs: 1 }])
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

    it('drops the oldest by age, count and size, and keeps what goes on', async () => {
      scene = await openScene(await options())
      const records = [...recordStream({ seed: 3, events: 300 })]
      await scene.record({
        kind: 'health',
        trace: '',
        object: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
        condition: 'Ready',
        status: 'True',
        reason: 'Up',
      })
      await scene.record({ kind: 'run', trace: '', run, phase: 'Running' })
      await scene.add(records)
      const { archive } = scene
      const counted = await archive.retain({ maxEvents: 200 })
      expect(counted.events).toBe(100)
      expect((await archive.events({}, { limit: 1000 })).items).toHaveLength(200)
      expect(await archive.counters()).toMatchObject({ events: 200 })
      const { eventsByVerdict } = await archive.counters()
      expect(Object.values(eventsByVerdict).reduce((a, b) => a + b, 0)).toBe(200)
      expect((await archive.health()).map(({ reason }) => reason)).toEqual(['Up'])
      expect((await archive.run({ uid: 'u1' }))?.phase).toBe('Running')
      const whole = await archive.verify()
      expect([whole.damaged, whole.dangling]).toEqual([[], []])
      const before = (await archive.status()).bytes
      const sized = await archive.retain({ maxBytes: counted.bytesAfter / 2 })
      expect(sized.bytesAfter).toBeLessThanOrEqual(counted.bytesAfter / 2)
      const { database, bytes } = await archive.status()
      // PostgreSQL keeps the room for itself.
      if (database === 'sqlite') expect(bytes).toBeLessThanOrEqual(before)
      await archive.retain({ maxAgeMs: 1 })
      expect((await archive.events()).items).toEqual([])
      // Later records are stored as if nothing had been there.
      await scene.record(event('after'))
      expect((await archive.events()).items.map(({ id }) => id)).toEqual(['after'])
      const last = await archive.verify()
      expect([last.damaged, last.dangling]).toEqual([[], []])
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
