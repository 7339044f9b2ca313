import { isIPv4, isIPv6 } from 'node:net'
import { isRequestUri } from './request-uri.ts'

type FormatCheck = (text: string) => boolean

/** Whether the server enforces a format for these types. Others are documentation. */
export function isKnownFormat(format: string, types: readonly string[]): boolean {
  const type = types.length === 1 ? types[0] : ''
  if (type === 'integer') return format === 'int32' || format === 'int64'
  if (type === 'number') return format === 'float' || format === 'double'
  return (type === '' || type === 'string') && FORMATS.has(normalized(format))
}

/** The check of a format of strings. Hyphens in its name do not count. */
export const formatCheck = (format: string): FormatCheck | undefined => FORMATS.get(normalized(format))

const normalized = (format: string) => format.replaceAll('-', '')
const matches =
  (pattern: RegExp): FormatCheck =>
  text =>
    pattern.test(text)

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u
const COLOR_PART = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*'
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/
const SHORT_NAME = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const ATOM = "[\\w!#$%&'*+/=?^`{|}~\\-\\u0080-\\uffff]+"
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"'
const ADDRESS = `(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${ATOM}(?:\\.${ATOM})*|\\[[^\\]]*\\])`

const FORMATS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', matches(new RegExp(`^\\s*(?:${ADDRESS}|(?:(?:${ATOM}|${QUOTED}|\\.)\\s*)*<${ADDRESS}>)\\s*$`))],
  ['hostname', isHostname],
  ['ipv4', text => text.includes('.') && isIp(text)],
  ['ipv6', text => text.includes(':') && isIPv6(text) && !text.includes('%')],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', text => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', text => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matches(new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`))],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', text => text.length <= 63 && new RegExp(`^${SHORT_NAME}$`).test(text)],
  ['k8slongname', text => text.length <= 253 && new RegExp(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`).test(text)],
])

function isHostname(text: string): boolean {
  return (
    HOSTNAME.test(text) &&
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every(part => Buffer.byteLength(part) <= 63)
  )
}

/** Numbers of an IPv4 address may have leading zeros. */
function isIp(text: string): boolean {
  if (text.includes(':')) return isIPv6(text) && !text.includes('%')
  return /^[\d.]+$/.test(text) && isIPv4(text.replace(/(^|\.)0+(?=\d)/g, '$1'))
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  const bits = text.slice(slash + 1)
  if (slash < 0 || !/^\d{1,3}$/.test(bits) || !isIp(text.slice(0, slash))) return false
  return Number(bits) <= (text.includes(':') ? 128 : 32)
}

function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2})*$/i.test(text) ? (text.length + 1) / 3 : 0
  const quads = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text) ? ((text.length + 1) / 5) * 2 : 0
  return [6, 8, 20].includes(Math.max(pairs, quads))
}

const withoutSpacesAndDashes = (text: string) => text.replace(/[\s-]+/g, '')

function isIsbn10(text: string): boolean {
  const digits = withoutSpacesAndDashes(text)
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false
  const sum = digits.split('').reduce((total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = withoutSpacesAndDashes(text)
  if (!/^[0-9]{13}$/.test(digits)) return false
  const weighted = digits
    .slice(0, 12)
    .split('')
    .map((digit, i) => (i % 2 === 0 ? 1 : 3) * Number(digit))
  const sum = weighted.reduce((total, part) => total + part, 0)
  return Number(digits[12]) === (10 - (sum % 10)) % 10
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!CREDIT_CARD.test(digits)) return false
  const parts = digits
    .split('')
    .reverse()
    .map((digit, i) => (i % 2 === 1 ? Number(digit) * 2 : Number(digit)))
  const sum = parts.reduce((total, part) => total + (part >= 10 ? part - 9 : part), 0)
  return sum % 10 === 0
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t')
  if (date === undefined || time === undefined || !isDate(date)) return false
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time)
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59
}

const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
/** Abbreviations that must fit exactly; the full words may go on (`minutes`). */
const UNITS = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'])
const UNIT_WORDS = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week']

function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) return true
  for (const [, , unit = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const lower = unit.toLowerCase()
    if (UNITS.has(lower) || UNIT_WORDS.some(word => lower.startsWith(word))) return true
  }
  return false
}
