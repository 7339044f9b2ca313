import { parseArguments } from '../arguments.ts'
import { COMMANDS } from '../commands.ts'

/** What the command would say against a line that the console shows; nothing, if it takes it. Only for tests. */
export function misunderstood(line: string): readonly string[] {
  const [program, name, ...argv] = wordsOf(line)
  if (program !== 'tiphys') return []
  const command = COMMANDS.find(each => each.name === name)
  if (!command) return [`${line}: there is no command ${name}`]
  try {
    parseArguments(command, argv)
    return []
  } catch (error) {
    return [`${line}: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** As a shell cuts it, of which the console needs single quotes alone. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(.)/g,
      (_, inside: string | undefined, escaped: string | undefined) => inside ?? escaped ?? '',
    ),
  )
}
