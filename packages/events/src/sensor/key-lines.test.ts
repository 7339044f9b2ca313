import { seededRandom } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { KeyLines } from './key-lines.ts'

function lines() {
  const begun: string[] = []
  return { begun, lines: new KeyLines<string>(work => begun.push(work)) }
}

describe('key lines', () => {
  it('begin work of one key one after the other, of others at once', () => {
    const { begun, lines: keyLines } = lines()
    keyLines.add('a1', ['a'])
    keyLines.add('a2', ['a'])
    keyLines.add('b1', ['b'])
    keyLines.add('free', [])
    expect(begun).toEqual(['a1', 'b1', 'free'])
    expect(keyLines.waiting('a')).toEqual(['a2'])
    keyLines.end('a1')
    expect(begun).toEqual(['a1', 'b1', 'free', 'a2'])
  })

  it('hold all keys of a join', () => {
    const { begun, lines: keyLines } = lines()
    keyLines.add('a', ['a'])
    keyLines.add('both', ['a', 'b'])
    keyLines.add('b', ['b'])
    expect(begun).toEqual(['a'])
    keyLines.end('a')
    expect(begun).toEqual(['a', 'both'])
    keyLines.end('both')
    expect(begun).toEqual(['a', 'both', 'b'])
  })

  it('forget work that is wanted no more', () => {
    const { begun, lines: keyLines } = lines()
    keyLines.add('1', ['k'])
    keyLines.add('2', ['k'])
    keyLines.add('3', ['k'])
    keyLines.end('2')
    keyLines.end('1')
    expect(begun).toEqual(['1', '3'])
    keyLines.end('3')
    expect(keyLines.size).toBe(0)
  })

  it('keep the order of every key and end, whatever comes', () => {
    const random = seededRandom(7)
    const draw = (below: number) => Math.floor(random.next() * below)
    for (let round = 0; round < 200; round++) {
      const running: number[] = []
      const began: number[] = []
      const keysOf = new Map<number, string[]>()
      const keyLines = new KeyLines<number>(work => {
        running.push(work)
        began.push(work)
      })
      for (let work = 0; work < 40; work++) {
        const keys = Array.from({ length: draw(3) }, () => `k${draw(4)}`)
        keysOf.set(work, keys)
        keyLines.add(work, keys)
        while (running.length > 0 && draw(2) === 0) keyLines.end(running.splice(draw(running.length), 1)[0] as number)
        for (const one of running)
          for (const other of running)
            if (one !== other) expect(keysOf.get(one)?.some(key => keysOf.get(other)?.includes(key))).toBe(false)
      }
      while (running.length > 0) keyLines.end(running.shift() as number)
      expect(keyLines.size).toBe(0)
      for (const key of ['k0', 'k1', 'k2', 'k3']) {
        const order = began.filter(work => keysOf.get(work)?.includes(key))
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
    }
  })
})
