import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type ConsoleOptions, startConsole } from '@tiphys/console'
import { createLog, type LogLine } from '@tiphys/env'
import { openWebSocket } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { RBAC, TOKEN } from './scene.ts'
import type { ConsoleStage } from './stage.ts'

/** Where a console listens, and whom it believes. */
export function startCases(stage: ConsoleStage): void {
  describe('starting', () => {
    const options = (more: Partial<ConsoleOptions>): ConsoleOptions => ({
      env: stage.scene.env,
      archive: stage.scene.archive,
      recorder: stage.scene.recorder,
      assets: stage.assets,
      clientFor: () => stage.scene.client,
      authentication: { mode: 'local', token: TOKEN, caller: { user: 'local', groups: [] } },
      ...more,
    })

    it('refuses any address but loopback without the cluster’s authentication', async () => {
      for (const host of ['0.0.0.0', '::', '192.168.0.1'])
        await expect(startConsole(options({ host, port: 0 }))).rejects.toMatchObject({
          code: 'console-needs-authentication',
        })
    })

    it('takes the next port when one is taken, and is not reachable elsewhere', async () => {
      const taken = createServer()
      await once(taken.listen(0, '127.0.0.1'), 'listening')
      const { port } = taken.address() as { port: number }
      const console = await startConsole(options({ port }))
      expect(console.port).toBeGreaterThan(port)
      expect(console.url).toBe(`http://127.0.0.1:${console.port}/#token=${TOKEN}`)
      const outside = Object.values(networkInterfaces())
        .flat()
        .find(each => each?.family === 'IPv4' && !each.internal)
      if (outside) await expect(fetch(`http://${outside.address}:${console.port}/`)).rejects.toThrow()
      await console.close()
      taken.close()
    })

    it('takes the word of a proxy at an address that is trusted, of nobody else, and never beside the local token', async () => {
      const trustedProxy = { from: ['127.0.0.1'], groupsHeader: 'x-forwarded-groups' }
      await expect(startConsole(options({ trustedProxy, port: 0 }))).rejects.toMatchObject({
        code: 'console-proxy-invalid',
      })
      const cluster = { authentication: { mode: 'cluster', reviewer: stage.scene.client }, port: 0 } as const
      const clientFor: ConsoleOptions['clientFor'] = ({ user, groups }) =>
        stage.scene.server.client().as({ user, groups })
      await stage.scene.client.create({
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { namespace: 'shop', name: 'proxied' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'shop-readers' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      })
      const behind = await startConsole(options({ ...cluster, clientFor, trustedProxy }))
      const elsewhere = await startConsole(options({ ...cluster, clientFor, trustedProxy: { from: ['10.0.0.7'] } }))
      const ask = async (of: { port: number }, path: string, headers: Record<string, string>) => {
        const response = await fetch(`http://127.0.0.1:${of.port}/api/v1${path}`, { headers })
        return { status: response.status, text: await response.text() }
      }
      const jane = { 'x-forwarded-user': 'jane', 'x-forwarded-groups': 'shop-readers,system:masters' }
      try {
        const session = await ask(behind, '/session', jane)
        expect(JSON.parse(session.text)).toMatchObject({ user: 'jane', groups: ['shop-readers'] })
        const events = await ask(behind, '/events', jane)
        expect(events.text).toContain('"shop"')
        expect(events.text).not.toContain('"namespace":"default"')
        expect((await ask(behind, '/session', {})).status).toBe(401)
        expect((await ask(behind, '/session', { 'x-forwarded-user': 'system:admin' })).status).toBe(401)
        expect((await ask(behind, '/session', { ...jane, origin: 'http://evil.test' })).status).toBe(403)
        expect((await ask(elsewhere, '/session', jane)).status).toBe(401)
        expect(
          (await ask(elsewhere, '/session', { ...jane, authorization: `Bearer ${stage.tokens.reader}` })).status,
        ).toBe(200)
        const opened = await openWebSocket({
          url: `http://127.0.0.1:${behind.port}/api/v1/live`,
          subprotocols: ['tiphys.live.v1'],
          headers: { origin: `http://127.0.0.1:${behind.port}`, ...jane },
        })
        if ('refusal' in opened) throw new Error(`refused with ${opened.refusal.statusCode}`)
        opened.socket.on('error', () => {}) // it is ended without a goodbye
        opened.socket.destroy()
      } finally {
        await behind.close()
        await elsewhere.close()
      }
    })

    it('does not log as its own failure that somebody hangs up in the middle of a body', async () => {
      const logged: LogLine[] = []
      const log = createLog({ now: () => 0, write: line => logged.push(line) })
      const console = await startConsole(options({ env: { ...stage.scene.env, log }, port: 0 }))
      const { port } = console
      const ask = () =>
        fetch(`http://127.0.0.1:${port}/api/v1/session`, { headers: { authorization: `Bearer ${TOKEN}` } })
      const socket = connect(port, '127.0.0.1')
      const head = `POST /api/v1/session HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nx-tiphys: 1\r\n`
      socket.write(`${head}content-length: 100\r\n\r\n{"token":`)
      // What is asked afterwards is answered afterwards: it has begun to read, and then has seen the end.
      expect((await ask()).status).toBe(200)
      socket.resetAndDestroy()
      expect((await ask()).status).toBe(200)
      expect((await ask()).status).toBe(200)
      await console.close()
      expect(logged.map(({ message, fields }) => [message, fields])).toEqual([])
    })

    it('does not wait, when it is closed, for one at the other end of a WebSocket that it has refused', async () => {
      const console = await startConsole(options({ port: 0 }))
      const socket = connect({ host: '127.0.0.1', port: console.port, allowHalfOpen: true })
      const upgrade = [
        'connection: upgrade',
        'upgrade: websocket',
        'sec-websocket-version: 13',
        'sec-websocket-key: eA==',
      ]
      socket.write(`GET /api/v1/live HTTP/1.1\r\nhost: 127.0.0.1\r\n${upgrade.join('\r\n')}\r\n\r\n`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
      await console.close()
      socket.destroy()
    })

    it('says what to do when its pages were not built', async () => {
      await expect(startConsole(options({ assets: '/nowhere' }))).rejects.toMatchObject({
        code: 'console-assets-missing',
        todo: 'Build them with npm run build',
      })
    })
  })
}
