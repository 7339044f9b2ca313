import { seededRandom } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { joinScopes, Variables } from './scope.ts'
import { replaceText, substitute, VariableError } from './substitution.ts'

const env = { now: Date.parse('2026-03-29T12:00:00Z'), random: seededRandom(1) }

const scope = new Variables([
  ['inputs.parameters.message', 'hello'],
  ['inputs.parameters.tricky', '{{inputs.parameters.message}} "quoted" \\ \n'],
  ['inputs.parameters.count', '3'],
  ['workflow.name', 'run'],
  ['item', 'message'],
  ['steps.a.outputs.result', 'yes'],
  ['steps.my-step.status', 'Succeeded'],
  ['steps.skipped.outputs.parameters.x', null],
])

describe('replaceText', () => {
  test.each([
    ['nothing', 'nothing'],
    ['{{inputs.parameters.message}}', 'hello'],
    ['a {{ inputs.parameters.message }} b {{workflow.name}}', 'a hello b run'],
    ['{{inputs.parameters.tricky}}', '{{inputs.parameters.message}} "quoted" \\ \n'],
    ['{{inputs.parameters.{{item}}}}!', 'hello!'],
    ['{{ .Values.image }} {{not-ours}} {{"a"}}', '{{ .Values.image }} {{not-ours}} {{"a"}}'],
    ['{{unclosed', '{{unclosed'],
    ['}} {{workflow.name}} }}', '}} run }}'],
    ['{{=inputs.parameters.message}}', 'hello'],
    ["{{=inputs.parameters.message + ' ' + workflow.name}}", 'hello run'],
    ['{{=asInt(inputs.parameters.count) * 2}}', '6'],
    ['{{=[1, 2]}}', '[1,2]'],
    ['{{={"a": 1} }}', '{"a":1}'],
    ["{{=steps['my-step'].status}}", 'Succeeded'],
    ["{{=steps.skipped.outputs.parameters.x ?? 'fallback'}}", 'fallback'],
    ['{{=sprig.upper(inputs.parameters.message)}}', 'HELLO'],
    ["{{=sprig.date('2006', sprig.now())}}", '2026'],
    ['{{="<&>"}}', '<&>'],
  ])('%s', (text, expected) => {
    expect(replaceText(text, scope, env)).toBe(expected)
  })

  test.each([
    ['{{inputs.parameters.other}}', 'failed to resolve {{inputs.parameters.other}}'],
    ['{{steps.b.outputs.result}}', 'failed to resolve {{steps.b.outputs.result}}'],
    ['{{steps.skipped.outputs.parameters.x}}', 'has no value because the step was skipped or omitted'],
    ['{{=steps.skipped.outputs.parameters.x}}', 'has no value (nil)'],
    ["{{=steps.skipped.outputs.parameters.x + 'a'}}", 'failed to evaluate'],
    ['{{=1 +}}', 'failed to evaluate {{=1 +}}'],
  ])('refuses %s, and says where it stands', (text, problem) => {
    const replace = () => replaceText(text, scope, { ...env, path: 'templates.main.container.args[0]' })
    expect(replace).toThrow(VariableError)
    expect(replace).toThrow(`templates.main.container.args[0]: `)
    expect(replace).toThrow(problem)
    expect(replaceText(text, scope, { ...env, lenient: true })).toBe(text)
  })
})

describe('substitute', () => {
  test('replaces keys and values, and leaves everything else as it is, by identity', () => {
    const plain = { command: ['echo'], nested: { deep: [1, true, null] } }
    expect(substitute(plain, scope, env)).toBe(plain)
    const mixed = { plain, '{{workflow.name}}': ['{{inputs.parameters.message}}', 2] }
    const result = substitute(mixed, scope, env) as Record<string, unknown>
    expect(result).toEqual({ plain, run: ['hello', 2] })
    expect(result.plain).toBe(plain)
  })

  test('names the field of what cannot be resolved', () => {
    const template = { container: { env: [{ name: 'A', value: '{{tasks.x.outputs.result}}' }] } }
    expect(() => substitute(template, scope, { ...env, path: 'templates.main' })).toThrow(
      'templates.main.container.env[0].value: failed to resolve {{tasks.x.outputs.result}}',
    )
  })

  test('draws the same lots for the same plan', () => {
    const draw = () =>
      replaceText('{{=sprig.randAlphaNum(8)}}-{{=sprig.randAlphaNum(8)}}', scope, { ...env, random: seededRandom(7) })
    expect(draw()).toBe(draw())
    const [first, second] = draw().split('-')
    expect(first).not.toBe(second)
  })
})

test('the first scope that knows a name answers, for texts and for expressions', () => {
  const inner = new Variables([['inputs.parameters.message', 'inner']])
  const joined = joinScopes(inner, scope)
  expect(
    replaceText(
      '{{inputs.parameters.message}} {{=inputs.parameters.message}} {{=inputs.parameters.count}}',
      joined,
      env,
    ),
  ).toBe('inner inner 3')
})
