import { expect, it } from 'vitest'
import { maskedFields } from './archive-mask.ts'

it('fields that are not to be kept are named by a flag or the environment', () => {
  expect(maskedFields({}, {})).toEqual([])
  expect(maskedFields({ 'archive-mask': 'password, spec.auth.token,' }, {})).toEqual(['password', 'spec.auth.token'])
  const environment = { TIPHYS_ARCHIVE_MASK: 'token' }
  expect(maskedFields({}, environment)).toEqual(['token'])
  expect(maskedFields({ 'archive-mask': 'password' }, environment)).toEqual(['password'])
})

it.each(['spec..token', '.token', 'spec.*', '$.a[0]'])(
  'a field cannot be called %s, and is told how it is written',
  field => {
    const refused = expect.objectContaining({
      code: 'cli-usage',
      message: expect.stringContaining(JSON.stringify(field)),
    })
    expect(() => maskedFields({ 'archive-mask': `password,${field}` }, {})).toThrow(refused)
    expect(() => maskedFields({}, { TIPHYS_ARCHIVE_MASK: field })).toThrow(refused)
  },
)
