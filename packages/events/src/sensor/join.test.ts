import { expect, it } from 'vitest'
import type { Event } from '../event.ts'
import { parseCondition } from './condition.ts'
import { offer } from './join.ts'

const event = (id: string): Event => ({ id, source: 's', subject: 'e', type: 'webhook', time: '', data: '{}' })
const both = parseCondition('a && b', ['a', 'b'])

it('fires with the latest event of every dependency, and begins anew', () => {
  const first = offer(both, {}, 'a', event('1'))
  expect(first).toEqual({ join: { a: event('1') } })
  const second = offer(both, first.join, 'a', event('2'))
  expect(second).toEqual({ join: { a: event('2') }, superseded: event('1') })
  expect(offer(both, second.join, 'b', event('3'))).toEqual({ join: {}, fire: { a: event('2'), b: event('3') } })
})

it('takes an event that comes again for the same one', () => {
  expect(offer(both, { a: event('1') }, 'a', event('1'))).toEqual({ join: { a: event('1') } })
})

it('a dependency may be called like a member of every object', () => {
  const condition = parseCondition('constructor && b', ['constructor', 'b'])
  expect(offer(condition, {}, 'b', event('1')).fire).toBeUndefined()
})
