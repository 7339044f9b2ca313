import { expect, it } from 'vitest'
import { silenceOf } from './silence.ts'

it('a step without output says why: it is to come, there was none, or others have it', () => {
  const step = (type: string, finishedAt?: number) => ({
    name: 'run[0].a',
    displayName: 'a',
    type,
    ...(finishedAt !== undefined && { finishedAt }),
  })
  expect(silenceOf(step('Pod'), false)).toBe('The step a has written no output yet.')
  expect(silenceOf(step('Pod', 1), false)).toBe('The step a wrote no output.')
  expect(silenceOf(step('Pod'), true)).toBe('The step a wrote no output.')
  for (const type of ['Steps', 'DAG']) expect(silenceOf(step(type, 1), true)).toContain('choose one of them')
  expect(silenceOf(step('Retry'), false)).toContain('its attempts')
  expect(silenceOf(step('Suspend'), false)).toBe('The step a only waits, and writes no output.')
})
