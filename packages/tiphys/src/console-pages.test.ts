/// <reference lib="dom" />
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  buildAssets,
  complaintsOf,
  HOSTILE,
  hasChromium,
  idOf,
  openBrowser,
  type Page,
  STORY,
  seriousFindings,
} from '@tiphys/console/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleScene, TOKEN } from './console-scene.ts'

const isFull = process.env.TIPHYS_FULL !== undefined
/** Where pictures of every page go, when somebody wants to look at them. */
const pictures = process.env.TIPHYS_SCREENSHOTS

const PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  'overview-table': '/?view=table',
  events: '/events',
  event: `/events/${STORY.ran}`,
  why: `/events/${STORY.filtered}`,
  diff: `/events/${STORY.ran}?tab=diff`,
  relatives: `/events/${STORY.ran}?tab=relatives`,
  hostile: `/events/${STORY.hostile}`,
  runs: '/runs',
  'run-groups': '/runs?group=fingerprint',
  run: '/runs/shop/reconcile-cache-7',
  timeline: '/runs/shop/reconcile-cache-7?view=timeline',
  steps: '/runs/shop/reconcile-cache-7?view=list',
  yaml: '/runs/shop/reconcile-cache-7?view=yaml',
  wide: '/runs/default/fan-out',
  running: '/runs/default/reconcile-cache-2',
  objects: '/objects',
  object: '/objects/Deployment.v1.apps/default/cache-1',
  blame: '/objects/Deployment.v1.apps/default/cache-1?tab=blame',
  health: '/health',
  sensor: '/health/Sensor/shop/memcached',
  'dry-run': `/health/Sensor/shop/memcached?tab=dry-run&event=${STORY.ran}`,
  'sensor-yaml': '/health/Sensor/shop/memcached?tab=yaml',
  bus: '/health/EventBus/shop/default',
  parked: '/parked',
  templates: '/templates',
  template: '/templates/WorkflowTemplate/shop/reconcile',
  'template-yaml': '/templates/WorkflowTemplate/shop/reconcile?tab=yaml',
  operators: '/operators',
  replay: '/replay',
  audit: '/audit',
  access: '/access',
  search: '/search?text=cache',
  nowhere: '/nowhere',
}

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

let assets: string
let scene: ConsoleScene
let browser: Browser
let context: BrowserContext | undefined

describe.skipIf(!hasChromium)(
  `the console in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      assets = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
      await buildAssets(assets)
      const fire = async () => ({ id: idOf('ran') })
      scene = await ConsoleScene.start({ assets, more: { fire } })
      browser = await openBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1'])
      if (pictures) await mkdir(pictures, { recursive: true })
    }, 90_000)
    afterEach(async () => {
      await context?.close()
      context = undefined
    })
    afterAll(async () => {
      await browser?.close()
      await scene?.close()
      await rm(assets, { recursive: true, force: true })
    })

    /** A browser of its own that has opened the printed address. */
    async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
      context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
      // Less than a test has: what is waited for in vain is named.
      context.setDefaultTimeout(20_000)
      const page = await context.newPage()
      await page.goto(scene.console.url)
      await page.waitForSelector('.rail-link[aria-current]')
      return page
    }

    /** The page with everything it shows. */
    async function open(page: Page, path: string): Promise<void> {
      await page.goto(scene.origin + path)
      await page.waitForSelector('h1')
      await page.waitForFunction(() => !document.querySelector('.skeleton'))
    }

    const rows = (page: Page) => page.locator('.expanse [role=row]')
    const event = (id: string, at = Date.now(), name = `live-${id.slice(0, 6)}`) =>
      ({
        kind: 'event',
        at,
        trace: id,
        source: { namespace: 'default', name: 'memcached', part: 'changes' },
        type: 'resource',
        object: { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', namespace: 'default', name },
        body: { type: 'ADD' },
      }) as const

    it('1: the token leaves the address bar for a cookie that scripts cannot read, and a reload stays in', async () => {
      const page = await signedIn()
      expect(page.url()).toBe(`${scene.origin}/`)
      const [cookie] = await (context as BrowserContext).cookies()
      expect(cookie).toMatchObject({ name: `tiphys-${scene.console.port}`, httpOnly: true, sameSite: 'Strict' })
      expect(await page.evaluate(() => document.cookie)).toBe('')
      expect(await page.evaluate(() => JSON.stringify([history.state, localStorage, sessionStorage]))).not.toContain(
        TOKEN,
      )
      await page.reload()
      await page.waitForSelector('.rail-link[aria-current]')
      const stranger = await browser.newContext()
      const outside = await stranger.newPage()
      await outside.goto(`${scene.origin}/events`)
      await outside.getByRole('heading', { name: 'Sign in to Tiphys' }).waitFor()
      await stranger.close()
    })

    it('2: under a name that was bound to 127.0.0.1 nothing can be read', async () => {
      const page = await signedIn()
      const response = await page.goto(`http://evil.test:${scene.console.port}/`)
      expect(response?.status()).toBe(421)
      const read = await page.evaluate(() => fetch('/api/v1/events').then(answer => answer.status))
      expect(read).toBe(421)
    })

    it('3: a page of another port of 127.0.0.1 reads nothing, changes nothing and gets no WebSocket', async () => {
      const page = await signedIn()
      const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>other</h1>'))
      await once(other.listen(0, '127.0.0.1'), 'listening')
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
      const tried = await page.evaluate(async origin => {
        const read = await fetch(`${origin}/api/v1/events`, { credentials: 'include' }).then(
          () => 'read',
          () => 'refused',
        )
        const post = (headers: Record<string, string>) =>
          fetch(`${origin}/api/v1/actions/discard`, {
            method: 'POST',
            mode: 'no-cors',
            credentials: 'include',
            headers,
            body: JSON.stringify({ namespace: 'shop', sensor: 'memcached', reason: 'forged' }),
          }).catch(() => undefined)
        await post({ 'content-type': 'text/plain' })
        const socket = await new Promise(resolve => {
          const opened = new WebSocket(`${origin.replace('http', 'ws')}/api/v1/live`, ['tiphys.live.v1'])
          opened.onopen = () => resolve('open')
          opened.onerror = () => resolve('refused')
        })
        return { read, socket }
      }, scene.origin)
      expect(tried).toEqual({ read: 'refused', socket: 'refused' })
      const { items } = await scene.client.list({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Discard',
        namespace: 'shop',
      })
      expect(items).toEqual([])
      other.close()
    })

    it('5: markup, scripts and terminal sequences in names, payloads and logs are text', async () => {
      const page = await signedIn()
      const complaints = complaintsOf(page, scene.origin)
      for (const path of [
        `/events/${STORY.hostile}`,
        `/events/${STORY.hostile}?tab=payload`,
        '/events',
        '/runs/shop/hostile',
        '/search?text=onerror',
      ]) {
        await open(page, path)
        await page.getByText('onerror=', { exact: false }).first().waitFor()
      }
      await open(page, '/runs/shop/hostile')
      await page.locator('.log-line').nth(2).waitFor()
      expect(await page.locator('.log').innerText()).toContain(`${HOSTILE}`)
      expect(await page.locator('.log a[href^=javascript]').count()).toBe(0)
      expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
      expect(await page.locator('img[src=x]').count()).toBe(0)
      expect(complaints).toEqual([])
    })

    it('6, 20: every page, in light and in dark, has no serious barrier, no overflow at 320 px and no complaint', {
      timeout: 120_000,
    }, async () => {
      const page = await signedIn({ reducedMotion: 'reduce' })
      const complaints = complaintsOf(page, scene.origin)
      const findings: string[] = []
      const take = async (name: string, width: number, height: number) => {
        if (!pictures) return
        await page.setViewportSize({ width, height })
        await page.screenshot({ path: join(pictures, `${name}-${width}.png`) })
      }
      for (const [name, path] of Object.entries(PAGES)) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: 1440, height: 900 })
        await open(page, path)
        const inLight = await seriousFindings(page)
        await take(`${name}-light`, 1440, 900)
        await take(`${name}-light`, 390, 844)
        await page.emulateMedia({ colorScheme: 'dark' })
        await take(`${name}-dark`, 390, 844)
        await page.setViewportSize({ width: 1440, height: 900 })
        const inDark = await seriousFindings(page, { onlyColours: true })
        await take(`${name}-dark`, 1440, 900)
        await page.setViewportSize({ width: 320, height: 700 })
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        for (const finding of inLight) findings.push(`${name} in light: ${finding}`)
        for (const finding of inDark) findings.push(`${name} in dark: ${finding}`)
        if (overflow > 0) findings.push(`${name}: ${overflow} px too wide`)
      }
      expect(findings).toEqual([])
      expect(complaints).toEqual([])
    })

    it('7: with the keyboard alone from a row to the log line that explains it, and back to the row', async () => {
      const page = await signedIn()
      await open(page, `/events?q=id:${STORY.failed}`)
      await rows(page).first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/events/${STORY.failed}*`)
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
      await page.getByRole('tab', { name: 'Why' }).focus()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('tab', { name: 'Payload', selected: true }).waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.getByText('The sensor let the event through').waitFor()
      await page.getByRole('link', { name: 'reconcile-cache-7', exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/runs/shop/reconcile-cache-7')
      await page.locator('.banner').waitFor()
      await page.keyboard.press(']')
      await page.locator('.log-line').first().waitFor()
      await page.locator('.line-number').last().focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/#L\d+$/)
      await page.goBack()
      await page.waitForURL(`**/events/${STORY.failed}*`)
      await page.goBack()
      await page.waitForURL('**/events?q=*')
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'row')
    })

    it('9: an event that a filter dropped says which filter, with its inputs and the result', async () => {
      const page = await signedIn()
      await open(page, `/events/${STORY.filtered}`)
      const why = page.getByRole('tabpanel')
      await why.getByText('The sensor turned the event away').waitFor()
      const text = await why.innerText()
      expect(text).toContain('body.spec.size > 3')
      expect(text).toMatch(/body\.spec\.size\s+2/)
      expect(text).toMatch(/result\s+false/)
    })

    it('10: a failed run opens on its failed step, message and log without scrolling; three clicks from the overview', async () => {
      const page = await signedIn()
      await open(page, '/')
      await page.getByRole('link', { name: /Failed runs/ }).click()
      await page.locator('.expanse .row', { hasText: 'reconcile-cache-7' }).click()
      await page.locator('.banner').waitFor()
      await page.locator('.log-line').first().waitFor()
      for (const part of ['.banner-message', '.banner-log', '.step-panel h2', '.log-line']) {
        const box = await page.locator(part).first().boundingBox()
        expect([part, box !== null && box.y + box.height <= 900]).toEqual([part, true])
      }
      expect(await page.locator('.step-panel .status').first().innerText()).toBe('failed')
    })

    it('13: three same errors are one row; a payload edited and sent again takes one away', async () => {
      const page = await signedIn()
      await open(page, '/parked')
      expect(await page.locator('.parked-head').count()).toBe(1)
      expect(await page.locator('.parked-head .count').innerText()).toBe('3')
      expect(await page.locator('.parked-head').getAttribute('aria-expanded')).toBe('true')
      await page.getByRole('button', { name: 'Edit and retry' }).first().click()
      const payload = page.getByLabel('Payload (JSON)')
      await payload.fill('{"body":{"spec":{"size":1}}}')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.waitForURL('**/events/*')
      const { items } = await scene.client.list({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Discard',
        namespace: 'shop',
      })
      const { events = [] } = (items[0]?.spec ?? {}) as { events?: string[] }
      const [trace] = events
      // What the engine does with it.
      const number = [0, 1, 2].find(i => idOf(`parked-${i}`) === trace)
      scene.recorder.record({
        kind: 'delivery',
        trace: trace ?? '',
        trigger: { namespace: 'shop', name: 'memcached', part: 'reconcile' },
        action: idOf(`parked-action-${number}`),
        events: [trace ?? ''],
        outcome: 'discarded',
        attempt: 3,
      })
      await page.locator('.rail .count', { hasText: '2' }).waitFor()
      await open(page, '/parked')
      expect(await page.locator('.parked-head .count').innerText()).toBe('2')
    })

    it('a dry run says which filters pass and what would be sent, with the sensor as it is or as it might be; nothing is sent', async () => {
      const page = await signedIn()
      await open(page, `/events/${STORY.filtered}`)
      await page.getByRole('link', { name: 'Dry run' }).click()
      const changed = page.getByRole('region', { name: 'Dependency changed' })
      await changed.getByText('body.spec.size <= 3').waitFor()
      const before = await scene.archive.events({})
      await page.getByRole('button', { name: 'Change the payload' }).click()
      await page.getByLabel('Payload').fill('{"body":{"spec":{"size":9}}}')
      await changed.getByText('holds it back').waitFor()
      expect(await changed.innerText()).toContain('9')
      await page.getByRole('region', { name: 'Trigger reconcile' }).getByText('would do nothing').waitFor()
      await page.getByRole('button', { name: 'Change the sensor' }).click()
      const sensor = page.getByLabel('Sensor', { exact: true })
      const manifest = (await sensor.inputValue()).replace(/value:\n(\s+)- "3"/, 'value:\n$1- "10"')
      await sensor.fill(manifest)
      await changed.getByText('body.spec.size <= 10').waitFor()
      await changed.getByText('passes', { exact: true }).waitFor()
      await sensor.fill('kind: Pod')
      await page.getByText('the manifest is no Sensor').waitFor()
      expect((await scene.archive.events({})).total).toEqual(before.total)
    }, 60_000)

    it('a manifest shows what is wrong with it, also with what is only typed', async () => {
      const page = await signedIn()
      await open(page, '/templates/WorkflowTemplate/shop/reconcile?tab=yaml')
      await page.locator('.manifest-tools').getByText('nothing wrong').waitFor()
      await page.getByRole('button', { name: 'Try a change' }).click()
      const field = page.getByLabel('Manifest')
      await field.fill((await field.inputValue()).replace('template: lint', 'template: lynt'))
      await page.locator('.findings').getByText('lynt').waitFor()
      expect(await page.locator('.code-gutter .error').count()).toBeGreaterThan(0)
    })

    it('a view is saved under a name, found again after a reload and in the palette, and removed', async () => {
      const page = await signedIn()
      await open(page, '/runs?q=template:reconcile&group=object')
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByLabel('Name of the view').fill('mine')
      await page.keyboard.press('Enter')
      await open(page, '/runs')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('mine')
      await page.getByRole('option', { name: /Runs: mine/ }).click()
      await page.waitForURL(url => url.searchParams.get('group') === 'object')
      await page.getByRole('button', { name: 'mine', exact: true }).click()
      await page.getByRole('button', { name: 'Remove the view mine' }).click()
      await page.getByRole('button', { name: 'Views' }).waitFor()
    })

    it('a trace that was exported is taken in elsewhere, and opened', async () => {
      const page = await signedIn()
      await open(page, `/events/${STORY.ran}`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export' }).click(),
      ])
      const file = join(assets, 'trace.jsonl')
      await download.saveAs(file)
      const elsewhere = await ConsoleScene.start({ assets, withStory: false })
      try {
        const other = await (context as BrowserContext).newPage()
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
        assets,
        withStory: false,
        more: { runControl: { resume, retry: resume, resubmit: resume } },
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
        context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
        const page = await context.newPage()
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
            { nodeFieldSelector: 'id=approve', outputs: { approve: 'no' } },
          ],
        ])
      } finally {
        await waiting.close()
      }
    }, 60_000)

    it('what waits behind a parked delivery of the same key is listed in its order', async () => {
      const page = await signedIn()
      await open(page, '/parked')
      await page.getByRole('button', { name: 'Behind it' }).first().click()
      await page
        .locator('.key-queue')
        .getByText(/for|of/)
        .first()
        .waitFor()
      expect(await page.locator('.key-queue').innerText()).toMatch(/Nothing came after it for|later events? of/)
    })

    it('18: a deep link gives the same screen in a fresh browser; a field that does not exist is said and not asked for', async () => {
      const page = await signedIn()
      await open(page, '/runs/shop/reconcile-cache-7?step=apply-1&view=timeline#L120')
      await page.locator('.log-line.marked').waitFor()
      expect(await page.locator('.log-line.marked').innerText()).toContain('120')
      expect(await page.locator('.timeline-row.chosen').innerText()).toContain('apply(1)')
      const asked: string[] = []
      page.on('request', each => each.url().includes('/api/v1/events') && asked.push(each.url()))
      await page.goto(`${scene.origin}/events?q=colour:blue`)
      await page.getByText('There is no field “colour” here', { exact: false }).waitFor()
      expect(asked).toEqual([])
    })

    it('20: a run of a thousand steps is painted at once, its failed steps in sight', async () => {
      const page = await signedIn()
      await open(page, '/runs/default/fan-out')
      await page.locator('.node').first().waitFor()
      expect(await page.locator('.node.bad').count()).toBe(4)
      expect(await page.locator('.node').count()).toBeLessThan(20)
      const took = await page.evaluate(async () => {
        const tab = [...document.querySelectorAll<HTMLElement>('[role=tab]')].find(each =>
          each.textContent?.startsWith('Timeline'),
        )
        const begun = performance.now()
        tab?.click()
        await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        return performance.now() - begun
      })
      await page.locator('.timeline-row').first().waitFor()
      expect(took).toBeLessThan(300 * slowness)
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1500)
    })

    describe('with many events', () => {
      const count = isFull ? 100_000 : 20_000

      beforeAll(async () => {
        const from = Date.now() - 86_400_000 * 2
        for (let i = 0; i < count; i++) {
          scene.recorder.record(event(idOf(`many-${i}`), from + i, `many-${i}`))
          if (i % 2000 === 1999) await scene.recorder.settled()
        }
        await scene.settled()
      }, 120_000)

      it('14: the list opens at once, is as long as the API says, and Ctrl-End shows the oldest', async () => {
        const page = await signedIn()
        await open(page, '/events')
        await rows(page).first().waitFor()
        const total = Number(await page.locator('[role=table]').getAttribute('aria-rowcount')) - 1
        const oldest = (await scene.api('/events?order=oldest&limit=1', { token: TOKEN })).json() as {
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

      it('says how far it has looked when no index helps with a filter, and looks further back when it is told to', async () => {
        const page = await signedIn()
        await open(page, '/events?q=type:webhook')
        await page.getByText('Nothing found back to').waitFor()
        await page.getByRole('button', { name: 'Look further back' }).click()
        await rows(page).first().waitFor()
        await page.getByRole('status').filter({ hasText: 'found, and that is all' }).waitFor()
      })

      it('15: nothing moves under the reader while 500 events a second come; the chip counts them, none is lost or doubled', async () => {
        const page = await signedIn()
        await open(page, '/events')
        await rows(page).first().waitFor()
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
            scene.recorder.record(event(idOf(`flood-${batch}-${i}`), Date.now(), `flood-${batch}-${i}`))
          await scene.settled()
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
      const page = await signedIn()
      await open(page, '/events?q=name:back*')
      await page.getByText('No event matches').waitFor()
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      scene.recorder.record(event(idOf('back-0'), Date.now(), 'back-0'))
      await page.locator('.expanse .row', { hasText: 'back-0' }).waitFor()
      await page.evaluate(() => Object.assign(window, { isSame: true }))
      await scene.console.close()
      await page.locator('.live', { hasText: 'Reconnecting' }).waitFor()
      scene.recorder.record(event(idOf('back-1'), Date.now(), 'back-1'))
      await scene.settled()
      await scene.startConsole()
      await page.locator('.expanse .row', { hasText: 'back-1' }).waitFor({ timeout: 20_000 })
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      expect(await rows(page).count()).toBe(2)
      expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
    })

    it('17: the ninth tab renders and gets live rows', async () => {
      const first = await signedIn()
      await open(first, '/events?q=name:tab*')
      const pages = [first]
      for (let i = 1; i < 9; i++) {
        const page = await (context as BrowserContext).newPage()
        await open(page, '/events?q=name:tab*')
        pages.push(page)
      }
      const last = pages.at(-1) as Page
      await last.locator('.live', { hasText: 'Live' }).waitFor()
      scene.recorder.record(event(idOf('tab'), Date.now(), 'tab-1'))
      await last.locator('.expanse .row', { hasText: 'tab-1' }).waitFor({ timeout: 2000 * slowness })
    })

    it('19: whoever may only read sees every control, disabled, with the verb and resource it needs', async () => {
      const reader = await ConsoleScene.start({ assets, authentication: 'cluster', withStory: false })
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
        context = await browser.newContext()
        const page = await context.newPage()
        await page.goto(`${reader.origin}/events?ns=shop`)
        await page.getByLabel('Token').fill((status as { token: string }).token)
        await page.getByRole('button', { name: 'Sign in' }).click()
        const replay = page.getByRole('button', { name: 'Replay these' })
        await page.waitForFunction(() => document.querySelectorAll('.actions [aria-disabled=true]').length === 3)
        expect(await replay.getAttribute('title')).toBe('You may not create replays.tiphys.dev in shop.')
        await replay.dispatchEvent('click')
        expect(await page.locator('dialog').count()).toBe(0)
      } finally {
        await reader.close()
      }
    })
  },
)

/** Budgets are for an idle machine; where eight other things run, they are held more loosely. */
const slowness = Number(process.env.TIPHYS_SLOWNESS ?? 6)
