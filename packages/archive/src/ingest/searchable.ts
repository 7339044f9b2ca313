import type { ObjectReference, PartReference, RunReference } from '@tiphys/journal/records'
import { isRecordOf, type Members } from '../members.ts'
import type { Decoded } from './incoming.ts'
import type { SplitPayload } from './payload.ts'

/** How much of a record can be found by its words, in characters; of a log's piece more. */
const [MOST_TEXT, MOST_LOG_TEXT] = [32_000, 400_000]

type Part = string | Buffer

/** The text under whose words a record is found, in parts; none for none. What has nothing of its own to say, such as that something has
 *  started, is found by what it belongs to. */
export function docOf(decoded: Decoded, isFirst = false): Part[] {
  const { record, content, payload } = decoded
  if (record.kind === 'log') return content && content.length > 0 ? [content.subarray(0, MOST_LOG_TEXT)] : []
  const text = textOf(decoded, isFirst)
  if (text === '') return []
  return record.kind === 'event' && payload ? [text, ...payloadTexts(payload, text.length)] : [text]
}

/** The same as one text. */
export const docText = (decoded: Decoded, isFirst: boolean): string => docOf(decoded, isFirst).map(String).join('')

/** Of an event without its payload. */
function textOf({ record, payload }: Decoded, isFirst: boolean): string {
  const doc = new DocText()
  switch (record.kind) {
    case 'event':
      addPart(doc, record.source)
      addObject(doc.add(record.type), record.object)
      doc.add(record.trace).add(record.key)
      return payload ? doc.text : doc.addJson(record.body).text
    case 'decision':
      if (record.message === undefined) return ''
      return addPart(doc, record.trigger).add(record.by).add(record.message).text
    case 'delivery':
      if (record.message === undefined && record.reason === undefined) return ''
      return addPart(doc, record.trigger).add(record.reason).add(record.message).text
    case 'run':
      if (!isFirst && record.message === undefined) return ''
      addRun(doc, record.run).add(record.template).add(record.message).addJson(record.parameters)
      return doc.addJson(record.outputs).text
    case 'step':
      if (!isFirst && record.message === undefined) return ''
      doc
        .add(record.displayName ?? record.name)
        .add(record.template)
        .add(record.pod)
        .add(record.message)
      return doc.addJson(record.inputs).text
    case 'write':
      return addObject(doc, record.object).text
    case 'health':
      return addObject(doc, record.object).add(record.condition).add(record.reason).add(record.message).text
    case 'audit':
      return doc.add(record.who).add(record.did).addJson(record.target).add(record.reason).text
    default:
      return ''
  }
}

/** Collects the texts of one record. */
class DocText {
  text = ''
  readonly #before: number

  /** So many characters are in it already. */
  constructor(before = 0) {
    this.#before = before
  }

  add(text: string | undefined): this {
    if (text !== undefined && !this.#isFull) this.text += ` ${text.slice(0, MOST_TEXT)}`
    return this
  }

  /** Names and values, without the bookkeeping that every object carries. */
  addJson(value: unknown, depth = 0): this {
    if (this.#isFull || depth > 40) return this
    if (typeof value === 'string') return this.add(value)
    if (typeof value === 'number' || typeof value === 'boolean') return this.add(String(value))
    if (Array.isArray(value)) for (const item of value) this.addJson(item, depth + 1)
    else if (isRecordOf(value)) this.#addMembers(value, depth)
    return this
  }

  get #isFull(): boolean {
    return this.#before + this.text.length >= MOST_TEXT
  }

  #addMembers(value: Members, depth: number): void {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'managedFields' || name === 'oldBody') continue
      this.add(name).addJson(member, depth + 1)
    }
  }
}

const [BACKSLASH, SPACE] = [0x5c, Buffer.from(' ')]
/** A line end or another letter that JSON writes with a letter of its own, which would become part of a word. */
const HAS_ESCAPES = /\\[^"\\/]/
const hasEscapes = (text: Buffer): boolean => text.includes(BACKSLASH) && HAS_ESCAPES.test(text.toString())

/** What an object was is found with the event before. `length` is that of the text before. */
function payloadTexts({ rest, body, managedFields }: SplitPayload, length: number): Part[] {
  const object = body?.content
  const texts = [rest.content]
  if (object) texts.push(object.subarray(0, managedFields?.from))
  if (object && managedFields) texts.push(object.subarray(managedFields.end))
  const short = texts.map(text => text.subarray(0, MOST_TEXT))
  if (short.some(hasEscapes)) {
    const doc = new DocText(length).addJson(JSON.parse(rest.content.toString()))
    return [(object ? doc.addJson(JSON.parse(object.toString())) : doc).text]
  }
  const parts: Part[] = []
  let added = length
  for (const text of short) {
    if (added >= MOST_TEXT) break
    parts.push(SPACE, text)
    added += SPACE.length + text.length
  }
  return parts
}

const addPart = (doc: DocText, { namespace, name, part }: PartReference): DocText =>
  doc.add(namespace).add(name).add(part)

const addRun = (doc: DocText, { namespace, name, uid }: RunReference): DocText => doc.add(namespace).add(name).add(uid)

const addObject = (doc: DocText, object: ObjectReference | undefined): DocText =>
  object ? doc.add(object.kind).add(object.namespace).add(object.name) : doc
