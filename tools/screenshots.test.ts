import { existsSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, hasChromium, openBrowser, type Page } from '@tiphys/console/testing'
import { type Client, kindRef } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, TiphysFolder } from '../packages/tiphys/src/tiphys-folder.ts'
import { root } from './steps.mjs'

// The pictures of the guides are taken here, of what the guides say that is to be seen:
// TIPHYS_SCREENSHOTS=write npx vitest run --project tools screenshots
const isTaking = process.env.TIPHYS_SCREENSHOTS === 'write'
const IMAGES = join(root, 'docs/images')
const MOST_BYTES = 150_000
const SIZE = { width: 1160, height: 640 }

/** Each picture, and the guide that shows it. */
const PICTURES = {
  'tutorial-overview.png': 'docs/tutorial.md',
  'tutorial-parked.png': 'docs/tutorial.md',
  'tutorial-event.png': 'docs/tutorial.md',
  'tutorial-mended.png': 'docs/tutorial.md',
  'memcached-run.png': 'README.md',
} as const

const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const GREETING = kindRef('example.com/v1', 'Greeting')
const FLAGS = ['--port', '0', '--console-port', '0']

let folder: TiphysFolder
let browser: Browser
let page: Page
let client: Client

async function take(name: keyof typeof PICTURES): Promise<void> {
  if (!isTaking) return
  await page.evaluate('document.fonts.ready')
  await mkdir(IMAGES, { recursive: true })
  await page.screenshot({ path: join(IMAGES, name), animations: 'disabled', caret: 'hide' })
}

/** Starts `tiphys up` and opens its console. */
async function open(...manifests: string[]): Promise<string> {
  folder = await TiphysFolder.make()
  if (manifests.length === 0) await folder.tiphys('init', 'my-operator')
  const running = await folder.start('up', ...(manifests.length === 0 ? ['my-operator'] : manifests), ...FLAGS)
  client = await folder.client()
  const [, url = ''] = /console +(\S+)/.exec(running.out) ?? []
  page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
  await page.goto(url)
  await page.waitForSelector('.rail-link[aria-current]')
  return new URL(url).origin
}

const configMap = (name: string) =>
  eventually(`the ConfigMap ${name}`, () =>
    client.get({ ...CONFIG_MAP, namespace: 'default', name }).catch(() => undefined),
  )

async function setVerbs(verbs: string): Promise<void> {
  const text = await folder.read('my-operator/2-rbac.yaml')
  await folder.write({
    'my-operator/2-rbac.yaml': text.replace(/(resources: \[configmaps\], verbs: )\[[^\]]*\]/, `$1[${verbs}]`),
  })
  const role = { ...kindRef('rbac.authorization.k8s.io/v1', 'Role'), namespace: 'default', name: 'greeting-operator' }
  await eventually(`the role with ${verbs}`, async () => {
    const { rules } = (await client.get(role)) as { rules?: { resources: string[]; verbs: string[] }[] }
    const own = rules?.find(({ resources }) => resources.includes('configmaps'))
    return own?.verbs.join(', ') === verbs ? true : undefined
  })
}

const obstacle = hasChromium ? '' : ' (skipped: chromium is not installed)'
describe.skipIf(obstacle)(`what the guides show of the console${obstacle}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('the failure of the tutorial is found in two clicks, and is over when it is mended', async () => {
    try {
      await open()
      await configMap('world')
      await setVerbs('get, create')
      await client.create({ ...GREETING, metadata: { name: 'ada', namespace: 'default' }, spec: { name: 'Ada' } })
      const needsAttention = page.getByRole('link', { name: /1 delivery of greeting\/config-map waits? for a person/ })
      await needsAttention.waitFor()
      await take('tutorial-overview.png')
      await needsAttention.click()
      const parked = page.locator('main a[href^="/events/"]').first()
      await parked.waitFor()
      await take('tutorial-parked.png')
      await parked.click()
      await page
        .getByText(/cannot patch resource "configmaps"/)
        .first()
        .waitFor()
      await page
        .getByText(/Give the Sensor's ServiceAccount a role with the verb patch/)
        .first()
        .waitFor()
      await take('tutorial-event.png')

      await setVerbs('get, create, patch')
      expect(await folder.tiphys('retry', 'sensor/greeting')).toMatchObject({ code: 0 })
      await configMap('ada')
      await page
        .getByRole('link', { name: /ConfigMap ada/ })
        .first()
        .waitFor()
      await take('tutorial-mended.png')
    } finally {
      await page?.close()
      await folder.remove()
    }
  })

  const noPython = existsSync('/usr/bin/python3') ? '' : ' (skipped: there is no /usr/bin/python3)'
  it.skipIf(noPython)(`the run of the memcached operator is there with its steps${noPython}`, async () => {
    try {
      const origin = await open(join(root, 'examples/memcached'))
      await page.goto(`${origin}/runs`)
      await page.locator('main a[href*="/runs/default/memcached-"]').first().click()
      await page.waitForURL('**/runs/default/memcached-*')
      // What has ended cannot be terminated.
      await page.getByRole('button', { name: 'Terminate' }).waitFor({ state: 'detached', timeout: 60_000 })
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.getByText('write-service').first().waitFor()
      await take('memcached-run.png')
    } finally {
      await page?.close()
      await folder.remove()
    }
  })
})

describe('the pictures', () => {
  it.each(Object.entries(PICTURES))('%s is shown in %s and is small', async (name, guide) => {
    const { size } = await stat(join(IMAGES, name))
    expect(size).toBeLessThan(MOST_BYTES)
    const shown = guide.startsWith('docs/') ? `images/${name}` : `docs/images/${name}`
    expect(await readFile(join(root, guide), 'utf8')).toContain(`](${shown})`)
  })
})
