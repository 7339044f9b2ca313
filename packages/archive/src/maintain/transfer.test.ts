import { describe, expect, it } from 'vitest'
import { readLines } from './transfer.ts'

describe('lines of an export', () => {
  it('may hold a text of any length', () => {
    const line = `{"record":${JSON.stringify('[\\"{'.repeat(5_000_000))}}`
    const { incoming, invalid } = readLines([line], 1)
    expect([incoming.length, invalid]).toEqual([1, undefined])
  })
})
