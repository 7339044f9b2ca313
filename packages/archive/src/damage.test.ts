import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, seededRandom, systemEnv } from '@tiphys/env'
import SqliteDatabase from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Archive } from './archive.ts'
import { openArchive } from './open.ts'
import { recordStream } from './testing/record-stream.ts'
import { openScene } from './testing/scene.ts'

const ROUNDS = process.env.TIPHYS_FULL ? 1000 : 60

let folder: string
let file: string
let wal: string
let answers: string
const damagedFile = () => join(folder, 'damaged.db')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-damage-'))
  file = join(folder, 'archive.db')
  const scene = await openScene({ database: { file } })
  await scene.add(recordStream({ seed: 4, events: 60 }))
  // While it is open the newest is in the WAL.
  copyFileSync(file, join(folder, 'open.db'))
  copyFileSync(`${file}-wal`, join(folder, 'open.db-wal'))
  wal = join(folder, 'open.db')
  await scene.close()
  answers = await askEverything(await openArchive({ env: systemEnv, database: { file } }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All that the archive can tell. What a search finds comes from an index of words that is derived from all this and has no
 *  checksum: damage to it may hide a hit or show one too many, but never another record than there is. */
async function askEverything(archive: Archive): Promise<string> {
  try {
    const lines: string[] = []
    for await (const line of archive.export()) lines.push(line)
    const page = { limit: 1000 }
    const lists = await Promise.all([
      archive.events({}, page),
      archive.runs({}, page),
      archive.objects({}, page),
      archive.writes({}, page),
      archive.parked(),
      archive.events({ query: 'status:ran' }, page),
      archive.events({ query: 'ns:shop' }, page),
      archive.runs({ query: 'status:failed' }, page),
    ])
    const runs = await Promise.all(lists[1].items.map(({ run }) => archive.run({ uid: run.uid })))
    const answers = JSON.stringify([lines, lists, runs])
    const { items } = await archive.search('cache', {}, page)
    for (const { trace } of items) expect(answers.includes(trace)).toBe(true)
    return answers
  } finally {
    await archive.close()
  }
}

/** How the damage was noticed; undefined when it was not. */
async function noticed(): Promise<string | undefined> {
  try {
    const archive = await openArchive({ env: systemEnv, database: { file: damagedFile() } })
    try {
      const { damaged, dangling } = await archive.verify()
      if (damaged.length + dangling.length > 0) return `verify: ${JSON.stringify([...damaged, ...dangling][0])}`
    } finally {
      await archive.close()
    }
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    expect((error as Failure).message).toContain('damaged.db')
    return (error as Failure).code
  }
  return undefined
}

/** A copy of the database in which somebody else has changed something. */
function tamper(statement: string): void {
  clean()
  copyFileSync(file, damagedFile())
  const other = new SqliteDatabase(damagedFile())
  other.exec(statement)
  other.close()
}

function clean(): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(damagedFile() + ending, { force: true })
}

describe('damage', () => {
  it(`to any bit of the database is named, or changes no answer, ${ROUNDS} times`, { timeout: 3_600_000 }, async () => {
    const bytes = readFileSync(file)
    const random = seededRandom(21)
    let found = 0
    for (let round = 0; round < ROUNDS; round++) {
      clean()
      const copy = Buffer.from(bytes)
      const at = Math.floor(random.next() * copy.length)
      copy[at] = (copy[at] as number) ^ (1 << Math.floor(random.next() * 8))
      writeFileSync(damagedFile(), copy)
      const how = await noticed()
      if (how !== undefined) found++
      else {
        const told = await askEverything(await openArchive({ env: systemEnv, database: { file: damagedFile() } }))
        expect([round, at, told === answers]).toEqual([round, at, true])
      }
    }
    expect(found).toBeGreaterThan(ROUNDS / 10)
  })

  it(`to a WAL never gives half a batch, ${ROUNDS} times`, { timeout: 3_600_000 }, async () => {
    const [bytes, tail] = [readFileSync(wal), readFileSync(`${wal}-wal`)]
    const random = seededRandom(22)
    let shorter = 0
    for (let round = 0; round < ROUNDS; round++) {
      clean()
      writeFileSync(damagedFile(), bytes)
      const copy =
        round % 2 === 0 ? Buffer.from(tail) : Buffer.from(tail.subarray(0, Math.floor(random.next() * tail.length)))
      if (round % 2 === 0) {
        const at = Math.floor(random.next() * copy.length)
        copy[at] = (copy[at] as number) ^ (1 << Math.floor(random.next() * 8))
      }
      writeFileSync(`${damagedFile()}-wal`, copy)
      // SQLite's checksums end the WAL where it is damaged: what is left is whole, or there is no archive in it yet.
      const how = await noticed()
      if (how !== undefined) shorter++
    }
    expect(shorter).toBeGreaterThan(0)
  })

  it.each([
    ['a text into bytes that are none', "UPDATE runs SET phase = CAST(x'53ff' AS TEXT)"],
    ['a number into bytes that are no text', "UPDATE runs SET at = CAST(x'ff' AS TEXT)"],
    ['a text into bytes', "UPDATE runs SET phase = x'53ff'"],
    [
      'the type of a column into bytes that are no text',
      `PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = CAST(CAST(substr(sql, 1, instr(sql, 'INTEGER') + 5) AS BLOB) || x'd2' ||
          CAST(substr(sql, instr(sql, 'INTEGER') + 7) AS BLOB) AS TEXT) WHERE name = 'runs'`,
    ],
    ['bytes into a text that is none', "UPDATE packs SET data = CAST(x'53ff' AS TEXT)"],
  ])('that turns %s is named, and ends nothing', async (_, statement) => {
    tamper(statement)
    expect(await noticed()).toMatch(/^archive-corrupt$|"table"/)
  })

  it('that cuts the file is named', async () => {
    const random = seededRandom(23)
    const { length } = readFileSync(file)
    for (let round = 0; round < 10; round++) {
      clean()
      copyFileSync(file, damagedFile())
      truncateSync(damagedFile(), 1 + Math.floor(random.next() * (length - 1)))
      expect(await noticed()).toMatch(/^archive-(?:corrupt|foreign)$/)
    }
  })

  it.each([
    ['events', 'UPDATE events SET verdict = verdict + 1 WHERE id = (SELECT min(id) FROM events)'],
    ['runs', "UPDATE runs SET phase = 'Succeedef' WHERE id = (SELECT min(id) FROM runs)"],
    ['records', 'UPDATE records SET trace = trace + 1 WHERE id = (SELECT min(id) FROM records)'],
    ['packs', "UPDATE packs SET data = x'0102' WHERE id = (SELECT min(id) FROM packs)"],
    ['traces', "UPDATE traces SET trace = 'x' || trace WHERE id = (SELECT min(id) FROM traces)"],
    ['parts', "UPDATE parts SET name = 'forged' WHERE id = (SELECT min(id) FROM parts)"],
    ['counts', 'UPDATE counts SET count = count + 1 WHERE minute = 0'],
    ['meta', "UPDATE meta SET value = '1' WHERE name = 'position'"],
    ['objects', 'UPDATE objects SET writes = 7 WHERE id = (SELECT min(id) FROM objects)'],
  ])('to a row of %s is found, whoever did it', async (table, statement) => {
    tamper(statement)
    expect(await noticed()).toContain(`"table":"${table}"`)
  })
})
