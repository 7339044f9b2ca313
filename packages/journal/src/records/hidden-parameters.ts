import { MASKED, type Secrets } from './secrets.ts'
import { isObject, type Json, type Parameter } from './trace-record.ts'

/** On a Workflow: which parts of its parameters nobody may read, for whoever records what becomes of it and never saw the event that they
 *  came from. Each trigger that gives it parameters has a note of its own. */
const PREFIX = 'masked.tiphys.dev/'
/** A parameter with more such parts is noted as a whole. */
const MOST_PARTS = 20

type Part = readonly [parameter: string, start: number, end: number]

/** What to note beside parameters that were made of events; nothing when there is no secret in them. */
export function hiddenNote(
  trigger: string,
  parameters: unknown,
  redact: Secrets['redact'],
): Readonly<Record<string, string>> {
  const parts = [...textsOf(parameters)].flatMap(([name, text]): Part[] => {
    const left = redact(text)
    if (left === text) return []
    const found = partsOf(text, left)
    return found.length > MOST_PARTS ? [[name, 0, text.length]] : found.map(([start, end]): Part => [name, start, end])
  })
  return parts.length === 0 ? {} : { [`${PREFIX}${trigger}`]: JSON.stringify(parts) }
}

/** The values that notes lead to. */
export function hiddenValues(
  annotations: Readonly<Record<string, string>> | undefined,
  parameters: readonly Parameter[] | undefined,
): string[] {
  const notes = Object.entries(annotations ?? {}).filter(([name]) => name.startsWith(PREFIX))
  if (notes.length === 0) return []
  const texts = new Map(textsOf(parameters))
  return notes.flatMap(([, note]) =>
    read(note).flatMap(([name, start, end]) => texts.get(name)?.slice(start, end) ?? []),
  )
}

/** As manifests write them, and as people do. */
function* textsOf(parameters: unknown): Iterable<[name: string, text: string]> {
  for (const parameter of Array.isArray(parameters) ? (parameters as Json[]) : []) {
    const { name, value } = isObject(parameter) ? parameter : {}
    if (typeof name === 'string' && value !== undefined && value !== null)
      yield [name, typeof value === 'string' ? value : JSON.stringify(value)]
  }
}

/** Where the masked parts of a text were, by what is left around them. */
function partsOf(text: string, left: string): [start: number, end: number][] {
  const [first = '', ...rest] = left.split(MASKED)
  const last = rest.pop()
  if (last === undefined || !text.startsWith(first) || !text.endsWith(last)) return [[0, text.length]]
  const parts: [number, number][] = []
  let start = first.length
  for (const between of rest) {
    if (between === '') continue
    const end = text.indexOf(between, start + 1)
    if (end === -1) return [[0, text.length]]
    parts.push([start, end])
    start = end + between.length
  }
  return [...parts, [start, text.length - last.length]]
}

/** Anybody may write an annotation. */
function read(note: string): Part[] {
  try {
    const parts: unknown = JSON.parse(note)
    return Array.isArray(parts) ? parts.filter(isPart) : []
  } catch {
    return []
  }
}

const isPart = (part: unknown): part is Part =>
  Array.isArray(part) && typeof part[0] === 'string' && Number.isInteger(part[1]) && Number.isInteger(part[2])
