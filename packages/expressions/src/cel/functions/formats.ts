import { parseDate } from '../time.ts'
import { ArrayList, type CelError, type CelValue, noOverloadFor, OpaqueValue, Optional } from '../value.ts'
import { parseRequestUri } from './go-url.ts'
import { type Implementation, overload } from './implementation.ts'

/** A format that a string may be validated against: `format.dns1123Label().validate(name)`. */
export class NamedFormat extends OpaqueValue {
  readonly typeName = 'kubernetes.NamedFormat'
  readonly goType = 'cel.Format'
  readonly name: string
  /** What cost tracking takes for the length of the pattern behind the format. */
  readonly regexSize: number
  readonly validate: (text: string) => string[]

  constructor(name: string, regexSize: number, validate: (text: string) => string[]) {
    super()
    this.name = name
    this.regexSize = regexSize
    this.validate = validate
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof NamedFormat ? this.name === other.name : noOverloadFor(other)
  }
}

function tooLong(text: string, max: number): string[] {
  return Buffer.byteLength(text) > max ? [`must be no more than ${max} bytes`] : []
}

function regexError(message: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map(example => `'${example}', `).join(' or ')
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`
}

function matchesWhole(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text)
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelKeyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

function validateLabel(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matchesWhole(label, text)) return errors
  if (matchesWhole(subdomain, text)) return [...errors, 'must not contain dots']
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, label, 'my-name', '123-abc')]
}

function validateSubdomain(text: string): string[] {
  const errors = tooLong(text, 253)
  if (matchesWhole(subdomain, text)) return errors
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, subdomain, 'example.com')]
}

function validateDns1035(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matchesWhole(dns1035, text)) return errors
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...errors, regexError(message, dns1035, 'my-name', 'abc-123')]
}

function validateQualifiedName(text: string): string[] {
  const parts = text.split('/')
  const nameError = regexError(labelKeyMessage, labelKey, 'MyName', 'my.name', '123-abc')
  if (parts.length > 2) {
    return [`a valid label key ${nameError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const errors: string[] = []
  const name = parts.at(-1) as string
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (prefix === '') errors.push('prefix part must be non-empty')
  else if (prefix !== undefined) errors.push(...validateSubdomain(prefix).map(error => `prefix part ${error}`))
  if (name === '') errors.push('name part must be non-empty')
  else errors.push(...tooLong(name, 63).map(error => `name part ${error}`))
  if (!matchesWhole(labelKey, name)) errors.push(`name part ${nameError}`)
  return errors
}

function validateLabelValue(text: string): string[] {
  const errors = tooLong(text, 63)
  const pattern = `(${labelKey})?`
  if (matchesWhole(pattern, text)) return errors
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, pattern, 'MyValue', 'my_value', '12345')]
}

/** A prefix may end in a dash, because something follows it. */
function asPrefix(validate: (text: string) => string[]): (text: string) => string[] {
  return text => validate(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text)
}

function validateUri(text: string): string[] {
  try {
    parseRequestUri(text)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function validWhen(isValid: (text: string) => boolean, message: string): (text: string) => string[] {
  return text => (isValid(text) ? [] : [message])
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/

function isDateTime(text: string): boolean {
  const [date = '', rest] = text.toLowerCase().split('t')
  if (text.length < 4 || rest === undefined || parseDate(date) === undefined) return false
  const match = time.exec(rest)
  return match !== null && (match[1] as string) <= '23' && (match[2] as string) <= '59' && (match[3] as string) <= '59'
}

const timePatternSize = 71
const uuidPatternSize = 70

const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ['dns1123Label', new NamedFormat('DNS1123Label', 30, validateLabel)],
  ['dns1123Subdomain', new NamedFormat('DNS1123Subdomain', 60, validateSubdomain)],
  ['dns1035Label', new NamedFormat('DNS1035Label', 30, validateDns1035)],
  ['qualifiedName', new NamedFormat('QualifiedName', 60, validateQualifiedName)],
  ['dns1123LabelPrefix', new NamedFormat('DNS1123LabelPrefix', 30, asPrefix(validateLabel))],
  ['dns1123SubdomainPrefix', new NamedFormat('DNS1123SubdomainPrefix', 60, asPrefix(validateSubdomain))],
  ['dns1035LabelPrefix', new NamedFormat('DNS1035LabelPrefix', 30, asPrefix(validateDns1035))],
  ['labelValue', new NamedFormat('LabelValue', 40, validateLabelValue)],
  ['uri', new NamedFormat('URI', 1103, validateUri)],
  [
    'uuid',
    new NamedFormat(
      'uuid',
      uuidPatternSize,
      validWhen(text => uuid.test(text), 'does not match the UUID format'),
    ),
  ],
  [
    'byte',
    new NamedFormat(
      'byte',
      84,
      validWhen(text => base64.test(text), 'invalid base64'),
    ),
  ],
  [
    'date',
    new NamedFormat(
      'date',
      timePatternSize,
      validWhen(text => parseDate(text) !== undefined, 'invalid date'),
    ),
  ],
  ['datetime', new NamedFormat('datetime', timePatternSize, validWhen(isDateTime, 'invalid datetime'))],
])

function validate(format: NamedFormat, text: string): CelValue {
  const errors = format.validate(text)
  return errors.length === 0 ? Optional.none : new Optional(new ArrayList(errors))
}

function named(name: string): CelValue {
  const format = formats.get(name)
  return format === undefined ? Optional.none : new Optional(format)
}

export { validateLabel, validateSubdomain }

export const formatOverloads: readonly (readonly [string, Implementation])[] = [
  overload('format-validate', validate),
  overload('format-named', named),
  ...[...formats].map(([name, format]) => overload(`format.${name}`, () => format)),
]
