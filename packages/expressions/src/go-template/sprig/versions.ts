import { RE2JS } from 're2js'
import { define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { quote } from '../quote.ts'
import { comparePrereleases, compareVersions, parseVersion, type VersionParts, VersionValue } from './version-value.ts'

interface Constraint {
  readonly operator: string
  readonly version: VersionParts
  /** Parts that were left out or written as `x`, from the least on. */
  readonly isDirty: boolean
  readonly isMinorDirty: boolean
  readonly isPatchDirty: boolean
}

const operators = String.raw`=||!=|>|<|>=|=>|<=|=<|~|~>|\^`
const version =
  String.raw`v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?` +
  String.raw`(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?`
const single = RE2JS.compile(String.raw`^\s*(${operators})\s*(${version})\s*$`)
const range = RE2JS.compile(String.raw`\s*(${version})\s+-\s+(${version})\s*`)
const each = RE2JS.compile(String.raw`(${operators})\s*(${version})`)
const valid = RE2JS.compile(
  String.raw`^(\s*(${operators})\s*(${version})\s*)((?:\s+|,\s*)(${operators})\s*(${version})\s*)*$`,
)

/** `1.2 - 1.4` says the same as `>= 1.2, <= 1.4`. */
function withoutRanges(text: string): string {
  let rewritten = text
  const matcher = range.matcher(text)
  while (matcher.find()) {
    const replacement = `>= ${matcher.group(1)}, <= ${matcher.group(11)} `
    rewritten = rewritten.replace(matcher.group() ?? '', () => replacement)
  }
  return rewritten
}

/** Alternatives, of which one must hold; each is constraints that must all hold. Throws GoError. */
function parseConstraints(text: string): Constraint[][] {
  if (Buffer.byteLength(text) > 512) throw new GoError('constraint string is too long (max 512 bytes)')
  const alternatives = withoutRanges(text).split('||')
  if (alternatives.length > 32) throw new GoError('too many constraint groups (max 32)')
  return alternatives.map(alternative => {
    if (!valid.test(alternative)) throw new GoError(`improper constraint: ${quote(alternative)}`)
    const found: Constraint[] = []
    const matcher = each.matcher(alternative)
    while (matcher.find()) found.push(parseConstraint(matcher.group() ?? ''))
    return found
  })
}

const isWild = (part: string): boolean => /^[xX*]$/.test(part.replace('.', ''))

function parseConstraint(text: string): Constraint {
  const matcher = single.matcher(text)
  if (!matcher.find()) throw new GoError(`improper constraint: ${quote(text)}`)
  const [operator, whole, major, minor, patch, prerelease] = [1, 2, 3, 4, 5, 6].map(
    index => matcher.group(index) ?? '',
  ) as [string, string, string, string, string, string]
  const isLeftOut = (part: string) => part === '' || isWild(part)
  const clean = { isDirty: false, isMinorDirty: false, isPatchDirty: false }
  const constraint = (written: string, dirt: Partial<Constraint>): Constraint => {
    try {
      return { operator, version: parseVersion(written), ...clean, ...dirt }
    } catch {
      // Upstream says no more than this.
      throw new GoError('constraint parser error')
    }
  }
  if (isLeftOut(major)) return constraint(`0.0.0${prerelease}`, { isDirty: true })
  if (isLeftOut(minor)) return constraint(`${major}.0.0${prerelease}`, { isDirty: true, isMinorDirty: true })
  if (isLeftOut(patch)) return constraint(`${major}${minor}.0${prerelease}`, { isDirty: true, isPatchDirty: true })
  return constraint(whole, {})
}

function accepts(constraint: Constraint, found: VersionParts): boolean {
  const { operator, version: wanted, isDirty, isMinorDirty, isPatchDirty } = constraint
  const order = compareVersions(found, wanted)
  switch (operator) {
    case '':
    case '=':
      return isDirty ? isWithinTilde(constraint, found, order) : order === 0
    case '!=':
      return isDirty ? differs(constraint, found) : order !== 0
    case '>':
      if (!isDirty || found.major !== wanted.major) return isDirty ? found.major > wanted.major : order > 0
      if (isMinorDirty) return false
      return isPatchDirty ? found.minor > wanted.minor : order > 0
    case '<':
      return order < 0
    case '>=':
    case '=>':
      return order >= 0
    case '<=':
    case '=<':
      if (!isDirty) return order <= 0
      if (found.major > wanted.major) return false
      return !(found.major === wanted.major && found.minor > wanted.minor && !isMinorDirty)
    case '~':
    case '~>':
      return isWithinTilde(constraint, found, order)
    default:
      return isWithinCaret(constraint, found, order)
  }
}

function differs({ version: wanted, isMinorDirty, isPatchDirty }: Constraint, found: VersionParts): boolean {
  if (found.major !== wanted.major) return true
  if (isMinorDirty) return false
  if (found.minor !== wanted.minor) return true
  if (!isPatchDirty) return found.patch !== wanted.patch || compareVersions(found, wanted) !== 0
  return comparePrereleases(found.prerelease, wanted.prerelease) !== 0
}

function isWithinTilde(
  { version: wanted, isMinorDirty, isPatchDirty }: Constraint,
  found: VersionParts,
  order: number,
): boolean {
  if (order < 0) return false
  const isZero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n
  if (isZero && !isMinorDirty && !isPatchDirty) return true
  return found.major === wanted.major && (found.minor === wanted.minor || isMinorDirty)
}

function isWithinCaret(
  { version: wanted, isMinorDirty, isPatchDirty }: Constraint,
  found: VersionParts,
  order: number,
): boolean {
  if (order < 0) return false
  if (wanted.major > 0n || isMinorDirty) return found.major === wanted.major
  if (found.major > 0n) return false
  if (wanted.minor > 0n || isPatchDirty) return found.minor === wanted.minor
  return found.minor === 0n && found.patch === wanted.patch
}

function satisfies(constraintText: string, versionText: string): boolean {
  const alternatives = parseConstraints(constraintText)
  const found = parseVersion(versionText)
  return alternatives.some(constraints => {
    const allowsPrerelease = constraints.some(constraint => constraint.version.prerelease !== '')
    if (found.prerelease !== '' && !allowsPrerelease) return false
    return constraints.every(constraint => accepts(constraint, found))
  })
}

export const versionFunctions: Readonly<Record<string, GoFunction>> = {
  semver: define(['string'], (_, text) => new VersionValue(parseVersion(text))),
  semverCompare: define(['string', 'string'], (_, constraint, text) => satisfies(constraint, text)),
}
