import { expect, it } from 'vitest'
import { consumersOf } from './consumers.ts'

const node = {
  id: 'trigger:shop:cache:sync',
  column: 'trigger',
  namespace: 'shop',
  name: 'cache/sync',
  backlog: 3,
  parked: 1,
  lastAt: 7,
} as const

it('a trigger that never had anything to do is a consumer of its bus, too', () => {
  const parts = [{ name: 'reserve', position: 87, backlog: 0, parked: 0 }]
  const figures = [
    { kind: 'Sensor', namespace: 'shop', name: 'join', parts },
    { kind: 'Sensor', namespace: 'other', name: 'away', parts },
  ] as const
  expect(consumersOf([node], figures, 'shop')).toEqual([
    { sensor: 'cache', trigger: 'sync', backlog: 3, parked: 1, lastAt: 7 },
    { sensor: 'join', trigger: 'reserve', position: 87, backlog: 0, parked: 0, lastAt: 0 },
  ])
})

it('what the engine counts is believed before what the archive makes of its records', () => {
  const figures = [
    { kind: 'Sensor', namespace: 'shop', name: 'cache', parts: [{ name: 'sync', position: 9, backlog: 0, parked: 0 }] },
  ] as const
  expect(consumersOf([node], figures, 'shop')).toEqual([
    { sensor: 'cache', trigger: 'sync', position: 9, backlog: 0, parked: 0, lastAt: 7 },
  ])
})
