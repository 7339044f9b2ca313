import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Archive, Page, PageRequest, Row, Scope } from '../archive.ts'
import { recordStream, type StreamedRecord } from './record-stream.ts'
import { type ArchiveScene, openScene, type SceneOptions } from './scene.ts'

const EVENTS = 800

/** What an archive answers that a small operator has filled. */
export function filledSuite(options: () => Promise<SceneOptions>): void {
  describe('filled by a small operator', () => {
    let scene: ArchiveScene
    let archive: Archive
    const records: StreamedRecord[] = [...recordStream({ seed: 7, events: EVENTS })]
    const events = records.flatMap(({ record }) => (record.kind === 'event' ? [record] : []))

    beforeAll(async () => {
      scene = await openScene(await options())
      archive = scene.archive
      await scene.add(records)
    })
    afterAll(() => scene.close())

    it('lists events newest first, in pages that add up to all of them', async () => {
      const ids: string[] = []
      let after: string | undefined
      do {
        const page = await archive.events({}, { limit: 90, ...(after === undefined ? {} : { after }) })
        expect(page.total).toEqual({ count: EVENTS, exact: true })
        ids.push(...page.items.map(({ id }) => id))
        after = page.next
      } while (after !== undefined)
      expect(ids).toEqual(events.map(({ trace }) => trace).reverse())
    })

    it('goes back to the page before, to the oldest, and to any place', async () => {
      const all = (await archive.events({}, { limit: 1000 })).items
      const second = await archive.events({}, { limit: 10, skip: 10 })
      expect(second.items).toEqual(all.slice(10, 20))
      expect((await archive.events({}, { limit: 10, before: second.previous as string })).items).toEqual(
        all.slice(0, 10),
      )
      expect((await archive.events({}, { limit: 3, order: 'oldest' })).items).toEqual(all.slice(-3).reverse())
    })

    it.each([
      ['events', 'memcached'],
      ['events', 'cache*'],
      ['events', 'ECONNREFUSED'],
      ['events', 'memcached status:failed'],
      ['runs', 'reconcile*'],
      ['runs', 'ECONNREFUSED'],
      ['writes', 'Deployment'],
    ] as const)('finds the same %s by %s in small pages, in both orders, and in one', async (list, query) => {
      const read = async (page: PageRequest) => (await archive[list]({ query }, page)) as Page<object>
      const cursors = (page: Page<object>) => page.items.map(({ cursor }) => cursor)
      const whole = cursors(await read({ limit: 1000 }))
      expect(whole.length).toBeGreaterThan(5)
      const limit = Math.ceil(whole.length / 9)
      const walk = async (order: 'newest' | 'oldest') => {
        const found: string[] = []
        for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
          const page = await read({ limit, order, ...(after === undefined ? {} : { after }) })
          found.push(...cursors(page))
          after = page.next
        }
        return found
      }
      expect(await walk('newest')).toEqual(whole)
      expect(await walk('oldest')).toEqual(whole.toReversed())
      expect(cursors(await read({ limit: 3, before: whole[5] as string }))).toEqual(whole.slice(2, 5))
      expect(cursors(await read({ limit: 3, after: whole[0] as string, skip: 2 }))).toEqual(whole.slice(3, 6))
    })

    it('gives an event back as it was recorded', async () => {
      for (const event of [events[0], events[100], events.at(-1)]) {
        const found = await archive.event(event?.trace as string)
        expect(found?.body).toEqual(event?.body)
        expect(found?.object).toEqual(event?.object)
        expect(found?.source).toEqual(event?.source)
        expect(JSON.parse(String(await archive.payload(event?.trace as string)))).toEqual(event?.body)
      }
    })

    it('leaves a payload out that is larger than asked for, and says so', async () => {
      const found = await archive.event(events[0]?.trace as string, { maxBytes: 10 })
      expect(found).toMatchObject({ isBodyCut: true })
      expect(found?.body).toBeUndefined()
    })

    it('knows nothing of an id that never was', async () => {
      expect(await archive.event('nope')).toBeUndefined()
      expect(await archive.trace('nope')).toBeUndefined()
      expect(await archive.run({ uid: 'nope' })).toBeUndefined()
      expect(await archive.run({ namespace: 'default', name: 'nope' })).toBeUndefined()
      expect(await archive.object({ apiVersion: 'v1', kind: 'Pod', name: 'nope' })).toBeUndefined()
      expect(await archive.write(99_999_999)).toBeUndefined()
      expect(await archive.log({ run: 'nope', step: 'a', container: 'main' })).toBeUndefined()
    })

    it('tells what came of every event', async () => {
      const expected = verdictsOf(records)
      const { items } = await archive.events({}, { limit: 1000 })
      expect(Object.fromEntries(items.map(({ id, verdict }) => [id, verdict]))).toEqual(expected)
      const { eventsByVerdict } = await archive.counters()
      expect(eventsByVerdict).toEqual(countBy(Object.values(expected)))
    })

    it.each([
      ['status:filtered', (e: Told) => e.verdict === 'filtered'],
      ['status:failed,parked', (e: Told) => e.verdict === 'failed' || e.verdict === 'parked'],
      ['-status:ran', (e: Told) => e.verdict !== 'ran'],
      ['source:mem*', (e: Told) => e.record.source.name === 'memcached'],
      [
        'source:shop/memcached',
        (e: Told) => e.record.source.name === 'memcached' && e.record.source.namespace === 'shop',
      ],
      ['source:memcached/chan*', (e: Told) => e.record.source.name === 'memcached'],
      ['type:ADD', isAdded],
      ['type:add', isAdded],
      ['-type:ADD kind:Memcached', (e: Told) => !isAdded(e) && e.record.object?.kind === 'Memcached'],
      [
        'object:Memcached/shop/*',
        (e: Told) => e.record.object?.kind === 'Memcached' && e.record.object.namespace === 'shop',
      ],
      [
        'object:Deployment.apps/default/cache-1*',
        (e: Told) =>
          e.record.object?.kind === 'Deployment' &&
          e.record.object.namespace === 'default' &&
          e.record.object.name.startsWith('cache-1'),
      ],
      ['ns:test', (e: Told) => e.record.source.namespace === 'test'],
      ['data.spec.size:>3', (e: Told) => sizeOf(e) > 3],
      ['data.spec.size:2,5 -ns:test', (e: Told) => [2, 5].includes(sizeOf(e)) && e.record.source.namespace !== 'test'],
      ['label:team=shop', (e: Told) => e.record.source.namespace === 'shop'],
      ['sensor:report', (e: Told) => e.record.source.name === 'deployments'],
      ['runs:>=1', (e: Told) => e.runs > 0],
      ['runs:>0.5 -runs:>99999999999999999999', (e: Told) => e.runs > 0],
      ['phase:failed', (e: Told) => e.verdict === 'failed'],
      ['template:reconcile', (e: Told) => e.runs > 0],
      ['cache-7', (e: Told) => e.record.object?.name === 'cache-7'],
      ['-cache-7', (e: Told) => e.record.object?.name !== 'cache-7'],
      ['-cache-7 -"cache-3" type:ADD', (e: Told) => isAdded(e) && !/^cache-[37]$/.test(e.record.object?.name ?? '')],
      ['key:"Memcached/shop/cache-3"', (e: Told) => e.record.key === 'Memcached/shop/cache-3'],
    ])('finds the events of %s', async (query, isWanted) => {
      const verdicts = verdictsOf(records)
      const runs = countBy(
        records.flatMap(({ record }) => (record.kind === 'run' && record.phase === 'Running' ? [record.trace] : [])),
      )
      const wanted = events
        .map(record => ({ record, verdict: verdicts[record.trace] as string, runs: runs[record.trace] ?? 0 }))
        .filter(isWanted)
        .map(({ record }) => record.trace)
      const { items } = await archive.events({ query }, { limit: 1000 })
      expect(items.map(({ id }) => id).reverse()).toEqual(wanted)
      expect(wanted.length).toBeGreaterThan(0)
    })

    it.each(['data.spec.size:>3', '-ECONNREFUSED', '-"cache-7" data.spec.size:>3', '-alpine*'])(
      'pages through %s, which only the records tell',
      async query => {
        const all = (await archive.events({ query }, { limit: 1000 })).items.map(({ id }) => id)
        const ids: string[] = []
        let after: string | undefined
        do {
          const page = await archive.events({ query }, { limit: 7, ...(after === undefined ? {} : { after }) })
          ids.push(...page.items.map(({ id }) => id))
          after = page.next
        } while (after !== undefined)
        expect(ids).toEqual(all)
      },
    )

    it.each(['ECONNREFUSED', 'econnref*', '"cache-7"', 'memcached'])(
      'divides all rows by whether they have %s',
      async word => {
        for (const list of ['events', 'runs', 'writes', 'objects', 'parkedItems'] as const) {
          const cursors = async (query: string) =>
            (await archive[list]({ query }, { limit: 1000 })).items.map(({ cursor }) => Number(cursor))
          const [all, those, others] = [await cursors(''), await cursors(word), await cursors(`-${word}`)]
          expect([...those, ...others].sort((a, b) => b - a)).toEqual(all)
          expect(all.length).toBeGreaterThan(0)
        }
        const counted = (groups: readonly { count: number }[]) => groups.reduce((sum, { count }) => sum + count, 0)
        const runs = async (query: string) => counted(await archive.runGroups('phase', { query }))
        expect((await runs(word)) + (await runs(`-${word}`))).toBe(await runs(''))
        const parked = async (query: string) => counted(await archive.parked({ query }))
        expect((await parked(word)) + (await parked(`-${word}`))).toBe(await parked(''))
        const conditions = async (query: string) => (await archive.health({ query })).length
        expect((await conditions(word)) + (await conditions(`-${word}`))).toBe(await conditions(''))
      },
    )

    it('does not count kinds by words', async () => {
      await expect(archive.kinds({ query: 'memcached' })).rejects.toMatchObject({
        code: 'query-invalid',
        message: expect.stringContaining('list the objects'),
      })
    })

    it('refuses fields and values that there are not, by their names', async () => {
      await expect(archive.events({ query: 'colour:blue' })).rejects.toMatchObject({
        code: 'query-invalid',
        why: expect.stringContaining('"colour"'),
      })
      await expect(archive.events({ query: 'statsu:failed' })).rejects.toMatchObject({
        why: expect.stringContaining('did you mean status?'),
      })
      await expect(archive.events({ query: 'status:exploded' })).rejects.toMatchObject({
        why: expect.stringContaining('parked'),
      })
      await expect(archive.events({ query: 'age:<soon' })).rejects.toMatchObject({ code: 'query-invalid' })
      await expect(archive.events({ query: 'source:<3' })).rejects.toMatchObject({ code: 'query-invalid' })
      await expect(archive.runs({ query: 'bus:default' })).rejects.toMatchObject({
        why: expect.stringContaining('events have it'),
      })
      await expect(archive.events({}, { after: "1' OR 1=1" })).rejects.toMatchObject({ code: 'archive-cursor-invalid' })
    })

    it.each([
      ['-age:>9999w \u{1f525}', 'character 13: there is no word in it'],
      ['"!!!"', 'character 1: there is no word in it'],
      ['-***', 'character 1: there is no word in it'],
      [`cache ${'ab'.repeat(64)}`, 'character 7: of words, those with more than 64'],
      ['since:10', 'a time is written'],
      ['until:2026-02-30', 'a time is written'],
      ['since:2026-01-05T25:00Z', 'a time is written'],
    ])('refuses %s, rather than to leave it out or to take it for something else', async (query, why) => {
      for (const list of ['events', 'runs', 'writes'] as const)
        await expect(archive[list]({ query })).rejects.toMatchObject({
          code: 'query-invalid',
          message: expect.stringContaining(why),
        })
    })

    it('takes times for those of UTC, as it shows them', async () => {
      const { items } = await archive.events({}, { limit: 1000 })
      const middle = new Date(items[400]?.at as number).toISOString()
      const [of, until] = [middle.replace('Z', '+00:00'), middle.replace('Z', '')]
      const before = items.filter(({ at }) => at < Date.parse(middle)).map(({ id }) => id)
      for (const query of [`until:${of}`, `until:${until}`, `until:${middle}`, `-since:${until}`])
        expect((await archive.events({ query }, { limit: 1000 })).items.map(({ id }) => id)).toEqual(before)
      expect((await archive.events({ query: 'since:2020 since:2020-01 until:9999-12-31' })).total.count).toBe(EVENTS)
    })

    it.each([
      'age:<0.5ms',
      'age:>0.5ms',
      'age:<99999999999999w',
      'age:>99999999999999w',
      'size:<99999999999999999999t',
      'attempt:>1e300',
      'duration:<99999999999999w',
    ])('compares with %s as every database does', async query => {
      const list = /^(?:attempt|duration)/.test(query) ? 'runs' : 'events'
      const all = (await archive[list]({ query: list === 'runs' ? 'duration:>=0s' : '' }, { limit: 1000 })).items.length
      const isOfNone = ['age:<0.5ms', 'age:>99999999999999w', 'attempt:>1e300'].includes(query)
      expect((await archive[list]({ query }, { limit: 1000 })).items).toHaveLength(isOfNone ? 0 : all)
    })

    it('takes what people type for values and never for SQL', async () => {
      for (const evil of ["'; DROP TABLE events; --", '%_*', "x' OR '1'='1", '[a-z]*', '\\', '"', 'a"b', ')', '* OR *'])
        for (const field of ['source', 'object', 'key', 'name', 'id', 'ns'])
          await archive.events({ query: `${field}:"${evil.replaceAll(/[\\"]/g, '\\$&')}"` })
      for (const evil of ["' OR 1=1", '"a" OR b', 'NEAR(a b)', 'a* b*', '^x', 'words:a', "a' & 'b", '!x | y'])
        await archive.search(evil)
      expect((await archive.events({}, { limit: 1 })).total.count).toBe(EVENTS)
    })

    it('lists runs with their state, and groups them', async () => {
      const last = lastRuns(records)
      const { items, total } = await archive.runs({}, { limit: 1000 })
      expect(total).toEqual({ count: last.size, exact: true })
      expect(Object.fromEntries(items.map(({ run, phase }) => [run.uid, phase]))).toEqual(
        Object.fromEntries([...last].map(([uid, { phase }]) => [uid, phase])),
      )
      const failed = await archive.runs({ query: 'status:failed' }, { limit: 1000 })
      expect(failed.items.length).toBe([...last.values()].filter(({ phase }) => phase === 'Failed').length)
      expect(failed.items.length).toBeGreaterThan(0)
      const groups = await archive.runGroups('fingerprint')
      expect(groups).toHaveLength(1)
      expect(groups[0]).toMatchObject({ count: failed.items.length, message: 'child failed: apply' })
      const templates = await archive.runGroups('template')
      const inEach = [...last.values()].map(({ run, template }) => `${run.namespace} ${template}`)
      expect(templates.map(({ key, namespace }) => `${namespace} ${key}`).sort()).toEqual([...new Set(inEach)].sort())
      expect(templates.map(({ key }) => key)).toContain('WorkflowTemplate/reconcile')
    })

    it('opens a failed run on the step that failed, with the end of its log', async () => {
      const { items } = await archive.runs({ query: 'status:failed' }, { limit: 1 })
      const [failed] = items
      if (!failed) throw new Error('no run has failed')
      const { uid, namespace, name } = failed.run
      const run = await archive.run({ uid })
      expect(run).toEqual(await archive.run({ namespace, name }))
      expect(run?.steps.items.map(step => [step.displayName, step.phase])).toEqual([
        ['render', 'Succeeded'],
        ['apply', 'Failed'],
      ])
      expect(run?.culprit?.step).toBe(`${name}-1`)
      expect(run?.culprit?.lastLines.at(-1)).toMatch(/^Error: /)
      expect(run?.history.map(({ phase }) => phase)).toEqual(['Running', 'Failed'])
      expect(run?.steps.byPhase).toEqual({ Succeeded: 1, Failed: 1 })
    })

    it('draws the whole chain of an event from its records', async () => {
      const chained = records.find(({ record }) => record.kind === 'write' && record.run)?.record
      const trace = await archive.trace(chained?.trace as string)
      const of = (kind: string) =>
        records
          .filter(({ record }) => record.kind === kind && record.trace === chained?.trace)
          .map(({ record }) => record)
      expect(trace?.decisions.map(({ verdict }) => verdict)).toEqual(
        of('decision').map(record => (record as { verdict: string }).verdict),
      )
      expect(trace?.deliveries.map(({ outcome }) => outcome)).toEqual(
        of('delivery').map(record => (record as { outcome: string }).outcome),
      )
      expect(trace?.writes).toHaveLength(of('write').length)
      expect(trace?.runs).toHaveLength(1)
      expect(trace?.runs[0]?.writes).toHaveLength(1)
      expect(trace?.outcomes).toHaveLength(1)
      expect(trace?.isCut).toBe(false)
    })

    it('leads from a write to the event that tells of it, and back', async () => {
      const writes = new Map(
        records.flatMap(({ record }) =>
          record.kind === 'write' ? [[`${record.uid} ${record.resourceVersion}`, record]] : [],
        ),
      )
      const caused = events.find(event => writes.has(`${event.object?.uid} ${versionOf(event)}`))
      const cause = writes.get(`${caused?.object?.uid} ${versionOf(caused)}`)
      const trace = await archive.trace(caused?.trace as string)
      expect(trace?.cause?.event?.id).toBe(cause?.trace)
      const causing = await archive.trace(cause?.trace as string, { depth: 1 })
      expect(causing?.effects.map(({ event }) => event.id)).toEqual([caused?.trace])
      expect(causing?.effects[0]?.trace?.id).toBe(caused?.trace)
      const up = await archive.ancestors({ event: caused?.trace as string })
      expect(up.nodes.map(node => (node.type === 'event' ? node.event.id : node.type))).toContain(cause?.trace)
      const down = await archive.descendants({ event: cause?.trace as string })
      expect(down.nodes.map(node => (node.type === 'event' ? node.event.id : node.type))).toContain(caused?.trace)
      const ofObject = await archive.ancestors({ object: cause?.object as never })
      expect(ofObject.nodes.filter(({ type }) => type === 'write').length).toBeGreaterThan(0)
      for (const { from, to } of [...up.links, ...down.links, ...ofObject.links]) {
        const ids = new Set([...up.nodes, ...down.nodes, ...ofObject.nodes].map(({ id }) => id))
        expect([ids.has(from), ids.has(to)]).toEqual([true, true])
      }
    })

    it('tells the history of an object: who wrote it, when and why', async () => {
      const write = records.findLast(({ record }) => record.kind === 'write')?.record
      if (write?.kind !== 'write') throw new Error('there is no write')
      const history = await archive.object(write.object)
      const all = records.filter(({ record }) => record.kind === 'write' && record.uid === write.uid)
      expect(history?.writes).toBe(all.length)
      expect(history?.changes[0]?.write).toMatchObject({ resourceVersion: write.resourceVersion, diff: write.diff })
      expect(history?.changes[0]?.event?.id).toBe(write.trace)
      expect(await archive.object({ ...write.object, apiVersion: '' })).toEqual(history)
      expect((await archive.kinds()).map(({ kind }) => kind)).toEqual([
        'Deployment.apps',
        'Memcached.cache.example.com',
      ])
      const page = await archive.writes({ query: `object:Deployment/${write.object.namespace}/${write.object.name}` })
      expect(page.items.map(item => item.write.id)).toEqual(history?.changes.map(item => item.write.id))
    })

    it('groups what was given up by what went wrong', async () => {
      const parked = Object.values(verdictsOf(records)).filter(verdict => verdict === 'parked').length
      const groups = await archive.parked()
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(parked)
      expect(groups.length).toBeLessThan(parked)
      const items = await archive.parkedItems({ fingerprint: groups[0]?.fingerprint as string }, { limit: 1000 })
      expect(items.items).toHaveLength(groups[0]?.count as number)
      expect(items.items[0]).toMatchObject({ state: 'parked', events: [expect.any(String)], key: expect.any(String) })
    })

    it('finds words by their beginning', async () => {
      const found = async (text: string) =>
        (await archive.search(text, {}, { limit: 1000 })).items
          .map(({ cursor }) => Number(cursor))
          .sort((a, b) => a - b)
      const [first, second] = [await found('ECONNREFUSED'), await found('forbidden')]
      expect(await found('econnref*')).toEqual(first)
      expect(await found('forb*')).toEqual(second)
      // As the last word of what stands side by side, beside another, with very many words, and with none.
      expect(await found('10.0.0.7:84*')).toEqual(first)
      expect(await found('econnref* 844*')).toEqual(first)
      expect((await found('1*')).length).toBeGreaterThan(first.length)
      expect(await found('econnrefx*')).toEqual([])
      expect((await archive.events({ query: 'econnref*' }, { limit: 1000 })).items).toEqual(
        (await archive.events({ query: 'ECONNREFUSED' }, { limit: 1000 })).items,
      )
    })

    it('finds words in names, payloads, messages and logs', async () => {
      const inLogs = await archive.search('"line 3 of size"', { types: ['log'] }, { limit: 5 })
      expect(inLogs.items[0]).toMatchObject({
        type: 'log',
        container: 'main',
        line: 4,
        excerpt: expect.stringContaining('line 3 of size'),
      })
      expect((await archive.search('alpine3', { types: ['event'] })).items).toHaveLength(50)
      expect((await archive.search('lpine3')).items).toHaveLength(0)
      expect((await archive.search('memcached 1 6 26 alp*', { types: ['event'] })).items.length).toBeGreaterThan(0)
      const messages = await archive.search('ECONNREFUSED', { types: ['delivery'] }, { limit: 1000 })
      const wanted = records.filter(
        ({ record }) => record.kind === 'delivery' && record.message?.includes('ECONNREFUSED'),
      )
      expect(messages.items).toHaveLength(wanted.length)
      expect((await archive.search('nowheretobefound')).items).toEqual([])
      const all = await archive.search('cache-7', {}, { limit: 1000 })
      const first = await archive.search('cache-7', {}, { limit: 3 })
      const second = await archive.search('cache-7', {}, { limit: 3, after: first.next as string })
      expect([...first.items, ...second.items]).toEqual(all.items.slice(0, 6))
    })

    it('counts what flows from part to part', async () => {
      const flow = await archive.flow({ windowMs: Date.now() })
      const into = flow.edges
        .filter(({ from }) => from.startsWith('source:'))
        .reduce((sum, { count }) => sum + count, 0)
      expect(into).toBe(EVENTS)
      const written = flow.edges
        .filter(({ to }) => to === 'kind::Deployment.apps')
        .reduce((sum, { count }) => sum + count, 0)
      expect(written).toBe(records.filter(({ record }) => record.kind === 'write').length)
      expect(new Set(flow.nodes.map(({ column }) => column))).toEqual(
        new Set(['source', 'bus', 'sensor', 'trigger', 'template', 'kind']),
      )
      const failed = records.filter(({ record }) => record.kind === 'delivery' && record.outcome === 'failed').length
      expect(
        flow.edges.filter(({ to }) => to.startsWith('trigger:')).reduce((sum, { errors }) => sum + errors, 0),
      ).toBe(failed)
      for (const { query } of flow.edges) await archive.events({ query }, { limit: 1 })
    })

    it('shows everybody only what they may see', async () => {
      const scope: Scope = { grants: [{ kind: 'Memcached.cache.example.com', namespaces: ['shop'] }] }
      const { items, total } = await archive.events({ scope }, { limit: 1000 })
      const mine = events.filter(({ object }) => object?.kind === 'Memcached' && object.namespace === 'shop')
      expect(items.map(({ id }) => id).reverse()).toEqual(mine.map(({ trace }) => trace))
      expect(total).toEqual({ count: mine.length, exact: true })
      const other = events.find(({ object }) => object?.namespace === 'test')?.trace as string
      expect(await archive.event(other, { scope })).toBeUndefined()
      expect(await archive.payload(other, { scope })).toBeUndefined()
      expect(await archive.trace(other, { scope })).toBeUndefined()
      expect((await archive.runs({ scope })).items).toEqual([])
      expect((await archive.writes({ scope })).items).toEqual([])
      expect(
        (await archive.search('cache', { scope })).items.every(
          ({ object }) => object === undefined || object.namespace === 'shop',
        ),
      ).toBe(true)
      expect(
        (await archive.objects({ scope }, { limit: 1000 })).items.every(({ object }) => object.namespace === 'shop'),
      ).toBe(true)
      expect((await archive.counters({ scope })).events).toBe(mine.length)
      expect((await archive.complete('ns', '', { scope })).map(({ value }) => value)).toEqual(['shop'])
      const own = await archive.trace(mine[0]?.trace as string, { scope })
      expect(own?.runs).toEqual([])
      expect(own?.writes).toEqual([])
      expect((await archive.events({ scope: { grants: [] } })).items).toEqual([])
      expect((await archive.events({ scope: { grants: [{ kind: '*', namespaces: '*' }] } })).total.count).toBe(EVENTS)
    })

    it('lets nobody find out what they may not see by asking for it', async () => {
      const scope: Scope = { grants: [{ kind: 'Memcached.cache.example.com', namespaces: ['shop'] }] }
      const found = async (query: string) =>
        (await archive.events({ scope, query }, { limit: 1000 })).items.map(({ id }) => id)
      const all = await found('')
      // Of the runs that these events led to, and what those print.
      for (const query of ['render', 'rend*', '"line 0"', 'run:reconcile-*', 'template:reconcile', 'phase:succeeded']) {
        const some = (await archive.events({ query }, { limit: 1000 })).items.map(({ id }) => id)
        expect(some.filter(id => all.includes(id)).length, query).toBeGreaterThan(20)
        expect(await found(query), query).toEqual([])
        expect(await found(`-${query}`), query).toEqual(all)
        expect(await found(`${query} status:ran`), query).toEqual([])
      }
      // What a delivery has said they may see; a run's output says it, too.
      const said = new Set(
        records.flatMap(({ record }) =>
          record.kind === 'delivery' && record.message?.includes('ECONNREFUSED') ? [record.trace] : [],
        ),
      )
      expect(await found('ECONNREFUSED')).toEqual(all.filter(id => said.has(id)))
      expect(await found('-ECONNREFUSED')).toEqual(all.filter(id => !said.has(id)))
      expect((await archive.objects({ scope, query: 'render' })).items).toEqual([])
    })

    it('completes fields and values', async () => {
      expect((await archive.complete('', 'st')).map(({ value }) => value)).toEqual(['status'])
      expect((await archive.complete('status', 'p')).map(({ value }) => value)).toEqual(['pending', 'parked'])
      expect((await archive.complete('source', 'mem')).map(({ value }) => value)).toEqual(['memcached'])
      expect((await archive.complete('kind', 'Dep')).map(({ value }) => value)).toEqual(['Deployment.apps'])
      await expect(archive.complete('colour', '')).rejects.toMatchObject({ code: 'query-invalid' })
    })

    it('carries everything elsewhere as lines, and what belongs to a choice', { timeout: 120_000 }, async () => {
      const lines: string[] = []
      for await (const line of archive.export()) lines.push(line)
      expect(lines).toHaveLength(records.length)
      const other = await openScene(await options())
      try {
        expect(await other.archive.import(lines)).toEqual({ records: records.length, skipped: 0 })
        expect(await other.archive.import(lines)).toEqual({ records: 0, skipped: records.length })
        const again: string[] = []
        for await (const line of other.archive.export()) again.push(line)
        expect(again).toEqual(lines)
        expect((await other.archive.verify()).damaged).toEqual([])
        expect(await everythingOf(other.archive)).toEqual(await everythingOf(archive))
        await expect(other.archive.import(['{"no":"record"}'])).rejects.toMatchObject({
          code: 'archive-import-invalid',
        })
      } finally {
        await other.close()
      }
      const trace = events[0]?.trace
      const chosen: string[] = []
      for await (const line of archive.export({ query: `id:${trace}` })) chosen.push(line)
      expect(chosen).toHaveLength(records.filter(({ record }) => record.trace === trace).length)
    })

    it('finds all of those that are asked for together, as many as a query has room for', async () => {
      const ids = events.map(({ trace }) => trace).filter((_, i) => i % 8 === 0)
      const page = await archive.events({ query: `id:${ids.join(',')} -type:nothing` }, { limit: 1000 })
      expect([page.items.map(({ id }) => id), page.partial]).toEqual([ids.toReversed(), undefined])
      const many = Array.from({ length: 1200 }, (_, i) => i.toString(36)).join(',')
      for (const field of ['id', 'replayof', 'source', 'object', 'type', 'key', 'data.body.kind']) {
        const none = await archive.events({ query: `${field}:${many}` })
        expect([field, none.items]).toEqual([field, []])
      }
    })

    it('takes what is whole of lines that were cut, says which is not, and takes the rest later', async () => {
      const lines: string[] = []
      for await (const line of archive.export()) lines.push(line)
      const [whole, cut] = [lines.slice(0, 1200), (lines[1200] ?? '').slice(0, -9)]
      const other = await openScene(await options())
      try {
        await expect(other.archive.import([...whole, cut])).rejects.toMatchObject({
          code: 'archive-import-invalid',
          message: expect.stringMatching(/^Line 1201 .*The lines before it were taken/),
        })
        expect(await other.archive.status()).toMatchObject({ records: 1200 })
        const all = { records: lines.length - 1200, skipped: lines.length + 1200 }
        // Also what is in it twice is taken once.
        expect(await other.archive.import(lines.flatMap(line => [line, line]))).toEqual(all)
        expect((await other.archive.verify()).damaged).toEqual([])
      } finally {
        await other.close()
      }
    })

    it.each([
      ['a payload', (deep: string) => `{"v":1,"at":1,"trace":"x","kind":"event","body":${deep}}`],
      ['a record of no known kind', (deep: string) => deep],
    ])('refuses a line with %s that is nested too deep, and says which it is and why', async (_, recordOf) => {
      const lines: string[] = []
      for await (const line of archive.export({ query: `id:${events[0]?.trace}` })) lines.push(line)
      const deep = `{"record":${recordOf('['.repeat(200_000) + ']'.repeat(200_000))}}`
      const other = await openScene(await options())
      try {
        await expect(other.archive.import([...lines, deep, ...lines])).rejects.toMatchObject({
          code: 'archive-import-invalid',
          message: expect.stringMatching(
            new RegExp(`^Line ${lines.length + 1} .*nested more than 1000 deep.*The lines before it were taken`),
          ),
        })
        expect(await other.archive.status()).toMatchObject({ records: lines.length })
        const flat = `{"record":${recordOf(JSON.stringify('[\\"{'.repeat(2000)))}}`
        expect(await other.archive.import([flat])).toEqual({ records: 1, skipped: 0 })
      } finally {
        await other.close()
      }
    })

    it('finds itself whole', async () => {
      const report = await archive.verify()
      expect(report.damaged).toEqual([])
      expect(report.dangling).toEqual([])
      expect(report.rows).toBeGreaterThan(records.length)
    })

    it('says where it is', async () => {
      expect(await archive.status()).toMatchObject({
        position: records.length,
        head: records.length,
        lag: 0,
        state: 'following',
        records: records.length,
        events: EVENTS,
        gaps: [],
        unknown: 0,
      })
    })

    it('stores nothing twice and loses nothing when it is opened again', async () => {
      archive = await scene.reopen()
      await archive.caughtUp()
      expect(await archive.status()).toMatchObject({ records: records.length, events: EVENTS, gaps: [] })
    })
  })
}

/** What every list tells, page after page; and the newest runs with their steps and output. */
async function everythingOf(archive: Archive): Promise<unknown> {
  const all = async <T>(list: (page: PageRequest) => Promise<Page<T>>) => {
    const items: Row<T>[] = []
    for (let after: string | undefined; ; ) {
      const page = await list({ limit: 1000, ...(after !== undefined && { after }) })
      items.push(...page.items)
      if (page.next === undefined) return items
      after = page.next
    }
  }
  const events = await all(page => archive.events({}, page))
  const runs = await all(page => archive.runs({}, page))
  const details: unknown[] = []
  for (const { id } of events.slice(0, 50)) details.push(await archive.trace(id), String(await archive.payload(id)))
  for (const { run } of runs.slice(0, 50)) {
    const detail = await archive.run(run)
    details.push(detail)
    for (const { step, logs } of detail?.steps.items ?? [])
      for (const { container } of logs) details.push(await archive.log({ run: run.uid, step, container }))
  }
  return {
    events,
    runs,
    details,
    objects: await all(page => archive.objects({}, page)),
    writes: await all(page => archive.writes({}, page)),
    parked: await all(page => archive.parkedItems({}, page)),
    audit: await all(page => archive.audit({}, page)),
    health: await all(page => archive.healthHistory({}, page)),
  }
}

type Told = { record: Extract<StreamedRecord['record'], { kind: 'event' }>; verdict: string; runs: number }

const isAdded = ({ record }: Told): boolean => (record.body as { type: string }).type === 'ADD'

const sizeOf = ({ record }: Told): number => (record.body as { body: { spec: { size: number } } }).body.spec.size

const versionOf = (event: { body?: unknown } | undefined): string => {
  const body = event?.body as { body: { metadata: { resourceVersion: string } } } | undefined
  return body?.body.metadata.resourceVersion ?? ''
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

/** What the stream itself says of each event, independently of the archive. */
function verdictsOf(records: readonly StreamedRecord[]): Record<string, string> {
  const verdicts: Record<string, string> = {}
  for (const { record } of records) {
    if (record.kind === 'event') verdicts[record.trace] = 'pending'
    if (record.kind === 'decision') verdicts[record.trace] = record.verdict === 'filtered' ? 'filtered' : 'waiting'
    if (record.kind === 'delivery')
      verdicts[record.trace] =
        { succeeded: 'ran', failed: 'failed', parked: 'parked' }[record.outcome as string] ?? 'running'
    if (record.kind === 'run' && record.phase === 'Failed') verdicts[record.trace] = 'failed'
  }
  return verdicts
}

function lastRuns(records: readonly StreamedRecord[]): Map<string, Extract<StreamedRecord['record'], { kind: 'run' }>> {
  return new Map(records.flatMap(({ record }) => (record.kind === 'run' ? [[record.run.uid, record] as const] : [])))
}
