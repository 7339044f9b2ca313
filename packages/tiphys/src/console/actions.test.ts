/// <reference lib="dom" />
import { join } from 'node:path'
import { type BrowserContext, hasChromium, idOf, STORY } from '@tiphys/console/testing'
import type { KubeObject } from '@tiphys/kube'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleScene } from './scene.ts'
import { ConsoleVisit, memcachedEvent } from './visit.ts'

const OWN = { apiVersion: 'tiphys.dev/v1alpha1' }

/** A run whose second step waits for somebody. */
const WAITING = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'approval', namespace: 'shop' },
  spec: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        steps: [
          [{ name: 'approve', template: 'wait' }],
          [
            { name: 'finish', template: 'work' },
            { name: 'report', template: 'work' },
          ],
        ],
      },
      { name: 'wait', suspend: {} },
      { name: 'work', container: { image: 'busybox', command: ['true'] } },
    ],
  },
  status: {
    phase: 'Running',
    nodes: {
      approval: node('approval', 'Steps', { templateName: 'main', templateScope: 'local/approval', children: ['g0'] }),
      g0: node('g0', 'StepGroup', { displayName: '[0]', boundaryID: 'approval', children: ['approve'] }),
      approve: node('approve', 'Suspend', {
        boundaryID: 'approval',
        outputs: { parameters: [{ name: 'approve', enum: ['yes', 'no'], valueFrom: { supplied: {} } }] },
      }),
    },
  },
}

interface StatusNode {
  id: string
  name: string
  displayName: string
  type: string
  phase: string
  children?: string[]
  boundaryID?: string
}

function node(id: string, type: string, more: object): StatusNode {
  return { id, name: id, displayName: id, type, phase: 'Running', ...more }
}

let visit: ConsoleVisit

describe.skipIf(!hasChromium)(
  `what is done in the console in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      visit = await ConsoleVisit.start()
    }, 90_000)
    afterEach(() => visit.leave())
    afterAll(() => visit?.close())

    it('13: three same errors are one row; a payload edited and sent again takes one away', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/parked')
      expect(await page.locator('.parked-head').count()).toBe(1)
      expect(await page.locator('.parked-head .count').innerText()).toBe('3')
      expect(await page.locator('.parked-head').getAttribute('aria-expanded')).toBe('true')
      await page.getByRole('button', { name: 'Edit and retry' }).first().click()
      const payload = page.getByLabel('Payload (JSON)')
      await payload.fill('{"body":{"spec":{"size":1}}}')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.waitForURL('**/events/*')
      const { items } = await visit.scene.client.list({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Discard',
        namespace: 'shop',
      })
      const { events = [] } = (items[0]?.spec ?? {}) as { events?: string[] }
      const [trace] = events
      // What the engine does with it.
      const number = [0, 1, 2].find(i => idOf(`parked-${i}`) === trace)
      visit.scene.recorder.record({
        kind: 'delivery',
        trace: trace ?? '',
        trigger: { namespace: 'shop', name: 'memcached', part: 'reconcile' },
        action: idOf(`parked-action-${number}`),
        events: [trace ?? ''],
        outcome: 'discarded',
        attempt: 3,
      })
      await page.locator('.rail .count', { hasText: '2' }).waitFor()
      await visit.open(page, '/parked')
      expect(await page.locator('.parked-head .count').innerText()).toBe('2')
    })

    it('what is done with a group of parked deliveries reaches what the filter leaves of it, all of it and nothing else', async () => {
      const trigger = { namespace: 'shop', name: 'orders', part: 'bill' }
      const MEMCACHED = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', namespace: 'shop' }
      const many = Array.from({ length: 1203 }, (_, i) => ({
        trace: idOf(`stuck-${i}`),
        name: i < 1200 ? 'stuck' : 'odd',
      }))
      for (const [i, { trace, name }] of many.entries()) {
        const object = { ...MEMCACHED, name }
        visit.scene.recorder.record({
          ...memcachedEvent(trace, Date.now(), name),
          source: { ...trigger, part: 'incoming' },
          object,
        })
        visit.scene.recorder.record({
          kind: 'delivery',
          trace,
          trigger,
          action: idOf(`stuck-action-${i}`),
          events: [trace],
          object,
          outcome: 'parked',
          attempt: 1,
          reason: 'Refused',
          message: 'the other side refused it',
        })
      }
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, '/parked?q=sensor:orders object:Memcached/shop/stuck')
      await page.getByRole('button', { name: 'Retry all', exact: true }).click()
      const dialog = page.locator('dialog')
      await dialog.getByLabel('Type retry 1200 to confirm').fill('retry 1200')
      await dialog.getByRole('button', { name: 'Retry 1200 deliveries' }).click()
      await dialog.waitFor({ state: 'detached' })
      const { items } = await visit.scene.client.list<KubeObject>({ ...OWN, kind: 'Retry', namespace: 'shop' })
      const asked = items.flatMap(({ spec }) => {
        const { sensor, events = [] } = (spec ?? {}) as { sensor?: string; events?: string[] }
        return sensor === 'orders' ? events : []
      })
      expect(asked.sort()).toEqual(
        many
          .filter(({ name }) => name === 'stuck')
          .map(({ trace }) => trace)
          .sort(),
      )
      for (const [i, { trace }] of many.entries())
        visit.scene.recorder.record({
          kind: 'delivery',
          trace,
          trigger,
          action: idOf(`stuck-action-${i}`),
          events: [trace],
          outcome: 'discarded',
          attempt: 1,
        })
      await visit.scene.settled()
    }, 60_000)

    it('a dry run says which filters pass and what would be sent, with the sensor as it is or as it might be; nothing is sent', async () => {
      const page = await visit.signedIn()
      await visit.open(page, `/events/${STORY.filtered}`)
      await page.getByRole('link', { name: 'Dry run' }).click()
      const changed = page.getByRole('region', { name: 'Dependency changed' })
      await changed.getByText('body.spec.size <= 3').waitFor()
      const before = await visit.scene.archive.events({})
      await page.getByRole('button', { name: 'Change the payload' }).click()
      await page.getByLabel('Payload').fill('{"body":{"spec":{"size":9}}}')
      await changed.getByText('9', { exact: true }).waitFor()
      await changed.getByText('holds it back').waitFor()
      await page.getByRole('region', { name: 'Trigger reconcile' }).getByText('would do nothing').waitFor()
      await page.getByRole('button', { name: 'Change the sensor' }).click()
      const sensor = page.getByLabel('Sensor', { exact: true })
      const manifest = (await sensor.inputValue()).replace(/value:\n(\s+)- "3"/, 'value:\n$1- "10"')
      await sensor.fill(manifest)
      await changed.getByText('body.spec.size <= 10').waitFor()
      await changed.getByText('passes', { exact: true }).waitFor()
      await sensor.fill('kind: Pod')
      await page.getByText('the manifest is no Sensor').waitFor()
      expect((await visit.scene.archive.events({})).total).toEqual(before.total)
    }, 60_000)

    it('a manifest shows what is wrong with it, also with what is only typed', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/templates/WorkflowTemplate/shop/reconcile?tab=yaml')
      await page.locator('.manifest-tools').getByText('nothing wrong').waitFor()
      await page.getByRole('button', { name: 'Try a change' }).click()
      const field = page.getByLabel('Manifest')
      await field.fill((await field.inputValue()).replace('template: lint', 'template: lynt'))
      await page.locator('.findings').getByText('lynt').waitFor()
      expect(await page.locator('.code-gutter .error').count()).toBeGreaterThan(0)
    })

    it('a trace that was exported is taken in elsewhere, and opened', async () => {
      const page = await visit.signedIn()
      await visit.open(page, `/events/${STORY.ran}`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export' }).click(),
      ])
      const file = join(visit.assets, 'trace.jsonl')
      await download.saveAs(file)
      const elsewhere = await ConsoleScene.start({ assets: visit.assets, withStory: false })
      try {
        const other = await (visit.context as BrowserContext).newPage()
        await other.goto(`${elsewhere.console.url.replace('/#', '/events#')}`)
        await other.getByText('No events yet').waitFor()
        await other.getByLabel('A trace that was exported').setInputFiles(file)
        await other.waitForURL(`**/events/${STORY.ran}`)
        await other.getByRole('heading', { name: 'UPDATE Memcached cache-1' }).waitFor()
        await other.getByRole('link', { name: 'reconcile-cache-1' }).first().waitFor()
        await other.goto(`${elsewhere.origin}/events`)
        await other.getByLabel('A trace that was exported').setInputFiles({
          name: 'other.json',
          mimeType: 'application/json',
          buffer: Buffer.from('{"hello":1}\n'),
        })
        await other.getByText('line 1 is no record of an export').waitFor()
      } finally {
        await elsewhere.close()
      }
    }, 60_000)

    it('steps that have not begun are drawn, and a suspended one is resumed with what it waits for', async () => {
      const asked: unknown[] = []
      const resume = async (_: unknown, ref: object, options: unknown) => {
        asked.push([ref, options])
        return { ...WAITING, metadata: { ...WAITING.metadata } }
      }
      const waiting = await ConsoleScene.start({
        assets: visit.assets,
        withStory: false,
        more: { runControl: { resume, retry: resume, resubmit: resume, submitFrom: resume } },
      })
      try {
        const run = { namespace: 'shop', name: 'approval', uid: 'approval-uid' }
        await waiting.client.create(structuredClone(WAITING))
        waiting.recorder.record({ kind: 'run', trace: '', run, phase: 'Running', startedAt: Date.now() })
        for (const { id, displayName, type, phase, children, boundaryID } of Object.values(WAITING.status.nodes))
          waiting.recorder.record({
            kind: 'step',
            trace: '',
            run,
            step: id,
            name: displayName,
            displayName,
            type,
            phase,
            attempt: 1,
            startedAt: Date.now(),
            ...(children && { children }),
            ...(boundaryID && { parent: boundaryID }),
          })
        await waiting.settled()
        const page = await (await visit.enter()).newPage()
        await page.goto(waiting.console.url.replace('/#', '/runs/shop/approval#'))
        await page.locator('.node.planned').nth(1).waitFor()
        expect(await page.locator('.node.planned').allTextContents()).toEqual([
          expect.stringContaining('finish'),
          expect.stringContaining('report'),
        ])
        await page.getByRole('button', { name: 'Resume this step' }).click()
        const dialog = page.locator('dialog')
        await dialog.getByLabel('approve').selectOption('no')
        expect(await dialog.locator('.dialog-cli').innerText()).toContain('-p approve=no')
        await dialog.getByRole('button', { name: 'Resume' }).click()
        await dialog.waitFor({ state: 'detached' })
        expect(asked).toEqual([
          [
            { namespace: 'shop', name: 'approval' },
            { mustWait: true, nodeFieldSelector: 'id=approve', outputs: { approve: 'no' } },
          ],
        ])
      } finally {
        await waiting.close()
      }
    }, 60_000)

    it('what waits behind a parked delivery of the same key is listed in its order', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/parked')
      await page.getByRole('button', { name: 'Behind it' }).first().click()
      await page
        .locator('.key-queue')
        .getByText(/for|of/)
        .first()
        .waitFor()
      expect(await page.locator('.key-queue').innerText()).toMatch(/Nothing came after it for|later events? of/)
    })

    it('19: whoever may only read sees every control, disabled, with the verb and resource it needs', async () => {
      const reader = await ConsoleScene.start({ assets: visit.assets, authentication: 'cluster', withStory: false })
      try {
        const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'shop', name: 'reader' }
        await reader.client.create({
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { namespace: 'shop', name: 'reader' },
        })
        const request = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: {},
          spec: { audiences: [] },
        }
        const { status } = await reader.client.subresource('create', account, 'token', request)
        const page = await (await visit.enter()).newPage()
        await page.goto(`${reader.origin}/events?ns=shop`)
        await page.getByLabel('Token').fill((status as { token: string }).token)
        await page.getByRole('button', { name: 'Sign in' }).click()
        const replay = page.getByRole('button', { name: 'Replay these' })
        await page.waitForFunction(() => document.querySelectorAll('.actions [aria-disabled=true]').length === 3)
        expect(await replay.getAttribute('title')).toBe('You may not create replays.tiphys.dev in shop.')
        await replay.dispatchEvent('click')
        expect(await page.locator('dialog').count()).toBe(0)
        // That nothing is to be seen is not that nothing is there.
        await page.getByText('What you may not see in shop is left out: runs, steps and logs').waitFor()
        await page.goto(`${reader.origin}/?ns=shop`)
        await page.getByText('What you may not see in shop is left out: runs, steps and logs').waitFor()
      } finally {
        await reader.close()
      }
    })
  },
)
