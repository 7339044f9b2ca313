import { encode } from './encoding.ts'
import { failedOn, JqError, notApplicable, typePreview } from './errors.ts'
import type { Native } from './functions.ts'
import { isObject, type JqValue } from './value.ts'

function textOf(value: JqValue): string {
  return typeof value === 'string' ? value : encode(value)
}

function row(format: string, value: JqValue, separator: string, escape: (text: string) => string): string {
  if (!Array.isArray(value)) throw notApplicable(`@${format}`, value)
  return value
    .map(item => {
      if (Array.isArray(item) || isObject(item))
        throw new JqError(`@${format} cannot format an array including: ${typePreview(item)}`)
      if (typeof item === 'string') return escape(item)
      const text = encode(item)
      return text === 'null' && format !== 'sh' ? '' : text
    })
    .join(separator)
}

function replacer(replacements: { [character: string]: string }): (text: string) => string {
  const table = new Map(Object.entries(replacements))
  return text => text.replace(/[^]/g, character => table.get(character) ?? character)
}

const escapeHtml = replacer({ '<': '&lt;', '>': '&gt;', '&': '&amp;', "'": '&apos;', '"': '&quot;' })
const escapeCsv = replacer({ '"': '""', '\0': '\\0' })
const escapeTsv = replacer({ '\t': '\\t', '\r': '\\r', '\n': '\\n', '\\': '\\\\', '\0': '\\0' })
const escapeShell = replacer({ "'": "'\\''", '\0': '\\0' })

function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decodeUri(value: JqValue): string {
  const text = textOf(value)
  const bad = /%(?![0-9a-fA-F]{2})/.exec(text)
  if (bad !== null) {
    const shown = Buffer.from(text.slice(bad.index)).subarray(0, 3).toString()
    throw failedOn(`invalid URL escape ${JSON.stringify(shown)}`, '@urid', value)
  }
  const bytes = Buffer.from(
    text.replace(/[^%]+/g, plain => Buffer.from(plain).toString('latin1')),
    'latin1',
  )
  return decodeUtf8(
    Buffer.from(
      bytes.toString('latin1').replace(/%(..)/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ),
  )
}

function decodeBase64(value: JqValue): string {
  const [text = ''] = textOf(value).split('=')
  const bytes = Buffer.from(text)
  const bad = bytes.findIndex(byte => !/[A-Za-z0-9+/\r\n]/.test(String.fromCharCode(byte)))
  const digits = text.replace(/[\r\n]/g, '')
  const position = bad >= 0 ? bad : digits.length % 4 === 1 ? bytes.length - 1 : -1
  if (position >= 0) throw failedOn(`illegal base64 data at input byte ${position}`, '@base64d', value)
  return decodeUtf8(Buffer.from(digits, 'base64'))
}

/** Every byte that is not UTF-8 becomes one replacement character, as Go reads it. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const size = sizeOfCharacter(bytes, at)
    text += size === 0 ? '\uFFFD' : Buffer.from(bytes.subarray(at, at + size)).toString()
    at += Math.max(size, 1)
  }
  return text
}

function sizeOfCharacter(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0x80) return 1
  const size = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return 0
  const second = bytes[at + 1] as number
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  for (let next = at + 2; next < at + size; next++) if (((bytes[next] as number) & 0xc0) !== 0x80) return 0
  return size
}

const byName = new Map<string, (value: JqValue) => string>([
  ['text', textOf],
  ['json', encode],
  ['html', value => escapeHtml(textOf(value))],
  ['uri', value => encodeUri(textOf(value))],
  ['urid', decodeUri],
  ['csv', value => row('csv', value, ',', text => `"${escapeCsv(text)}"`)],
  ['tsv', value => row('tsv', value, '\t', escapeTsv)],
  ['sh', value => row('sh', Array.isArray(value) ? value : [value], ' ', text => `'${escapeShell(text)}'`)],
  ['base64', value => Buffer.from(textOf(value)).toString('base64')],
  ['base64d', decodeBase64],
])

export const formatFunctions: readonly (readonly [string, Native])[] = [
  ...[...byName].map(([name, format]) => [`_to${name}/0`, (value: JqValue) => format(value)] as const),
  [
    'format/1',
    (value, [name = null]) => {
      if (typeof name !== 'string') throw notApplicable('format', name)
      const format = byName.get(name)
      if (format === undefined) throw new JqError(`format not defined: @${name}`)
      return format(value)
    },
  ],
]
