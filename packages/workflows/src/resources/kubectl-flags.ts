import { TerminalFailure } from '@tiphys/env'

/** What the `flags` of a resource template ask for, as far as a request to the API can do it. */
export interface KubectlFlags {
  namespace?: string
  fieldManager?: string
  gracePeriodSeconds?: number
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** `--force` of a deletion or a replacement. */
  force?: boolean
  /** Nothing is found, and nothing is wrong with that. */
  ignoreNotFound?: boolean
  /** Labels of what is to be deleted, when its kind alone is named. */
  selector?: string
  /** What to act on when there is no manifest: `kind/name`, or a kind and a name. */
  targets: readonly string[]
}

/** Flags that change nothing here: apply is server-side, deletions do not wait. */
const WITHOUT_EFFECT = ['--server-side', '--force-conflicts', '--overwrite', '--save-config', '--record', '--wait']
const VALIDATION = { true: 'Strict', strict: 'Strict', warn: 'Warn', false: 'Ignore', ignore: 'Ignore' } as const
const CASCADE = {
  true: 'Background',
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
  false: 'Orphan',
} as const

export function parseFlags(flags: readonly string[]): KubectlFlags {
  const parsed: KubectlFlags & { targets: string[] } = { targets: [] }
  const words = flags.flatMap(flag => flag.trim().split(/\s+/))
  while (words.length > 0) {
    const word = words.shift() as string
    if (!word.startsWith('-')) {
      parsed.targets.push(word)
      continue
    }
    const [name = '', given] = splitAt(word, '=')
    const value = () => given ?? words.shift() ?? ''
    if (WITHOUT_EFFECT.includes(name)) continue
    if (name === '-n' || name === '--namespace') parsed.namespace = value()
    else if (name === '-l' || name === '--selector') parsed.selector = value()
    else if (name === '--field-manager') parsed.fieldManager = value()
    else if (name === '--grace-period') parsed.gracePeriodSeconds = Number(value())
    else if (name === '--ignore-not-found') parsed.ignoreNotFound = given !== 'false'
    else if (name === '--force') parsed.force = given !== 'false'
    else if (name === '--validate') parsed.fieldValidation = choose(name, VALIDATION, given ?? 'true')
    else if (name === '--cascade') parsed.propagationPolicy = choose(name, CASCADE, given ?? 'background')
    else throw unknownFlag(word)
  }
  return parsed
}

function splitAt(word: string, sign: string): [string, string | undefined] {
  const at = word.indexOf(sign)
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function choose<T>(flag: string, values: Readonly<Record<string, T>>, text: string): T {
  const value = Object.hasOwn(values, text) ? values[text] : undefined
  if (value === undefined) throw unknownFlag(`${flag}=${text}`)
  return value
}

const unknownFlag = (flag: string) =>
  new TerminalFailure('workflow-flag-unknown', {
    what: `The flag ${flag} of a resource template is not supported`,
    why: 'no kubectl is run: the request is sent by the engine itself',
    todo: 'See docs/workflows.md for the flags that are, or use a container template with kubectl',
  })
