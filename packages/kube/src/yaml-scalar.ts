/** A scalar that cannot be what its tag says. */
export class ScalarError extends Error {}

/** A value as Go's YAML 1.1 resolver sees it; integers apart from floating-point numbers, because keys tell them apart. */
export type ScalarValue =
  | { type: 'str'; value: string }
  | { type: 'bool'; value: boolean }
  | { type: 'null'; value: null }
  | { type: 'int'; value: bigint }
  | { type: 'float'; value: number }
  | { type: 'timestamp'; value: string }

const TAG_PREFIX = 'tag:yaml.org,2002:'
const RESOLVABLE = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp'])

/** What a scalar means. `isPlain`: written without quotes and not as a block. */
export function resolveScalar(text: string, tag: string | undefined, isPlain: boolean): ScalarValue {
  if (tag === undefined) return isPlain ? resolvePlain(text) : { type: 'str', value: text }
  const name = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : tag
  if (name === 'binary') return { type: 'str', value: decodeBinary(text) }
  if (!RESOLVABLE.has(name) || name === 'str') return { type: 'str', value: text }
  const resolved = resolvePlain(text)
  if (resolved.type === name) return resolved
  if (name === 'float' && resolved.type === 'int') return { type: 'float', value: Number(resolved.value) }
  throw new ScalarError(`cannot decode !!${resolved.type} \`${text}\` as a !!${name}`)
}

const WORDS = new Map<string, ScalarValue>()
const spell = (value: ScalarValue, ...spellings: string[]) => {
  for (const spelling of spellings) WORDS.set(spelling, value)
}
spell({ type: 'bool', value: true }, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON')
spell({ type: 'bool', value: false }, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF')
spell({ type: 'null', value: null }, '', '~', 'null', 'Null', 'NULL')
spell({ type: 'float', value: Number.NaN }, '.nan', '.NaN', '.NAN')
spell({ type: 'float', value: Number.POSITIVE_INFINITY }, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF')
spell({ type: 'float', value: Number.NEGATIVE_INFINITY }, '-.inf', '-.Inf', '-.INF')

const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

function resolvePlain(text: string): ScalarValue {
  const word = WORDS.get(text)
  if (word) return word
  const first = text[0] as string
  if (first === '.') return resolveFloat(text.replace(/(?<=\d)_(?=\d)/g, '')) ?? { type: 'str', value: text }
  if (!/[-+0-9]/.test(first)) return { type: 'str', value: text }
  if (TIMESTAMP.test(text)) return { type: 'timestamp', value: text }
  const digits = text.replaceAll('_', '')
  return resolveInteger(digits) ?? resolveFloat(digits) ?? { type: 'str', value: text }
}

const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9]\d*))$/
const LEAST_INT64 = -(2n ** 63n)
const GREATEST_UINT64 = 2n ** 64n - 1n
const GREATEST_INT64 = 2n ** 63n - 1n

function resolveInteger(digits: string): ScalarValue | undefined {
  const match = INTEGER.exec(digits)
  if (!match) return undefined
  const [, sign, hex, octal, binary, oldOctal, decimal] = match
  const magnitude =
    hex !== undefined
      ? BigInt(`0x${hex}`)
      : binary !== undefined
        ? BigInt(`0b${binary}`)
        : decimal !== undefined
          ? BigInt(decimal)
          : BigInt(`0o${octal ?? oldOctal}`)
  const value = sign === '-' ? -magnitude : magnitude
  if (value < LEAST_INT64 || value > (sign === '' ? GREATEST_UINT64 : GREATEST_INT64)) return undefined
  return { type: 'int', value }
}

function resolveFloat(text: string): ScalarValue | undefined {
  if (!FLOAT.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? { type: 'float', value } : undefined
}

function decodeBinary(text: string): string {
  const compact = text.replace(/[\r\n]/g, '')
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    throw new ScalarError('!!binary value contains invalid base64 data')
  }
  return Buffer.from(compact, 'base64').toString('utf8')
}
