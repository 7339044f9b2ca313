import { expect, it } from 'vitest'
import { findEventId, parseObject, parseSubject } from './subject.ts'

const EVENT = '0123456789abcdef0123456789abcdef'

it.each([
  [EVENT, { type: 'event', id: EVENT }],
  ['order-1', { type: 'run', namespace: 'usual', name: 'order-1' }],
  ['shop/order-1', { type: 'run', namespace: 'shop', name: 'order-1' }],
  ['run/order-1', { type: 'run', namespace: 'usual', name: 'order-1' }],
  ['Workflow/shop/order-1', { type: 'run', namespace: 'shop', name: 'order-1' }],
  ['Deployment/web', { type: 'object', kind: 'Deployment', namespace: 'usual', name: 'web' }],
  ['Deployment.apps/shop/web', { type: 'object', kind: 'Deployment.apps', namespace: 'shop', name: 'web' }],
])('%s', (text, subject) => expect(parseSubject(text, 'usual')).toEqual(subject))

it.each([
  ['deployment/web', { type: 'object', kind: 'deployment', namespace: 'usual', name: 'web' }],
  ['deployment/shop/web', { type: 'object', kind: 'deployment', namespace: 'shop', name: 'web' }],
  ['web', undefined],
  ['wf/order-1', undefined],
  ['deployment/', undefined],
])('%s, where an object is meant', (text, subject) => expect(parseObject(text, 'usual')).toEqual(subject))

it('finds an event by the beginning of its id, when there is one', async () => {
  const ids = [EVENT, '0123ffff00000000000000000000ffff']
  const asked: string[] = []
  const find = (text: string) =>
    findEventId(
      {
        async events({ query } = {}) {
          asked.push(String(query))
          const items = ids.filter(id => `id:${id}`.startsWith(String(query).slice(0, -1))).map(id => ({ id }))
          return { items, total: { count: items.length, exact: true } } as never
        },
      },
      text,
    )
  expect(await find(EVENT)).toBe(EVENT)
  expect(await find('order-1')).toBeUndefined()
  expect(await find('abc')).toBeUndefined()
  expect(asked).toEqual([])
  expect(await find('01234')).toBe(EVENT)
  expect(await find('ffff')).toBeUndefined()
  await expect(find('0123')).rejects.toThrow(`several events begin with 0123. Give more of it: ${ids[0]}, ${ids[1]}`)
})
