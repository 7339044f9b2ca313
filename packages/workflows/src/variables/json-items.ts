import { MAX_OUTPUT_BYTES } from '../outputs/output-limit.ts'

/** One item of a loop, as it is written: numbers keep their digits. */
export interface LoopItem {
  /** What `{{item}}` stands for. */
  readonly text: string
  /** What the node's name says of it. */
  readonly label: string
  /** `item.KEY` of an object. */
  readonly fields: readonly (readonly [string, string])[]
}

/** The text is no JSON list. */
export class ItemsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ItemsError'
  }
}

/** There are more items than are run. */
export class TooManyItems extends ItemsError {}

/** More rounds than this are refused: each has a node in the status of the Workflow. */
const MOST_ITEMS = 10_000

/** The items of a JSON list. Throws ItemsError. */
export function itemsOfJson(text: string): LoopItem[] {
  let count: number
  try {
    const list: unknown = JSON.parse(text)
    if (list === null) return []
    if (!Array.isArray(list)) throw new ItemsError(`withParam value could not be parsed as a JSON list: ${shown(text)}`)
    count = list.length
  } catch (error) {
    if (error instanceof ItemsError) throw error
    const why = error instanceof Error ? error.message : String(error)
    const cut = text.length < MAX_OUTPUT_BYTES - 1 ? '' : `; what a step prints is cut at ${MAX_OUTPUT_BYTES} bytes`
    throw new ItemsError(`withParam value could not be parsed as a JSON list: ${shown(text)}: ${why}${cut}`)
  }
  checkCount(count)
  return elementsOf(text.trim()).map(itemOfRaw)
}

/** Throws TooManyItems. */
export function checkCount(count: number): void {
  if (count <= MOST_ITEMS) return
  const todo = 'split the list, or loop over parts of it in a nested template'
  throw new TooManyItems(`the loop has ${count} items, at most ${MOST_ITEMS} are run; ${todo}`)
}

/** The items of `withItems`, which YAML has read already. Throws ItemsError. */
export function itemsOfList(values: readonly unknown[]): LoopItem[] {
  checkCount(values.length)
  return values.map(value => itemOfRaw(JSON.stringify(value ?? null)))
}

export function itemOfText(text: string): LoopItem {
  return { text, label: text, fields: [] }
}

function itemOfRaw(raw: string): LoopItem {
  const first = raw[0]
  if (first === '"') return { text: JSON.parse(raw) as string, label: labelled(raw), fields: [] }
  if (first === '{') {
    const fields = fieldsOf(raw)
      .map(([key, value]) => [key, plain(value)] as const)
      .sort((a, b) => (a[0] < b[0] ? -1 : 1))
    const sorted = fieldsOf(raw).sort((a, b) => (a[0] < b[0] ? -1 : 1))
    const text = `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${compact(value)}`).join(',')}}`
    const label = sorted
      .map(([key, value]) => `${key}:${labelled(value)}`)
      .sort()
      .join(',')
    return { text, label, fields }
  }
  if (first === '[') {
    const elements = elementsOf(raw)
    return { text: compact(raw), label: `[${elements.map(labelled).join(' ')}]`, fields: [] }
  }
  // Upstream takes nothing at all for an empty list.
  return raw === 'null' ? { text: raw, label: '[]', fields: [] } : itemOfText(raw)
}

/** A value in text: strings without quotes, everything else as JSON. */
const plain = (raw: string) => (raw.startsWith('"') ? (JSON.parse(raw) as string) : compact(raw))

/** The same in the name of a node, where upstream leaves quotes and line breaks of a string escaped. */
const labelled = (raw: string) => (raw.startsWith('"') ? raw.slice(1, -1) : compact(raw))

/** The raw texts of a list's elements. The list is valid JSON. */
function elementsOf(list: string): string[] {
  return split(list).map(part => part.trim())
}

function fieldsOf(object: string): [string, string][] {
  return split(object).map(part => {
    const keyEnd = endOfString(part, part.indexOf('"'))
    const key = JSON.parse(part.slice(part.indexOf('"'), keyEnd)) as string
    return [key, part.slice(part.indexOf(':', keyEnd) + 1).trim()]
  })
}

/** What stands between the commas of the outermost list or object. */
function split(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at) - 1
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    if ((char === ',' && depth === 1) || depth === 0) {
      const part = text.slice(start, at)
      if (depth === 1 || part.trim() !== '') parts.push(part)
      start = at + 1
      if (depth === 0) break
    }
  }
  return parts
}

/** The place behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** JSON without blanks between its parts. Everything else stays as it is written: numbers keep their digits. */
export function compact(raw: string): string {
  if (!/\s/.test(raw)) return raw
  let out = ''
  for (let at = 0; at < raw.length; at++) {
    const char = raw[at] as string
    if (char === '"') {
      const end = endOfString(raw, at)
      out += raw.slice(at, end)
      at = end - 1
    } else if (!/\s/.test(char)) {
      out += char
    }
  }
  return out
}

const shown = (text: string) => (text.length > 200 ? `${text.slice(0, 200).trim()}…` : text.trim())
