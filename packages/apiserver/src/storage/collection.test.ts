import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { type Collection, RevisionExpired } from './collection.ts'
import { Storage, type StorageOptions } from './storage.ts'

function fill(keys: readonly string[], options?: StorageOptions): { storage: Storage; collection: Collection } {
  const storage = new Storage(options)
  const collection = storage.collection('configmaps')
  for (const key of keys) put(storage, collection, key)
  return { storage, collection }
}

function put(storage: Storage, collection: Collection, key: string, data = {}): void {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: key }, data } as KubeObject
  if (!storage.write(collection, key, collection.get(key), object)) throw new Error(`${key} was not written`)
}

function remove(storage: Storage, collection: Collection, key: string): void {
  if (!storage.write(collection, key, collection.get(key), undefined)) throw new Error(`${key} was not removed`)
}

const keysOf = (stored: Iterable<{ key: string }>): string[] => [...stored].map(({ key }) => key)

describe('a collection', () => {
  it('gives its objects in key order, whatever order they came in', () => {
    const { storage, collection } = fill(['b/2', 'a/1', 'a-b/1', 'b/1', 'a/0'])
    expect(keysOf(collection.values())).toEqual(['a-b/1', 'a/0', 'a/1', 'b/1', 'b/2'])
    remove(storage, collection, 'a/1')
    put(storage, collection, 'a/00')
    expect(keysOf(collection.values())).toEqual(['a-b/1', 'a/0', 'a/00', 'b/1', 'b/2'])
    expect(collection.size).toBe(5)
  })

  it('gives the objects of one namespace and not those of a namespace with a longer name', () => {
    const { collection } = fill(['a/1', 'aa/1', 'a/2', 'b/1'])
    expect(keysOf(collection.values('a'))).toEqual(['a/1', 'a/2'])
    expect(keysOf(collection.values('none'))).toEqual([])
  })

  it('pages through everything without gap or repetition', () => {
    const keys = Array.from({ length: 25 }, (_, i) => `n${i % 3}/o${String(i).padStart(2, '0')}`)
    const { collection } = fill(keys)
    const seen: string[] = []
    let from: string | undefined
    const remaining: number[] = []
    do {
      const page = collection.page({ limit: 10, from })
      seen.push(...keysOf(page.items))
      remaining.push(page.remaining)
      from = page.next === undefined ? undefined : `${page.next}\0`
    } while (from !== undefined)
    expect(seen).toEqual(keys.toSorted())
    expect(remaining).toEqual([15, 5, 0])
  })

  it('ends a page of a selection when it is full, and says that more may follow', () => {
    const { collection } = fill(['a/1', 'a/2', 'a/3', 'a/4'])
    const isEven = ({ key }: { key: string }) => Number(key.slice(2)) % 2 === 0
    expect(collection.page({ limit: 1, accept: isEven })).toMatchObject({ next: 'a/2', items: [{ key: 'a/2' }] })
    expect(collection.page({ limit: 2, accept: isEven }).next).toBeUndefined()
  })

  it('shows a page as it was at an earlier revision', () => {
    const { storage, collection } = fill(['a/1', 'a/2', 'b/1'])
    const then = storage.revision
    put(storage, collection, 'a/0')
    put(storage, collection, 'a/2', { changed: 'yes' })
    remove(storage, collection, 'b/1')
    const page = collection.page({ revision: then })
    expect(keysOf(page.items)).toEqual(['a/1', 'a/2', 'b/1'])
    expect(page.items[1]?.object).not.toHaveProperty('data.changed')
    expect(keysOf(collection.page({ revision: then, namespace: 'a', from: 'a/1\0' }).items)).toEqual(['a/2'])
    expect(keysOf(collection.page({}).items)).toEqual(['a/0', 'a/1', 'a/2'])
  })

  it('refuses revisions that its history no longer holds', () => {
    const { storage, collection } = fill(['a/1', 'a/2', 'a/3'])
    storage.compact(2)
    expect(() => collection.page({ revision: 1 })).toThrow(RevisionExpired)
    expect(() => collection.changesAfter(1)).toThrow('too old resource version: 1 (2)')
    expect(keysOf(collection.changesAfter(2))).toEqual(['a/3'])
  })

  it('keeps no more history than its limit', () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `a/${String(i).padStart(4, '0')}`)
    const { collection } = fill(keys, { historyLimit: 100 })
    expect(() => collection.changesAfter(1)).toThrow(RevisionExpired)
    expect(collection.changesAfter(999).length).toBe(1)
    expect(collection.changesAfter(960).length).toBe(40)
  })

  it('that is made later refuses revisions from before its time', () => {
    const { storage } = fill(['a/1', 'a/2'])
    const later = storage.collection('widgets')
    expect(() => later.changesAfter(1)).toThrow('too old resource version: 1 (2)')
    expect(later.changesAfter(2)).toEqual([])
  })

  it('tells a subscriber what it missed and what comes, once each and in order', () => {
    const { storage, collection } = fill(['a/1', 'a/2', 'a/3'])
    const seen: number[] = []
    const { backlog, unsubscribe } = collection.subscribe(1, ({ revision }) => seen.push(revision))
    expect(backlog.map(({ revision }) => revision)).toEqual([2, 3])
    put(storage, collection, 'a/1')
    remove(storage, collection, 'a/2')
    unsubscribe()
    put(storage, collection, 'a/4')
    expect(seen).toEqual([4, 5])
  })

  it('keeps the last state of what was deleted, under the revision of the deletion', () => {
    const { storage, collection } = fill(['a/1'])
    remove(storage, collection, 'a/1')
    const [, deletion] = collection.changesAfter(0)
    expect(deletion).toMatchObject({ revision: 2, current: undefined, previous: { revision: 1 } })
    expect(deletion?.last?.object.metadata).toMatchObject({ name: 'a/1', resourceVersion: '2' })
  })
})
