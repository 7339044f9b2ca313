import { describe, expect, it } from 'vitest'
import { addQuantities, compareQuantities, isWholeQuantity, roundUpResourceList } from './quantity.ts'

describe('quantities', () => {
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
    expect(isWholeQuantity('1500u')).toBe(false)
    expect(isWholeQuantity('2000m')).toBe(true)
  })

  it('takes what is no quantity for zero', () => {
    expect(compareQuantities('much', '0')).toBe(0)
  })
})
