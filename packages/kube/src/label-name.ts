const LABEL_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${LABEL_NAME})?`
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`

const isLabelName = matcher(LABEL_NAME)
const isLabelValue = matcher(LABEL_VALUE)
const isDnsSubdomain = matcher(DNS_SUBDOMAIN)

const LONGEST_LABEL = 63
const LONGEST_SUBDOMAIN = 253

const NAME_RULE = withExamples(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_NAME,
  ['MyName', 'my.name', '123-abc'],
)
const VALUE_RULE = withExamples(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ['MyValue', 'my_value', '12345'],
)
const SUBDOMAIN_RULE = withExamples(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS_SUBDOMAIN,
  ['example.com'],
)

/** What the API server says is wrong with the key of a label (also called a qualified name); empty when nothing is. */
export function labelKeyErrors(key: string): string[] {
  const parts = key.split('/')
  if (parts.length > 2) {
    return [`a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const name = parts.at(-1) as string
  const errors = parts.length === 2 ? prefixErrors(parts[0] as string) : []
  if (name === '') errors.push('name part must be non-empty')
  else if (Buffer.byteLength(name) > LONGEST_LABEL) errors.push(`name part must be no more than ${LONGEST_LABEL} bytes`)
  if (!isLabelName(name)) errors.push(`name part ${NAME_RULE}`)
  return errors
}

/** What the API server says is wrong with the value of a label; empty when nothing is. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = []
  if (Buffer.byteLength(value) > LONGEST_LABEL) errors.push(`must be no more than ${LONGEST_LABEL} bytes`)
  if (!isLabelValue(value)) errors.push(VALUE_RULE)
  return errors
}

/** What the API server says is wrong with a DNS subdomain, the form of most names; empty when nothing is. */
export function dnsSubdomainErrors(value: string): string[] {
  const errors: string[] = []
  if (Buffer.byteLength(value) > LONGEST_SUBDOMAIN) errors.push(`must be no more than ${LONGEST_SUBDOMAIN} bytes`)
  if (!isDnsSubdomain(value)) errors.push(SUBDOMAIN_RULE)
  return errors
}

function prefixErrors(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  return dnsSubdomainErrors(prefix).map(error => `prefix part ${error}`)
}

function matcher(pattern: string): (text: string) => boolean {
  const regexp = new RegExp(`^(?:${pattern})$`)
  return text => regexp.test(text)
}

function withExamples(rule: string, pattern: string, examples: readonly string[]): string {
  const quoted = examples.map(example => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`
}
