/// <reference lib="dom" />
import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  ARTIFACT_RUN,
  type Browser,
  buildAssets,
  complaintsOf,
  HOSTILE,
  hasChromium,
  OTHER_ARTIFACT_RUN,
  openBrowser,
  seriousFindings,
} from '@tiphys/console/testing'
import type { KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleScene, TOKEN } from './scene.ts'

let assets: string

beforeAll(async () => {
  assets = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
  await buildAssets(assets)
}, 60_000)
afterAll(() => rm(assets, { recursive: true, force: true }))

const OF_MAKE = `/runs/${ARTIFACT_RUN.namespace}/${ARTIFACT_RUN.name}/artifacts/make`
const OF_OTHER = `/runs/${OTHER_ARTIFACT_RUN.namespace}/${OTHER_ARTIFACT_RUN.name}/artifacts/make`
const fileOf = (artifact: string, of = 'outputs', steps = OF_MAKE) =>
  `${steps}/file?${new URLSearchParams({ of, artifact }).toString()}`

describe('artifacts through the API', () => {
  let scene: ConsoleScene
  /** May get and list workflows of the shop; list them alone; nothing. */
  let tokens: { reader: string; lister: string; nobody: string }

  const RBAC = 'rbac.authorization.k8s.io/v1'
  async function tokenOf(name: string, verbs: readonly string[]): Promise<string> {
    const metadata = { namespace: 'shop', name }
    await scene.client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata })
    if (verbs.length > 0) {
      const rules = [{ apiGroups: ['argoproj.io'], resources: ['workflows'], verbs }]
      await scene.client.create({ apiVersion: RBAC, kind: 'Role', metadata, rules })
      await scene.client.create({
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata,
        subjects: [{ kind: 'ServiceAccount', ...metadata }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      })
    }
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', ...metadata }
    const asked = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [] },
    }
    const { status } = await scene.client.subresource<KubeObject>('create', account, 'token', asked)
    return (status as { token: string }).token
  }

  beforeAll(async () => {
    scene = await ConsoleScene.start({ assets, authentication: 'cluster' })
    await scene.tellArtifacts()
    await writeFile(join(scene.artifactFolder, 'outside'), 'a canary outside')
    await symlink(join(scene.artifactFolder, 'outside'), join(scene.artifactFolder, 'content/shop/linked'))
    tokens = {
      reader: await tokenOf('reader', ['get', 'list']),
      lister: await tokenOf('lister', ['list']),
      nobody: await tokenOf('nobody', []),
    }
  }, 60_000)
  afterAll(() => scene?.close())

  const ask = (path: string, token = tokens.reader) => scene.api(path, { token })

  it('come as files that no browser opens', async () => {
    const { status, text, headers } = await ask(fileOf('report'))
    expect([status, text]).toEqual([200, 'the report'])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="report.tgz"',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-length': '10',
      'cache-control': 'no-store',
    })
  })

  it('come under a name that is only a name, whatever they are called', async () => {
    const hostile = await ask(fileOf(HOSTILE))
    expect([hostile.status, hostile.text]).toEqual([200, 'harmless'])
    expect(hostile.headers.get('content-disposition')).toBe('attachment; filename="_img_.tgz"')
    expect((await ask(fileOf('..'))).headers.get('content-disposition')).toBe('attachment; filename="report.tgz"')
  })

  it('come as an archive where a folder is kept', async () => {
    const { headers, text } = await ask(fileOf('pages'))
    expect(headers.get('content-disposition')).toBe('attachment; filename="pages.tar"')
    for (const part of ['pages/index.html', '<script>', 'pages/more/style.css', 'p {}']) expect(text).toContain(part)
  })

  it('need `get workflows` in the namespace of the run, by name and by uid', async () => {
    const uid = `uid=${OTHER_ARTIFACT_RUN.uid}`
    const secret = fileOf('secret', 'outputs', OF_OTHER)
    const statuses = async (token: string) =>
      Promise.all(
        [fileOf('report'), OF_MAKE, secret, `${secret}&${uid}`, `${fileOf('secret')}&${uid}`, OF_OTHER].map(
          async path => (await ask(path, token)).status,
        ),
      )
    expect(await statuses(tokens.reader)).toEqual([200, 200, 404, 404, 404, 404])
    expect(await statuses(tokens.lister)).toEqual([403, 403, 404, 404, 404, 404])
    expect(await statuses(tokens.nobody)).toEqual([404, 404, 404, 404, 404, 404])
    expect(await statuses('garbage')).toEqual([401, 401, 401, 401, 401, 401])
    expect((await ask(fileOf('report'), tokens.lister)).json()).toMatchObject({
      code: 'console-forbidden',
      what: 'you may not get workflows.argoproj.io in shop',
    })
  })

  it.each(['outside', 'absolute', 'linked'])('never lead out of the store: %s', async name => {
    const { status, text } = await ask(fileOf(name))
    expect([status, JSON.parse(text)]).toMatchObject([422, { code: 'artifact-refused' }])
    expect(text).not.toMatch(/canary|root:/)
  })

  it('say why they cannot be had', async () => {
    const why = async (name: string, of = 'outputs') => {
      const { status, text } = await ask(fileOf(name, of))
      const { code, what, why: reason } = JSON.parse(text) as Record<string, string>
      return [status, code, `${what}: ${reason}`]
    }
    expect(await why('gone')).toEqual([
      404,
      'artifact-missing',
      expect.stringMatching(/^the artifact gone is gone: the store has nothing under shop.*another instance/),
    ])
    expect(await why('model')).toEqual([422, 'artifact-refused', expect.stringContaining('http://minio:9000/models')])
    expect(await why('typed', 'inputs')).toEqual([422, 'artifact-refused', expect.stringContaining('the manifest')])
    expect(await why('nowhere', 'inputs')).toEqual([
      422,
      'artifact-refused',
      expect.stringContaining('nothing is recorded'),
    ])
    expect(await why('report', 'inputs')).toMatchObject([
      404,
      'console-not-found',
      expect.stringContaining('no artifact report among the inputs'),
    ])
    expect(await why('report', 'sideways')).toMatchObject([
      400,
      'console-bad-request',
      expect.stringContaining('must be one of'),
    ])
    expect((await ask(OF_MAKE.replace('make', 'unknown'))).status).toBe(404)
  })

  it('say beforehand how large they are, or why they cannot be had', async () => {
    const states = (await ask(OF_MAKE)).json() as { of: string; name: string; bytes?: number; trouble?: string }[]
    const stateOf = (name: string) => states.find(each => each.name === name)
    expect(states).toHaveLength(12)
    expect(stateOf('report')).toEqual({ of: 'outputs', name: 'report', bytes: 10 })
    expect(stateOf('pages')).toEqual({ of: 'outputs', name: 'pages' })
    expect(stateOf('gone')?.trouble).toContain('is gone')
    expect(stateOf('linked')?.trouble).toContain('a link leads to it')
  })

  it('leave no file open, read to the end, broken off, or only asked about', async () => {
    await scene.artifacts.put('shop/artifacts/make/report.tgz', Readable.from([Buffer.alloc(8 * 2 ** 20)]))
    await Promise.all([ask(OF_MAKE), ask(OF_MAKE), ask(fileOf('report'))])
    await new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens.reader}` }
      const sent = request(`${scene.origin}/api/v1${fileOf('report')}`, { headers }, response => {
        response.once('data', () => response.destroy()).once('close', resolve)
      })
      sent.once('error', reject).end()
    })
    await expect.poll(() => openFiles(scene.artifactFolder)).toEqual([])
    await scene.artifacts.put('shop/artifacts/make/report.tgz', Readable.from([Buffer.from('the report')]))
  })

  it('cannot be read where no engine runs beside the console', async () => {
    const alone = await ConsoleScene.start({ assets, withStory: false, more: { openArtifact: undefined } as object })
    await alone.tellArtifacts()
    const { status, text } = await alone.api(fileOf('report'), { token: TOKEN })
    expect([status, JSON.parse(text)]).toMatchObject([501, { why: expect.stringContaining('no workflow engine runs') }])
    await alone.close()
  })

  it('are described as files', async () => {
    const document = (await ask('/openapi.json')).json() as {
      paths: Record<string, { get: { parameters: { name: string }[]; responses: { 200: { content: object } } } }>
    }
    const { parameters, responses } = document.paths['/api/v1/runs/{namespace}/{name}/artifacts/{step}/file']?.get ?? {}
    expect(Object.keys(responses?.[200].content ?? {})).toEqual(['application/octet-stream'])
    expect(parameters?.map(({ name }) => name)).toEqual(['namespace', 'name', 'step', 'of', 'artifact', 'uid'])
  })
})

/** What this process has open below a folder. */
async function openFiles(folder: string): Promise<readonly string[]> {
  const own = '/proc/self/fd'
  const targets = await Promise.all((await readdir(own)).map(fd => readlink(join(own, fd)).catch(() => '')))
  return targets.filter(target => target.startsWith(folder))
}

describe.skipIf(!hasChromium)(
  `artifacts in Chromium${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  () => {
    let scene: ConsoleScene
    let browser: Browser

    beforeAll(async () => {
      scene = await ConsoleScene.start({ assets, withStory: false })
      await scene.tellArtifacts()
      browser = await openBrowser()
    }, 60_000)
    afterAll(async () => {
      await browser?.close()
      await scene?.close()
    })

    it('5: an artifact called like markup is text; what is there is downloaded, what is not says why', async () => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
      context.setDefaultTimeout(20_000)
      const page = await context.newPage()
      const complaints = complaintsOf(page, scene.origin)
      await page.goto(scene.console.url)
      await page.waitForSelector('.rail-link[aria-current]')
      await page.goto(`${scene.origin}/runs/shop/artifacts?step=make`)
      const panel = page.getByRole('complementary', { name: 'Step make' })
      const item = (name: string) => panel.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
      await item('report').getByText('10 bytes').waitFor()
      expect(await item(HOSTILE).innerText()).toContain(`/out/${HOSTILE}`)
      expect(await item('page').innerText()).toContain('javascript:window.hacked=1')
      expect(await item('typed').innerText()).toContain('12 bytes')
      expect(await item('gone').innerText()).toContain('is gone')
      expect(await item('gone').getByRole('link').count()).toBe(0)
      expect(await item('model').innerText()).toContain('http://minio:9000/models')
      for (const name of ['model', 'typed', 'page', 'nowhere', 'outside'])
        expect([name, await item(name).getByRole('link').count()]).toEqual([name, 0])

      const saved = page.waitForEvent('download')
      await item(HOSTILE).getByRole('link').click()
      const download = await saved
      expect(download.suggestedFilename()).toBe('_img_.tgz')
      expect(await readFile(await download.path(), 'utf8')).toBe('harmless')

      expect((await seriousFindings(page)).map(finding => JSON.stringify(finding))).toEqual([])
      await page.getByRole('tab', { name: 'Values' }).click()
      const values = page.locator('.run-values')
      expect(await values.innerText()).toMatch(/size\s+3/)
      expect(await values.getByRole('link', { name: 'Download final-report' }).getAttribute('href')).toContain(
        'artifact=report',
      )
      await values.getByText(HOSTILE, { exact: true }).waitFor()
      expect((await seriousFindings(page)).map(finding => JSON.stringify(finding))).toEqual([])
      await page.setViewportSize({ width: 320, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)

      expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
      expect(await page.locator('img[src=x]').count()).toBe(0)
      expect(complaints).toEqual([])
      await context.close()
    })
  },
)
