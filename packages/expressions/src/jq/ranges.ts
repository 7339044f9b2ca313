import { notApplicable } from './errors.ts'
import type { Machine } from './machine.ts'
import { add } from './operators.ts'
import { compare, isNumber, type JqValue } from './value.ts'

export function range(args: JqValue[], machine: Machine): Iterator<JqValue> {
  for (const arg of args) if (!isNumber(arg)) throw notApplicable('range', arg)
  return numbers(args as [JqValue, JqValue, JqValue], machine)
}

function* numbers([start, end, step]: [JqValue, JqValue, JqValue], machine: Machine): Generator<JqValue, void> {
  const direction = compare(step, 0n)
  for (let value = start; direction * compare(value, end) < 0; value = add(value, step, machine)) yield value
}
