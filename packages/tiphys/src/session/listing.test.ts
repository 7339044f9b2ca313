import { expect, it } from 'vitest'
import { moreRows, noRows } from './listing.ts'

const total = { count: 30, exact: false }
const partial = { scanned: 15_000, backTo: Date.UTC(2026, 0, 5, 8) }

it('does not say that there is nothing when not everything was looked at', () => {
  expect(noRows('No event is like that.', { total })).toBe('No event is like that.')
  expect(noRows('No event is like that.', { total, next: '7', partial })).toMatch(
    /^Nothing was found back to 2026-01-05T08:00:00Z, and older ones were not looked at/,
  )
})

it('says below a list how many there are, or how far was looked', () => {
  expect(moreRows({ total }, 30)).toBeUndefined()
  expect(moreRows({ total, next: '7' }, 30)).toBe('at least 30 in all; --limit shows more')
  expect(moreRows({ total: { count: 3, exact: true }, next: '7' }, 2)).toBe('3 in all; --limit shows more')
  expect(moreRows({ total, next: '7' }, 1000)).toBe('at least 30 in all; add until:TIME for older ones')
  expect(moreRows({ total, next: '7', partial }, 30)).toContain('looked back to 2026-01-05T08:00:00Z. Add until:TIME')
})
