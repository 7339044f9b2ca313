import { UsageFailure } from '../arguments.ts'
import type { CommandInfo, FlagInfo, RunCommand } from '../command.ts'
import { COMMANDS, COMMON_FLAGS, SHELLS } from '../commands.ts'

export const run: RunCommand = async ({ operands: [shell], terminal }) => {
  const write = SCRIPTS[shell ?? '']
  if (!write) throw new UsageFailure('completion needs the name of a shell', `It takes one of ${SHELLS.join(', ')}`)
  terminal.out.print(write())
  return 0
}

const SCRIPTS: Readonly<Record<string, () => string>> = { bash, zsh, fish }

/** Commands first; then a command's flags, and files after a flag that takes a value. */
function bash(): string {
  const commands = COMMANDS.map(({ name }) => name)
  const words = COMMANDS.map(command => `    ${command.name}) words="${wordsAfter(command).join(' ')}" ;;`)
  return `_tiphys() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands, 'help', '--help', '--version'].join(' ')}" -- "$current"))
    return
  fi
  case "$previous" in
    ${flagsWithValue().join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${words.join('\n')}
    help) words="${commands.join(' ')}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
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
    ({ name, summary }) => `complete -c tiphys -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
  )
  const rest = COMMANDS.flatMap(command => {
    const after = `complete -c tiphys -n '__fish_seen_subcommand_from ${command.name}'`
    const operands = command.operands?.choices ? [`${after} -f -a ${quote(command.operands.choices.join(' '))}`] : []
    const flags = flagsOf(command).map(
      ({ name, summary, value }) => `${after} -l ${name}${value === undefined ? '' : ' -r'} -d ${quote(summary)}`,
    )
    return [...operands, ...flags]
  })
  return [...commands, ...rest].join('\n')
}

const flagsOf = (command: CommandInfo): readonly FlagInfo[] => [...command.flags, ...COMMON_FLAGS]

const wordsAfter = (command: CommandInfo) => [
  ...(command.operands?.choices ?? []),
  ...flagsOf(command).map(({ name }) => `--${name}`),
]

const flagsWithValue = () => [
  ...new Set(
    COMMANDS.flatMap(flagsOf)
      .filter(({ value }) => value !== undefined)
      .map(({ name }) => `--${name}`),
  ),
]

const quote = (text: string): string => `'${text.replaceAll("'", "\\'")}'`
