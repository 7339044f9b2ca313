import { type Browser, complaintsOf, openBrowser, type Page } from '@tiphys/console/testing'
import type { Client } from '@tiphys/kube'
import type { TiphysFolder } from '../tiphys-folder.ts'

/** The console of a `tiphys up`, opened in Chromium at the address that was printed. Only for tests. */
export interface OpenedConsole {
  client: Client
  browser: Browser
  page: Page
  origin: string
  /** What the page should not have done so far. */
  complaints: string[]
}

export async function openConsole(folder: TiphysFolder, ...args: string[]): Promise<OpenedConsole> {
  const running = await folder.start('up', ...args, '--port', '0', '--console-port', '0')
  const [, url = ''] = /console +(\S+)/.exec(running.out) ?? []
  const { origin } = new URL(url)
  const client = await folder.client()
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const complaints = complaintsOf(page, origin)
  await page.goto(url)
  await page.waitForSelector('.rail-link[aria-current]')
  return { client, browser, page, origin, complaints }
}
