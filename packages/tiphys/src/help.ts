import type { CommandInfo, FlagInfo, OperandInfo } from './command.ts'
import { COMMANDS, COMMON_FLAGS } from './commands.ts'
import { bold, dim, type Output } from './terminal.ts'

/** Of a page, where the screen is not narrower. */
const WIDTH = 100
/** Of a column, however narrow the screen is. */
const LEAST = 20
const INDENT = 2

/** What somebody who knows nothing of Tiphys types first. */
const FIRST_STEPS = ['init', 'up', 'test', 'trace', 'events']

/** What stands for something else behind a command. */
const WORDS: Readonly<Record<string, string>> = {
  DIR: 'a folder of manifests, or a file; a kustomization.yaml says which files count',
  QUERY: 'words and fields, all of which must hold: status:failed kind:Memcached -name:mem* age:<1h',
  ID: 'the id of an event, or its beginning',
  EVENT: 'the id of an event, or its beginning',
  RUN: 'the name of a run, as tiphys runs lists it',
  STEP: 'the name of a step, as tiphys get run RUN shows it',
  'KIND/NAME': 'an object, as Memcached/sample; --namespace says where',
  SOURCE: 'the name of an EventSource',
  NAME: 'the name of its event',
  'sensor/NAME[/TRIGGER]': 'everything that a Sensor, or one trigger of it, gave up',
}

export function printHelp(out: Output): void {
  out.print('Tiphys runs Kubernetes operators as event pipelines that you can see.')
  printSection(out, 'Usage:', ['tiphys COMMAND [flags]'])
  for (const group of new Set(COMMANDS.map(command => command.group))) {
    const commands = COMMANDS.filter(command => command.group === group)
    printSection(
      out,
      `${group}:`,
      columns(
        out,
        commands.map(({ name, summary }) => [name, summary]),
      ),
    )
  }
  printSection(out, 'Flags:', describeFlags(out, [...COMMON_FLAGS, { name: 'version', summary: 'print the version' }]))
  printExamples(
    out,
    FIRST_STEPS.flatMap(step => COMMANDS.find(({ name }) => name === step)?.examples.slice(0, 1) ?? []),
  )
  out.print('')
  out.print('tiphys COMMAND --help tells more about a command.')
}

export function printCommandHelp(out: Output, { name, summary, operands, flags, examples }: CommandInfo): void {
  out.print(`${summary}.`)
  printSection(out, 'Usage:', [['tiphys', name, operands?.usage, '[flags]'].filter(Boolean).join(' ')])
  const words = operands ? meanings(operands) : []
  if (words.length > 0) printSection(out, 'Where:', columns(out, words))
  printSection(out, 'Flags:', describeFlags(out, [...flags, ...COMMON_FLAGS]))
  printExamples(out, examples)
}

/** What the words of a usage stand for. */
export function meanings({ usage, means = {} }: OperandInfo): [string, string][] {
  const words = usage.match(/sensor\/NAME\[\/TRIGGER\]|[A-Z]+(?:\/[A-Z]+)?/g) ?? []
  return words.flatMap((word): [string, string][] => {
    const meaning = means[word] ?? WORDS[word]
    return meaning === undefined ? [] : [[word, meaning]]
  })
}

function printSection(out: Output, heading: string, lines: readonly string[]): void {
  out.print('')
  out.print(bold(out, heading))
  for (const line of lines) out.print(`${' '.repeat(INDENT)}${line}`)
}

function printExamples(out: Output, examples: CommandInfo['examples']): void {
  const lines = examples.flatMap(({ command, does }) => [command, dim(out, `    ${does}`)])
  printSection(out, 'Examples:', lines)
}

const describeFlags = (out: Output, flags: readonly FlagInfo[]) =>
  columns(
    out,
    flags.flatMap((flag): [string, string][] => [
      [flagWords(flag), flag.summary],
      ...(flag.choices ? [['', `one of ${flag.choices.join(', ')}`] as [string, string]] : []),
    ]),
  )

const flagWords = ({ name, short, value }: FlagInfo) =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`

/** Two columns that keep within the width of a page: what is longer goes on below its beginning. */
function columns(out: Output, rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  const room = Math.max(LEAST, Math.min(WIDTH, out.columns ?? WIDTH) - INDENT - width - 2)
  return rows.flatMap(([left, right]) =>
    wrapped(right, room).map((line, i) => `${(i === 0 ? left : '').padEnd(width)}  ${line}`),
  )
}

function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.length - 1
    const longer = lines[last] === '' ? word : `${lines[last]} ${word}`
    if (longer.length <= width) lines[last] = longer
    else lines.push(word)
  }
  return lines
}
