/// <reference lib="dom" />
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { promisify } from 'node:util'
import { type Browser, hasChromium, type Page } from '@tiphys/console/testing'
import type { Client, KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'
import { openConsole } from './opened.ts'
import { slowness } from './visit.ts'

const GREETING = { apiVersion: 'example.com/v1', kind: 'Greeting' }
const REPLAY = { apiVersion: 'tiphys.dev/v1alpha1', kind: 'Replay', namespace: 'default' }
const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'default' }

/** Its second step fails whenever it is tried. */
const FAILING = `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: { name: failing }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: first, template: good }
        - - { name: second, template: bad }
    - name: good
      container: { image: busybox, command: [sh, -c, "echo fine"] }
    - name: bad
      container: { image: busybox, command: [sh, -c, "echo the reason is here; exit 3"] }
`

let folder: TiphysFolder
let client: Client
let browser: Browser
let page: Page
let origin: string
let complaints: string[]

const many = 250
const hasCurl = existsSync('/usr/bin/curl')
const run = promisify(execFile)

describe.skipIf(!hasChromium)(
  `the console of tiphys up${hasChromium ? '' : ' (skipped: chromium is not installed)'}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      folder = await TiphysFolder.make()
      await folder.tiphys('init', 'op')
      await folder.write({ 'op/9-failing.yaml': FAILING })
      const opened = await openConsole(folder, 'op', '--archive-max-age', '30d')
      ;({ client, browser, page, origin, complaints } = opened)
    }, 120_000)
    afterAll(async () => {
      await browser?.close()
      await folder?.remove()
    })

    it('8: a new resource is there at once, its trace reaches what was written, and that leads back', async () => {
      await page.goto(`${origin}/events?q=kind:Greeting`)
      await page.locator('.live', { hasText: 'Live' }).waitFor()
      await page.locator('.expanse .row', { hasText: 'world' }).first().waitFor()
      const begun = Date.now()
      await client.create({ ...GREETING, metadata: { name: 'fresh', namespace: 'default' }, spec: { name: 'fresh' } })
      const row = page.locator('.expanse .row', { hasText: 'fresh' }).first()
      await row.waitFor()
      expect(Date.now() - begun).toBeLessThan(1000 * slowness)
      await row.locator('.row-link').click()
      const written = page.getByRole('link', { name: /ConfigMap fresh/ }).first()
      await written.waitFor()
      const { pathname } = new URL(page.url())
      await written.click()
      await page.getByRole('heading', { name: 'ConfigMap fresh' }).waitFor()
      await page.locator(`.provenance a[href="${pathname}"]`).waitFor()
      expect(complaints).toEqual([])
    })

    it('11: retrying from the failure lists the steps that run again; succeeded ones are left alone', async () => {
      await page.goto(`${origin}/templates/WorkflowTemplate/default/failing`)
      await page.getByRole('button', { name: 'Submit', exact: true }).click()
      await page.locator('dialog').getByRole('button', { name: 'Submit' }).click()
      await page.waitForURL('**/runs/default/failing-*')
      const name = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await page.locator('.banner', { hasText: 'the reason is here' }).waitFor({ timeout: 60_000 })
      const before = await nodesOf(name)
      await page.getByRole('button', { name: 'Retry', exact: true }).click()
      const dialog = page.locator('dialog')
      await dialog.locator('.sample').waitFor()
      expect(await dialog.locator('.sample').innerText()).toContain('second')
      expect(await dialog.locator('.sample').innerText()).not.toContain('first')
      await dialog.getByRole('button', { name: 'Retry' }).click()
      await page.locator('.facts').getByText('attempt 2').waitFor()
      const after = await eventually('the second attempt', async () => {
        const nodes = await nodesOf(name)
        const isOver = nodes.second?.phase === 'Failed' && nodes.second.finishedAt !== before.second?.finishedAt
        return isOver ? nodes : undefined
      })
      expect(after.first).toEqual(before.first)
      await page.goto(`${origin}/runs?q=run:${name}`)
      await page.locator('.expanse .row', { hasText: '2 · retried' }).waitFor()
    })

    it('what a step has made is downloaded from its run, also when the Workflow is gone', async () => {
      const container = { image: 'busybox', command: ['sh', '-c', 'mkdir /tmp/out; echo made > /tmp/out/it.txt'] }
      const made = { name: 'made', path: '/tmp/out/it.txt', archive: { none: {} }, globalName: 'result' }
      const templates = [{ name: 'main', container, outputs: { artifacts: [made] } }]
      const ref = { ...WORKFLOW, name: 'making' }
      const { apiVersion, kind, namespace, name } = ref
      await client.create({ apiVersion, kind, metadata: { namespace, name }, spec: { entrypoint: 'main', templates } })
      await page.goto(`${origin}/runs/${namespace}/${name}`)
      const link = page.getByRole('link', { name: 'Download made' })
      const downloaded = async () => {
        const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
        return readFile(await download.path(), 'utf8')
      }
      expect(await downloaded()).toBe('made\n')
      await client.delete(ref)
      await page.goto(`${origin}/runs/${namespace}/${name}?view=values`)
      await page.getByRole('link', { name: 'Download result' }).waitFor()
      expect(await downloaded()).toBe('made\n')
    })

    it('says how far its sources and sensors are, and what of the history is kept', async () => {
      await page.goto(`${origin}/health`)
      const pipeline = page.getByRole('table', { name: 'Sources, sensors and buses' })
      await pipeline.getByRole('row', { name: /EventSource.*remembers \d+ objects?/ }).waitFor()
      await pipeline
        .getByRole('row', { name: /Sensor.*handled up to \d/ })
        .first()
        .waitFor()
      await page.getByRole('region', { name: 'Archive' }).getByText('30 d').waitFor()
    })

    it.skipIf(!hasCurl)(`answers as its guide shows${hasCurl ? '' : ' (skipped: curl is not installed)'}`, async () => {
      const guide = await readFile(new URL('../../../../docs/console.md', import.meta.url), 'utf8')
      const calls = [...guide.matchAll(/```sh\n(curl [^]*?)```/g)].map(([, text = '']) => text)
      const { port } = new URL(origin)
      const answers = await Promise.all(
        calls.map(async text => {
          const { stdout } = await run('sh', ['-c', text.replaceAll(':2746', `:${port}`)], { cwd: folder.path })
          return JSON.parse(stdout) as object
        }),
      )
      expect(answers).toMatchObject([
        { openapi: '3.1.0', paths: { '/api/v1/runs': {} } },
        { items: [{ phase: 'Failed' }] },
        { count: expect.any(Number), sample: expect.any(Array) },
      ])
    })

    it(`12: ${many} events are replayed by a query, no more and no fewer, at the rate that was asked for; another is cancelled`, async () => {
      for (let i = 0; i < many; i++)
        await client.create({
          ...GREETING,
          metadata: { name: `bulk-${i}`, namespace: 'default' },
          spec: { name: 'bulk' },
        })
      await eventually('all events in the archive', async () =>
        (await countOf('kind:Greeting name:bulk* type:ADD')) === many ? true : undefined,
      )
      await replay(50)
      const done = await eventually('the replay', async () => {
        const { items } = await client.list<KubeObject>(REPLAY)
        const status = items[0]?.status as
          | { phase?: string; done?: number; startedAt: string; finishedAt: string }
          | undefined
        return status?.phase === 'Succeeded' ? status : undefined
      })
      expect(done.done).toBe(many)
      const tookMs = Date.parse(done.finishedAt) - Date.parse(done.startedAt)
      expect(tookMs).toBeGreaterThan((many / 50) * 1000 * 0.8 - 1000)
      expect(tookMs).toBeLessThan((many / 50) * 1000 * 1.2 * slowness)
      await eventually('the new events', async () =>
        (await countOf('kind:Greeting name:bulk* type:ADD')) === 2 * many ? true : undefined,
      )

      await replay(1)
      await page.getByRole('button', { name: 'Cancel' }).first().click()
      await eventually('the end of the second', async () => {
        const { items } = await client.list<KubeObject>(REPLAY)
        return items.length === 1 ? true : undefined
      })
      expect(await countOf('kind:Greeting name:bulk* type:ADD')).toBeLessThan(2 * many + 100)
    })

    it('with --console-auth cluster people sign in with their own tokens, under the names that are allowed', async () => {
      const shared = await TiphysFolder.make()
      try {
        const refused = await shared.tiphys('up', '--memory', '--port', '0', '--console-host', '0.0.0.0')
        expect(refused.code).not.toBe(0)
        expect(refused.err).toContain('--console-auth cluster')
        const flags = ['--console-port', '0', '--console-auth', 'cluster', '--allowed-host', 'console.test']
        const running = await shared.start('up', '--memory', '--port', '0', ...flags)
        const [, url = ''] = /console +(\S+)/.exec(running.out) ?? []
        expect(url).not.toContain('token')
        const { port } = new URL(url)
        const statusFor = async (host: string, token?: string) => {
          const headers = { host, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
          const [response] = (await once(
            request({ host: '127.0.0.1', port, path: '/api/v1/session', headers }).end(),
            'response',
          )) as [IncomingMessage]
          response.resume()
          return response.statusCode
        }
        const cluster = await shared.client()
        const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' }
        const review = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: {},
          spec: { audiences: [] },
        }
        const { status } = await eventually('the account', () =>
          cluster.subresource<KubeObject>('create', account, 'token', review).catch(() => undefined),
        )
        const { token } = status as { token: string }
        expect(await statusFor(`evil.test:${port}`, token)).toBe(421)
        expect(await statusFor('console.test')).toBe(401)
        expect(await statusFor('console.test', token)).toBe(200)
      } finally {
        await shared.remove()
      }
    })

    async function replay(rate: number): Promise<void> {
      await page.goto(`${origin}/replay?q=${encodeURIComponent('kind:Greeting name:bulk* type:ADD -replayof:*')}`)
      await page.getByRole('button', { name: 'Preview' }).click()
      const dialog = page.locator('dialog')
      await dialog.getByText(`${many} events are sent again`).waitFor()
      await dialog.getByLabel('Events a second, at most').fill(String(rate))
      await dialog.getByLabel(/to confirm/).fill(`replay ${many}`)
      await dialog.getByRole('button', { name: `Replay ${many} events` }).click()
      await dialog.waitFor({ state: 'detached' })
    }

    async function countOf(q: string): Promise<number> {
      return page.evaluate(async query => {
        let [count, after] = [0, '']
        do {
          const response = await fetch(
            `/api/v1/events?limit=1000&q=${encodeURIComponent(query)}${after && `&after=${after}`}`,
          )
          const answer = (await response.json()) as { items: unknown[]; next?: string }
          count += answer.items.length
          after = answer.next ?? ''
        } while (after !== '')
        return count
      }, q)
    }

    async function nodesOf(name: string): Promise<Record<string, { phase: string; finishedAt?: string }>> {
      const { status } = await client.get<KubeObject>({ ...WORKFLOW, name })
      const { nodes = {} } = (status ?? {}) as {
        nodes?: Record<string, { displayName: string; phase: string; finishedAt?: string }>
      }
      return Object.fromEntries(
        Object.values(nodes).map(({ displayName, phase, finishedAt }) => [
          displayName,
          { phase, ...(finishedAt !== undefined && { finishedAt }) },
        ]),
      )
    }
  },
)
