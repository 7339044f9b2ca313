import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { asError, TerminalFailure } from '@tiphys/env'
import type { RunCommand } from '../command.ts'
import { programPath } from '../session/programs.ts'

const TEST = /\.test\.(ts|mts|js|mjs)$/

/** `tiphys test [DIR…]`: the tests of Node's own runner that stand beside manifests, each file in a process of its own. */
export const run: RunCommand = async ({ operands, interrupted }) => {
  const folders = operands.length === 0 ? ['.'] : operands
  const files = (await Promise.all(folders.map(findTests))).flat().sort()
  if (files.length === 0)
    throw new TerminalFailure('cli-no-tests', {
      what: `there is no test in ${folders.join(', ')}`,
      todo: 'Tests are files called NAME.test.ts; tiphys init writes one to start from',
    })
  const child = spawn(
    process.execPath,
    [
      '--import',
      pathToFileURL(programPath('test-loader.js')).href,
      '--enable-source-maps',
      '--test',
      `--test-reporter=${pathToFileURL(programPath('test-reporter.js')).href}`,
      ...files,
    ],
    { stdio: 'inherit', env: { ...process.env, TIPHYS_TEST_TRACES: '1' } },
  )
  const stop = () => child.kill()
  interrupted.addEventListener('abort', stop, { once: true })
  const [code] = (await once(child, 'close')) as [number | null]
  interrupted.removeEventListener('abort', stop)
  return code ?? 1
}

async function findTests(path: string): Promise<string[]> {
  const stats = await stat(path).catch(thrown => {
    throw new TerminalFailure('cli-no-tests', {
      what: `${path} cannot be read`,
      why: asError(thrown).message,
      cause: thrown,
    })
  })
  if (!stats.isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async entry => {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return []
      const child = join(path, entry.name)
      if (entry.isDirectory()) return await findTests(child)
      return TEST.test(entry.name) ? [child] : []
    }),
  )
  return found.flat()
}
