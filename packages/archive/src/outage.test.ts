import { seededRandom } from '@tiphys/env'
import { encodeRecord } from '@tiphys/journal/records'
import { describe, expect, it } from 'vitest'
import { noPostgres, PostgresServer } from './testing/postgres.ts'
import { recordStream } from './testing/record-stream.ts'
import { openScene } from './testing/scene.ts'

const STOPS = process.env.TIPHYS_FULL ? 200 : 4
const missing = noPostgres()

describe.skipIf(missing)(`PostgreSQL that is stopped at once${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it(`costs no record and doubles none, ${STOPS} times`, { timeout: 3_600_000 }, async () => {
    const server = await PostgresServer.start()
    const url = await server.createDatabase()
    const scene = await openScene({ database: { url } })
    const random = seededRandom(9)
    const records = [...recordStream({ seed: 6, events: 40 * STOPS })].map(({ record }) => record)
    let sent = 0
    let waited = 0
    try {
      for (let stop = 1; stop <= STOPS; stop++) {
        const upTo = Math.floor((records.length * stop) / STOPS)
        const appending = records.slice(sent, upTo).map(record => scene.journal.append({ data: encodeRecord(record) }))
        sent = upTo
        // Somewhere in the middle of a batch, or between two.
        if (random.next() < 0.5) await Promise.all(appending)
        await server.kill()
        await Promise.all(appending)
        await expect(scene.archive.events()).rejects.toMatchObject({ code: 'archive-away' })
        await server.start()
        await scene.archive.caughtUp()
        const status = await scene.archive.status()
        expect(status).toMatchObject({ position: sent, lag: 0, state: 'following', gaps: [] })
        waited += status.lag
      }
      expect(waited).toBe(0)
      const lines: string[] = []
      for await (const line of scene.archive.export()) lines.push(JSON.stringify(JSON.parse(line).record))
      expect(lines.map(line => JSON.parse(line))).toEqual(records.map(record => JSON.parse(encodeRecord(record))))
      const { damaged, dangling } = await scene.archive.verify()
      expect([damaged, dangling]).toEqual([[], []])
    } finally {
      await scene.close()
      await server.stop()
    }
  })
})

describe.skipIf(missing)(`PostgreSQL that is started last${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('is waited for by an archive that is patient, and is given all that happened before', async () => {
    const server = await PostgresServer.start()
    const url = await server.createDatabase()
    await server.kill()
    const told: (string | undefined)[] = []
    const scene = await openScene({
      database: { url },
      isPatient: true,
      onTrouble: problem => told.push(problem?.message),
    })
    try {
      const records = [...recordStream({ seed: 6, events: 100 })]
      const added = scene.add(records)
      const ended = new AbortController()
      const news = scene.archive.follow([{ topic: 'events' }], '0', ended.signal)[Symbol.asyncIterator]()
      const next = news.next()
      await expect(scene.archive.opened()).rejects.toMatchObject({ code: 'archive-away' })
      await expect(scene.archive.runs()).rejects.toMatchObject({ code: 'archive-away' })
      await server.start()
      await added
      expect(await scene.archive.status()).toMatchObject({ lag: 0, records: records.length, gaps: [] })
      expect(told).toEqual([expect.stringContaining('tried again by itself'), undefined])
      // Who has followed it from before sees what comes.
      expect((await next).value?.items.length).toBeGreaterThan(0)
      ended.abort()
      await news.return?.()
    } finally {
      await scene.close()
      await server.stop()
    }
  })
})
