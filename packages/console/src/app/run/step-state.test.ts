import { expect, it } from 'vitest'
import { isSuspended, stateOf } from './step-state.ts'

it('a step that waits to be resumed is suspended; nothing runs in it', () => {
  expect(stateOf({ type: 'Suspend', phase: 'Running' })).toBe('Suspended')
  expect(stateOf({ type: 'Suspend', phase: 'Succeeded' })).toBe('Succeeded')
  expect(stateOf({ type: 'Pod', phase: 'Running' })).toBe('Running')
  expect(isSuspended({ type: 'Suspend', phase: 'Running' })).toBe(true)
})
