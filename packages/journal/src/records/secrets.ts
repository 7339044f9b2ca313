import type { Json } from './trace-record.ts'

export const MASKED = '(masked)'

/** Values of a payload that nobody may read. Whoever tells something that was made of the payload, such as why something failed, asks
 *  here first; what was computed from a value, and is no spelling of it, is not found. */
export interface Secrets {
  /** The text, with all of them masked: as they are, in base64, as JSON or a URL spells them, and where a text was cut. */
  redact(text: string): string
  areIn(value: Json): boolean
}

/** Of more than so many values only the first are looked for. */
const MOST_VALUES = 500
/** By so many characters one is recognised; a shorter one only where it is a word of its own. */
const [ENOUGH, TOO_SHORT] = [16, 4]
const [SHORTEST_LINE, MOST_LINES] = [12, 100]

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inUrl = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

/** How a text is spelt. What a spelling begins with is known from what the text begins with. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  text => text,
  text => Buffer.from(text).toString('base64'),
  inJson,
  text => inJson(inJson(text)),
  inUrl,
  text => inUrl(text).replaceAll('%20', '+'),
]

export function secretsOf(values: readonly (string | number)[]): Secrets {
  const texts = new Set(values.slice(0, MOST_VALUES).flatMap(value => textsOf(String(value))))
  texts.delete('')
  // All of a value is spelt only where its beginning was found: a certificate has many lines.
  const bySign = new Map<string, (() => string)[]>()
  for (const text of texts)
    for (const spell of SPELLINGS) {
      const sign = spell(text.slice(0, ENOUGH)).slice(0, ENOUGH)
      const alike = bySign.get(sign)
      if (alike) alike.push(() => spell(text))
      else bySign.set(sign, [() => spell(text)])
    }
  // Longer ones first: one may be a part of another.
  const all = [...bySign].sort(([left], [right]) => right.length - left.length)
  const redact = (text: string) =>
    all.reduce(
      (left, [sign, alike]) =>
        left.includes(sign)
          ? without(
              left,
              sign,
              alike.map(spell => spell()),
            )
          : left,
      text,
    )
  const areIn = (value: Json): boolean => {
    if (typeof value === 'number') return texts.has(String(value))
    if (typeof value === 'string') return redact(value) !== value
    return (
      typeof value === 'object' && value !== null && Object.values(value).some(one => one !== undefined && areIn(one))
    )
  }
  return { redact, areIn }
}

/** What a value says, and what it says in base64; of several lines each. */
function textsOf(value: string): string[] {
  const decoded = fromBase64(value)
  const plain = [value, ...(decoded === undefined ? [] : [decoded])].flatMap(text => [text, text.trim()])
  const lines = plain.flatMap(text => text.split('\n', MOST_LINES))
  return [...plain, ...lines.filter(line => line.length >= SHORTEST_LINE)]
}

/** What a text in base64 says; undefined when it is none, or says nothing that one could read. */
function fromBase64(text: string): string | undefined {
  if (text.length < TOO_SHORT || text.length % 4 !== 0 || !/^[\w+/]+={0,2}$/.test(text)) return undefined
  const decoded = Buffer.from(text, 'base64').toString('utf8')
  return decoded.includes('\ufffd') ? undefined : decoded
}

/** The text without the values that begin with a sign, or as much of them as there is. */
function without(text: string, sign: string, alike: readonly string[]): string {
  let result = ''
  let end = 0
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at)) {
    const next = at + Math.max(...alike.map(value => sharedFrom(text, at, value)))
    const isPart = sign.length < TOO_SHORT && (isWordAt(text, at - 1) || isWordAt(text, next))
    if (!isPart) {
      result += text.slice(end, at) + MASKED
      end = next
    }
    at = next
  }
  return end === 0 ? text : result + text.slice(end)
}

function sharedFrom(text: string, at: number, value: string): number {
  let length = 0
  while (length < value.length && value[length] === text[at + length]) length++
  return length
}

const isWordAt = (text: string, at: number): boolean => /\w/.test(text[at] ?? '')
