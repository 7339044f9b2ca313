/// <reference lib="dom" />
import { hasChromium, idOf } from '@tiphys/console/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleVisit, memcachedEvent, rowsOf } from './visit.ts'

let visit: ConsoleVisit

describe.skipIf(!hasChromium)(
  `whoever asks why in the console in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      visit = await ConsoleVisit.start()
    }, 90_000)
    afterEach(() => visit.leave())
    afterAll(() => visit?.close())

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
  },
)
