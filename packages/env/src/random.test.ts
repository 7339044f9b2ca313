import { describe, expect, it } from 'vitest'
import { seededRandom, systemRandom, uuid } from './random.ts'

describe('the system randomness', () => {
  it('gives as many bytes as asked for, also more than its pool holds', () => {
    for (const length of [0, 1, 16, 4096, 10_000]) expect(systemRandom.bytes(length)).toHaveLength(length)
  })

  it('never hands out the same bytes twice', () => {
    const drawn = Array.from({ length: 2000 }, () => Buffer.from(systemRandom.bytes(16)).toString('hex'))
    expect(new Set(drawn).size).toBe(drawn.length)
  })

  it('draws numbers of the whole range', () => {
    const numbers = Array.from({ length: 2000 }, () => systemRandom.next())
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...numbers)).toBeLessThan(1)
    expect(numbers.some(number => number < 0.1)).toBe(true)
    expect(numbers.some(number => number > 0.9)).toBe(true)
  })
})

describe('seeded randomness', () => {
  const draw = (seed: number) => {
    const random = seededRandom(seed)
    return [random.next(), random.next(), ...random.bytes(4)]
  }

  it('repeats itself for the same seed', () => expect(draw(7)).toEqual(draw(7)))
  it('differs for another', () => expect(draw(7)).not.toEqual(draw(8)))
})

describe('uuid', () => {
  it('is a version 4 UUID', () => {
    for (let i = 0; i < 100; i++)
      expect(uuid(systemRandom)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('is the same for the same randomness', () => expect(uuid(seededRandom(1))).toBe(uuid(seededRandom(1))))
})
