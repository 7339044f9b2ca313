import { expect, it } from 'vitest'
import { difference, isSubstantial } from './difference.ts'

const seen = { uid: 'u', resourceVersion: '5', origin: 'o' }

it('tells what has happened to an object since it was seen', () => {
  expect(difference(undefined, 'gone').type).toBe('none')
  expect(difference(undefined, { uid: 'u', resourceVersion: '5' }).type).toBe('ADD')
  expect(difference(seen, { uid: 'u', resourceVersion: '5' }).type).toBe('none')
  expect(difference(seen, { uid: 'u', resourceVersion: '6' }).type).toBe('UPDATE')
  expect(difference(seen, { uid: 'v', resourceVersion: '6' }).type).toBe('DELETE then ADD')
  expect(difference(seen, 'gone').type).toBe('DELETE')
})

it('tells substance from status and bookkeeping', () => {
  const object = {
    metadata: { name: 'a', resourceVersion: '1', generation: 1, managedFields: [{}], labels: { a: '1', b: '2' } },
    spec: { generation: 1, status: 'a', big: 9007199254740993n },
    status: { phase: 'a' },
  }
  const { metadata, spec } = object
  const same = {
    status: { phase: 'b' },
    spec,
    metadata: { labels: { b: '2', a: '1' }, name: 'a', resourceVersion: '2' },
  }
  expect(isSubstantial(object, same)).toBe(false)
  expect(isSubstantial(object, { ...object, spec: { ...spec, status: 'b' } })).toBe(true)
  expect(isSubstantial(object, { ...object, spec: { ...spec, generation: 2 } })).toBe(true)
  expect(isSubstantial(object, { ...object, spec: { ...spec, big: 9007199254740992n } })).toBe(true)
  expect(isSubstantial(object, { ...object, metadata: { ...metadata, labels: {} } })).toBe(true)
  expect(isSubstantial(object, { ...object, metadata: { ...metadata, deletionTimestamp: 'now' } })).toBe(true)
})
