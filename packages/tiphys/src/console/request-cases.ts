import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { STORY } from '@tiphys/console/testing'
import { describe, expect, it } from 'vitest'
import type { ConsoleScene } from './scene.ts'
import type { ConsoleStage } from './stage.ts'

/** What nobody should send. */
export function requestCases(stage: ConsoleStage): void {
  describe('bad requests', () => {
    it.each([
      ['/events?limit=0', 400],
      ['/events?limit=x', 400],
      ['/events?limit=0x10', 400],
      ['/events?limit=1&limit=2', 400],
      ['/events?skip=1e300', 400],
      ['/events?skip=9007199254740993', 400],
      ['/events?after=garbage', 400],
      ['/events?after=99999999999999999999', 400],
      [`/events?q=${'x'.repeat(4001)}`, 400],
      [`/run-groups?by=phase&q=${'x'.repeat(4001)}`, 400],
      ['/events?q=nofield%3A1', 400],
      ['/events?q=%22open', 400],
      ['/events/%ff', 400],
      [`/events/${'f'.repeat(32)}/relatives`, 404],
      ['/nothing', 404],
      ['/objects/nokind/-/x', 400],
      ['/run-groups?by=colour', 400],
      ['/runs/shop/none', 404],
      ['/runs/shop/reconcile-cache-7/logs/apply-1/main?tail=banana', 400],
      ['/writes/none', 404],
      ['/search?text=x&limit=1.5', 400],
      ['/poll?topic=secrets', 400],
      ['/poll?topic=events&cursor=garbage', 400],
      ['/templates/WorkflowTemplate/shop/a%2Fb', 400],
      ['/templates/WorkflowTemplate/-/x', 400],
      ['/replays/Operator/shop/x', 404],
    ])('%s is answered with %i and a code', async (path, status) => {
      const answer = await stage.scene.api(path, { token: stage.tokens.admin })
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/^\{"code":"[a-z-]+","what":"/)])
    })

    it.each([
      ['/actions/run', { action: 'resume', runs: [STORY.failedRun] }, 422],
      ['/actions/run', { action: 'resubmit', runs: [{ namespace: 'shop', name: 'none' }] }, 404],
      ['/actions/cancel', { kind: 'Replay', namespace: 'shop', name: '' }, 400],
      ['/actions/retry', { namespace: 'a/b', sensor: 'x' }, 400],
      ['/actions/retry', { namespace: 'none', sensor: 'x' }, 404],
      ['/actions/replay', { mode: 'all', events: [] }, 400],
      ['/actions/import', { lines: 'x'.repeat(2 ** 21) }, 400],
      ['/actions/discard', { namespace: 'shop', sensor: 'memcached', reason: ' ' }, 400],
      ['/actions/discard', { namespace: 'shop', sensor: 'memcached', reason: 'x', more: 1 }, 400],
      ['/actions/discard', { reason: 'x'.repeat(10 * 2 ** 20) }, 413],
      ['/rehearsals', { namespace: 'shop' }, 400],
      ['/session', {}, 400],
      ['/session', { token: 'x'.repeat(20_000) }, 413],
      ['/session', { token: 'garbage' }, 401],
    ])('%s with %.60j is answered with %i', async (path, body, status) => {
      const answer = await stage.scene.api(path, { method: 'POST', token: stage.tokens.admin, body })
      expect([answer.status, answer.text.slice(0, 200)]).toEqual([status, expect.stringContaining('"what":')])
    })

    it('what is nested deeper than anybody means is refused, and no failure of the console', async () => {
      const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
      const fired = (depth: number) =>
        `{"namespace":"shop","source":"memcached","entry":"changes","payload":${deep(depth)}}`
      const call = { method: 'POST', token: stage.tokens.admin } as const
      const statuses = [
        await stage.scene.api('/actions/fire', { ...call, body: fired(20_000) }),
        await stage.scene.api('/events/shop/deep', { ...call, body: deep(1001) }),
        await stage.scene.api('/events/shop/deep', { ...call, body: deep(1000) }),
      ].map(({ status }) => status)
      expect(statuses).toEqual([400, 400, 200])
    })

    it('what says of itself that it is too large is refused before it is read', async () => {
      const { port } = stage.scene.console
      const headers = {
        authorization: `Bearer ${stage.tokens.admin}`,
        'content-type': 'application/json',
        'content-length': 2 ** 30,
      }
      const call = request({ host: '127.0.0.1', port, path: '/api/v1/actions/retry', method: 'POST', headers })
      call.flushHeaders()
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      expect([response.statusCode, response.headers.connection]).toEqual([413, 'close'])
      response.resume()
      call.on('error', () => {}).destroy()
    })

    it('every route refuses methods, parameters and bodies that it does not describe', async () => {
      const token = stage.tokens.admin
      const { operations } = await stage.scene.document(token)
      const wrong: string[] = []
      const expectStatus = async (
        what: string,
        status: number,
        path: string,
        call: Parameters<ConsoleScene['api']>[1],
      ) => {
        const answer = await stage.scene.api(path, { token, ...call })
        if (answer.status !== status) wrong.push(`${what} ${path}: ${answer.status} instead of ${status}`)
        return answer
      }
      for (const { method, path: described } of operations) {
        const path = described.replaceAll(/\{\w+\}/g, 'x')
        const methods = operations.filter(each => each.path === described).map(each => each.method)
        for (const unknown of ['PUT', 'OPTIONS'] as const) {
          const { headers } = await expectStatus(unknown, 405, path, { method: unknown })
          const allowed = headers.get('allow')?.split(', ') ?? []
          if (!methods.every(each => allowed.includes(each))) wrong.push(`${path}: allows ${allowed.join()}`)
        }
        if (method === 'GET') {
          if (described !== '/live' && described !== '/openapi.json')
            await expectStatus('GET', 400, `${path}?nonsense=1`, {})
        } else if (method === 'POST') {
          const isOpen = described.startsWith('/events/')
          for (const body of ['{', ...(isOpen ? [] : ['null', '[]', '"text"'])])
            await expectStatus(`POST ${body}`, 400, path, { method, body })
          await expectStatus('POST text', 415, path, { method, body: '{}', headers: { 'content-type': 'text/plain' } })
          await expectStatus('POST from elsewhere', 403, path, {
            method,
            body: '{}',
            headers: { origin: 'http://evil.test' },
          })
        }
      }
      expect(wrong).toEqual([])
    })

    it('HEAD says what GET would, without it', async () => {
      const headers = { authorization: `Bearer ${stage.tokens.admin}` }
      for (const [path, status] of [
        ['/events', 200],
        [`/events/${STORY.failed}/payload`, 200],
        ['/nothing', 404],
        ['/actions/retry', 405],
      ]) {
        const response = await fetch(`${stage.scene.origin}/api/v1${path}`, { method: 'HEAD', headers })
        expect([path, response.status, await response.text()]).toEqual([path, status, ''])
        expect(response.headers.get('cache-control')).toBe('no-store')
      }
    })

    it('only the version of the API that there is answers', async () => {
      const headers = { authorization: `Bearer ${stage.tokens.admin}` }
      for (const path of ['/api/v2/events', '/api/xx/session', '/api/']) {
        const response = await fetch(`${stage.scene.origin}${path}`, { headers })
        expect([path, response.status]).toEqual([path, 404])
        await response.text()
      }
    })

    it('without a token it is said how to come with one', async () => {
      const { status, headers } = await stage.scene.api('/events')
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    })

    it('a request that changes something needs our header, or a token', async () => {
      const headers = { 'x-tiphys': '0', authorization: 'Basic dTpw' }
      expect((await stage.scene.api('/actions/retry', { method: 'POST', body: {}, headers })).status).toBe(403)
    })

    it('pages come as they are to whoever wants them so', async () => {
      for (const [encoding, expected] of [
        ['gzip;q=0, br;q=0', undefined],
        ['gzip;q=0.5', 'gzip'],
        ['br, gzip', 'br'],
      ]) {
        const call = request({
          host: '127.0.0.1',
          port: stage.scene.console.port,
          headers: { 'accept-encoding': encoding },
        })
        const [response] = (await once(call.end(), 'response')) as [IncomingMessage]
        response.resume()
        expect([encoding, response.headers['content-encoding']]).toEqual([encoding, expected])
      }
    })

    it.each([
      '/../package.json',
      '/assets/../../package.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/..%2f..%2fetc%2fpasswd',
    ])('a path that leads out of the pages gives nothing of what is there: %s', async path => {
      const { port } = stage.scene.console
      const [response] = (await once(request({ host: '127.0.0.1', port, path }).end(), 'response')) as [IncomingMessage]
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += String(part)
      expect([200, 400, 404]).toContain(response.statusCode)
      expect(text).not.toMatch(/root:|"workspaces"|"dependencies"/)
      if (response.statusCode === 200) expect(text).toContain('<!doctype html>')
    })

    it('a name that was bound to this machine is refused before anything is read', async () => {
      const call = request({
        host: '127.0.0.1',
        port: stage.scene.console.port,
        path: '/api/v1/events',
        headers: { host: `evil.test:${stage.scene.console.port}`, authorization: `Bearer ${stage.tokens.admin}` },
      }).end()
      const [response] = await once(call, 'response')
      expect(response.statusCode).toBe(421)
      response.resume()
    })
  })
}
