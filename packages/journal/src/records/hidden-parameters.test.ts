import { expect, it } from 'vitest'
import { hiddenNote, hiddenValues } from './hidden-parameters.ts'
import { secretsOf } from './secrets.ts'

const { redact } = secretsOf(['hunter2 and more', 'tweety'])
const TRIGGER = 'a1b2'

it('finds the parts of parameters again that are secrets, and notes nothing of what they are', () => {
  const parameters = [
    { name: 'plain', value: 'hello' },
    { name: 'whole', value: 'tweety' },
    { name: 'dsn', value: 'postgres://tweety:hunter2 and more@tweety/db' },
    { name: 'without' },
    { name: 'list', value: ['tweety'] },
  ]
  const note = hiddenNote(TRIGGER, parameters, redact)
  expect(Object.keys(note)).toEqual(['masked.tiphys.dev/a1b2'])
  expect(JSON.stringify(note)).not.toMatch(/tweety|hunter2/)
  expect(hiddenValues({ other: 'x', ...note }, parameters as never)).toEqual([
    'tweety',
    'tweety',
    'hunter2 and more',
    'tweety',
    'tweety',
  ])
})

it('notes nothing where there is no secret', () => {
  expect(hiddenNote(TRIGGER, [{ name: 'a', value: 'hello' }], redact)).toEqual({})
  expect(hiddenNote(TRIGGER, undefined, redact)).toEqual({})
})

it('takes a parameter as a whole where nobody can tell its parts', () => {
  const untold = [{ name: 'a', value: 'some text' }]
  expect(
    hiddenValues(
      hiddenNote(TRIGGER, untold, () => 'not told'),
      untold,
    ),
  ).toEqual(['some text'])
  const many = [{ name: 'a', value: 'tweety '.repeat(30) }]
  expect(hiddenValues(hiddenNote(TRIGGER, many, redact), many)).toEqual([many[0]?.value])
  const adjacent = [{ name: 'a', value: 'x tweetytweety y' }]
  expect(hiddenValues(hiddenNote(TRIGGER, adjacent, redact), adjacent)).toEqual(['tweetytweety'])
})

it('reads notes of several triggers, and passes over what is none', () => {
  const parameters = [{ name: 'a', value: 'one two' }]
  const annotations = {
    'masked.tiphys.dev/1': '[["a",0,3],["gone",0,1],[3],"x"]',
    'masked.tiphys.dev/2': '[["a",4,7]]',
    'masked.tiphys.dev/3': '{not JSON',
    'masked.tiphys.dev/4': 'null',
  }
  expect(hiddenValues(annotations, parameters)).toEqual(['one', 'two'])
})
