import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whySkipped } from '../conformance/tools.mjs'
import { GuideReader, patternOf, readGuide } from './guide.ts'

// The tutorial and the examples are followed as they say: with real processes, stopped, killed and started again.
const GUIDES: { guide: string; needs: string[] }[] = [
  { guide: 'docs/tutorial.md', needs: [] },
  { guide: 'examples/memcached/README.md', needs: ['/usr/bin/memcached', '/usr/bin/python3'] },
  { guide: 'examples/database/README.md', needs: ['/usr/lib/postgresql'] },
]

for (const { guide, needs } of GUIDES) {
  const missing = needs.filter(path => !existsSync(path))
  const obstacle = whySkipped('kubectl') || (missing.length > 0 ? ` (skipped: there is no ${missing.join(', ')})` : '')
  const steps = await readGuide(guide)

  describe.skipIf(obstacle)(`${guide}${obstacle}`, { timeout: 120_000 }, () => {
    let reader: GuideReader
    beforeAll(async () => {
      reader = await GuideReader.start()
    })
    afterAll(() => reader?.close())

    it.each(steps)('does what it says: $code', async step => {
      const shown = await reader.follow(step)
      if (step.answer !== undefined) expect(`${shown.trimEnd()}\n`).toMatch(patternOf(step.answer))
    })
  })
}
