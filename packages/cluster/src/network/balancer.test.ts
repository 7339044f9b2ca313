import { VirtualClock } from '@tiphys/env'
import { expect, test } from 'vitest'
import { Balancer } from './balancer.ts'

const [one, two, three] = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map(ip => ({ ip, port: 80 })) as [Target, Target, Target]
type Target = { ip: string; port: number }

test('offers every target, beginning with another one each time', () => {
  const balancer = new Balancer(new VirtualClock())
  expect(balancer.candidates('a')).toEqual([])
  balancer.update([one, two, three], false)
  expect([1, 2, 3, 4].map(() => balancer.candidates('a')[0])).toEqual([one, two, three, one])
  expect(balancer.candidates('a')).toEqual([two, three, one])
})

test('a sticky service offers a client its last target first, for three hours, while it is there', async () => {
  const clock = new VirtualClock()
  const balancer = new Balancer(clock)
  balancer.update([one, two, three], true)
  balancer.chose('a', two)
  expect([1, 2, 3].map(() => balancer.candidates('a')[0])).toEqual([two, two, two])
  expect(balancer.candidates('b')[0]).not.toEqual(two)
  balancer.update([one, three], true)
  expect(balancer.candidates('a')).toHaveLength(2)
  balancer.update([one, two, three], true)
  await clock.advance(10_800_001)
  expect(new Set([1, 2, 3].map(() => balancer.candidates('a')[0])).size).toBe(3)
})
