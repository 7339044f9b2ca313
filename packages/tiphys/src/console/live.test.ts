/// <reference lib="dom" />
import { type BrowserContext, hasChromium, idOf, type Page } from '@tiphys/console/testing'
import type { Client } from '@tiphys/kube'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleScene, TOKEN } from './scene.ts'
import { ConsoleVisit, memcachedEvent, rowsOf, slowness } from './visit.ts'

const isFull = process.env.TIPHYS_FULL !== undefined

let visit: ConsoleVisit

describe.skipIf(!hasChromium)(
  `lists of the console in Chromium, long and live${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      visit = await ConsoleVisit.start()
    }, 90_000)
    afterEach(() => visit.leave())
    afterAll(() => visit?.close())

    describe('with many events', () => {
      const count = isFull ? 100_000 : 20_000

      beforeAll(async () => {
        const from = Date.now() - 86_400_000 * 2
        for (let i = 0; i < count; i++) {
          visit.scene.recorder.record(memcachedEvent(idOf(`many-${i}`), from + i, `many-${i}`))
          if (i % 2000 === 1999) await visit.scene.recorder.settled()
        }
        await visit.scene.settled()
      }, 120_000)

      it('14: the list opens at once, is as long as the API says, and Ctrl-End shows the oldest', async () => {
        const page = await visit.signedIn()
        await visit.open(page, '/events')
        await rowsOf(page).first().waitFor()
        const total = Number(await page.locator('[role=table]').getAttribute('aria-rowcount')) - 1
        const oldest = (await visit.scene.api('/events?order=oldest&limit=1', { token: TOKEN })).json() as {
          total: { count: number; exact: boolean }
          items: { object: { name: string } }[]
        }
        expect(oldest.total.exact).toBe(true)
        expect(total).toBe(oldest.total.count)
        expect(total).toBeGreaterThan(count)
        await page.keyboard.press('j')
        await page.keyboard.press('Control+End')
        const last = page.locator(`.expanse .row[aria-rowindex="${total + 1}"]`)
        await last.locator('.name', { hasText: oldest.items[0]?.object.name ?? '' }).waitFor()
        await page.waitForFunction(
          index => document.activeElement?.getAttribute('aria-rowindex') === index,
          `${total + 1}`,
        )
        expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1500)
      })

      it('a row far down is found again by whoever comes back to it, though newer ones came', async () => {
        const page = await visit.signedIn()
        await visit.open(page, '/events?q=name:many*')
        await rowsOf(page).first().waitFor()
        await page.locator('.scroller').evaluate(element => element.scrollTo(0, 34 * 5000))
        const row = page.locator('.expanse .row[aria-rowindex="5010"]')
        await row.locator('.name').waitFor()
        const name = await row.locator('.name').innerText()
        await row.click()
        await page.waitForURL('**/events/*')
        for (let i = 0; i < 3; i++)
          visit.scene.recorder.record(memcachedEvent(idOf(`many-new-${i}`), Date.now(), `many-new-${i}`))
        await visit.scene.settled()
        await page.goBack()
        await page.waitForFunction(wanted => document.activeElement?.textContent?.includes(wanted), name)
        expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'))).toBe('5013')
      })

      it('says how far it has looked when no index helps with a filter, and looks further back when it is told to', async () => {
        const page = await visit.signedIn()
        await visit.open(page, '/events?q=type:webhook')
        await page.getByText('Nothing found back to').waitFor()
        await page.getByRole('button', { name: 'Look further back' }).click()
        await rowsOf(page).first().waitFor()
        await page.getByRole('status').filter({ hasText: 'found, and that is all' }).waitFor()
      })

      it('15: nothing moves under the reader while 500 events a second come; the chip counts them, none is lost or doubled', async () => {
        const page = await visit.signedIn()
        await visit.open(page, '/events')
        await rowsOf(page).first().waitFor()
        await page.locator('.live', { hasText: 'Live' }).waitFor()
        await page.locator('.scroller').evaluate(element => {
          element.scrollTop = 3400
        })
        const row = page.locator('.expanse .row[aria-rowindex="105"]')
        await row.locator('.name').waitFor()
        const before = { text: await row.innerText(), box: await row.boundingBox() }
        const total = Number(await page.locator('[role=table]').getAttribute('aria-rowcount'))
        const seconds = isFull ? 10 : 3
        await page.evaluate(() => {
          const state = window as unknown as { long: number }
          state.long = 0
          new PerformanceObserver(list => {
            state.long = Math.max(state.long, ...list.getEntries().map(each => each.duration))
          }).observe({ entryTypes: ['longtask'] })
        })
        const begun = Date.now()
        for (let batch = 0; batch < seconds * 10; batch++) {
          for (let i = 0; i < 50; i++)
            visit.scene.recorder.record(memcachedEvent(idOf(`flood-${batch}-${i}`), Date.now(), `flood-${batch}-${i}`))
          await visit.scene.settled()
          await page.evaluate(
            left => new Promise(resolve => setTimeout(resolve, Math.max(0, left))),
            begun + (batch + 1) * 100 - Date.now(),
          )
        }
        const sent = seconds * 500
        await page.getByRole('button', { name: `${sent.toLocaleString('en')} new` }).waitFor()
        expect({ text: (await row.innerText()).replace(/\d+ \w+ ago/, ''), box: await row.boundingBox() }).toEqual({
          text: before.text.replace(/\d+ \w+ ago/, ''),
          box: before.box,
        })
        await page.getByRole('button', { name: `${sent.toLocaleString('en')} new` }).click()
        expect(Number(await page.locator('[role=table]').getAttribute('aria-rowcount'))).toBe(total + sent)
        expect(await page.evaluate(() => (window as unknown as { long: number }).long)).toBeLessThan(50 * slowness)
      }, 60_000)
    })

    it('16: when the server is killed and comes back, the page says so, goes on without a reload, and misses nothing', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/events?q=name:back*')
      await page.getByText('No event matches').waitFor()
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      visit.scene.recorder.record(memcachedEvent(idOf('back-0'), Date.now(), 'back-0'))
      await page.locator('.expanse .row', { hasText: 'back-0' }).waitFor()
      await page.evaluate(() => Object.assign(window, { isSame: true }))
      await visit.scene.console.close()
      await page.locator('.live', { hasText: 'Reconnecting' }).waitFor()
      visit.scene.recorder.record(memcachedEvent(idOf('back-1'), Date.now(), 'back-1'))
      await visit.scene.settled()
      await visit.scene.startConsole()
      await page.locator('.expanse .row', { hasText: 'back-1' }).waitFor({ timeout: 20_000 })
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      expect(await rowsOf(page).count()).toBe(2)
      expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
    })

    it('a page that was opened while the server was away goes on by itself when it is back', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/audit')
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      await visit.scene.console.close()
      await page.locator('.live', { hasText: 'Reconnecting' }).waitFor()
      await page.locator('.rail-link', { hasText: 'Templates' }).click()
      // Its script was not yet loaded, or its content cannot be.
      await page.getByRole('alert').first().waitFor()
      await visit.scene.startConsole()
      await page.getByRole('link', { name: 'shop/reconcile' }).waitFor()
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      await visit.scene.console.close()
      await page.locator('.rail-link', { hasText: 'Runs' }).click()
      await page.getByRole('alert').first().waitFor()
      await visit.scene.startConsole()
      await rowsOf(page).first().waitFor()
    })

    it('a tab that is opened while the cluster cannot be asked who somebody is, or what they may see, goes on when it can', async () => {
      let scene: ConsoleScene
      const missing = new Set<'who' | 'what'>()
      const asked = (of: () => Client, what: 'who' | 'what'): Client =>
        new Proxy({} as Client, {
          get:
            (_, name: keyof Client) =>
            (...args: unknown[]) =>
              missing.has(what)
                ? Promise.reject(new Error('the cluster is away'))
                : Reflect.apply(of()[name] as () => unknown, of(), args),
        })
      scene = await ConsoleScene.start({
        assets: visit.assets,
        more: {
          secret: 'cookies outlive a restart',
          authentication: { mode: 'cluster', reviewer: asked(() => scene.client, 'who') },
          clientFor: ({ user, groups }) => asked(() => scene.server.client().as({ user, groups }), 'what'),
        },
      })
      try {
        const page = await (await visit.enter()).newPage()
        await page.goto(scene.origin)
        await page.getByLabel('Token').fill(await scene.tokenOfAdmin())
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.locator('.live', { hasText: 'Live' }).waitFor()
        for (const what of ['who', 'what'] as const) {
          // A console that has just started remembers nothing of what the cluster said.
          await scene.console.close()
          missing.add(what)
          await scene.startConsole()
          await page.goto(`${scene.origin}/events?q=name:${what}*`)
          await page.getByRole('alert').filter({ hasText: 'the cluster is away' }).first().waitFor()
          missing.delete(what)
          await page.getByText('No event matches').waitFor()
          await page.locator('.live', { hasText: 'Live' }).waitFor()
          scene.recorder.record(memcachedEvent(idOf(what), Date.now(), `${what}-1`))
          await page.locator('.expanse .row', { hasText: `${what}-1` }).waitFor()
        }
        // Of what is not a list, too, and of somebody who has come from another page.
        await scene.console.close()
        missing.add('what')
        await scene.startConsole()
        await page.locator('.live', { hasText: 'Live' }).waitFor()
        await page.locator('.rail-link', { hasText: 'Parked' }).click()
        await page.getByRole('alert').filter({ hasText: 'the cluster is away' }).first().waitFor()
        missing.delete('what')
        await page.locator('.parked-message').first().waitFor()
      } finally {
        await scene.close()
      }
    })

    it('17: the ninth tab renders and gets live rows', async () => {
      const first = await visit.signedIn()
      await visit.open(first, '/events?q=name:tab*')
      const pages = [first]
      for (let i = 1; i < 9; i++) {
        const page = await (visit.context as BrowserContext).newPage()
        await visit.open(page, '/events?q=name:tab*')
        pages.push(page)
      }
      const last = pages.at(-1) as Page
      await last.locator('.live', { hasText: 'Live' }).waitFor()
      visit.scene.recorder.record(memcachedEvent(idOf('tab'), Date.now(), 'tab-1'))
      await last.locator('.expanse .row', { hasText: 'tab-1' }).waitFor({ timeout: 2000 * slowness })
    })
  },
)
