import { hash } from 'node:crypto'
import { isObjectAt, type Slice, type Wanted, without } from './json-slices.ts'

/** A payload in up to three parts, as it was written. Those that tell of an object carry it twice, as it is and as it was; what it was
 *  is what the event before it told, so that each version is stored once. */
export interface SplitPayload {
  rest: Part
  body?: Part
  oldBody?: Part
  bytes: number
  /** What happened to the object, and which version of it, when the payload tells. */
  change?: string
  version?: string
  uid?: string
  /** The bookkeeping that every object carries, in `body`: nobody looks for words in it. */
  managedFields?: { from: number; end: number }
}

export interface Part {
  hash: string
  content: Buffer
}

/** What there is to find in an event's record. */
export const PAYLOAD: Wanted = [
  ['type', []],
  ['oldBody', []],
  [
    'body',
    [
      [
        'metadata',
        [
          ['uid', []],
          ['resourceVersion', []],
          ['managedFields', []],
        ],
      ],
    ],
  ],
]

/** Of the payload that stands at `slice` of a record's text. */
export function splitPayload(text: Buffer, slice: Slice): SplitPayload {
  const { body, oldBody, type } = slice.members
  const parts = [body, oldBody].filter(part => part !== undefined && isObjectAt(text, part)) as Slice[]
  const rest = parts.length === 0 ? text.subarray(slice.start, slice.end) : without(text, slice, parts)
  const split: SplitPayload = { rest: { hash: shortHash(rest), content: rest }, bytes: rest.length }
  const change = textOf(text, type)
  if (change !== undefined && /^[A-Z]{1,20}$/.test(change)) split.change = change
  if (body && parts.includes(body)) {
    split.body = partOf(text.subarray(body.start, body.end))
    split.bytes += split.body.content.length
    const { uid, resourceVersion, managedFields } = body.members.metadata?.members ?? {}
    const [version, id] = [textOf(text, resourceVersion), textOf(text, uid)]
    if (version !== undefined) split.version = version
    if (id !== undefined) split.uid = id
    if (managedFields)
      split.managedFields = { from: managedFields.from - body.start, end: managedFields.end - body.start }
  }
  if (oldBody && parts.includes(oldBody)) {
    split.oldBody = partOf(text.subarray(oldBody.start, oldBody.end))
    split.bytes += split.oldBody.content.length
  }
  return split
}

/** What a payload that tells of an object begins with. */
const CHANGE = /^\{"type":"[A-Z]+"/

/** The text of a payload: of one that tells of an object as it was, of others with the parts at its end. */
export function joinPayload(rest: string, body: string | undefined, oldBody: string | undefined): string {
  if (body === undefined && oldBody === undefined) return rest
  const parts = [body && `"body":${body}`, oldBody && `"oldBody":${oldBody}`].filter(part => part !== undefined)
  const before = CHANGE.exec(rest)?.[0] ?? rest.slice(0, -1)
  return `${before}${before === '{' ? '' : ','}${parts.join(',')}${rest.slice(before.length)}`
}

function textOf(text: Buffer, slice: Slice | undefined): string | undefined {
  const value = slice && (JSON.parse(text.toString('utf8', slice.start, slice.end)) as unknown)
  return typeof value === 'string' ? value : undefined
}

/** Beside its object a payload tells the same few things over and over. */
const shortHashes = new Map<string, string>()
const [LONGEST_SHORT, MOST_SHORT] = [512, 1000]

function shortHash(content: Buffer): string {
  if (content.length > LONGEST_SHORT) return contentHash(content)
  const text = content.toString('latin1')
  let known = shortHashes.get(text)
  if (known === undefined) {
    known = contentHash(content)
    if (shortHashes.size >= MOST_SHORT) shortHashes.clear()
    shortHashes.set(text, known)
  }
  return known
}

const partOf = (content: Buffer): Part => ({ hash: contentHash(content), content })

/** By which content is known: 128 bits of SHA-256. */
export const contentHash = (content: Uint8Array): string => hash('sha256', content, 'base64url').slice(0, 22)
