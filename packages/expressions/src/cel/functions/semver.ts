import { compareStrings } from '../text-order.ts'
import { CelError, type CelValue, noOverloadFor, OpaqueValue, unsupportedConversion } from '../value.ts'
import { goQuote } from './go-text.ts'
import { type Implementation, overload } from './implementation.ts'

class Semver extends OpaqueValue {
  readonly typeName = 'kubernetes.Semver'
  readonly goType = 'cel.Semver'
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: readonly (bigint | string)[]
  readonly #text: string

  constructor(text: string, numbers: readonly [bigint, bigint, bigint], prerelease: readonly (bigint | string)[]) {
    super()
    const [major, minor, patch] = numbers
    this.major = major
    this.minor = minor
    this.patch = patch
    this.prerelease = prerelease
    this.#text = text
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof Semver)) return noOverloadFor(other)
    return this.compare(other) === 0
  }

  override throughOptional(): CelValue {
    return unsupportedConversion('semver.Version', this.#text)
  }

  /** By precedence; build metadata does not count. */
  compare(other: Semver): number {
    const numbers =
      compareNumbers(this.major, other.major) ||
      compareNumbers(this.minor, other.minor) ||
      compareNumbers(this.patch, other.patch)
    return numbers || comparePrereleases(this.prerelease, other.prerelease)
  }
}

function compareNumbers(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function comparePrereleases(left: readonly (bigint | string)[], right: readonly (bigint | string)[]): number {
  if (left.length === 0 || right.length === 0) return Math.sign(right.length - left.length)
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [a, b] = [left[index] as bigint | string, right[index] as bigint | string]
    if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1
    const order = typeof a === 'bigint' ? compareNumbers(a, b as bigint) : compareStrings(a, b as string)
    if (order !== 0) return order
  }
  return Math.sign(left.length - right.length)
}

/** Throws an Error that says what is wrong in the version. */
function parse(text: string): Semver {
  if (text === '') throw new Error('Version string empty')
  const match = /^([^.]*)\.([^.]*)\.(.*)$/s.exec(text)
  if (match === null) throw new Error('No Major.Minor.Patch elements found')
  const [, majorText = '', minorText = '', rest = ''] = match
  const major = parseNumber('Major', majorText)
  const minor = parseNumber('Minor', minorText)
  const plus = rest.indexOf('+')
  const build = plus === -1 ? [] : rest.slice(plus + 1).split('.')
  const core = plus === -1 ? rest : rest.slice(0, plus)
  const dash = core.indexOf('-')
  const patch = parseNumber('Patch', dash === -1 ? core : core.slice(0, dash))
  const prerelease =
    dash === -1
      ? []
      : core
          .slice(dash + 1)
          .split('.')
          .map(parsePrerelease)
  for (const part of build) {
    if (part === '') throw new Error('Build meta data is empty')
    if (!/^[0-9A-Za-z-]*$/.test(part)) throw new Error(`Invalid character(s) found in build meta data ${goQuote(part)}`)
  }
  return new Semver(text, [major, minor, patch], prerelease)
}

function parseNumber(name: string, text: string): bigint {
  if (!/^\d*$/.test(text)) {
    throw new Error(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`)
  }
  if (/^0./.test(text)) throw new Error(`${name} number must not contain leading zeroes ${goQuote(text)}`)
  return parseUint(text)
}

function parseUint(text: string): bigint {
  if (text === '') throw new Error('strconv.ParseUint: parsing "": invalid syntax')
  const value = BigInt(text)
  if (value >= 2n ** 64n) throw new Error(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`)
  return value
}

function parsePrerelease(text: string): bigint | string {
  if (text === '') throw new Error('Prerelease is empty')
  if (/^\d+$/.test(text)) {
    if (/^0./.test(text)) {
      throw new Error(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`)
    }
    return parseUint(text)
  }
  if (!/^[0-9A-Za-z-]+$/.test(text)) throw new Error(`Invalid character(s) found in prerelease ${goQuote(text)}`)
  return text
}

/** Takes away a leading `v` and leading zeros, and adds a missing minor and patch number. */
function normalize(text: string): string {
  const bare = text.startsWith('v') ? text.slice(1) : text
  const [first = '', ...others] = bare.split('.')
  const parts = others.length > 2 ? [first, others[0] as string, others.slice(1).join('.')] : [first, ...others]
  const trimmed = parts.map(part => {
    if (part.length <= 1) return part
    const stripped = part.replace(/^0+/, '')
    return /^\d/.test(stripped) ? stripped : `0${stripped}`
  })
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) as string)) {
    throw new Error('short version cannot contain PreRelease/Build meta data')
  }
  while (trimmed.length < 3) trimmed.push('0')
  return trimmed.join('.')
}

function semver(text: string, normalized = false): CelValue {
  try {
    return parse(normalized ? normalize(text) : text)
  } catch (error) {
    return new CelError((error as Error).message)
  }
}

function isSemver(text: string, normalized = false): CelValue {
  return semver(text, normalized) instanceof Semver
}

export const semverOverloads: readonly (readonly [string, Implementation])[] = [
  overload('string_to_semver', semver),
  overload('string_bool_to_semver', semver),
  overload('is_semver_string', isSemver),
  overload('is_semver_string_bool', isSemver),
  overload('semver_is_greater_than', (left: Semver, right: Semver) => left.compare(right) > 0),
  overload('semver_is_less_than', (left: Semver, right: Semver) => left.compare(right) < 0),
  overload('semver_compare_to', (left: Semver, right: Semver) => BigInt(left.compare(right))),
  overload('semver_major', (version: Semver) => BigInt.asIntN(64, version.major)),
  overload('semver_minor', (version: Semver) => BigInt.asIntN(64, version.minor)),
  overload('semver_patch', (version: Semver) => BigInt.asIntN(64, version.patch)),
]
