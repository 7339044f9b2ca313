import { expect, it } from 'vitest'
import { parseSubject } from './subject.ts'

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
