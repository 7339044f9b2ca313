import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Archive } from '@tiphys/archive'
import { startConsole } from '@tiphys/console'
import { idOf } from '@tiphys/console/testing'
import { type Client, openWebSocket } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import type { ConsoleStage } from './stage.ts'

/** What is new, and who waits for whom. */
export function liveCases(stage: ConsoleStage): void {
  describe('live', () => {
    const happening = (namespace: string, name: string) =>
      stage.scene.recorder.record({
        kind: 'event',
        trace: idOf(`${namespace}/${name}`),
        source: { namespace, name: 'memcached', part: 'changes' },
        type: 'resource',
        object: { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', namespace, name },
        body: { type: 'ADD' },
      })

    it('a reader follows what is new from a cursor on, of what they may see alone', async () => {
      const opened = await openWebSocket({
        url: `${stage.scene.origin}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { authorization: `Bearer ${stage.tokens.reader}` },
      })
      if (!('socket' in opened)) throw new Error(`refused with ${opened.refusal.statusCode}`)
      opened.socket.write(JSON.stringify({ subscribe: { id: 1, topic: 'events', q: 'name:live*' } }))
      const rows: { object: { namespace: string; name: string } }[] = []
      for await (const message of opened.socket) {
        const { id, rows: some = [] } = JSON.parse(String(message)) as { id?: number; rows?: typeof rows }
        if (id === 1 && some.length === 0) {
          // It follows now: one that is not theirs, then one that is.
          happening('default', 'live-1')
          happening('shop', 'live-2')
        }
        rows.push(...some)
        if (rows.length > 0) break
      }
      expect(rows.map(({ object }) => object.name)).toEqual(['live-2'])
    })

    it.each([
      ['{', 'the message is no JSON'],
      ['{"subscribe":{"id":1,"topic":"secrets"}}', 'the message.subscribe.topic must be one of events, runs, changes'],
      ['{"subscribe":{"id":"x","topic":"events"}}', 'the message.subscribe.id must be a number'],
      ['{"subscribe":{"id":1,"topic":"events","limit":1}}', 'the message.subscribe.limit is not known'],
      ['"x"', 'the message must be an object'],
      [' '.repeat(70_000), 'the message is too long'],
    ])('what is no request ends the connection, which says why: %.60s', async (message, what) => {
      const opened = await openWebSocket({
        url: `${stage.scene.origin}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { authorization: `Bearer ${stage.tokens.reader}` },
      })
      if (!('socket' in opened)) throw new Error('refused')
      opened.socket.write(message)
      const heard: unknown[] = []
      for await (const each of opened.socket) heard.push(JSON.parse(String(each)))
      expect(heard).toEqual([{ id: 0, error: { code: 'console-bad-request', what } }])
    })

    it('more than can be followed over one connection is refused by itself, until something else has ended', async () => {
      const opened = await openWebSocket({
        url: `${stage.scene.origin}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { authorization: `Bearer ${stage.tokens.reader}` },
      })
      if (!('socket' in opened)) throw new Error('refused')
      const subscribe = (id: number, q = '') =>
        opened.socket.write(JSON.stringify({ subscribe: { id, topic: 'events', q } }))
      const heard: unknown[] = []
      const warned: string[] = []
      const warn = ({ message }: Error) => warned.push(message)
      process.on('warning', warn)
      subscribe(1, 'nofield:1')
      for await (const message of opened.socket) {
        const { id, error } = JSON.parse(String(message)) as { id: number; error?: { code: string } }
        heard.push(error ? `${id} ${error.code}` : id)
        // The first has ended by itself and takes no place; the last is one too many.
        if (id === 1 && error) for (let next = 2; next <= 34; next++) subscribe(next)
        if (id === 34) {
          opened.socket.write(JSON.stringify({ unsubscribe: 2 }))
          subscribe(35)
        }
        if (id === 35) break
      }
      const many = Array.from({ length: 32 }, (_, i) => i + 2)
      expect(heard).toEqual([1, '1 query-invalid', ...many, '34 console-bad-request', 35])
      process.off('warning', warn)
      expect(warned).toEqual([])
    })

    it('more than one user can follow over all connections is refused, and to nobody else', async () => {
      const connect = (token: string) =>
        openWebSocket({
          url: `${stage.scene.origin}/api/v1/live`,
          subprotocols: ['tiphys.live.v1'],
          headers: { authorization: `Bearer ${token}` },
        })
      const sockets: Duplex[] = []
      const open = async (token: string) => {
        const opened = await connect(token)
        if (!('socket' in opened)) throw new Error(`refused with ${opened.refusal.statusCode}`)
        opened.socket.on('error', () => {}) // ended without a goodbye
        sockets.push(opened.socket)
        return opened.socket
      }
      /** Follows so much over a connection, and says how much of it is not refused. */
      const follow = async (socket: Duplex, count: number) => {
        for (let id = 1; id <= count; id++) socket.write(JSON.stringify({ subscribe: { id, topic: 'runs' } }))
        const answered = new Map<number, string>()
        for await (const message of socket.iterator({ destroyOnReturn: false })) {
          const { id = 0, error } = JSON.parse(String(message)) as { id?: number; error?: { code: string } }
          if (id > 0) answered.set(id, error?.code ?? 'followed')
          if (answered.size === count) break
        }
        return [...answered.values()]
      }
      const { other, reader } = stage.tokens
      // Each connection is one of 256, too.
      for (let i = 0; i < 7; i++) expect(new Set(await follow(await open(other), 32))).toEqual(new Set(['followed']))
      const answers = await follow(await open(other), 32)
      expect(answers.filter(answer => answer === 'followed')).toHaveLength(24)
      expect(new Set(answers)).toEqual(new Set(['followed', 'console-busy']))
      const refused = await connect(other)
      expect('refusal' in refused && refused.refusal.statusCode).toBe(429)
      expect((await stage.scene.api('/poll?topic=events', { token: other })).status).toBe(429)
      expect(await follow(await open(reader), 1)).toEqual(['followed'])
      for (const socket of sockets) socket.destroy()
      // There is room again.
      const isLetIn = async () => {
        const again = await connect(other)
        if ('socket' in again) again.socket.on('error', () => {}).destroy()
        return 'socket' in again
      }
      await expect.poll(isLetIn).toBe(true)
    })

    it('what is followed while the cluster cannot be asked what somebody may see begins when it can, with a gap', async () => {
      let isAway = true
      const { env, archive, recorder, client, server } = stage.scene
      const console = await startConsole({
        env,
        archive,
        recorder,
        assets: stage.assets,
        port: 0,
        authentication: { mode: 'cluster', reviewer: client },
        clientFor: ({ user, groups }) =>
          isAway
            ? ({ create: () => Promise.reject(new Error('the cluster is away')) } as unknown as Client)
            : server.client().as({ user, groups }),
      })
      try {
        const opened = await openWebSocket({
          url: `http://127.0.0.1:${console.port}/api/v1/live`,
          subprotocols: ['tiphys.live.v1'],
          headers: { authorization: `Bearer ${stage.tokens.reader}` },
        })
        if (!('socket' in opened)) throw new Error('refused')
        opened.socket.write(JSON.stringify({ subscribe: { id: 1, topic: 'events', q: 'name:late*' } }))
        const heard: (string | undefined)[] = []
        for await (const message of opened.socket) {
          const { rows, gap } = JSON.parse(String(message)) as { rows?: unknown[]; gap?: true }
          if (rows) heard.push(rows.length === 0 ? 'start' : 'rows')
          if (gap) heard.push('gap')
          isAway = false
          // Once more with every beat: it follows soon after it has said so.
          if (heard.includes('gap')) happening('shop', `late-${heard.push(undefined)}`)
          if (heard.includes('rows')) break
        }
        expect(heard.filter(each => each !== undefined)).toEqual(['start', 'gap', 'rows'])
      } finally {
        await console.close()
      }
    })

    it('without a WebSocket a long request waits for what is new, and tells where to go on', async () => {
      const { items } = (await stage.scene.api('/events?limit=1', { token: stage.tokens.admin })).json() as {
        items: { cursor: string }[]
      }
      const waiting = stage.scene.api(`/poll?topic=events&q=name:polled*&cursor=${items[0]?.cursor}`, {
        token: stage.tokens.admin,
      })
      happening('default', 'polled-1')
      const answer = (await waiting).json() as { rows: { object: { name: string } }[]; cursor: string }
      expect(answer.rows.map(({ object }) => object.name)).toEqual(['polled-1'])
      expect(answer.cursor).not.toBe('')
    })
  })

  describe('a noisy neighbour', () => {
    it('does not keep others waiting behind all that it has asked for', async () => {
      // The archive answers a question when it is told to; who asked is told by how many rows they want.
      const asked: number[] = []
      const received: string[] = []
      const answers: (() => void)[] = []
      const slow = new Proxy(stage.scene.archive, {
        get: (archive, name: keyof Archive) =>
          name !== 'events'
            ? archive[name]
            : async (...[selection, page]: Parameters<Archive['events']>) => {
                asked.push(page?.limit ?? 0)
                await new Promise<void>(resolve => answers.push(resolve))
                return archive.events(selection, page)
              },
      })
      const console = await startConsole({
        env: stage.scene.env,
        archive: slow,
        recorder: stage.scene.recorder,
        assets: stage.assets,
        port: 0,
        authentication: { mode: 'cluster', reviewer: stage.scene.client },
        clientFor({ user, groups }) {
          received.push(user)
          return stage.scene.server.client().as({ user, groups })
        },
      })
      const ask = async (path: string, token: string) => {
        const headers = { authorization: `Bearer ${token}` }
        const response = await fetch(`http://127.0.0.1:${console.port}/api/v1${path}`, { headers })
        await response.arrayBuffer()
        return response.status
      }
      try {
        // Who they are and what they may see is known then.
        await Promise.all([ask('/objects', stage.tokens.admin), ask('/objects', stage.tokens.reader)])
        received.length = 0
        const flood = Array.from({ length: 40 }, () => ask('/events?limit=100', stage.tokens.admin))
        await expect.poll(() => received.length).toBeGreaterThanOrEqual(40)
        const quiet = ask('/events?limit=1', stage.tokens.reader)
        await expect.poll(() => received.some(user => user.endsWith(':reader'))).toBe(true)
        // What is left of the way to the archive waits for nothing outside this process.
        for (let turn = 0; turn < 100; turn++) await setImmediate()
        const answerAll = async () => {
          while (asked.length < 41 || answers.length > 0) {
            answers.shift()?.()
            await setImmediate()
          }
        }
        const [status] = await Promise.all([quiet, answerAll(), ...flood])
        expect(status).toBe(200)
        // Behind all of them it would have been the 41st.
        expect(asked.indexOf(1)).toBeLessThan(20)
      } finally {
        await console.close()
      }
    })
  })
}
