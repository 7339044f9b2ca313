/// <reference lib="dom" />
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, buildAssets, idOf, openBrowser, type Page } from '@tiphys/console/testing'
import type { NewRecord } from '@tiphys/journal/records'
import { ConsoleScene } from './scene.ts'

/** Budgets are for an idle machine; where eight other things run, they are held more loosely. */
export const slowness = Number(process.env.TIPHYS_SLOWNESS ?? 6)

/** A console with a story in it, and a browser to look at it. Only for tests. */
export class ConsoleVisit {
  readonly assets: string
  readonly scene: ConsoleScene
  readonly browser: Browser
  /** The browser of the test that runs; another one has nothing of it. */
  context: BrowserContext | undefined

  /** The payloads of events that were sent. */
  readonly fired: readonly string[]

  private constructor(assets: string, scene: ConsoleScene, browser: Browser, fired: readonly string[]) {
    this.assets = assets
    this.fired = fired
    this.scene = scene
    this.browser = browser
  }

  static async start(): Promise<ConsoleVisit> {
    const assets = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
    await buildAssets(assets)
    const fired: string[] = []
    const fire = async ({ payload }: { payload: string }) => {
      fired.push(payload)
      return { id: idOf('ran') }
    }
    const scene = await ConsoleScene.start({ assets, more: { fire } })
    const browser = await openBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1'])
    return new ConsoleVisit(assets, scene, browser, fired)
  }

  async enter(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    this.context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    // Less than a test has: what is waited for in vain is named.
    this.context.setDefaultTimeout(20_000)
    return this.context
  }

  /** A browser of its own that has opened the printed address. */
  async signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const page = await (await this.enter(options)).newPage()
    await page.goto(this.scene.console.url)
    await page.waitForSelector('.topbar')
    return page
  }

  /** The page with everything it shows. */
  async open(page: Page, path: string): Promise<void> {
    await page.goto(this.scene.origin + path)
    await page.waitForSelector('h1')
    await page.waitForFunction(() => !document.querySelector('.skeleton'))
  }

  async leave(): Promise<void> {
    await this.context?.close()
    this.context = undefined
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.scene.close()
    await rm(this.assets, { recursive: true, force: true })
  }
}

export const rowsOf = (page: Page) => page.locator('.expanse [role=row]')

export function memcachedEvent(id: string, at = Date.now(), name = `live-${id.slice(0, 6)}`) {
  return {
    kind: 'event',
    at,
    trace: id,
    source: { namespace: 'default', name: 'memcached', part: 'changes' },
    type: 'resource',
    object: { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', namespace: 'default', name },
    body: { type: 'ADD' },
  } as const satisfies NewRecord
}
