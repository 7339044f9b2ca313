import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { seededRandom, systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ArchiveReader } from './service/reader.ts'
import { ArchiveWriter } from './service/writer.ts'
import { type BundledProgram, bundleProgram } from './testing/bundled-worker.ts'
import { crashBatches } from './testing/crash-story.ts'
import { noStrace, TracedDisk } from './testing/traced-disk.ts'

const BATCHES = 12
const IMAGES = process.env.TIPHYS_FULL ? 10_000 : 100
/** The losses are imagined: in memory they cost no disk its time. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const missing = noStrace()

describe.skipIf(missing)(`the loss of power${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let program: BundledProgram
  let scratch: string
  const sizes = crashBatches(BATCHES).map(batch => batch.length)
  beforeAll(async () => {
    program = await bundleProgram(new URL('testing/crash-program.ts', import.meta.url))
    scratch = mkdtempSync(join(PLACE, 'tiphys-power-'))
  })
  afterAll(() => {
    program.remove()
    rmSync(scratch, { recursive: true, force: true })
  })

  function record(how: 'careful' | 'careless'): TracedDisk {
    const folder = mkdtempSync(join(scratch, `${how}-`))
    return TracedDisk.run(
      [program.program, 'store', join(folder, 'archive.db'), how, String(BATCHES)],
      folder,
      join(scratch, `trace-${how}`),
    )
  }

  /** What is wrong with what the loss left; undefined when nothing is. */
  async function problemOf(disk: TracedDisk, at: number, seed: number): Promise<string | undefined> {
    const promised = Number(disk.said(at)?.replace('stored ', '') ?? 0)
    const folder = mkdtempSync(join(scratch, 'image-'))
    try {
      disk.image(at, folder, seededRandom(seed))
      const file = join(folder, 'archive.db')
      const writer = await ArchiveWriter.open({ file }, systemEnv)
      const { journal } = await writer.position()
      const reader = await ArchiveReader.open({ file }, systemEnv.clock)
      const { damaged, dangling } = await reader.call('verify', [])
      const { records } = await reader.call('summary', [])
      await reader.close()
      await writer.close()
      if (journal < promised) return `${promised} batches were promised, ${journal} are there`
      if (damaged.length + dangling.length > 0) return JSON.stringify([...damaged, ...dangling].slice(0, 3))
      const expected = sizes.slice(0, journal).reduce((sum, size) => sum + size, 0)
      return records === expected ? undefined : `${records} records are there of ${expected}`
    } catch (error) {
      return String(error)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  /** The moments from the first promise on. */
  function moments(disk: TracedDisk): number[] {
    const first = disk.operations.findIndex(({ type }) => type === 'said')
    return disk.operations.map((_, i) => i + 1).slice(first)
  }

  it(`takes nothing that was stored, at ${IMAGES} moments`, { timeout: 3_600_000 }, async () => {
    const disk = record('careful')
    expect(disk.operations.filter(({ type }) => type === 'sync').length).toBeGreaterThan(BATCHES)
    const all = moments(disk)
    for (let number = 0; number < IMAGES; number++) {
      const at = all[Math.floor((number * all.length) / IMAGES) % all.length] as number
      expect([at, number, await problemOf(disk, at, number)]).toEqual([at, number, undefined])
      if (number % 100 === 99) await letGoOfFiles()
    }
  })

  it('is found out when a commit does not wait for the disk', { timeout: 600_000 }, async () => {
    const disk = record('careless')
    const all = moments(disk)
    const problems: (string | undefined)[] = []
    for (let number = 0; number < 15; number++)
      problems.push(await problemOf(disk, all[Math.floor((number * all.length) / 15)] as number, number))
    expect(problems.some(problem => problem !== undefined)).toBe(true)
  })
})

/** libsql closes the files of a connection when nobody knows of it any more and the thread has a moment, and ten thousand in a row
 *  are too many. */
async function letGoOfFiles(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  await setImmediate()
}
