import type { Problem } from '../problem.ts'

/** One object that somebody wrote down, and where its parts stand. */
export interface LintDocument {
  file: string
  object: unknown
  /** The line of a field, counted from 1, or of the nearest part above it that is there. */
  lineOf(path: readonly (string | number)[]): number
}

/** Something that is wrong with a manifest, where, and whether it keeps something from working (`error`) or will surprise
 *  somebody (`warning`). */
export interface Finding {
  file: string
  line: number
  /** `spec.triggers[0].template.k8s.source`. */
  path: string
  message: string
  severity: 'error' | 'warning'
}

export function findingOf(document: LintDocument, { path, message, severity }: Problem): Finding {
  const line = document.lineOf(pathParts(document.object, path))
  // Some languages draw a picture of the place below what is wrong.
  const [first = ''] = message.split('\n')
  return { file: document.file, line, path, message: first, severity }
}

/** The parts of a path, found in the object itself: names may have dots in them. Ends where the object does. */
export function pathParts(object: unknown, path: string): (string | number)[] {
  const parts: (string | number)[] = []
  let rest = path
  let value = object
  while (rest !== '') {
    const step = nextStep(value, rest)
    if (!step) break
    parts.push(step.part)
    value = (value as Record<string | number, unknown>)[step.part]
    rest = rest.slice(step.length).replace(/^\./, '')
  }
  return parts
}

function nextStep(value: unknown, rest: string): { part: string | number; length: number } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const index = /^\[(\d+)\]/.exec(rest)
    const part = Number(index?.[1])
    return index && part < value.length ? { part, length: index[0].length } : undefined
  }
  const spellings = Object.keys(value).flatMap(name => [
    { part: name, text: name },
    { part: name, text: JSON.stringify(name) },
  ])
  const [longest] = spellings
    .filter(({ text }) => text !== '' && rest.startsWith(text) && /^(?:$|[.[])/.test(rest.slice(text.length)))
    .sort((a, b) => b.text.length - a.text.length)
  return longest && { part: longest.part, length: longest.text.length }
}

export const error = (path: string, message: string): Problem => ({ path, message, severity: 'error' })
export const warning = (path: string, message: string): Problem => ({ path, message, severity: 'warning' })

/** What a reader of a language says is wrong with a text; nothing when it can be read. */
export function unreadable(path: string, read: () => unknown): Problem[] {
  try {
    read()
    return []
  } catch (thrown) {
    return [error(path, thrown instanceof Error ? thrown.message : String(thrown))]
  }
}
