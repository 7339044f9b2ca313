import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { asError, makeFolder, TerminalFailure } from '@tiphys/env'
import type { RunCommand } from '../command.ts'
import { ownCommand } from '../own-command.ts'
import { starterFiles } from '../starter.ts'
import { bold, dim } from '../terminal.ts'

/** `tiphys init [DIR]`: never writes over anything. */
export const run: RunCommand = async ({ operands, terminal: { out } }) => {
  const [folder = '.'] = operands
  const files = starterFiles()
  const there: string[] = await readdir(folder).catch(() => [])
  const taken = Object.keys(files).filter(name => there.includes(name))
  if (taken.length > 0)
    throw new TerminalFailure('cli-init-not-empty', {
      what: `${folder} has ${taken.join(', ')} already`,
      todo: 'Choose another folder: tiphys init DIR',
    })
  try {
    for (const [name, text] of Object.entries(files)) {
      makeFolder(dirname(join(folder, name)))
      await writeFile(join(folder, name), text, { flag: 'wx' })
      out.print(`wrote ${relative('.', join(folder, name))}`)
    }
  } catch (thrown) {
    throw new TerminalFailure('cli-init-failed', {
      what: `the operator cannot be written to ${folder}`,
      why: asError(thrown).message,
      todo: 'Choose a folder that this user may write to',
      cause: thrown,
    })
  }
  out.print('')
  const tiphys = ownCommand()
  out.print(`${bold(out, `${tiphys} up`)} ${folder}    ${dim(out, 'runs it')}`)
  out.print(`${bold(out, `${tiphys} test`)} ${folder}  ${dim(out, 'tests it')}`)
  return 0
}
