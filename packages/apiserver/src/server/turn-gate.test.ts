import { expect, it } from 'vitest'
import { TurnGate } from './turn-gate.ts'

it('lets a burst of work begin in its order, and others have their turns in between', async () => {
  const gate = new TurnGate()
  const begun: number[] = []
  const turns: number[] = []
  const countTurn = () => {
    turns.push(begun.length)
    if (begun.length < 100) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  await Promise.all(
    Array.from({ length: 100 }, async (_, number) => {
      await gate.enter()
      begun.push(number)
    }),
  )
  expect(begun).toEqual(Array.from({ length: 100 }, (_, number) => number))
  expect(turns).toEqual([32, 64, 96, 100].slice(0, turns.length))
  expect(turns.length).toBeGreaterThanOrEqual(3)
})
