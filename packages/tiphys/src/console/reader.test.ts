/// <reference lib="dom" />
import { type BrowserContext, hasChromium, idOf, type Page, STORY, seriousFindings } from '@tiphys/console/testing'
import { type Json, MASKED, WRITTEN } from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleVisit, memcachedEvent, rowsOf } from './visit.ts'

let visit: ConsoleVisit

const numbered = (from: number, count: number) => Array.from({ length: count }, (_, i) => `line ${from + i}\n`).join('')

/** A run that goes on, with a step that has printed something. */
async function printing(name: string, output: string): Promise<(more: string) => Promise<void>> {
  const run = { namespace: 'shop', name, uid: `${name}-uid` }
  const { recorder } = visit.scene
  recorder.record({ kind: 'run', trace: '', run, phase: 'Running', startedAt: Date.now() })
  recorder.record({
    kind: 'step',
    trace: '',
    run,
    step: 'print',
    name: 'print',
    type: 'Pod',
    phase: 'Running',
    attempt: 1,
    startedAt: Date.now(),
  })
  const print = async (more: string) => {
    const chunk = { store: 'story', key: '', bytes: 0 }
    await visit.scene.log({ kind: 'log', trace: '', run, step: 'print', container: 'main', chunk }, more)
    await visit.scene.settled()
  }
  await print(output)
  return print
}

const LINE = 24
const logTop = (page: Page) => page.locator('.log').evaluate(element => element.scrollTop)
const isMarked = (page: Page, line: number) => page.locator('.log-line.marked', { hasText: `line ${line}` }).waitFor()

describe.skipIf(!hasChromium)(
  `whoever reads in the console in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    beforeAll(async () => {
      visit = await ConsoleVisit.start()
    }, 90_000)
    afterEach(() => visit.leave())
    afterAll(() => visit?.close())

    it('sees of a run that it waits for somebody, how far it is, and in which namespace', async () => {
      const run = { namespace: 'shop', name: 'approving', uid: 'approving-uid' }
      const told = { kind: 'run', trace: run.uid, run, phase: 'Running', startedAt: Date.now() } as const
      const step = { kind: 'step', trace: run.uid, run, type: 'Pod', attempt: 1 } as const
      const { recorder } = visit.scene
      recorder.record({ ...told, progress: '0/1' })
      recorder.record({ ...step, step: 'ask-0', name: 'ask(0)', phase: 'Failed' })
      recorder.record({ ...step, step: 'ask-1', name: 'ask(1)', phase: 'Succeeded', attempt: 2, replaces: ['ask-0'] })
      recorder.record({
        ...step,
        step: 'ask',
        name: 'ask',
        type: 'Retry',
        phase: 'Succeeded',
        children: ['ask-0', 'ask-1'],
      })
      recorder.record({ ...step, step: 'approve', name: 'approve', type: 'Suspend', phase: 'Running' })
      recorder.record({ ...told, progress: '1/3' })
      await visit.scene.settled()
      const page = await visit.signedIn({ viewport: { width: 1720, height: 900 } })
      await page.getByRole('link', { name: /^Suspended\s*1$/ }).click()
      await page.waitForURL(/status(:|%3A)suspended/)
      const row = rowsOf(page).filter({ hasText: 'approving' })
      expect(await row.locator('.status').first().innerText()).toBe('suspended')
      expect(await row.locator('.phase-bar').textContent()).toBe('1/3 (1 succeeded, 1 retried, 1 suspended)')
      expect(await row.locator('.phase-track .bad').count()).toBe(0)
      const headers = () => page.getByRole('columnheader').allInnerTexts()
      expect(await headers()).toContain('Namespace')
      expect(await row.getByText('shop', { exact: true }).count()).toBe(1)
      // Of one namespace all are in it.
      await visit.open(page, '/runs?q=status:suspended&ns=shop')
      expect(await headers()).not.toContain('Namespace')
      await visit.open(page, '/runs/shop/approving')
      expect(await page.locator('.facts .status').first().innerText()).toBe('suspended')
      expect(await page.locator('.step-panel header .status').innerText()).toBe('suspended')
      expect(await page.locator('.dock-empty').innerText()).toBe('The step approve only waits, and writes no output.')
    })

    it('tells the link to a source from the entry beside it, also without seeing colours', async () => {
      await visit.scene.client.create({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Sensor',
        metadata: { namespace: 'shop', name: 'brief' },
        spec: {
          dependencies: [{ name: 'asked', eventSourceName: 'web', eventName: 'incoming-orders' }],
          triggers: [{ template: { name: 'note', log: {} } }],
        },
      })
      const page = await visit.signedIn({ colorScheme: 'dark' })
      await visit.open(page, '/health/Sensor/shop/brief')
      await page.getByRole('link', { name: 'web', exact: true }).waitFor()
      expect(await seriousFindings(page, { onlyColours: true })).toEqual([])
    })

    it('stays where they are in a log: no line that comes, and no line that they mark, moves it', async () => {
      const print = await printing('printing', numbered(1, 400))
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/printing#L120')
      await isMarked(page, 120)
      await page.locator('.log').evaluate(element => element.scrollTo(0, 4800))
      await print(numbered(401, 100))
      await page.locator('.dock-tools', { hasText: '500 lines' }).waitFor()
      expect(await logTop(page)).toBe(200 * LINE)

      await page.getByRole('link', { name: 'Line 204', exact: true }).click()
      await isMarked(page, 204)
      expect(await logTop(page)).toBe(200 * LINE)
      // An address that names another line leads there.
      await page.evaluate(() => {
        location.hash = '#L30'
      })
      await isMarked(page, 30)
      expect(await logTop(page)).toBe(26 * LINE)
    })

    it('follows a log at its end, and finds a marked line also among those that were searched for', async () => {
      const print = await printing('followed', numbered(1, 400))
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/followed')
      await page.locator('.log-line', { hasText: 'line 400' }).waitFor()
      await print(numbered(401, 100))
      await page.locator('.log-line', { hasText: 'line 500' }).waitFor()
      await page.getByLabel('Only lines with this text').fill('7')
      await page.locator('.dock-tools', { hasText: 'of 500 lines' }).waitFor()
      await page.getByRole('link', { name: 'Line 497', exact: true }).click()
      await isMarked(page, 497)
    })

    it('gets the output of a step also when it could not be read at first', async () => {
      await printing('late', numbered(1, 3))
      const page = await visit.signedIn()
      let isAway = true
      await page.route('**/logs/print/main*', route =>
        isAway ? route.fulfill({ status: 503, json: { code: 'archive-away', what: 'not yet' } }) : route.fallback(),
      )
      await visit.open(page, '/runs/shop/late')
      await page.locator('.dock').getByRole('alert').waitFor()
      isAway = false
      await page.locator('.log-line', { hasText: 'line 3' }).waitFor()
    })

    it('keeps what is shown while the server cannot answer for a moment', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/runs/default/reconcile-cache-2')
      await page.locator('.run-body').evaluate(element => Object.assign(element, { isSame: true }))
      const address = '**/api/v1/runs/default/reconcile-cache-2'
      await page.route(address, route =>
        route.fulfill({ status: 503, json: { code: 'archive-away', what: 'not yet' } }),
      )
      const answered = (status: number) =>
        page.waitForResponse(each => each.url().endsWith('/reconcile-cache-2') && each.status() === status)
      const refused = answered(503)
      visit.scene.recorder.record(memcachedEvent(idOf('renew')))
      await refused
      // As often as it is tried before it counts as failed, and once more.
      for (const _ of [1, 2, 3]) await answered(503)
      await page.unroute(address)
      await answered(200)
      expect(await page.locator('.run-body').evaluate(element => 'isSame' in element)).toBe(true)
    })

    it('sees new rows of every list that says it is live, and after a pause what came meanwhile', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/objects?q=name:renewed*')
      await page.getByText('No object matches').waitFor()
      visit.scene.recorder.record(memcachedEvent(idOf('renewed-1'), Date.now(), 'renewed-1'))
      await rowsOf(page).filter({ hasText: 'renewed-1' }).waitFor()
      await page.locator('.live', { hasText: 'Live' }).click()
      await page.locator('.live', { hasText: 'Paused' }).waitFor()
      visit.scene.recorder.record(memcachedEvent(idOf('renewed-2'), Date.now(), 'renewed-2'))
      await visit.scene.settled()
      await page.locator('.live', { hasText: 'Paused' }).click()
      await rowsOf(page).filter({ hasText: 'renewed-2' }).waitFor()
    })

    it('gets new rows by long requests where no WebSocket passes, and is told that they come', async () => {
      const page = await visit.signedIn()
      let attempts = 0
      await page.routeWebSocket('**/api/v1/live', socket => {
        attempts++
        void socket.close()
      })
      await visit.open(page, '/events?q=name:carried*')
      const tried = (count: number) => expect.poll(() => attempts, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
      await tried(3)
      visit.scene.recorder.record(memcachedEvent(idOf('carried-1'), Date.now(), 'carried-1'))
      await rowsOf(page).filter({ hasText: 'carried-1' }).waitFor()
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      await page.evaluate(() => {
        const chip = document.querySelector('.live') as HTMLElement
        const seen = new Set<string>()
        new MutationObserver(() => seen.add(chip.innerText)).observe(chip, { subtree: true, characterData: true })
        Object.assign(window, { seen })
      })
      await tried(attempts + 2)
      expect(await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen])).toEqual([])
      visit.scene.recorder.record(memcachedEvent(idOf('carried-2'), Date.now(), 'carried-2'))
      await rowsOf(page).filter({ hasText: 'carried-2' }).waitFor()
    }, 60_000)

    it('comes from a run to others that have had its name', async () => {
      for (const [uid, phase] of [
        ['namesake-1', 'Failed'],
        ['namesake-2', 'Succeeded'],
      ] as const) {
        const run = { namespace: 'shop', name: 'namesake', uid }
        const common = { kind: 'run', trace: '', run, startedAt: Date.now() } as const
        visit.scene.recorder.record({ ...common, phase: 'Running' })
        visit.scene.recorder.record({ ...common, phase, finishedAt: Date.now() })
        await visit.scene.settled()
      }
      const page = await visit.signedIn()
      await visit.open(page, '/runs/shop/namesake')
      const state = page.locator('.facts > .status')
      expect(await state.innerText()).toBe('succeeded')
      await page.locator('.facts a', { hasText: 'failed' }).click()
      await page.waitForURL('**/runs/shop/namesake?uid=namesake-1')
      await page.locator('.facts > .status', { hasText: 'failed' }).waitFor()
    })

    it('comes from the row of a run to that very one, also when another has its name now, to which nothing is done then', async () => {
      const { metadata } = await visit.scene.client.create<KubeObject>({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Workflow',
        metadata: { namespace: 'shop', name: 'remade' },
        spec: {},
      })
      const [old, present] = ['remade-before', metadata.uid ?? '']
      for (const [uid, phase] of [
        [old, 'Failed'],
        [present, 'Running'],
      ] as const) {
        const run = { namespace: 'shop', name: 'remade', uid }
        visit.scene.recorder.record({ kind: 'run', trace: '', run, phase, startedAt: Date.now() })
        await visit.scene.settled()
      }
      const page = await visit.signedIn()
      const opened = async (word: string, uid: string) => {
        await visit.open(page, '/runs?q=run:remade')
        await rowsOf(page).filter({ hasText: word }).click()
        await page.waitForURL(`**/runs/shop/remade?uid=${uid}`)
        await page.locator('.facts > .status', { hasText: word }).waitFor()
      }
      await opened('running', present)
      await page.getByRole('button', { name: 'Stop', exact: true, disabled: false }).waitFor()
      await page.getByRole('tab', { name: 'YAML' }).click()
      await page.getByText(`uid: ${present}`).waitFor()
      await opened('failed', old)
      const stop = page.getByRole('button', { name: 'Stop', exact: true, disabled: true })
      await stop.waitFor()
      await page.getByRole('tab', { name: 'YAML' }).click()
      await page.getByRole('tabpanel').getByText('Another run has its name now.').waitFor()
      // From there to the next row of the list, which has the same name.
      await page.keyboard.press('K')
      await page.waitForURL(`**/runs/shop/remade?uid=${present}`)
    })

    it('reads on the page of an object that its last run failed and why, and finds all of its runs there', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/objects/Memcached.v1alpha1.cache.example.com/shop/cache-7')
      const said = page.getByRole('region', { name: 'Explanation' })
      await said.getByText('Its last run').waitFor()
      await page.getByRole('tab', { name: 'Runs' }).click()
      await page.getByRole('tabpanel').getByRole('link', { name: 'reconcile-cache-7' }).waitFor()
      await said.getByRole('link', { name: 'reconcile-cache-7' }).click()
      await page.locator('.banner').waitFor()
    })

    it('reads in the field of the search what is searched for, also when they come there from the palette', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/search?text=cache')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or command' }).fill('replicas')
      await page.getByRole('option', { name: 'Search everything for “replicas”' }).click()
      await page.waitForURL('**/search?text=replicas')
      expect(await page.getByLabel('Words').inputValue()).toBe('replicas')
    })

    it('fills a form as they type, empties a field that has a value, and finds both again in the address', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/templates/WorkflowTemplate/shop/reconcile')
      const field = page.locator('.form textarea').first()
      expect(await field.inputValue()).not.toBe('')
      await field.fill('')
      expect(await field.inputValue()).toBe('')
      await page.waitForURL(/[?&]p\.\w+=(&|$)/)
      await page.reload()
      await field.waitFor()
      expect(await field.inputValue()).toBe('')
      await field.pressSequentially('quick')
      await page.getByRole('button', { name: 'Submit', exact: true }).click()
      await page.locator('dialog').getByText('quick', { exact: true }).waitFor()
      expect(page.url()).toContain('=quick')
    })

    it('is told why a payload cannot be edited, and sends no mark in place of a secret', async () => {
      const trigger = { namespace: 'shop', name: 'orders', part: 'bill' }
      const [masked, large] = [idOf('edit-masked'), idOf('edit-large')]
      for (const [trace, body] of [
        [masked, { user: 'jo', password: MASKED }],
        [large, { text: 'x'.repeat(300 * 1024) }],
      ] as const) {
        visit.scene.recorder.record({ ...memcachedEvent(trace), source: { ...trigger, part: 'incoming' }, body })
        visit.scene.recorder.record({
          kind: 'delivery',
          trace,
          trigger,
          action: idOf(`action-${trace}`),
          events: [trace],
          outcome: 'parked',
          attempt: 1,
          message: 'refused',
        })
      }
      await visit.scene.settled()
      const page = await visit.signedIn()
      const dialog = page.locator('dialog')
      await visit.open(page, `/parked?q=sensor:orders event:${large}`)
      await page.getByRole('button', { name: 'Edit and retry' }).click()
      await dialog.getByText('Its payload is too large to be edited here').waitFor()
      await visit.open(page, `/parked?q=sensor:orders event:${masked}`)
      await page.getByRole('button', { name: 'Edit and retry' }).click()
      await dialog.getByText(`Where it says ${MASKED}`).waitFor()
      expect(await dialog.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Payload (JSON)').fill('{"user":"jo","password":"known"}')
      expect(await dialog.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
    })

    it('edits a payload that has numbers of more digits than a browser has, and sends the digits', async () => {
      const trigger = { namespace: 'shop', name: 'orders', part: 'bill' }
      const trace = idOf('edit-digits')
      const text = '{"order":12345678901234567890,"price":1.50,"size":3}'
      visit.scene.recorder.record({
        ...memcachedEvent(trace),
        source: { ...trigger, part: 'incoming' },
        body: JSON.parse(text) as Json,
        [WRITTEN]: text,
      })
      const delivery = { action: idOf(`action-${trace}`), events: [trace], outcome: 'parked', attempt: 1 } as const
      visit.scene.recorder.record({ kind: 'delivery', trace, trigger, ...delivery, message: 'refused' })
      await visit.scene.settled()
      const page = await visit.signedIn()
      await visit.open(page, `/parked?q=sensor:orders event:${trace}`)
      await page.getByRole('button', { name: 'Edit and retry' }).click()
      const payload = page.getByLabel('Payload (JSON)')
      const shown = await payload.inputValue()
      expect(shown).toBe('{\n  "order": 12345678901234567890,\n  "price": 1.50,\n  "size": 3\n}')
      await payload.fill(shown.replace('"size": 3', '"size": 4'))
      await page.getByRole('button', { name: 'Send' }).click()
      await page.waitForURL('**/events/*')
      expect(visit.fired.at(-1)).toBe('{"order":12345678901234567890,"price":1.50,"size":4}')
    })

    it('is not told how much is in the archive where the server does not say it, and told all else of it', async () => {
      const page = await visit.signedIn()
      const archive = page.getByRole('region', { name: 'Archive' })
      await visit.open(page, '/health')
      await archive.getByText(/SQLite, \d/).waitFor()
      const told = await archive.locator('dt').allInnerTexts()
      const state = { database: 'sqlite', schema: 1, lag: 0, lagMs: 0, state: 'following', gaps: [] }
      await page.route('**/api/v1/status', route => route.fulfill({ json: state }))
      await visit.open(page, '/health')
      await archive.getByText('SQLite', { exact: true }).waitFor()
      const left = ['Database', 'Behind the journal', 'Keeps']
      expect(await archive.locator('dt').allInnerTexts()).toEqual(left)
      expect(told).toEqual(expect.arrayContaining([...left, 'Events', 'Runs', 'Records', 'Position']))
    })

    it('goes on reading why something was not done to some of many runs', async () => {
      const page = await visit.signedIn()
      await page.route('**/api/v1/actions/run', route =>
        route.fulfill({ json: [{ name: 'a' }, { name: 'b', problem: 'b is gone' }] }),
      )
      await visit.open(page, '/runs')
      await rowsOf(page).first().waitFor()
      for (const row of [0, 1]) await rowsOf(page).nth(row).getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Stop 2' }).click()
      await page.locator('dialog').getByRole('button', { name: 'Stop 2 runs' }).click()
      await page.locator('dialog').getByText('1 of 2 failed. b: b is gone').waitFor()
    })

    it('signs out, and is told so when the address they opened has no valid token', async () => {
      const page = await visit.signedIn()
      await visit.open(page, '/access')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in to Tiphys' }).waitFor()
      expect(await (visit.context as BrowserContext).cookies()).toEqual([])
      const other = await (visit.context as BrowserContext).newPage()
      await other.goto(`${visit.scene.origin}/events/${STORY.ran}#token=%E0%A4%A`)
      await other.getByText('the token is not valid').waitFor()
    })
  },
)
