import type { StepDetail } from '@tiphys/archive'
import { expect, it } from 'vitest'
import { againOf, whatOf } from './run-dialog.tsx'

const step = (id: string, phase: string, type = 'Pod', children: string[] = []): StepDetail => ({
  step: id,
  name: id,
  type,
  phase,
  attempt: 1,
  at: 0,
  changedAt: 0,
  children,
  logs: [],
})

const steps = [
  step('root', 'Failed', 'Steps', ['[0]']),
  step('[0]', 'Succeeded', 'StepGroup', ['first']),
  step('first', 'Succeeded', 'Pod', ['[1]']),
  step('[1]', 'Failed', 'StepGroup', ['second', 'beside']),
  step('second', 'Failed', 'Pod', ['third']),
  step('beside', 'Succeeded'),
  step('third', 'Omitted'),
]
const names = (again: readonly StepDetail[]) => again.map(each => each.step)

it('a retry from the failure runs what failed and what came after, and nothing that succeeded', () => {
  expect(names(againOf(steps, undefined, false))).toEqual(['second', 'third'])
})

it('a retry from a step runs it and what comes after; a retry of all runs all; what only holds steps together is not told', () => {
  expect(names(againOf(steps, steps[2], false))).toEqual(['first', 'second', 'beside', 'third'])
  expect(names(againOf(steps, undefined, true))).toEqual(['first', 'second', 'beside', 'third'])
})

it('a retry says of steps that succeeded that they stay only where they do', () => {
  expect(whatOf('retry', undefined, false)).toContain('Succeeded ones stay as they are')
  for (const told of [whatOf('retry', steps[2], false), whatOf('retry', undefined, true)]) {
    expect(told).not.toContain('stay as they are')
    expect(told).toMatch(/also (where it had|those that) succeeded/)
  }
})
