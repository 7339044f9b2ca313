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

/** The items of a JSON list. Throws ItemsError. */
export function itemsOfJson(text: string, limit: number): LoopItem[] {
  let count: number
  try {
    const list: unknown = JSON.parse(text)
    if (list === null) return []
    if (!Array.isArray(list)) throw new ItemsError(`withParam value could not be parsed as a JSON list: ${shown(text)}`)
    count = list.length
  } catch (error) {
    if (error instanceof ItemsError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new ItemsError(`withParam value could not be parsed as a JSON list: ${shown(text)}: ${why}`)
  }
  if (count > limit) throw new ItemsError(tooMany(count, limit))
  return elementsOf(text.trim()).map(itemOfRaw)
}

export function tooMany(count: number, limit: number): string {
  return `the loop has ${count} items, at most ${limit} are run; split the list, or loop over parts of it in a nested template`
}

/** An item of `withItems`, which YAML has read already. */
export function itemOfValue(value: unknown): LoopItem {
  return itemOfRaw(JSON.stringify(value ?? null))
}

export function itemOfText(text: string): LoopItem {
  return { text, label: text, fields: [] }
}

function itemOfRaw(raw: string): LoopItem {
  const first = raw[0]
  if (first === '"') return itemOfText(JSON.parse(raw) as string)
  if (first === '{') {
    const fields = fieldsOf(raw)
      .map(([key, value]) => [key, plain(value)] as const)
      .sort((a, b) => (a[0] < b[0] ? -1 : 1))
    const sorted = fieldsOf(raw).sort((a, b) => (a[0] < b[0] ? -1 : 1))
    const text = `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${compact(value)}`).join(',')}}`
    const label = fields
      .map(([key, value]) => `${key}:${value}`)
      .sort()
      .join(',')
    return { text, label, fields }
  }
  if (first === '[') {
    const elements = elementsOf(raw)
    return { text: compact(raw), label: `[${elements.map(plain).join(' ')}]`, fields: [] }
  }
  return itemOfText(raw)
}

/** A value in text: strings without quotes, everything else as JSON. */
const plain = (raw: string) => (raw.startsWith('"') ? (JSON.parse(raw) as string) : compact(raw))

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

/** JSON without blanks between its parts. */
function compact(raw: string): string {
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
