import { expect, it } from 'vitest'
import { untilQuiet } from './until-quiet.ts'

it('waits for turns that are quiet one after the other', async () => {
  const answers = [true, true, false, true, true, true, false]
  let looks = 0
  await untilQuiet(() => answers[looks++] ?? false, 3)
  expect(looks).toBe(6)
})

it('lets the process rest while it waits for something outside', async () => {
  let looks = 0
  let isOver = false
  setTimeout(() => (isOver = true), 200)
  await untilQuiet(() => {
    looks++
    return isOver
  }, 4)
  expect(looks).toBeLessThan(500)
})
