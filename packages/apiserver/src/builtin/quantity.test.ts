import { describe, expect, it } from 'vitest'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  milliValue,
  parseQuantity,
  roundUpResourceList,
} from './quantity.ts'

describe('quantities', () => {
  it.each([
    ['1', '1'],
    ['1500m', '1500m'],
    ['1000m', '1'],
    ['1024Ki', '1Mi'],
    ['1e3', '1e3'],
    ['0.5Gi', '512Mi'],
    ['1000k', '1M'],
    ['-5', '-5'],
    ['0', '0'],
  ])('reads %s and writes %s', (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical)
  })

  it('compares across families of suffixes', () => {
    expect(compareQuantities('1Ki', '1k')).toBe(1)
    expect(compareQuantities('1000m', '1')).toBe(0)
    expect(compareQuantities('-1', '0')).toBe(-1)
  })

  it('adds in the first one’s family', () => {
    expect(addQuantities('1Gi', '512Mi')).toBe('1536Mi')
    expect(addQuantities('100m', '900m')).toBe('1')
  })

  it('rounds resources up to thousandths', () => {
    const resources = { cpu: '100u', memory: '1Gi' }
    roundUpResourceList(resources)
    expect(resources).toEqual({ cpu: '1m', memory: '1Gi' })
    expect(milliValue('1500u')).toBe(2n)
  })
})
