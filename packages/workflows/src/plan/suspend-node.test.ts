import { expect, test } from 'vitest'
import { next, workflowOf } from './testing/planning.ts'

test('what a person supplied must be complete before a suspended step goes on', () => {
  const workflow = workflowOf({
    entrypoint: 'ask',
    templates: [
      { name: 'ask', suspend: {}, outputs: { parameters: [{ name: 'answer', valueFrom: { supplied: {} } }] } },
    ],
  })
  const first = next(workflow)
  const refused = next(first.workflow, { observed: { resumes: { run: { phase: 'Succeeded' } } } })
  expect(refused.workflow.status?.nodes?.run).toMatchObject({
    phase: 'Running',
    message: 'cannot be resumed: the output parameter answer was not supplied and has no default',
  })
  const given = next(refused.workflow, {
    observed: { resumes: { run: { phase: 'Succeeded', outputs: { answer: '42' } } } },
  })
  expect(given.workflow.status?.nodes?.run).toMatchObject({
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'answer', value: '42' }] },
  })
  const failed = next(first.workflow, {
    observed: { resumes: { run: { phase: 'Failed', message: 'refused by ann' } } },
  })
  expect(failed.workflow.status).toMatchObject({ phase: 'Failed', message: 'refused by ann' })
})

test('what there is to choose from stands in the input of the same name, or is made by a step before', () => {
  const asking = (value: string) =>
    workflowOf({
      entrypoint: 'ask',
      arguments: { parameters: [{ name: 'answer', value }] },
      templates: [
        {
          name: 'ask',
          suspend: {},
          inputs: { parameters: [{ name: 'answer', default: 'no', enum: ['yes', 'no'], description: 'Deploy?' }] },
          outputs: { parameters: [{ name: 'answer', valueFrom: { supplied: {} } }] },
        },
      ],
    })
  const suppliedOf = (value: string) => next(asking(value)).workflow.status?.nodes?.run?.outputs?.parameters
  const supplied = { name: 'answer', description: 'Deploy?', valueFrom: { supplied: {}, default: 'no' } }
  expect(suppliedOf('no')).toEqual([{ ...supplied, enum: ['yes', 'no'] }])
  expect(suppliedOf('{"enum": ["v1", 2]}')).toEqual([{ ...supplied, enum: ['v1', '2'] }])
  expect(suppliedOf('{"enum": ')).toEqual([{ ...supplied, enum: ['yes', 'no'] }])
})
