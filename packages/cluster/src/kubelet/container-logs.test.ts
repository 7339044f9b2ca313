import { describe, expect, it } from 'vitest'
import { logOptions } from './container-logs.ts'

describe('the options of a log', () => {
  const read = (query: string) => logOptions(new URLSearchParams(query))
  const none = { follow: false, previous: false, timestamps: false }

  it.each([
    ['', none],
    ['follow=true&previous=1&timestamps=yes', { follow: true, previous: true, timestamps: true }],
    ['follow=false&timestamps=0', none],
    ['tailLines=0', { ...none, tailLines: 0 }],
    ['tail=5', { ...none, tailLines: 5 }],
    ['tail=all', none],
    ['limitBytes=10&sinceSeconds=60', { ...none, limitBytes: 10, sinceSeconds: 60 }],
    ['sinceTime=2026-01-01T00:00:00Z', { ...none, sinceTime: '2026-01-01T00:00:00Z' }],
  ])('are read from "%s"', (query, options) => {
    expect(read(query)).toEqual(options)
  })

  it.each(['tailLines=many', 'limitBytes=1.5', 'sinceTime=yesterday'])('cannot be read from "%s"', query => {
    expect(read(query)).toBeUndefined()
  })

  it.each([
    'tailLines=-1',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
    'stream=Stdout',
  ])('make no sense in "%s"', query => {
    expect(read(query)).toBe('invalid')
  })
})
