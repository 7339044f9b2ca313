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

/** Commands first; then a command's flags, what a flag takes where that is a short list, files elsewhere. */
function bash(): string {
  const commands = COMMANDS.map(({ name }) => name)
  const choices = flagsWithValue().flatMap(({ name, choices }) =>
    choices ? [`    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$current")); return ;;`] : [],
  )
  const files = flagsWithValue().flatMap(({ name, short, choices }) =>
    choices ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
  )
  const words = COMMANDS.map(command => `    ${command.name}) words="${wordsAfter(command).join(' ')}" ;;`)
  return `_tiphys() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands, 'help', '--help', '--version'].join(' ')}" -- "$current"))
    return
  fi
  case "$previous" in
${choices.join('\n')}
    ${[...new Set(files)].join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${words.join('\n')}
    help) words="${commands.join(' ')}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tiphys tiphys`
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
    const words = command.operands?.choices ?? fixedWord(command)
    const operands = words.length > 0 ? [`${after} -f -a ${quote(words.join(' '))}`] : []
    const flags = flagsOf(command).map(
      ({ name, short, summary, value, choices }) =>
        `${after} -l ${name}${short === undefined ? '' : ` -s ${short}`}${value === undefined ? '' : ' -r'}${
          choices ? ` -f -a ${quote(choices.join(' '))}` : ''
        } -d ${quote(summary)}`,
    )
    return [...operands, ...flags]
  })
  return [...commands, ...rest].join('\n')
}

const flagsOf = (command: CommandInfo): readonly FlagInfo[] => [...command.flags, ...COMMON_FLAGS]

/** A word that stands for itself in a usage: `run RUN`. */
const fixedWord = ({ operands }: CommandInfo): readonly string[] => operands?.usage.match(/^[a-z]+(?= )/) ?? []

const wordsAfter = (command: CommandInfo) => [
  ...(command.operands?.choices ?? fixedWord(command)),
  ...flagsOf(command).map(({ name }) => `--${name}`),
]

/** Each once, by its name: commands mean the same by the same flag. */
const flagsWithValue = (): FlagInfo[] => {
  const flags = COMMANDS.flatMap(flagsOf).filter(({ value }) => value !== undefined)
  return [...new Map(flags.map(flag => [flag.name, flag])).values()]
}

const quote = (text: string): string => `'${text.replaceAll("'", "\\'")}'`
