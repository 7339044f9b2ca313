/// <reference lib="dom" />
import { fileURLToPath } from 'node:url'
import { type Browser, hasChromium, type Page } from '@tiphys/console/testing'
import type { Client } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TiphysFolder } from '../tiphys-folder.ts'
import { openConsole } from './opened.ts'
import { slowness } from './visit.ts'

const EXAMPLE = fileURLToPath(new URL('../../../../examples/memcached', import.meta.url))
const MEMCACHED = { apiVersion: 'cache.example.com/v1', kind: 'Memcached' }
const SCRIPT = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'memcached-script' }

let folder: TiphysFolder
let client: Client
let browser: Browser
let page: Page
let origin: string
let complaints: string[]

const create = (name: string) =>
  client.create({ ...MEMCACHED, metadata: { name, namespace: 'default' }, spec: { size: 1 } })

describe.skipIf(!hasChromium)(
  `the console of the memcached operator${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      folder = await TiphysFolder.make()
      const opened = await openConsole(folder, EXAMPLE)
      ;({ client, browser, page, origin, complaints } = opened)
      page.setDefaultTimeout(60_000)
    }, 120_000)
    afterAll(async () => {
      await browser?.close()
      await folder?.remove()
    })

    it('8: a new Memcached is there at once, its trace reaches the Deployment, and that leads back to the event', async () => {
      await page.goto(`${origin}/events?q=kind:Memcached`)
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      await page.locator('.expanse .row', { hasText: 'sample' }).first().waitFor()
      const begun = Date.now()
      await create('fresh')
      const row = page.locator('.expanse .row', { hasText: 'fresh' }).first()
      await row.waitFor()
      expect(Date.now() - begun).toBeLessThan(1000 * slowness)
      await row.locator('.row-link').click()
      const written = page.getByRole('link', { name: 'apply Deployment memcached' })
      await written.waitFor()
      const { pathname } = new URL(page.url())
      await written.click()
      await page.getByRole('heading', { name: 'Deployment memcached' }).waitFor()
      await page.locator(`.provenance a[href="${pathname}"]`).waitFor()
      const changes = page.locator('.provenance li').first().getByRole('table', { name: 'Changes' })
      expect(await changes.getByRole('rowheader').allInnerTexts()).toEqual(['spec.replicas'])
      expect(complaints).toEqual([])
    })

    it('10: a planted failure is one click away from the overview: step, message and the line that explains it', async () => {
      const program = 'import sys\nprint("there is no room for it", file=sys.stderr)\nsys.exit(3)\n'
      await client.patch(SCRIPT, { type: 'merge', patch: { data: { 'manifest.py': program } } })
      await page.goto(origin)
      await create('broken')
      await page.getByRole('link', { name: /^Run default\/memcached-\w+ failed$/ }).click()
      const banner = page.locator('.banner')
      await banner.getByText('there is no room for it').waitFor()
      expect(await banner.innerText()).toContain('Step make-deployment failed with exit code 3')
      expect(await page.locator('.step-panel h2').innerText()).toBe('make-deployment')
      for (const part of ['.banner-message', '.banner-log', '.step-panel h2', '.log-line']) {
        const box = await page.locator(part).first().boundingBox()
        expect([part, box !== null && box.y + box.height <= 900]).toEqual([part, true])
      }
      expect(complaints).toEqual([])
    })
  },
)
