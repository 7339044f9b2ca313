import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { type LogRecord, Storage, type WriteAheadLog } from './storage.ts'

/** A log whose disk answers when the test says so. */
class HeldLog implements WriteAheadLog {
  readonly records: LogRecord[] = []
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  isClosed = false

  submit(record: LogRecord): { committed: Promise<void> } {
    this.records.push(record)
    return { committed: new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject })) }
  }

  commitNext(): void {
    this.#waiting.shift()?.resolve()
  }

  failNext(error: Error): void {
    this.#waiting.shift()?.reject(error)
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const turn = () => new Promise(resolve => setImmediate(resolve))
const keysOf = (stored: Iterable<{ key: string }>): string[] => [...stored].map(({ key }) => key)

describe('storage in memory', () => {
  it('gives every write of every collection the next revision', () => {
    const storage = new Storage()
    const [one, other] = [storage.collection('one'), storage.collection('other')]
    expect(storage.write(one, 'a', undefined, object('a'))?.revision).toBe(1)
    expect(storage.nextRevision).toBe(2)
    expect(storage.write(other, 'a', undefined, object('a'))?.revision).toBe(2)
    expect(storage.committedRevision).toBe(2)
    expect(storage.settled()).toBeUndefined()
  })

  it('writes only over the version that the writer knows', () => {
    const storage = new Storage()
    const collection = storage.collection('one')
    const first = storage.write(collection, 'a', undefined, object('a'))
    expect(storage.write(collection, 'a', undefined, object('a'))).toBeUndefined()
    const second = storage.write(collection, 'a', first, object('a'))
    expect(storage.write(collection, 'a', first, undefined)).toBeUndefined()
    expect(storage.write(collection, 'a', second, undefined)?.revision).toBe(3)
    expect(collection.get('a')).toBeUndefined()
  })
})

describe('storage with a log', () => {
  it('shows a write to readers at once and to watchers when it is durable', async () => {
    const log = new HeldLog()
    const storage = new Storage({ log })
    const collection = storage.collection('one')
    const published: number[] = []
    collection.onChange(({ revision }) => published.push(revision))
    storage.write(collection, 'a', undefined, object('a'))
    storage.write(collection, 'b', undefined, object('b'))

    expect(keysOf(collection.values())).toEqual(['a', 'b'])
    expect(keysOf(collection.committedValues())).toEqual([])
    expect(published).toEqual([])
    expect(storage.revision).toBe(2)
    expect(storage.committedRevision).toBe(0)

    log.commitNext()
    await turn()
    expect(published).toEqual([1])
    expect(keysOf(collection.committedValues())).toEqual(['a'])
    expect(collection.changesAfter(0).length).toBe(1)
    log.commitNext()
    await turn()
    expect(published).toEqual([1, 2])
    expect(storage.settled()).toBeUndefined()
  })

  it('is settled when everything written so far is durable', async () => {
    const log = new HeldLog()
    const storage = new Storage({ log })
    const collection = storage.collection('one')
    storage.write(collection, 'a', undefined, object('a'))
    storage.write(collection, 'b', undefined, object('b'))
    let isSettled = false
    const settled = storage.settled()?.then(() => {
      isSettled = true
    })
    log.commitNext()
    await turn()
    expect(isSettled).toBe(false)
    log.commitNext()
    await settled
    expect(isSettled).toBe(true)
  })

  it('answers nobody any more after its log failed', async () => {
    const log = new HeldLog()
    const storage = new Storage({ log })
    const collection = storage.collection('one')
    storage.write(collection, 'a', undefined, object('a'))
    const settled = storage.settled()
    log.failNext(new Error('the disk is full'))
    await expect(settled).rejects.toThrow('the disk is full')
    await expect(storage.settled()).rejects.toThrow('the disk is full')
    expect(() => storage.write(collection, 'b', undefined, object('b'))).toThrow('the disk is full')
    expect(keysOf(collection.committedValues())).toEqual([])
  })

  it('comes back from its records with the same objects, revisions and history', async () => {
    const log = new HeldLog()
    const storage = new Storage({ log })
    const collection = storage.collection('one')
    const a = storage.write(collection, 'a', undefined, object('a'))
    storage.write(collection, 'b', undefined, object('b'))
    storage.write(collection, 'a', a, undefined)

    const restored = new Storage()
    for (const record of log.records) restored.restore(record)
    const again = restored.collection('one')
    expect(keysOf(again.values())).toEqual(['b'])
    expect(restored.revision).toBe(3)
    expect(again.changesAfter(1).map(({ revision, key }) => [revision, key])).toEqual([
      [2, 'b'],
      [3, 'a'],
    ])
    await storage.close()
    expect(log.isClosed).toBe(true)
  })
})
