import type { EventRecord, ObjectReference, PartReference, RunReference } from '@tiphys/journal/records'
import { isRecordOf, type Members } from '../members.ts'
import type { Decoded } from './incoming.ts'
import type { SplitPayload } from './payload.ts'

/** How much of a record can be found by its words, in characters; of a log's piece more. */
const [MOST_TEXT, MOST_LOG_TEXT] = [32_000, 400_000]

/** The text under whose words a record is found; empty for none. What has nothing of its own to say, such as that something has
 *  started, is found by what it belongs to. */
export function docOf({ record, content, payload }: Decoded, isFirst = false): string {
  const doc = new DocText()
  switch (record.kind) {
    case 'event':
      addPart(doc, record.source)
      addObject(doc.add(record.type), record.object)
      return addPayload(doc.add(record.trace).add(record.key), record, payload).text
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
    case 'log':
      return content ? content.toString('utf8', 0, MOST_LOG_TEXT) : ''
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

  add(text: string | undefined): this {
    if (text !== undefined && this.text.length < MOST_TEXT) this.text += ` ${text.slice(0, MOST_TEXT)}`
    return this
  }

  /** Names and values, without the bookkeeping that every object carries. */
  addJson(value: unknown, depth = 0): this {
    if (this.text.length >= MOST_TEXT || depth > 40) return this
    if (typeof value === 'string') return this.add(value)
    if (typeof value === 'number' || typeof value === 'boolean') return this.add(String(value))
    if (Array.isArray(value)) for (const item of value) this.addJson(item, depth + 1)
    else if (isRecordOf(value)) this.#addMembers(value, depth)
    return this
  }

  #addMembers(value: Members, depth: number): void {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'managedFields' || name === 'oldBody') continue
      this.add(name).addJson(member, depth + 1)
    }
  }
}

/** A line end or another letter that JSON writes with a letter of its own, which would become part of a word. */
const HAS_ESCAPES = /\\[^"\\/]/

/** What an object was is found with the event before. */
function addPayload(doc: DocText, record: EventRecord, payload: SplitPayload | undefined): DocText {
  if (!payload) return doc.addJson(record.body)
  const { rest, body, managedFields } = payload
  const object = body?.content
  const texts = [
    rest.content.toString('utf8', 0, MOST_TEXT),
    object?.toString('utf8', 0, Math.min(managedFields?.from ?? MOST_TEXT, MOST_TEXT)),
    managedFields && object?.toString('utf8', managedFields.end, managedFields.end + MOST_TEXT),
  ]
  if (!texts.some(text => text !== undefined && HAS_ESCAPES.test(text))) {
    for (const text of texts) doc.add(text)
    return doc
  }
  doc.addJson(JSON.parse(rest.content.toString()))
  return object ? doc.addJson(JSON.parse(object.toString())) : doc
}

const addPart = (doc: DocText, { namespace, name, part }: PartReference): DocText =>
  doc.add(namespace).add(name).add(part)

const addRun = (doc: DocText, { namespace, name, uid }: RunReference): DocText => doc.add(namespace).add(name).add(uid)

const addObject = (doc: DocText, object: ObjectReference | undefined): DocText =>
  object ? doc.add(object.kind).add(object.namespace).add(object.name) : doc
