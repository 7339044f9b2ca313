/// <reference lib="dom" />
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type BrowserContext,
  complaintsOf,
  HOSTILE,
  hasChromium,
  idOf,
  STORY,
  seriousFindings,
} from '@tiphys/console/testing'
import type { DecisionRecord } from '@tiphys/journal/records'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { misunderstood } from './command-line.ts'
import { TOKEN } from './scene.ts'
import { ConsoleVisit, memcachedEvent, rowsOf, slowness } from './visit.ts'

/** Where pictures of every page go, for somebody to look at them. */
const pictures = fileURLToPath(new URL('../../../../.build/console-pages', import.meta.url))

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

let visit: ConsoleVisit

describe.skipIf(!hasChromium)(
  `the pages of the console in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      visit = await ConsoleVisit.start()
      await mkdir(pictures, { recursive: true })
    }, 90_000)
    afterEach(() => visit.leave())
    afterAll(() => visit?.close())

    it('1: the token leaves the address bar for a cookie that scripts cannot read, and a reload stays in', async () => {
      const page = await visit.signedIn()
      expect(page.url()).toBe(`${visit.scene.origin}/`)
      const [cookie] = await (visit.context as BrowserContext).cookies()
      expect(cookie).toMatchObject({ name: `tiphys-${visit.scene.console.port}`, httpOnly: true, sameSite: 'Strict' })
      expect(await page.evaluate(() => document.cookie)).toBe('')
      expect(await page.evaluate(() => JSON.stringify([history.state, localStorage, sessionStorage]))).not.toContain(
        TOKEN,
      )
      await page.reload()
      await page.waitForSelector('.rail-link[aria-current]')
      const stranger = await visit.browser.newContext()
      const outside = await stranger.newPage()
      await outside.goto(`${visit.scene.origin}/events`)
      await outside.getByRole('heading', { name: 'Sign in to Tiphys' }).waitFor()
      await stranger.close()
    })

    it('2: under a name that was bound to 127.0.0.1 nothing can be read', async () => {
      const page = await visit.signedIn()
      const response = await page.goto(`http://evil.test:${visit.scene.console.port}/`)
      expect(response?.status()).toBe(421)
      const read = await page.evaluate(() => fetch('/api/v1/events').then(answer => answer.status))
      expect(read).toBe(421)
    })

    it('3: a page of another port of 127.0.0.1 reads nothing, changes nothing and gets no WebSocket', async () => {
      const page = await visit.signedIn()
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
      }, visit.scene.origin)
      expect(tried).toEqual({ read: 'refused', socket: 'refused' })
      const { items } = await visit.scene.client.list({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Discard',
        namespace: 'shop',
      })
      expect(items).toEqual([])
      other.close()
    })

    it('5: markup, scripts and terminal sequences in names, payloads and logs are text', async () => {
      const page = await visit.signedIn()
      const complaints = complaintsOf(page, visit.scene.origin)
      for (const path of [
        `/events/${STORY.hostile}`,
        `/events/${STORY.hostile}?tab=payload`,
        '/events',
        '/runs/shop/hostile',
        '/search?text=onerror',
      ]) {
        await visit.open(page, path)
        await page.getByText('onerror=', { exact: false }).first().waitFor()
      }
      await visit.open(page, '/runs/shop/hostile')
      await page.locator('.log-line').nth(2).waitFor()
      expect(await page.locator('.log').innerText()).toContain(`${HOSTILE}`)
      expect(await page.locator('.log a[href^=javascript]').count()).toBe(0)
      expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
      expect(await page.locator('img[src=x]').count()).toBe(0)
      expect(complaints).toEqual([])
    })

    it('6, 20: every page, in light and in dark, has no serious barrier, no overflow at 320 px and no complaint', {
      timeout: 240_000,
    }, async () => {
      const page = await visit.signedIn({ reducedMotion: 'reduce' })
      const complaints = complaintsOf(page, visit.scene.origin)
      const findings: string[] = []
      const lines = new Set<string>()
      const take = async (name: string, width: number, height: number) => {
        await page.setViewportSize({ width, height })
        await page.screenshot({ path: join(pictures, `${name}-${width}.png`) })
      }
      for (const [name, path] of Object.entries(PAGES)) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: 1440, height: 900 })
        await visit.open(page, path)
        const inLight = await seriousFindings(page)
        for (const line of await page.locator('.cli-line code').allInnerTexts()) lines.add(line)
        await take(`${name}-light`, 1440, 900)
        await take(`${name}-light`, 390, 844)
        await page.emulateMedia({ colorScheme: 'dark' })
        await take(`${name}-dark`, 390, 844)
        await page.setViewportSize({ width: 1440, height: 900 })
        const inDark = await seriousFindings(page, { onlyColours: true })
        await take(`${name}-dark`, 1440, 900)
        await page.setViewportSize({ width: 320, height: 700 })
        const tooTall = await page.evaluate(
          () => document.documentElement.scrollHeight - document.documentElement.clientHeight,
        )
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        for (const finding of inLight) findings.push(`${name} in light: ${finding}`)
        for (const finding of inDark) findings.push(`${name} in dark: ${finding}`)
        if (overflow > 0) findings.push(`${name}: ${overflow} px too wide`)
        // The page scrolls in its own box: a second bar beside it would push bar and rail out of sight.
        if (tooTall > 0) findings.push(`${name}: ${tooTall} px too tall`)
      }
      expect(findings).toEqual([])
      expect(complaints).toEqual([])
      expect(lines.size).toBeGreaterThan(10)
      expect([...lines].flatMap(misunderstood)).toEqual([])
    })

    it('7: with the keyboard alone from a row to the log line that explains it, and back to the row', async () => {
      const page = await visit.signedIn()
      await visit.open(page, `/events?q=id:${STORY.failed}`)
      await rowsOf(page).first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/events/${STORY.failed}*`)
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
      await page.getByRole('tab', { name: 'Why' }).focus()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('tab', { name: 'Payload', selected: true }).waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.getByText('The sensor let the event through').waitFor()
      await page.getByRole('tabpanel').getByRole('link', { name: 'reconcile-cache-7', exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/runs/shop/reconcile-cache-7?uid=*')
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

    it('a page and a list are where they were left when somebody comes back, and a page that is opened begins at its top', async () => {
      const page = await visit.signedIn({ viewport: { width: 1440, height: 500 } })
      const top = () => page.locator('main').evaluate(element => element.scrollTop)
      const isAt = (wanted: number) =>
        page.waitForFunction(each => document.querySelector('main')?.scrollTop === each, wanted)
      await visit.open(page, '/objects/Deployment.v1.apps/default/cache-1')
      await page.locator('.provenance > li').nth(3).waitFor()
      await page.locator('main').evaluate(element => element.scrollTo(0, 600))
      await isAt(600)
      await page.locator('.provenance a', { hasText: 'reconcile-' }).nth(2).click()
      await page.locator('.run-body').waitFor()
      expect(await top()).toBe(0)
      await page.goBack()
      await isAt(600)

      const listTop = () => page.locator('.scroller').evaluate(element => element.scrollTop)
      await visit.open(page, '/events')
      await rowsOf(page).first().waitFor()
      await page.locator('.scroller').evaluate(element => element.scrollTo(0, 900))
      await page.waitForFunction(() => (history.state as { listTop?: number } | null)?.listTop === 900)
      await page.locator('.rail-link', { hasText: 'Health' }).click()
      await page.getByRole('heading', { name: 'Health', exact: true }).waitFor()
      await page.goBack()
      await rowsOf(page).first().waitFor()
      await page.waitForFunction(() => document.querySelector('.scroller')?.scrollTop === 900)
      await page.locator('.expanse .row[aria-rowindex="34"]').click()
      await page.waitForURL('**/events/*')
      await page.goBack()
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-rowindex') === '34')
      expect(await listTop()).toBe(900)
    })

    it('Escape on a page that was opened by a link from elsewhere leads to its list, not out of the console', async () => {
      const page = await visit.signedIn()
      const other = await (visit.context as BrowserContext).newPage()
      await visit.open(other, '/runs/shop/reconcile-cache-7')
      await other.locator('.run-body').waitFor()
      await other.keyboard.press('Escape')
      await other.waitForURL(`${visit.scene.origin}/runs`)
      await visit.open(page, '/runs?q=status:failed')
      await page.locator('.expanse .row', { hasText: 'reconcile-cache-7' }).click()
      await page.locator('.run-body').waitFor()
      await page.keyboard.press('Escape')
      await page.waitForURL('**/runs?q=status:failed')
    })

    it('the title of the window names what is shown', async () => {
      const page = await visit.signedIn()
      for (const [path, title] of [
        ['/runs?q=status:failed', 'Runs: status:failed'],
        ['/runs/shop/reconcile-cache-7', 'Run shop/reconcile-cache-7'],
        ['/runs/shop/nothing', 'No such run: shop/nothing'],
        [`/events/${STORY.ran}`, 'UPDATE Memcached cache-1'],
        ['/objects/Deployment.v1.apps/default/cache-1', 'Deployment cache-1'],
        ['/health/Sensor/shop/memcached', 'Sensor shop/memcached'],
        ['/templates/WorkflowTemplate/shop/reconcile', 'WorkflowTemplate shop/reconcile'],
        ['/search?text=cache', 'Search: cache'],
      ] as const) {
        await visit.open(page, path)
        await page.waitForFunction(wanted => document.title === wanted, `${title} · Tiphys`)
      }
    })

    it('what was chosen is in sight where there is no room for all of it: a tab, a command, a completion', async () => {
      const page = await visit.signedIn({ viewport: { width: 390, height: 500 } })
      const isInSight = (inner: string, outer: string) =>
        page.waitForFunction(
          ([what, box]) => {
            const [a, b] = [what, box].map(each => document.querySelector(each)?.getBoundingClientRect())
            if (!a || !b) return false
            return a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1
          },
          [inner, outer] as const,
        )
      await visit.open(page, '/health/Sensor/shop/memcached?tab=yaml')
      await page.getByRole('tab', { name: 'YAML', selected: true }).waitFor()
      await isInSight('.tab[aria-selected=true]', '.tab-list')
      await page.keyboard.press('Control+k')
      await page.getByRole('option', { name: 'Keyboard shortcuts' }).waitFor()
      for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowDown')
      await page.getByRole('option', { name: 'Keyboard shortcuts', selected: true }).waitFor()
      await isInSight('.choice[aria-selected=true]', '.choices')
      await visit.open(page, '/events')
      await page.getByRole('combobox', { name: 'Filter events' }).focus()
      await page.getByRole('option').nth(13).waitFor()
      for (let i = 0; i < 14; i++) await page.keyboard.press('ArrowDown')
      await isInSight('.suggestion[aria-selected=true]', '.suggestions')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.keyboard.press('j')
      await page.keyboard.press('f')
      await isInSight('.filter-menu', 'body')
    })

    it('in the reader’s own colours, the row with the focus, the chosen tab and the bars are still to be seen', async () => {
      const page = await visit.signedIn({ forcedColors: 'active' })
      const styleOf = (place: string, name: 'outlineStyle' | 'borderBottomColor' | 'backgroundColor') =>
        page
          .locator(place)
          .first()
          .evaluate((element, property) => getComputedStyle(element)[property], name)
      await visit.open(page, '/events')
      await rowsOf(page).first().waitFor()
      await page.keyboard.press('j')
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'row')
      expect(await styleOf('.expanse .row:focus', 'outlineStyle')).toBe('solid')
      await visit.open(page, '/runs/shop/reconcile-cache-7?view=timeline')
      const colours = ['.tab[aria-selected=true]', '.tab[aria-selected=false]'].map(tab =>
        styleOf(tab, 'borderBottomColor'),
      )
      expect(new Set(await Promise.all(colours)).size).toBe(2)
      const bars = ['.bar.bad', '.bar.good', '.timeline'].map(bar => styleOf(bar, 'backgroundColor'))
      expect(new Set(await Promise.all(bars)).size).toBe(3)
    })

    it('dialogs and the panel have no serious barrier either', async () => {
      const page = await visit.signedIn({ reducedMotion: 'reduce' })
      const findings: string[] = []
      for (const [path, button] of [
        ['/events', 'Replay these'],
        ['/events', 'Send test event'],
        ['/parked', 'Discard all 3'],
        ['/runs/default/reconcile-cache-2', 'Terminate'],
        ['/', /^memcached/],
      ] as const) {
        await visit.open(page, path)
        await page.getByRole('button', { name: button }).first().click()
        await page.locator('dialog').waitFor()
        await page.waitForFunction(() => !document.querySelector('dialog .skeleton'))
        for (const scheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: scheme })
          for (const width of [1440, 390]) {
            await page.setViewportSize({ width, height: 844 })
            await page.screenshot({
              path: join(pictures, `dialog-${String(button).replaceAll(/\W+/g, '-')}-${scheme}-${width}.png`),
            })
          }
          for (const finding of await seriousFindings(page)) findings.push(`${button} in ${scheme}: ${finding}`)
        }
        await page.setViewportSize({ width: 1440, height: 900 })
      }
      expect(findings).toEqual([])
    }, 60_000)

    it('9: an event that a filter dropped says which filter, with its inputs and the result', async () => {
      const page = await visit.signedIn()
      await visit.open(page, `/events/${STORY.filtered}`)
      const why = page.getByRole('tabpanel')
      await why.getByText('The sensor turned the event away').waitFor()
      const text = await why.innerText()
      await why.getByText('body.spec.size ≤ 3').waitFor()
      expect(text).toMatch(/body\.spec\.size\s+7/)
      expect(text).toMatch(/result\s+false/)
    })

    it('Why shows what was recorded: every filter with its verdict, the transformation and the rate limit', async () => {
      const page = await visit.signedIn()
      await visit.open(page, `/events/${STORY.ran}?tab=why`)
      const why = page.getByRole('tabpanel')
      const filters = why.getByRole('table', { name: 'Filters' })
      await filters.waitFor()
      const rows = await filters.locator('tbody').getByRole('row').allInnerTexts()
      expect(rows.map(row => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
        'true size > 3 || size < 0 body.spec.size 4',
        'true body.metadata.labels.app = cache body.metadata.labels.app "cache"',
        'not asked body.spec.size <= 9 body.spec.size 4',
      ])
      await why.getByText('What the transformation made of the event').click()
      await why.getByText('"wanted": 4').waitFor()
      await why.getByText('after the rate limit held it back for 1.5 s').waitFor()
    })

    it('Why says in a sentence what decided, whatever it was', async () => {
      const trigger = { namespace: 'default', name: 'memcached', part: 'reconcile' }
      const source = { namespace: 'default', name: 'memcached', part: 'changes' }
      const [data, time] = [
        { by: 'data', paths: ['body.size'], says: '>= 5' },
        { by: 'time', paths: ['context.time'], says: '08:00:00 – 17:00:00 UTC' },
      ] as const
      const waits = { dependency: 'a', by: 'conditions', message: 'a && b: a has come, b has not' } as const
      const cases: [sentence: RegExp, ...decisions: Partial<DecisionRecord>[]][] = [
        [
          /turned the event away: body\.size >= 5 is false, with body\.size = 4\./,
          {
            verdict: 'filtered',
            by: 'data',
            inputs: [{ path: 'body.size', value: 4 }],
            filters: [{ ...data, passed: false }, time],
          },
        ],
        [
          /could not be carried out, and the event ended there: there is no such path\./,
          { verdict: 'failed', by: 'data', message: 'there is no such path', filters: [data, time] },
        ],
        [/waits for other events before it acts: a && b: a has come, b has not\./, { ...waits, verdict: 'waiting' }],
        [
          /until the time that the trigger’s conditionsReset names/,
          { ...waits, verdict: 'waiting' },
          { verdict: 'reset', by: 'conditionsReset' },
        ],
        [new RegExp(`took its place: ${STORY.ran.slice(0, 8)}`), { verdict: 'superseded', by: STORY.ran }],
        [
          /It came again under its id, and was dropped/,
          { verdict: 'passed' },
          { verdict: 'repeated', by: 'id', trigger: source, message: 'it came again under its id, and was dropped' },
        ],
        [
          /event source did not publish the event, as its own filter says: size > 5 is false, with size = 4\./,
          {
            verdict: 'filtered',
            by: 'filter.expression',
            trigger: source,
            inputs: [{ path: 'size', value: 4 }],
            filters: [{ by: 'expression', paths: ['size'], says: 'size > 5', passed: false }],
          },
        ],
      ]
      const page = await visit.signedIn()
      for (const [i, [sentence, ...decisions]] of cases.entries()) {
        const id = idOf(`why-${i}`)
        const isOfSource = decisions[0]?.by === 'filter.expression'
        visit.scene.recorder.record({ ...memcachedEvent(id), ...(isOfSource && { isEnded: true }) })
        for (const decision of decisions)
          visit.scene.recorder.record({
            kind: 'decision',
            trace: id,
            trigger,
            dependency: '',
            events: [id],
            verdict: 'passed',
            ...decision,
          })
        await visit.scene.settled()
        await visit.open(page, `/events/${id}?tab=why`)
        const why = page.getByRole('tabpanel')
        await why.getByText(sentence).first().waitFor()
        expect(await why.getByRole('link', { name: 'Dry run' }).count()).toBe(isOfSource ? 0 : 1)
        expect(await page.getByRole('button', { name: 'Replay', exact: true }).count()).toBe(isOfSource ? 0 : 1)
      }
    })

    it('what is parked leads to where it is retried, and says in the trace why no filter gave an answer', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/events?q=status:parked')
      await rowsOf(page).first().locator('.row-link').click()
      await page.waitForURL('**/events/*')
      const id = new URL(page.url()).pathname.split('/').at(-1)
      await page.getByRole('link', { name: 'Retry or discard' }).first().click()
      await page.waitForURL(url => url.searchParams.get('q') === `event:${id}`)
      await page.getByRole('button', { name: 'Edit and retry' }).first().waitFor()

      const undecided = idOf('undecided')
      visit.scene.recorder.record(memcachedEvent(undecided))
      visit.scene.recorder.record({
        kind: 'decision',
        trace: undecided,
        events: [undecided],
        trigger: { namespace: 'default', name: 'undecided', part: 'reconcile' },
        dependency: 'changed',
        verdict: 'failed',
        by: 'exprs',
        message: 'no such parameter',
      })
      await visit.scene.settled()
      await visit.open(page, `/events/${undecided}`)
      await page.locator('.trace').getByText('exprs: no such parameter').waitFor()
    })

    it('an object that was only seen opens on the runs that it set off', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/objects/Memcached.v1alpha1.cache.example.com/shop/cache-7')
      expect(await page.getByRole('tab', { selected: true }).textContent()).toContain('Runs')
      await page.getByRole('link', { name: 'reconcile-cache-7' }).first().waitFor()
    })

    it('templates say when they start by themselves and how their runs went', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/templates')
      const row = (name: string) => page.getByRole('row').filter({ hasText: name })
      await row('shop/nightly').getByText('0 3 * * * Europe/Berlin').waitFor()
      await row('shop/reconcile').locator('.phase-bar').waitFor()
      await visit.open(page, '/templates/CronWorkflow/shop/nightly')
      await page.getByText('starts at 0 3 * * * Europe/Berlin').waitFor()
      // This console has no engine beside it, which would know what a run of it is.
      const submit = page.getByRole('button', { name: 'Submit', exact: true })
      expect(await submit.getAttribute('aria-description')).toBe('No workflow engine runs beside this console.')

      // So it is, too, with one that is made of a template, which can be started though it has no entrypoint of its own.
      await visit.scene.client.create({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'CronWorkflow',
        metadata: { namespace: 'shop', name: 'hourly' },
        spec: { schedule: '0 * * * *', workflowSpec: { workflowTemplateRef: { name: 'reconcile' } } },
      })
      await visit.open(page, '/templates/CronWorkflow/shop/hourly')
      await submit.waitFor()
      expect(await submit.getAttribute('aria-description')).toBe('No workflow engine runs beside this console.')
      await page.getByRole('link', { name: 'Open reconcile' }).click()
      await page.locator('.node', { hasText: 'verify' }).waitFor()
    })

    it('an event that no sensor depends on is told from one that is still to be looked at', async () => {
      const [unheard, unseen] = [idOf('unheard'), idOf('unseen')]
      visit.scene.recorder.record({ ...memcachedEvent(unheard, Date.now(), 'unheard-1'), isUnheard: true })
      visit.scene.recorder.record(memcachedEvent(unseen, Date.now(), 'unseen-1'))
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, '/events?q=status:unheard')
      await rowsOf(page).filter({ hasText: 'unheard-1' }).getByText('unheard', { exact: true }).waitFor()
      await visit.open(page, `/events/${unheard}`)
      await page.getByRole('heading', { name: 'No sensor listens to this event' }).waitFor()
      await page.getByText('eventSourceName: memcached').waitFor()
      await visit.open(page, `/events/${unseen}`)
      await page.getByRole('heading', { name: 'No sensor has looked at this event' }).waitFor()
    })

    it('10: a failed run opens on its failed step, message and log without scrolling; three clicks from the overview', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/')
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

    it('a view is saved under a name, found again after a reload and in the palette, and removed', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/runs?q=template:reconcile&group=object')
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByLabel('Name of the view').fill('mine')
      await page.keyboard.press('Enter')
      await visit.open(page, '/runs')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('mine')
      await page.getByRole('option', { name: /Runs: mine/ }).click()
      await page.waitForURL(url => url.searchParams.get('group') === 'object')
      await page.getByRole('button', { name: 'mine', exact: true }).click()
      await page.getByRole('button', { name: 'Remove the view mine' }).click()
      await page.getByRole('button', { name: 'Views' }).waitFor()
    })

    it('the namespace that is picked narrows what is listed, found and offered, and says so where nothing is', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/search?text=reconcile-cache')
      await page
        .getByRole('link', { name: /reconcile-cache-2/ })
        .first()
        .waitFor()
      await page.getByLabel('Namespace').selectOption('shop')
      await page.getByText('logs of shop').waitFor()
      await page
        .getByRole('link', { name: /reconcile-cache-7/ })
        .first()
        .waitFor()
      expect(await page.getByRole('link', { name: /reconcile-cache-2/ }).count()).toBe(0)

      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or command' }).fill('reconcile-cache-2')
      await page.getByRole('option', { name: 'Search shop for “reconcile-cache-2”' }).waitFor()
      expect(await page.getByRole('option', { name: /^reconcile-cache-2/ }).count()).toBe(0)
      await page.getByRole('option', { name: 'Search all namespaces for “reconcile-cache-2”' }).click()
      await page
        .getByRole('link', { name: /reconcile-cache-2/ })
        .first()
        .waitFor()
      expect(await page.getByLabel('Namespace').inputValue()).toBe('')

      await visit.open(page, '/runs?q=name:reconcile-cache-2&ns=shop')
      await page.getByText('Only the namespace shop was looked at').waitFor()
      await page.getByRole('button', { name: 'Look at all namespaces' }).click()
      await rowsOf(page).filter({ hasText: 'reconcile-cache-2' }).waitFor()
    })

    it('templates of one name in two namespaces are two groups of runs that can be told apart', async () => {
      const page = await visit.signedIn()
      const complaints = complaintsOf(page, visit.scene.origin)
      await visit.open(page, '/runs?group=template')
      const groups = page.getByRole('table', { name: 'Runs by template' }).getByRole('rowheader')
      const names = await groups.filter({ hasText: 'reconcile' }).allInnerTexts()
      expect(names.sort()).toEqual(['WorkflowTemplate/reconcile in default', 'WorkflowTemplate/reconcile in shop'])
      await groups.filter({ hasText: 'in shop' }).getByRole('button').first().click()
      await page.waitForURL(url => url.searchParams.get('q') === 'template:WorkflowTemplate/reconcile ns:shop')
      await rowsOf(page).first().waitFor()
      await visit.open(page, '/runs?group=template&ns=shop')
      expect(await groups.count()).toBe(1)
      expect(complaints).toEqual([])
    })

    it('the palette takes a pasted id, and does what the buttons of the page do', async () => {
      const page = await visit.signedIn()
      const choose = async (text: string, title: string) => {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search or command' }).fill(text)
        await page.getByRole('option', { name: title }).first().waitFor()
        await page.keyboard.press('Enter')
      }
      await choose('shop/reconcile-cache-7', 'Run shop/reconcile-cache-7')
      await page.waitForURL('**/runs/shop/reconcile-cache-7')
      await choose(STORY.failed, `Event ${STORY.failed}`)
      await page.waitForURL(`**/events/${STORY.failed}`)
      await page.getByRole('button', { name: 'Replay', exact: true }).waitFor()
      await choose('replay', 'Replay on this page')
      await page.getByRole('dialog', { name: 'Replay this event' }).waitFor()
    })

    it('Enter in the palette does what was typed, though nothing was painted in between', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/')
      await page.keyboard.press('Control+k')
      const box = page.getByRole('combobox', { name: 'Search or command' })
      await page.getByRole('option', { name: 'Overview' }).and(page.locator('[aria-selected=true]')).waitFor()
      await box.evaluate((input: HTMLInputElement) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, 'health')
        input.dispatchEvent(new InputEvent('input', { bubbles: true }))
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
      })
      await page.waitForURL('**/health')
    })

    it('what the arrows picked in the palette stays picked when hits come in above it', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/')
      let letGo = () => {}
      const held = new Promise<void>(resolve => {
        letGo = resolve
      })
      await page.route('**/api/v1/search?*', async route => {
        await held
        await route.continue()
      })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or command' }).fill('reconcile-cache')
      const everything = page.getByRole('option', { name: 'Search everything for “reconcile-cache”' })
      await everything.waitFor()
      await page.keyboard.press('ArrowDown')
      letGo()
      await page
        .getByRole('option', { name: /^reconcile-cache/ })
        .first()
        .waitFor()
      expect(await everything.getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/search?*')
    })

    it('18: a deep link gives the same screen in a fresh browser; a field that does not exist is said and not asked for', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/reconcile-cache-7?step=apply-1&view=timeline#L120')
      await page.locator('.log-line.marked').waitFor()
      expect(await page.locator('.log-line.marked').innerText()).toContain('120')
      expect(await page.locator('.timeline-row.chosen').innerText()).toContain('apply(1)')
      const asked: string[] = []
      page.on('request', each => each.url().includes('/api/v1/events') && asked.push(each.url()))
      await page.goto(`${visit.scene.origin}/events?q=colour:blue`)
      await page.getByText('There is no field “colour” here', { exact: false }).waitFor()
      expect(asked).toEqual([])
    })

    it('20: a run of a thousand steps is painted at once, its failed steps in sight', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/runs/default/fan-out')
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
  },
)
