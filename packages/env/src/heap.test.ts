import { expect, it } from 'vitest'
import { Heap, type HeapEntry } from './heap.ts'
import { seededRandom } from './random.ts'

interface Entry extends HeapEntry {
  due: number
  order: number
}
const isBefore = (a: Entry, b: Entry) => a.due < b.due || (a.due === b.due && a.order < b.order)

it('gives what a sorted list would, however entries come and go', () => {
  const random = seededRandom(7)
  const heap = new Heap<Entry>(isBefore)
  const model: Entry[] = []
  const sort = () => model.sort((a, b) => a.due - b.due || a.order - b.order)
  for (let order = 0; order < 5000; order++) {
    const roll = random.next()
    if (roll < 0.55 || model.length === 0) {
      const entry = { due: Math.floor(random.next() * 300), order, heapIndex: -1 }
      heap.add(entry)
      model.push(entry)
    } else {
      const index = roll < 0.8 ? 0 : Math.floor(random.next() * model.length)
      const [gone] = model.splice(index, 1)
      if (gone) heap.remove(gone)
    }
    sort()
    expect(heap.first).toBe(model[0])
    expect(heap.size).toBe(model.length)
  }
})

it('does not mind an entry that is not there', () => {
  const heap = new Heap<Entry>(isBefore)
  const entry = { due: 1, order: 0, heapIndex: -1 }
  heap.remove(entry)
  heap.add(entry)
  heap.remove(entry)
  heap.remove(entry)
  expect(heap.size).toBe(0)
})
