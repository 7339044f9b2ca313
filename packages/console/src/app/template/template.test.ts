import { expect, it } from 'vitest'
import { formValues, hasEntry, parametersOf, plannedSteps, referredTo } from './template.ts'

const manifest = {
  kind: 'WorkflowTemplate',
  metadata: { name: 't' },
  spec: {
    entrypoint: 'main',
    arguments: { parameters: [{ name: 'p', value: 'v' }] },
    templates: [
      {
        name: 'main',
        steps: [
          [{ name: 'first', template: 'work' }],
          [{ name: 'dag', template: 'dag' }],
          [{ name: 'last', template: 'work' }],
        ],
      },
      {
        name: 'dag',
        dag: {
          tasks: [
            { name: 'b', template: 'work', depends: 'a.Succeeded && !a.Skipped' },
            { name: 'a', template: 'work' },
          ],
        },
      },
      { name: 'work' },
    ],
  },
}

it('draws what a run would do: groups in order, tasks by what they depend on', () => {
  const links = plannedSteps(manifest).flatMap(({ step, children }) =>
    (children ?? []).map(child => `${step} → ${child}`),
  )
  expect(links.sort()).toEqual(
    [
      'entry → entry.first',
      'entry.dag → entry.dag.a',
      'entry.dag.a → entry.dag.b',
      'entry.dag.b → entry.last',
      'entry.first → entry.dag',
    ].sort(),
  )
  expect(parametersOf(manifest)).toEqual([{ name: 'p', value: 'v' }])
})

it('ends also when a template contains itself or nothing', () => {
  const templates = [{ name: 'loop', steps: [[{ name: 'again', template: 'loop' }]] }]
  expect(plannedSteps({ ...manifest, spec: { entrypoint: 'loop', templates } }).length).toBeLessThan(10)
  expect(plannedSteps({ ...manifest, spec: {} })).toEqual([])
})

it('draws the steps of one that others only refer to, and knows that it cannot be started', () => {
  const { entrypoint: _, ...spec } = manifest.spec
  const library = { ...manifest, spec }
  expect(plannedSteps(library).map(({ name }) => name)).toEqual(plannedSteps(manifest).map(({ name }) => name))
  expect([hasEntry(manifest), hasEntry(library)]).toEqual([true, false])
})

it('knows of a CronWorkflow that is made of a template that it can be started, and which template that is', () => {
  const cron = (workflowTemplateRef: { name: string; clusterScope?: boolean }) => ({
    kind: 'CronWorkflow',
    metadata: { name: 'nightly' },
    spec: { workflowSpec: { workflowTemplateRef } },
  })
  expect([hasEntry(cron({ name: 't' })), referredTo(cron({ name: 't' }))]).toEqual([
    true,
    { kind: 'WorkflowTemplate', name: 't' },
  ])
  expect(referredTo(cron({ name: 't', clusterScope: true }))?.kind).toBe('ClusterWorkflowTemplate')
  expect(referredTo(manifest)).toBeUndefined()
})

it('fills the form from the address, then from the template, then with the first that is allowed', () => {
  const parameters = [
    { name: 'given', value: 'x' },
    { name: 'value', value: 'v', default: 'd' },
    { name: 'default', default: 'd' },
    { name: 'choice', enum: ['one', 'two'] },
    { name: 'nothing' },
  ]
  const address = new URLSearchParams('p.given=from+the+address')
  expect(formValues(parameters, name => address.get(name))).toEqual({
    given: 'from the address',
    value: 'v',
    default: 'd',
    choice: 'one',
    nothing: '',
  })
})
