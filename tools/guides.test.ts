import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whySkipped } from '../conformance/tools.mjs'
import { TiphysProcess } from '../packages/tiphys/src/tiphys-process.ts'
import { GuideReader, patternOf, readBlocks, readGuide, withoutOwnEnds } from './guide.ts'
import { root } from './steps.mjs'

/** What the guide of the cluster has its reader write. */
async function imageTable(): Promise<Record<string, string>> {
  const blocks = await readBlocks('docs/cluster.md')
  const images = blocks.find(({ language, text }) => language === 'yaml' && text.includes('entrypoint'))
  return { 'images.yaml': images?.text ?? '' }
}

// The guides are followed as they say: with real processes, stopped, killed and started again.
const GUIDES: { guide: string; needs: string[]; files?: () => Promise<Record<string, string>> }[] = [
  { guide: 'README.md', needs: ['/usr/bin/curl', '/usr/bin/python3'] },
  { guide: 'docs/cluster.md', needs: ['/usr/sbin/nginx', '/usr/bin/curl'], files: imageTable },
  { guide: 'docs/tutorial.md', needs: [] },
  { guide: 'examples/memcached/README.md', needs: ['/usr/bin/memcached', '/usr/bin/python3'] },
  { guide: 'examples/database/README.md', needs: ['/usr/lib/postgresql'] },
]

for (const { guide, needs, files } of GUIDES) {
  const missing = needs.filter(path => !existsSync(path))
  const obstacle = whySkipped('kubectl') || (missing.length > 0 ? ` (skipped: there is no ${missing.join(', ')})` : '')
  const steps = await readGuide(guide)

  describe.skipIf(obstacle)(`${guide}${obstacle}`, { timeout: 120_000 }, () => {
    let reader: GuideReader
    beforeAll(async () => {
      reader = await GuideReader.start(await files?.())
    })
    afterAll(() => reader?.close())

    it.each(steps)('does what it says: $code', async step => {
      const shown = await reader.follow(step)
      if (step.answer !== undefined) expect(`${shown.trimEnd()}\n`).toMatch(patternOf(step.answer))
    })
  })
}

it('a guide need not show that kubectl has ended its own watch', () => {
  const logged = `I1118 02:52:11.426684    7166 reflector.go:664] "Warning: watch ended with error" reflector="client-go" \
err="an error on the server (\\"unable to decode an event from the watch stream: context canceled\\")"\n`
  expect(withoutOwnEnds(`a scaled\n${logged}a condition met\n`)).toBe('a scaled\na condition met\n')
  const broken = logged.replace('context canceled', 'unexpected EOF')
  expect(withoutOwnEnds(broken)).toBe(broken)
})

const noPython = existsSync('/usr/bin/python3') ? '' : ' (skipped: there is no /usr/bin/python3)'
it.skipIf(noPython)(`the tests beside the examples pass${noPython}`, { timeout: 240_000 }, async () => {
  const tests = ['test', 'examples/memcached', 'examples/database']
  const { code, out, err } = await new TiphysProcess(tests, { cwd: root }).ended
  expect(code, out + err).toBe(0)
  expect(out).toMatch(/^13 passed /m)
})
