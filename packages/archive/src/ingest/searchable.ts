import type { ObjectReference, PartReference, RunReference } from '@tiphys/journal/records'
import { WordList } from '../words.ts'
import type { Decoded } from './incoming.ts'

/** The words under which a record is found. What has nothing of its own to say, such as that something has started, is found by
 *  what it belongs to. */
export function docOf({ record, content }: Decoded, isFirst = false): readonly string[] {
  const list = new WordList()
  switch (record.kind) {
    case 'event':
      addPart(list, record.source)
      addObject(list.add(record.type), record.object)
      return list.add(record.trace).add(record.key).addJson(record.body).words
    case 'decision':
      if (record.message === undefined) return []
      return addPart(list, record.trigger).add(record.by).add(record.message).words
    case 'delivery':
      if (record.message === undefined && record.reason === undefined) return []
      return addPart(list, record.trigger).add(record.reason).add(record.message).words
    case 'run':
      if (!isFirst && record.message === undefined) return []
      addRun(list, record.run).add(record.template).add(record.message).addJson(record.parameters)
      return list.addJson(record.outputs).words
    case 'step':
      if (!isFirst && record.message === undefined) return []
      list
        .add(record.displayName ?? record.name)
        .add(record.template)
        .add(record.pod)
        .add(record.message)
      return list.addJson(record.inputs).words
    case 'log':
      return content ? new WordList(MOST_LOG_WORDS).add(content.toString()).words : []
    case 'write':
      return addObject(list, record.object).words
    case 'health':
      return addObject(list, record.object).add(record.condition).add(record.reason).add(record.message).words
    case 'audit':
      return list.add(record.who).add(record.did).addJson(record.target).add(record.reason).words
    default:
      return []
  }
}

const MOST_LOG_WORDS = 50_000

const addPart = (list: WordList, { namespace, name, part }: PartReference): WordList =>
  list.add(namespace).add(name).add(part)

const addRun = (list: WordList, { namespace, name, uid }: RunReference): WordList =>
  list.add(namespace).add(name).add(uid)

const addObject = (list: WordList, object: ObjectReference | undefined): WordList =>
  object ? list.add(object.kind).add(object.namespace).add(object.name) : list
