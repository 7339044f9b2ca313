import { define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { numberError, parseUint64 } from '../number-text.ts'
import { quote } from '../quote.ts'
import { GoInt, GoObject } from '../value.ts'

export interface VersionParts {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
  readonly original: string
}

/** A version of github.com/Masterminds/semver: a pointer as `semver` returns it, a struct as its methods do. */
export class VersionValue extends GoObject {
  readonly parts: VersionParts
  readonly kind: 'ptr' | 'struct'

  constructor(parts: VersionParts, kind: 'ptr' | 'struct' = 'ptr') {
    super()
    this.parts = parts
    this.kind = kind
  }

  get type(): string {
    return this.kind === 'ptr' ? '*semver.Version' : 'semver.Version'
  }

  text(): string {
    return versionText(this.parts)
  }

  source(): string {
    const { major, minor, patch, prerelease, metadata, original } = this.parts
    const numbers = [major, minor, patch].map(number => `0x${number.toString(16)}`)
    const [a, b, c] = numbers
    const rest = `pre:${quote(prerelease)}, metadata:${quote(metadata)}, original:${quote(original)}`
    return `${this.kind === 'ptr' ? '&' : ''}semver.Version{major:${a}, minor:${b}, patch:${c}, ${rest}}`
  }

  json(): string {
    return `"${this.text()}"`
  }

  method(name: string): GoFunction | undefined {
    if (this.kind === 'struct' && pointerMethods.has(name)) return undefined
    return methods.get(name)?.(this.parts)
  }

  equals(other: GoObject): boolean {
    return other instanceof VersionValue && (this.kind === 'ptr' ? this === other : this.source() === other.source())
  }
}

function versionText({ major, minor, patch, prerelease, metadata }: Omit<VersionParts, 'original'>): string {
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`
}

const loose =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

/** Reads a version; minor and patch may be left out. Throws GoError. */
export function parseVersion(text: string): VersionParts {
  if (Buffer.byteLength(text) > 256) throw new GoError('version string is too long (max 256 bytes)')
  const match = loose.exec(text)
  if (match === null) throw new GoError('invalid semantic version')
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match
  const parts = {
    major: segment(major),
    minor: segment(minor),
    patch: segment(patch),
    prerelease,
    metadata,
    original: text,
  }
  checkPrerelease(prerelease)
  return parts
}

function segment(text: string): bigint {
  const parsed = parseUint64(text)
  if ('value' in parsed) return parsed.value
  throw new GoError(`error parsing version segment: ${numberError('ParseUint', text, parsed.problem)}`)
}

function checkPrerelease(text: string): void {
  if (text === '') return
  for (const part of text.split('.')) {
    if (part === '' || !/^[0-9A-Za-z-]+$/.test(part)) throw new GoError('invalid prerelease string')
    if (/^0\d+$/.test(part)) throw new GoError('version segment starts with 0')
  }
}

function checkMetadata(text: string): void {
  if (text === '') return
  for (const part of text.split('.')) {
    if (!/^[0-9A-Za-z-]+$/.test(part)) throw new GoError('invalid metadata string')
  }
}

/** -1, 0 or 1; metadata does not count. */
export function compareVersions(left: VersionParts, right: VersionParts): number {
  for (const key of ['major', 'minor', 'patch'] as const) {
    if (left[key] !== right[key]) return left[key] > right[key] ? 1 : -1
  }
  if (left.prerelease === right.prerelease) return 0
  if (left.prerelease === '') return 1
  if (right.prerelease === '') return -1
  return comparePrereleases(left.prerelease, right.prerelease)
}

export function comparePrereleases(left: string, right: string): number {
  const [a, b] = [left.split('.'), right.split('.')]
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const order = compareParts(a[index] ?? '', b[index] ?? '')
    if (order !== 0) return order
  }
  return 0
}

function compareParts(left: string, right: string): number {
  if (left === right) return 0
  if (left === '') return -1
  if (right === '') return 1
  const [a, b] = [parseUint64(left), parseUint64(right)]
  if ('value' in a && 'value' in b) return a.value > b.value ? 1 : -1
  if ('value' in a) return -1
  if ('value' in b) return 1
  return left > right ? 1 : -1
}

/** Methods that a version which is no pointer does not have. */
const pointerMethods: ReadonlySet<string> = new Set([
  'Original',
  'Compare',
  'Equal',
  'LessThan',
  'LessThanEqual',
  'GreaterThan',
  'GreaterThanEqual',
])

type Method = (parts: VersionParts) => GoFunction

const number = (read: (parts: VersionParts) => bigint): Method => {
  return parts => define([], () => new GoInt('uint64', read(parts)))
}
const text = (read: (parts: VersionParts) => string): Method => {
  return parts => define([], () => read(parts))
}
const order = (accepts: (order: number) => boolean | bigint): Method => {
  return parts => define(['*semver.Version'], (_, other) => accepts(compareVersions(parts, other.parts)))
}

/** A version made from another; the original keeps its `v`. */
function derived(from: VersionParts, changes: Partial<VersionParts>): VersionValue {
  const parts = { ...from, ...changes }
  const prefix = from.original.startsWith('v') ? 'v' : ''
  return new VersionValue({ ...parts, original: prefix + versionText(parts) }, 'struct')
}

const plain = { prerelease: '', metadata: '' }

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['Major', number(({ major }) => major)],
  ['Minor', number(({ minor }) => minor)],
  ['Patch', number(({ patch }) => patch)],
  ['Prerelease', text(({ prerelease }) => prerelease)],
  ['Metadata', text(({ metadata }) => metadata)],
  ['Original', text(({ original }) => original)],
  ['String', text(versionText)],
  ['Compare', order(result => BigInt(result))],
  ['Equal', order(result => result === 0)],
  ['LessThan', order(result => result < 0)],
  ['LessThanEqual', order(result => result <= 0)],
  ['GreaterThan', order(result => result > 0)],
  ['GreaterThanEqual', order(result => result >= 0)],
  [
    'IncPatch',
    parts =>
      define([], () => derived(parts, { ...plain, patch: parts.prerelease === '' ? parts.patch + 1n : parts.patch })),
  ],
  ['IncMinor', parts => define([], () => derived(parts, { ...plain, minor: parts.minor + 1n, patch: 0n }))],
  ['IncMajor', parts => define([], () => derived(parts, { ...plain, major: parts.major + 1n, minor: 0n, patch: 0n }))],
  [
    'SetPrerelease',
    parts =>
      define(['string'], (_, prerelease) => {
        checkPrerelease(prerelease)
        return derived(parts, { prerelease })
      }),
  ],
  [
    'SetMetadata',
    parts =>
      define(['string'], (_, metadata) => {
        checkMetadata(metadata)
        return derived(parts, { metadata })
      }),
  ],
])
