import { UsageFailure } from '../arguments.ts'
import type { RunCommand } from '../command.ts'
import { COMMANDS, COMMON_FLAGS } from '../commands.ts'

const SHELLS: Record<string, () => string> = { bash, zsh, fish }

export const run: RunCommand = async ({ operands, terminal }) => {
  const script = SHELLS[operands[0] ?? '']
  if (!script)
    throw new UsageFailure('completion needs the name of a shell', `One of ${Object.keys(SHELLS).join(', ')}`)
  terminal.out(script())
  return 0
}

const names = COMMANDS.map(({ name }) => name).join(' ')
const flagsOf = (flags: readonly { name: string }[]) =>
  [...flags, ...COMMON_FLAGS].map(({ name }) => `--${name}`).join(' ')

function bash(): string {
  const cases = COMMANDS.map(({ name, flags }) => `    ${name}) words="${flagsOf(flags)}" ;;`).join('\n')
  return `_tiphys() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${names} --help --version"; else
    case "\${COMP_WORDS[1]}" in
${cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _tiphys tiphys`
}

function zsh(): string {
  return `#compdef tiphys
autoload -U +X bashcompinit && bashcompinit
${bash()}`
}

function fish(): string {
  const commands = COMMANDS.map(
    ({ name, summary }) => `complete -c tiphys -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
  )
  const flags = COMMANDS.flatMap(command =>
    [...command.flags, ...COMMON_FLAGS].map(
      ({ name, summary, value }) =>
        `complete -c tiphys -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${value === undefined ? '' : ' -r'} -d ${quote(summary)}`,
    ),
  )
  return [...commands, ...flags].join('\n')
}

const quote = (text: string): string => `'${text.replaceAll("'", "\\'")}'`
