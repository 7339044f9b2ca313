/** The checks of names that the API uses everywhere. Each answers the reasons why `value` is not one; none means it is. */
export type NameCheck = (value: string) => string[]

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const WILDCARD_SUBDOMAIN = `\\*\\.${SUBDOMAIN}`
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${QUALIFIED_NAME})?`
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const CONFIG_KEY = '[-._a-zA-Z0-9]+'
const HTTP_HEADER = '[-A-Za-z0-9]+'
const PERCENT = '[0-9]+%'

const whole = (source: string) => new RegExp(`^(?:${source})$`)
const LABEL_PATTERN = whole(LABEL)
const SUBDOMAIN_PATTERN = whole(SUBDOMAIN)
const UNDERSCORE_SUBDOMAIN_PATTERN = whole(UNDERSCORE_SUBDOMAIN)
const LABEL_1035_PATTERN = whole(LABEL_1035)
const WILDCARD_PATTERN = whole(WILDCARD_SUBDOMAIN)
const QUALIFIED_NAME_PATTERN = whole(QUALIFIED_NAME)
const LABEL_VALUE_PATTERN = whole(LABEL_VALUE)
const HTTP_PATH_PATTERN = whole(HTTP_PATH)
const CONFIG_KEY_PATTERN = whole(CONFIG_KEY)
const HTTP_HEADER_PATTERN = whole(HTTP_HEADER)
const PERCENT_PATTERN = whole(PERCENT)

export const byteLength = (value: string): number => Buffer.byteLength(value)

export function patternMismatch(message: string, pattern: string, ...examples: string[]): string {
  const used = `regex used for validation is '${pattern}')`
  if (examples.length === 0) return `${message} (${used}`
  return `${message} (e.g. ${examples.map(example => `'${example}', `).join(' or ')}${used}`
}

const tooManyCharacters = (maximum: number) => `must be no more than ${maximum} characters`
const tooManyBytes = (maximum: number) => `must be no more than ${maximum} bytes`
export const outOfRange = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"

export const checkSubdomain: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 253) reasons.push(tooManyCharacters(253))
  if (!SUBDOMAIN_PATTERN.test(value)) reasons.push(patternMismatch(SUBDOMAIN_TEXT, SUBDOMAIN, 'example.com'))
  return reasons
}

export const checkUnderscoreSubdomain: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 253) reasons.push(tooManyCharacters(253))
  if (!UNDERSCORE_SUBDOMAIN_PATTERN.test(value)) {
    reasons.push(
      patternMismatch(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        UNDERSCORE_SUBDOMAIN,
        'example.com',
      ),
    )
  }
  return reasons
}

export const checkLabel: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 63) reasons.push(tooManyCharacters(63))
  if (LABEL_PATTERN.test(value)) return reasons
  if (SUBDOMAIN_PATTERN.test(value)) reasons.push('must not contain dots')
  else {
    reasons.push(
      patternMismatch(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        LABEL,
        'my-name',
        '123-abc',
      ),
    )
  }
  return reasons
}

export const checkLabel1035: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 63) reasons.push(tooManyCharacters(63))
  if (!LABEL_1035_PATTERN.test(value)) {
    reasons.push(
      patternMismatch(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        LABEL_1035,
        'my-name',
        'abc-123',
      ),
    )
  }
  return reasons
}

export const checkWildcardSubdomain: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 253) reasons.push(tooManyCharacters(253))
  if (!WILDCARD_PATTERN.test(value)) {
    reasons.push(
      patternMismatch(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        WILDCARD_SUBDOMAIN,
        '*.example.com',
      ),
    )
  }
  return reasons
}

/** Labels' and annotations' keys, finalizers, resource names: an optional DNS prefix, a slash and a name. */
/** Keys of labels and annotations that were found to be good lately: the same few come with every object. */
const goodNames = new Set<string>()
const MOST_GOOD_NAMES = 1000

export const checkQualifiedName: NameCheck = value => {
  if (goodNames.has(value)) return []
  const reasons = qualifiedNameReasons(value)
  if (reasons.length > 0) return reasons
  if (goodNames.size >= MOST_GOOD_NAMES) goodNames.clear()
  goodNames.add(value)
  return []
}

function qualifiedNameReasons(value: string): string[] {
  const text =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  const mismatch = patternMismatch(text, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc')
  const parts = value.split('/')
  if (parts.length > 2) {
    return [`a valid label key ${mismatch} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const name = parts.at(-1) ?? ''
  const reasons = parts.length === 2 ? qualifiedNamePrefix(parts[0] ?? '') : []
  if (name === '') reasons.push('name part must be non-empty')
  else if (byteLength(name) > 63) reasons.push(`name part ${tooManyBytes(63)}`)
  if (!QUALIFIED_NAME_PATTERN.test(name)) reasons.push(`name part ${mismatch}`)
  return reasons
}

function qualifiedNamePrefix(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const reasons: string[] = []
  if (byteLength(prefix) > 253) reasons.push(`prefix part ${tooManyBytes(253)}`)
  if (!SUBDOMAIN_PATTERN.test(prefix)) {
    reasons.push(`prefix part ${patternMismatch(SUBDOMAIN_TEXT, SUBDOMAIN, 'example.com')}`)
  }
  return reasons
}

export const checkLabelValue: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 63) reasons.push(tooManyBytes(63))
  if (!LABEL_VALUE_PATTERN.test(value)) {
    reasons.push(
      patternMismatch(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        LABEL_VALUE,
        'MyValue',
        'my_value',
        '12345',
      ),
    )
  }
  return reasons
}

/** A name that is used as one segment of a URL path and otherwise free: roles, bindings, priority levels. */
export const checkPathSegment: NameCheck = value => {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return checkPathSegmentPrefix(value)
}

export const checkPathSegmentPrefix: NameCheck = value =>
  ['/', '%'].filter(part => value.includes(part)).map(part => `may not contain '${part}'`)

export const checkPortNumber = (port: number): string[] =>
  Number.isInteger(port) && port >= 1 && port <= 65535 ? [] : [outOfRange(1, 65535)]

/** An IANA service name. */
export const checkPortName: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 15) reasons.push(tooManyCharacters(15))
  if (!/^[-a-z0-9]+$/.test(value)) {
    reasons.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) reasons.push('must contain at least one letter (a-z)')
  if (value.includes('--')) reasons.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) reasons.push('must not begin or end with a hyphen')
  return reasons
}

export const checkPercent: NameCheck = value =>
  PERCENT_PATTERN.test(value)
    ? []
    : [
        patternMismatch(
          "a valid percent string must be a numeric string followed by an ending '%'",
          PERCENT,
          '1%',
          '93%',
        ),
      ]

export const checkHttpHeaderName: NameCheck = value =>
  HTTP_HEADER_PATTERN.test(value)
    ? []
    : [
        patternMismatch(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          HTTP_HEADER,
          'X-Header-Name',
        ),
      ]

/** An environment variable of a container: since 1.34 any printable ASCII but the equals sign. */
export const checkEnvironmentName: NameCheck = value => {
  if (value === '') return ['environment variable name must be non-empty']
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(value)) return []
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

export const checkConfigKey: NameCheck = value => {
  const reasons: string[] = []
  if (byteLength(value) > 253) reasons.push(tooManyCharacters(253))
  if (!CONFIG_KEY_PATTERN.test(value)) {
    reasons.push(
      patternMismatch(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    )
  }
  return [...reasons, ...parentFolderPrefix(value)]
}

function parentFolderPrefix(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`]
  return value.startsWith('..') ? ["must not start with '..'"] : []
}

export const isHttpPath = (path: string): boolean => HTTP_PATH_PATTERN.test(path)
export const HTTP_PATH_MISMATCH = patternMismatch('Invalid path', HTTP_PATH)

export const checkUserId = (id: number): string[] => (id >= 0 && id <= 2147483647 ? [] : [outOfRange(0, 2147483647)])
