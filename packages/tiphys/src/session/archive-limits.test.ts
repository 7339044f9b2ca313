import { describe, expect, it } from 'vitest'
import { archiveLimits } from './archive-limits.ts'

describe('how much history is kept', () => {
  it('is everything, unless a flag or the environment says otherwise', () => {
    expect(archiveLimits({}, {})).toBeUndefined()
    expect(archiveLimits({}, { TIPHYS_ARCHIVE_MAX_AGE: '' })).toBeUndefined()
    expect(archiveLimits({ 'archive-max-age': '1d12h' }, {})).toEqual({ maxAgeMs: 129_600_000 })
    const environment = {
      TIPHYS_ARCHIVE_MAX_AGE: '2w',
      TIPHYS_ARCHIVE_MAX_EVENTS: '1000000',
      TIPHYS_ARCHIVE_MAX_SIZE: '1.5GiB',
    }
    expect(archiveLimits({}, environment)).toEqual({
      maxAgeMs: 1_209_600_000,
      maxEvents: 1_000_000,
      maxBytes: 1.5 * 2 ** 30,
    })
    expect(archiveLimits({ 'archive-max-size': '500M' }, environment)).toMatchObject({ maxBytes: 500 * 2 ** 20 })
  })

  it.each([
    ['archive-max-age', '30'],
    ['archive-max-age', '10s'],
    ['archive-max-age', 'soon'],
    ['archive-max-events', '0'],
    ['archive-max-events', '-3'],
    ['archive-max-events', '1e6'],
    ['archive-max-size', '10k'],
    ['archive-max-size', '2X'],
    ['archive-max-size', 'lots'],
  ])('is refused when --%s is %s, and told how it is written', (name, value) => {
    expect(() => archiveLimits({ [name]: value }, {})).toThrow(
      expect.objectContaining({
        code: 'cli-usage',
        message: expect.stringContaining(`--${name} cannot be "${value}"`),
      }),
    )
    const variable = `TIPHYS_${name.toUpperCase().replaceAll('-', '_')}`
    expect(() => archiveLimits({}, { [variable]: value })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(variable) }),
    )
  })
})
