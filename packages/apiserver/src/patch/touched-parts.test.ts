import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../schema/schema.ts'
import { touchedByMerge, touchedByOperations, touchedPart, withUntouched } from './touched-parts.ts'

const pod: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', managedFields: [{ manager: 'me' }] },
  spec: { nodeName: 'n' },
  status: { phase: 'Pending' },
}

describe('what a patch touches', () => {
  it('are the fields that a merge patch names', () => {
    expect(touchedByMerge({ status: {} })).toEqual({ fields: new Set(['status']), managers: false })
    expect(touchedByMerge({ metadata: { labels: {} } }).managers).toBe(false)
    expect(touchedByMerge({ metadata: { managedFields: [] } }).managers).toBe(true)
    expect(touchedByMerge({ metadata: { '$setElementOrder/managedFields': [] } }).managers).toBe(true)
    expect(touchedByMerge({ metadata: null }).managers).toBe(true)
  })

  it('is everything when a directive stands at the top, or the patch is no object', () => {
    for (const patch of [{ $patch: 'replace' }, { $retainKeys: [] }, [], null, 'text'])
      expect(touchedByMerge(patch).fields).toBeUndefined()
  })

  it('are the places that operations read and write', () => {
    const move = { op: 'move', from: '/spec/a', path: '/status/b~1c' }
    expect(touchedByOperations([move])).toEqual({ fields: new Set(['spec', 'status']), managers: false })
    expect(touchedByOperations([{ op: 'add', path: '/metadata/labels/a~1b', value: 'x' }]).managers).toBe(false)
    expect(touchedByOperations([{ op: 'remove', path: '/metadata/managedFields/0' }]).managers).toBe(true)
    expect(touchedByOperations([{ op: 'test', path: '/metadata', value: {} }]).managers).toBe(true)
    for (const path of ['', 'spec', '/a~1b']) expect(touchedByOperations([{ op: 'test', path }]).fields).toBeUndefined()
  })
})

describe('an object of which a part was patched', () => {
  it('shares the rest with the stored one, in its order', () => {
    const touched = touchedByMerge({ status: {}, metadata: { labels: {} } })
    const part = touchedPart(pod, touched)
    expect(part).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, status: { phase: 'Pending' } })
    const patched = { ...part, metadata: { name: 'a', labels: {} }, status: { phase: 'Running' }, extra: 1 }
    const whole = withUntouched(patched, pod, touched) as JsonObject
    expect(Object.keys(whole)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status', 'extra'])
    expect(whole.spec).toBe(pod.spec)
    expect((whole.metadata as JsonObject).managedFields).toBe((pod.metadata as JsonObject).managedFields)
    expect(whole.status).toEqual({ phase: 'Running' })
  })

  it('loses what the patch took away', () => {
    const touched = touchedByMerge({ status: null })
    const { status: _gone, ...part } = touchedPart(pod, touched)
    expect(withUntouched(part as { metadata: object }, pod, touched)).toEqual({ ...pod, status: undefined })
  })
})
