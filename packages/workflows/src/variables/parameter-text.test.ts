import { expect, test } from 'vitest'
import type { Parameter } from '../spec/workflow.ts'
import { textOf } from './parameter-text.ts'

test.each([
  [1e-7, '0.0000001'],
  [-2.5e-10, '-0.00000000025'],
  [1.5e21, '1500000000000000000000'],
  [1.5, '1.5'],
  [100, '100'],
  [true, 'true'],
  ['1e-7', '1e-7'],
  [['a', 'b'], ''],
  [{ a: 1 }, ''],
])('the value %j of a manifest is the text %j, as upstream has it', (value, text) => {
  expect(textOf(value as Parameter['value'])).toBe(text)
})
