/// <reference lib="dom" />
import { hasChromium, idOf, type Page, STORY } from '@tiphys/console/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleVisit, memcachedEvent, rowsOf } from './visit.ts'

let visit: ConsoleVisit

const FAILED = '/runs/shop/reconcile-cache-7'
const panel = (page: Page) => page.locator('.step-panel')
const tooWide = (page: Page) =>
  page.locator('main').evaluate(({ scrollWidth, clientWidth }) => Math.max(0, scrollWidth - clientWidth))

describe.skipIf(!hasChromium)(
  `whoever asks why in the console in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      visit = await ConsoleVisit.start()
    }, 90_000)
    afterEach(() => visit.leave())
    afterAll(() => visit?.close())

    it('comes from a step to the output of each of its attempts, and with [ from any step to the last that failed', async () => {
      const page = await visit.signedIn()
      await visit.open(page, FAILED)
      await panel(page).getByRole('button', { name: 'apply(0)' }).click()
      await page.locator('.log-line', { hasText: 'timed out' }).waitFor()
      await panel(page).getByRole('heading', { name: 'apply(0)' }).waitFor()
      await visit.open(page, `${FAILED}?step=render`)
      await panel(page).getByRole('heading', { name: 'render' }).waitFor()
      await page.keyboard.press('[')
      await panel(page).getByRole('heading', { name: 'apply(1)' }).waitFor()
    })

    it('finds a step that was chosen in the list also in the graph, where it is one of many', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/runs/default/fan-out?step=shard-3')
      await page.locator('.node.chosen', { hasText: /99\d steps/ }).waitFor()
    })

    it('is not alarmed by a failure that the run could do without', async () => {
      const run = { namespace: 'shop', name: 'tolerant', uid: 'tolerant-uid' }
      const [startedAt, finishedAt] = [Date.now() - 2000, Date.now()]
      const { recorder } = visit.scene
      const ended = { startedAt, finishedAt }
      recorder.record({ kind: 'run', trace: '', run, phase: 'Running', startedAt })
      for (const [step, phase] of [
        ['flaky', 'Failed'],
        ['good', 'Succeeded'],
      ] as const)
        recorder.record({ kind: 'step', trace: '', run, step, name: step, type: 'Pod', phase, attempt: 1, ...ended })
      recorder.record({ kind: 'run', trace: '', run, phase: 'Succeeded', ...ended })
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/tolerant')
      await page.getByText('The run succeeded, although its step flaky failed.').waitFor()
      expect(await page.getByRole('region', { name: 'Failure' }).count()).toBe(0)
    })

    it('sees that a run which was over is tried again, and how that ends, without a reload', async () => {
      const run = { namespace: 'shop', name: 'tried-again', uid: 'tried-again-uid' }
      const { recorder } = visit.scene
      const begun = Date.now() - 60_000
      const record = (phase: 'Running' | 'Failed', startedAt: number, finishedAt?: number) =>
        recorder.record({
          kind: 'run',
          trace: '',
          run,
          phase,
          startedAt,
          message: `since ${startedAt - begun}`,
          ...(finishedAt !== undefined && { finishedAt }),
        })
      record('Running', begun)
      record('Failed', begun, begun + 1000)
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/tried-again')
      await page.locator('.banner', { hasText: 'since 0' }).waitFor()
      record('Running', begun + 30_000)
      await page.locator('.facts .status', { hasText: 'running' }).waitFor()
      record('Failed', begun + 30_000, begun + 31_000)
      await page.locator('.banner', { hasText: 'since 30000' }).waitFor()
      await page.locator('.facts').getByText('attempt 2').waitFor()
    })

    it('sees of an event that has long been parked what comes of it when it is retried', async () => {
      const id = idOf('long-parked')
      const { recorder } = visit.scene
      const trigger = { namespace: 'default', name: 'memcached', part: 'reconcile' }
      const delivery = {
        kind: 'delivery',
        trace: id,
        trigger,
        action: idOf('long-parked-action'),
        events: [id],
      } as const
      recorder.record(memcachedEvent(id, Date.now() - 3_600_000))
      recorder.record({ ...delivery, at: Date.now() - 3_599_000, attempt: 1, outcome: 'parked', reason: 'Full' })
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, `/events/${id}`)
      await page.locator('.facts .status', { hasText: 'parked' }).waitFor()
      recorder.record({ ...delivery, attempt: 2, outcome: 'succeeded' })
      await page.locator('.facts .status', { hasText: 'ran' }).waitFor()
    })

    it('sees of a step that does not start what its pod is told meanwhile', async () => {
      const run = { namespace: 'shop', name: 'not-starting', uid: 'not-starting-uid' }
      const pod = 'not-starting-pod'
      const tell = (reason: string) =>
        visit.scene.client.create({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { namespace: 'shop', name: `${pod}.${reason.toLowerCase()}` },
          involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: pod },
          reason,
          type: 'Warning',
          message: `${reason} is why`,
          count: 1,
          firstTimestamp: new Date().toISOString(),
          lastTimestamp: new Date().toISOString(),
        })
      await tell('Pulling')
      const step = { step: 'pull', name: 'pull', type: 'Pod', phase: 'Pending', attempt: 1, pod } as const
      visit.scene.recorder.record({ kind: 'run', trace: '', run, phase: 'Running', startedAt: Date.now() })
      visit.scene.recorder.record({ kind: 'step', trace: '', run, ...step, startedAt: Date.now() })
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/not-starting?step=pull')
      await panel(page).getByText('Pulling is why').waitFor()
      await tell('BackOff')
      await panel(page).getByText('BackOff is why').waitFor()
    })

    it('sees on the page of a template the runs that are started of it meanwhile', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/templates/WorkflowTemplate/shop/reconcile?tab=runs')
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      const run = { namespace: 'shop', name: 'started-meanwhile', uid: 'started-meanwhile-uid' }
      const template = 'WorkflowTemplate/reconcile'
      visit.scene.recorder.record({ kind: 'run', trace: '', run, template, phase: 'Running', startedAt: Date.now() })
      await page.getByRole('tabpanel').getByRole('link', { name: 'started-meanwhile' }).waitFor()
    })

    it('reads first at which trigger an event failed, and that the run it started did', async () => {
      const id = idOf('why-failed')
      const { recorder } = visit.scene
      const part = (name: string) => ({ namespace: 'default', name: 'many', part: name })
      const decision = { kind: 'decision', trace: id, dependency: 'changed', events: [id] } as const
      const delivery = { kind: 'delivery', trace: id, events: [id], attempt: 1 } as const
      recorder.record(memcachedEvent(id))
      recorder.record({ ...decision, trigger: part('a-turns-away'), verdict: 'filtered', by: 'data' })
      for (const name of ['b-runs', 'c-fails', 'd-parks'])
        recorder.record({ ...decision, trigger: part(name), verdict: 'passed' })
      for (const name of ['b-runs', 'c-fails'])
        recorder.record({ ...delivery, trigger: part(name), action: idOf(name), outcome: 'succeeded' })
      recorder.record({
        ...delivery,
        trigger: part('d-parks'),
        action: idOf('d-parks'),
        outcome: 'parked',
        reason: 'Full',
      })
      for (const [name, phase] of [
        ['b-runs', 'Succeeded'],
        ['c-fails', 'Failed'],
      ] as const) {
        const run = { namespace: 'default', name: `run-of-${name}`, uid: `uid-of-${name}` }
        const message = `as ${name} says`
        recorder.record({ kind: 'run', trace: id, run, action: idOf(name), phase, message, finishedAt: Date.now() })
      }
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, `/events/${id}?tab=why`)
      const cards = page.locator('.why > section')
      const names = (await cards.locator('h3').allInnerTexts()).map(text => text.split(' ').at(-1))
      expect(names).toEqual(['d-parks', 'c-fails', 'a-turns-away', 'b-runs'])
      await cards.nth(1).getByText('But the run that it started, run-of-c-fails, failed: as c-fails says.').waitFor()
      expect(await cards.nth(3).getByText('But the run').count()).toBe(0)
    })

    it('goes on reading why while more comes of an event: no other tab is put in its place', async () => {
      const id = idOf('comes-along')
      const { recorder } = visit.scene
      const trigger = { namespace: 'default', name: 'memcached', part: 'reconcile' }
      recorder.record(memcachedEvent(id))
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, `/events/${id}`)
      await page.getByRole('tab', { name: 'Why', selected: true }).waitFor()
      const told = { trace: id, trigger, events: [id] } as const
      recorder.record({ ...told, kind: 'decision', dependency: 'changed', verdict: 'passed' })
      recorder.record({ ...told, kind: 'delivery', action: idOf('comes-action'), attempt: 1, outcome: 'succeeded' })
      await page.locator('.facts .status', { hasText: 'ran' }).waitFor()
      await page.getByRole('tab', { name: 'Why', selected: true }).waitFor()
    })

    it('finds the events of a source about objects of other namespaces, and no others', async () => {
      const id = idOf('abroad')
      const source = { namespace: 'shop', name: 'memcached', part: 'changes' }
      visit.scene.recorder.record({ ...memcachedEvent(id, Date.now(), 'abroad'), source })
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, '/health/EventSource/shop/memcached?ns=shop')
      await page.getByRole('tabpanel').getByRole('link', { name: 'Memcached abroad' }).waitFor()
      await page.getByRole('link', { name: 'All its events' }).click()
      await rowsOf(page).filter({ hasText: 'default/abroad' }).waitFor()
      await visit.open(page, '/health/EventSource/default/memcached')
      await page
        .getByRole('tabpanel')
        .getByRole('link', { name: /Memcached/ })
        .first()
        .waitFor()
      expect(await page.getByRole('link', { name: 'Memcached abroad' }).count()).toBe(0)
    })

    it('is not told that a source is healthy of which nothing is known', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/health/EventSource/shop/memcached')
      await page.locator('.facts').getByText('healthy').waitFor()
      await visit.scene.client.create({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'EventSource',
        metadata: { namespace: 'shop', name: 'silent' },
        spec: { webhook: { incoming: { port: '12001', endpoint: '/silent' } } },
      })
      await visit.open(page, '/health/EventSource/shop/silent')
      await page.locator('.facts').getByText('no report yet').waitFor()
    })

    it('comes from a trigger of the flow to what is parked at that very one', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/')
      await page.locator('.flow-node.parked', { hasText: '3 parked' }).click()
      await page.locator('dialog').getByRole('link', { name: '3', exact: true }).click()
      await page.waitForURL(url => url.searchParams.get('q') === 'trigger:shop/memcached/reconcile')
      await page.getByText('3 in 1 group').waitFor()
    })

    it('tells events of one name apart in the palette', async () => {
      const page = await visit.signedIn()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or command' }).fill('session-1')
      await page
        .getByRole('option', { name: /session-1.*, \d+ m ago$/ })
        .first()
        .waitFor()
    })

    it('reads names of 253 letters without a place to break, whole and without a bar below the page', async () => {
      const id = idOf('long')
      const name = 'x'.repeat(253)
      const event = memcachedEvent(id, Date.now(), name)
      const run = { namespace: 'default', name: 'for-a-long-name', uid: 'long-uid' }
      visit.scene.recorder.record(event)
      visit.scene.recorder.record({ kind: 'run', trace: id, run, object: event.object, phase: 'Running' })
      visit.scene.recorder.record({
        kind: 'write',
        trace: id,
        run,
        step: 'write',
        action: idOf('long-action'),
        verb: 'create',
        object: event.object,
        uid: 'long-object',
        resourceVersion: '7',
        outcome: 'created',
      })
      await visit.scene.settled()
      const page = await visit.signedIn()
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        for (const path of [
          `/events/${id}`,
          `/events/${id}?tab=relatives`,
          '/runs/default/for-a-long-name',
          `/objects/Memcached.v1alpha1.cache.example.com/default/${name}`,
          `/search?text=${name}`,
          '/events',
          '/objects',
        ]) {
          await visit.open(page, path)
          await page.getByText(name.slice(0, 63), { exact: false }).first().waitFor()
          expect([path, width, await tooWide(page)]).toEqual([path, width, 0])
        }
      }
    })

    it('opens the event of a failed run on the reason', async () => {
      const page = await visit.signedIn()
      await visit.open(page, `/events/${STORY.failed}`)
      await page.getByRole('tabpanel').getByText('But the run that it started, reconcile-cache-7, failed').waitFor()
    })
  },
)
