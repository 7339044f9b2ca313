import { expect, it } from 'vitest'
import { parametersOf, unknownParameters } from './parameters.ts'

const workflow = (spec: object) => ({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: {}, spec })

it('are taken apart at the first sign', () => {
  expect(parametersOf({ parameter: ['a=1', 'b=c=d', 'e='] })).toEqual({ a: '1', b: 'c=d', e: '' })
  expect(parametersOf({})).toBeUndefined()
  expect(() => parametersOf({ parameter: ['=1'] })).toThrow('-p cannot be "=1". It looks like -p name=value')
})

it('that a workflow does not know are told, with the one that was meant', () => {
  const declared = workflow({ arguments: { parameters: [{ name: 'who' }] } })
  expect(unknownParameters(declared, { who: 'Ada' })).toEqual([])
  expect(unknownParameters(declared, { whoo: 'Ada', code: '1' })).toEqual([
    'the workflow has no parameter "whoo", did you mean who?',
    'the workflow has no parameter "code"',
  ])
})

it('that a workflow reads without declaring them, or leaves to a template, are no slip', () => {
  const given = { code: '1' }
  expect(unknownParameters(workflow({ templates: [{ args: ['{{workflow.parameters.code}}'] }] }), given)).toEqual([])
  expect(unknownParameters(workflow({ templates: [{ args: ['{{workflow.parameters.code2}}'] }] }), given)).toHaveLength(
    1,
  )
  expect(unknownParameters(workflow({ templates: [{ args: ['{{workflow.parameters}}'] }] }), given)).toEqual([])
  expect(unknownParameters(workflow({ workflowTemplateRef: { name: 'a' } }), given)).toEqual([])
})
