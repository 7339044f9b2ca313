import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startEgress } from './egress.ts'
import { bundleProgram, NAMESPACES, whyNoNamespaces } from './testing/network-harness.ts'

const isInstalled = spawnSync('slirp4netns', ['--version']).status === 0
const run = promisify(execFile)

for (const [how, flags] of Object.entries(NAMESPACES)) {
  const obstacle = isInstalled ? whyNoNamespaces(flags) : 'slirp4netns is not installed'
  describe.skipIf(obstacle !== undefined)(`the way out ${how}${obstacle ? ` (not run: ${obstacle})` : ''}`, () => {
    test('leads every pod to what the machine can reach, and not to its loopback', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tiphys-egress-'))
      const outer = await bundleProgram(new URL('testing/egress-program.ts', import.meta.url), folder)
      const inner = await bundleProgram(new URL('testing/network-program.ts', import.meta.url), folder)
      const machine = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child']
      const { stdout } = await run('unshare', [...machine, process.execPath, outer, folder, inner, ...flags])
      expect(JSON.parse(stdout)).toEqual({
        one: 'hello from outside to /one',
        two: 'hello from outside to /two',
        loopback: expect.any(Number),
        nowhere: 7,
      })
      rmSync(folder, { recursive: true, force: true })
    })
  })
}

test.skipIf(!isInstalled)('a way out of a process that is not there is refused with the reason', async () => {
  await expect(startEgress({ pid: 2 ** 22 - 1 })).rejects.toThrow('ENOENT')
})
