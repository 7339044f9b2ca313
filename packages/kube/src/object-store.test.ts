import { describe, expect, it } from 'vitest'
import type { KubeObject } from './object.ts'
import { ObjectStore } from './object-store.ts'
import { compareVersions } from './resource-version.ts'

const widget = (name: string, uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { name, uid, resourceVersion },
})

function listed(version: string, ...objects: KubeObject[]): ObjectStore<KubeObject> {
  const store = new ObjectStore<KubeObject>('Widget')
  store.beginList()
  for (const object of objects) store.collect(object)
  store.finishList(version, true)
  return store
}

const versionOf = (store: ObjectStore<KubeObject>, key: string) => store.get(key)?.metadata.resourceVersion

describe('versions', () => {
  it('are compared as numbers of any length, and otherwise only for equality', () => {
    expect(compareVersions('9', '10')).toBeLessThan(0)
    expect(compareVersions('18446744073709551616', '18446744073709551615')).toBeGreaterThan(0)
    expect(compareVersions('x1', 'x1')).toBe(0)
    expect(compareVersions('x1', 'x2')).toBeUndefined()
    expect(compareVersions('010', '9')).toBeUndefined()
    expect(compareVersions('', '9')).toBeUndefined()
  })
})

describe('an own write', () => {
  it('outlives a list that is older than it, and yields to one that is not', () => {
    const store = listed('5', widget('a', 'u1', '3'))
    store.beginList()
    store.recordWrite(widget('a', 'u1', '8'), 0)
    store.collect(widget('a', 'u1', '3'))
    store.finishList('7', false)
    expect(versionOf(store, 'a')).toBe('8')
    store.beginList()
    store.finishList('9', false)
    expect(store.get('a')).toBeUndefined()
    expect(store.ownWrites).toBe(0)
  })

  it('with an opaque version yields to a list that was begun after it, and outlives one that was begun before', () => {
    const store = listed('v5', widget('a', 'u1', 'v3'))
    store.beginList()
    store.recordWrite(widget('a', 'u1', 'v8'), 0)
    store.collect(widget('a', 'u1', 'v3'))
    store.finishList('v7', false)
    expect(versionOf(store, 'a')).toBe('v8')
    store.beginList()
    store.collect(widget('a', 'u1', 'v9'))
    store.finishList('v9', false)
    expect(versionOf(store, 'a')).toBe('v9')
  })

  it('is what reads see before and after the stream shows it: the same object, which nothing is made of anew', () => {
    const store = listed('5', widget('a', 'u1', '3'))
    store.recordWrite(widget('a', 'u1', '8'), 0)
    const written = store.get('a')
    expect(store.apply('MODIFIED', widget('a', 'u1', '8'))).toMatchObject([{ type: 'updated', object: written }])
    expect(store.get('a')).toBe(written)
    expect(store.ownWrites).toBe(0)
  })

  it('is forgotten when a bookmark passes its version', () => {
    const store = listed('5')
    store.recordWrite(widget('elsewhere', 'u9', '8'), 0)
    store.pass('7', 1)
    expect(versionOf(store, 'elsewhere')).toBe('8')
    store.pass('8', 2)
    expect(store.get('elsewhere')).toBeUndefined()
  })

  it('does not replace a newer one whose answer came earlier', () => {
    const store = listed('5')
    store.recordWrite(widget('a', 'u1', '9'), 0)
    store.recordWrite(widget('a', 'u1', '8'), 1)
    expect(versionOf(store, 'a')).toBe('9')
  })

  it('counts in the bytes while it is kept', () => {
    const store = listed('5', widget('a', 'u1', '3'))
    const before = store.bytes
    store.recordWrite(widget('b', 'u2', '8'), 0)
    expect(store.bytes).toBeGreaterThan(before)
    store.pass('8', 1)
    expect(store.bytes).toBe(before)
  })
})

describe('an own deletion', () => {
  it('hides the object it deleted and not the next of that name', () => {
    const store = listed('5', widget('a', 'u1', '3'))
    store.recordDeletion('a', 'u1', undefined, 0)
    expect([...store.all()]).toEqual([])
    store.apply('MODIFIED', widget('a', 'u1', '6'))
    expect(store.get('a')).toBeUndefined()
    store.recordWrite(widget('a', 'u2', '8'), 1)
    expect(versionOf(store, 'a')).toBe('8')
    store.apply('DELETED', widget('a', 'u1', '7'))
    expect(versionOf(store, 'a')).toBe('8')
    store.apply('ADDED', widget('a', 'u2', '8'))
    expect(store.ownWrites).toBe(0)
  })

  it('is forgotten when the stream shows it, passes its version, or has had ample time to', () => {
    const shown = listed('5', widget('a', 'u1', '3'))
    shown.recordDeletion('a', 'u1', undefined, 0)
    shown.apply('DELETED', widget('a', 'u1', '6'))
    expect(shown.ownWrites).toBe(0)
    const passed = listed('5', widget('a', 'u1', '3'))
    passed.recordDeletion('a', 'u1', '6', 0)
    passed.pass('6', 1)
    expect(passed.ownWrites).toBe(0)
    const late = listed('5')
    late.recordDeletion('a', 'u1', undefined, 0)
    late.pass('9', 60_000)
    expect(late.ownWrites).toBe(1)
    late.pass('9', 130_000)
    expect(late.ownWrites).toBe(0)
  })
})

it('takes a change of uid for a deletion it missed', () => {
  const store = listed('5', widget('a', 'u1', '3'))
  expect(store.apply('MODIFIED', widget('a', 'u2', '6'))).toMatchObject([
    { type: 'deleted', object: { metadata: { uid: 'u1' } }, finalStateUnknown: true },
    { type: 'added', object: { metadata: { uid: 'u2' } } },
  ])
})
