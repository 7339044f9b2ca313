/** A Kubernetes quantity as an exact number of billionths, with the family of suffixes it was written in. */
export interface Quantity {
  nano: bigint
  format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent'
}

const NANO = 1_000_000_000n
const MILLI = 1_000_000n
const DECIMAL_SUFFIXES: readonly [string, bigint][] = [
  ['E', 10n ** 18n * NANO],
  ['P', 10n ** 15n * NANO],
  ['T', 10n ** 12n * NANO],
  ['G', 10n ** 9n * NANO],
  ['M', 10n ** 6n * NANO],
  ['k', 10n ** 3n * NANO],
  ['', NANO],
  ['m', MILLI],
  ['u', 1000n],
  ['n', 1n],
]
const BINARY_SUFFIXES: readonly [string, bigint][] = [
  ['Ei', 2n ** 60n * NANO],
  ['Pi', 2n ** 50n * NANO],
  ['Ti', 2n ** 40n * NANO],
  ['Gi', 2n ** 30n * NANO],
  ['Mi', 2n ** 20n * NANO],
  ['Ki', 2n ** 10n * NANO],
  ['', NANO],
]
const SCALES = new Map([...DECIMAL_SUFFIXES, ...BINARY_SUFFIXES])
const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$/

/** Reads a quantity that has been accepted already; anything else counts as zero. Fractions below a billionth round up. */
export function parseQuantity(text: string | number): Quantity {
  const match = PATTERN.exec(String(text))
  if (match === null) return { nano: 0n, format: 'DecimalSI' }
  const [, sign = '', whole = '', fraction = '', exponent, suffix = ''] = match
  const digits = BigInt(`${whole}${fraction}` || '0')
  const divisor = 10n ** BigInt(fraction.length)
  const scale = exponent === undefined ? (SCALES.get(suffix) ?? NANO) : 1n
  let numerator = digits * scale
  let denominator = divisor
  if (exponent !== undefined) {
    const power = Number(exponent.slice(1))
    numerator = digits * NANO
    if (power >= 0) numerator *= 10n ** BigInt(power)
    else denominator *= 10n ** BigInt(-power)
  }
  const magnitude = divideUp(numerator, denominator)
  const format = exponent !== undefined ? 'DecimalExponent' : suffix.endsWith('i') ? 'BinarySI' : 'DecimalSI'
  return { nano: sign === '-' ? -magnitude : magnitude, format }
}

const divideUp = (numerator: bigint, denominator: bigint) => (numerator + denominator - 1n) / denominator

export function compareQuantities(left: string | number, right: string | number): number {
  const difference = parseQuantity(left).nano - parseQuantity(right).nano
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export const isZeroQuantity = (text: string | number): boolean => parseQuantity(text).nano === 0n
export const isNegativeQuantity = (text: string | number): boolean => parseQuantity(text).nano < 0n

/** Whole thousandths, rounded up, as `Quantity.MilliValue` has it. */
export function milliValue(text: string | number): bigint {
  return roundedUp(parseQuantity(text).nano, MILLI)
}

const roundedUp = (nano: bigint, unit: bigint) => (nano >= 0n ? divideUp(nano, unit) : -divideUp(-nano, unit))

/** The canonical text: the largest suffix that leaves an integer. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0'
  const isBinary = format === 'BinarySI' && nano % NANO === 0n && (nano >= 1024n * NANO || nano <= -1024n * NANO)
  for (const [suffix, scale] of isBinary ? BINARY_SUFFIXES : DECIMAL_SUFFIXES) {
    if (nano % scale !== 0n) continue
    return `${nano / scale}${format === 'DecimalExponent' ? exponentSuffix(scale) : suffix}`
  }
  return `${nano}n`
}

function exponentSuffix(scale: bigint): string {
  const power = scale.toString().length - NANO.toString().length
  return power === 0 ? '' : `e${power}`
}

export function addQuantities(left: string, right: string): string {
  const a = parseQuantity(left)
  const b = parseQuantity(right)
  return formatQuantity({ nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format })
}

export function maxQuantity(left: string, right: string): string {
  return compareQuantities(left, right) >= 0 ? left : right
}

/** Resources are counted in thousandths at the finest: anything finer is rounded up when an object is read. */
export function roundUpResourceList(resources: Record<string, string> | undefined): void {
  for (const [name, text] of Object.entries(resources ?? {})) {
    const quantity = parseQuantity(text)
    if (quantity.nano % MILLI === 0n) continue
    const nano = roundedUp(quantity.nano, MILLI) * MILLI
    ;(resources as Record<string, string>)[name] = formatQuantity({ ...quantity, nano })
  }
}
