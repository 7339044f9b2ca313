import { describe, expect, test } from 'vitest'
import type { Json } from './http.ts'
import { normalise } from './normalise.ts'

const circumstances = {
  namespace: 'ns-12345678',
  group: 'g12345678.conformance.dev',
  firstVersion: 100,
  port: 6443,
  invented: new Set<string>(),
  keepManagedFields: false,
}

function normal(body: Json, rest: Partial<typeof circumstances> = {}): Json | undefined {
  return normalise([{ request: 'GET /x', status: 200, body }], { ...circumstances, ...rest })[0]?.body
}

const first = '11111111-1111-1111-1111-111111111111'
const second = '22222222-2222-2222-2222-222222222222'
const object = (uid: string, resourceVersion: string): Json => ({ metadata: { uid, resourceVersion } })

describe('normalising', () => {
  test('numbers uids by their first appearance, in messages too', () => {
    expect(normal([object(second, '0'), `not ${first} but ${second}`])).toEqual([
      { metadata: { resourceVersion: '0', uid: 'uid:1' } },
      'not uid:2 but uid:1',
    ])
  })

  test('keeps a uid that the scenario made up', () => {
    expect(normal(first, { invented: new Set([first]) })).toBe(first)
  })

  test('ranks versions of objects, and shows those of lists as lower bounds', () => {
    const list = { metadata: { resourceVersion: '205' }, items: [object(first, '200'), object(second, '150')] }
    expect(normal(list)).toEqual({
      metadata: { resourceVersion: 'rv:2+' },
      items: [
        { metadata: { resourceVersion: 'rv:2', uid: 'uid:1' } },
        { metadata: { resourceVersion: 'rv:1', uid: 'uid:2' } },
      ],
    })
  })

  test('shows objects from before the scenario as one version', () => {
    expect(normal(object(first, '50'))).toEqual({ metadata: { resourceVersion: 'rv:0', uid: 'uid:1' } })
  })

  test('hides the current time and keeps any other', () => {
    const now = new Date().toISOString().replace(/\.\d+Z/, 'Z')
    expect(normal([now, '2001-01-01T00:00:00Z'])).toEqual(['<time>', '2001-01-01T00:00:00Z'])
  })

  test('names the scenario’s own namespace and group, and leaves out other groups', () => {
    const groups = [{ name: 'g12345678.conformance.dev' }, { name: 'g87654321.conformance.dev' }, { name: 'apps' }]
    expect(normal(groups)).toEqual([{ name: 'GROUP' }, { name: 'apps' }])
    expect(normal('in ns-12345678')).toBe('in NS')
  })

  test('hides the generated part of a name wherever it appears', () => {
    const created = { metadata: { generateName: 'item-', name: 'item-x7f2k' }, message: 'item-x7f2k exists' }
    expect(normal(created)).toEqual({
      metadata: { generateName: 'item-', name: 'item-<generated 5:1>' },
      message: 'item-<generated 5:1> exists',
    })
  })
})
