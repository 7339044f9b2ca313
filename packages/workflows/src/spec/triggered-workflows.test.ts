import type { KubeObject } from '@tiphys/kube'
import { expect, test } from 'vitest'
import { checkTriggeredWorkflow, triggeredWorkflows } from './triggered-workflows.ts'

const templates = [
  {
    name: 'main',
    inputs: { parameters: [{ name: 'who' }] },
    container: { image: 'x', command: ['echo', '{{inputs.parameters.who}}'] },
  },
]
const workflow = (spec: object): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { generateName: 'x-' },
  spec: { entrypoint: 'main', templates, arguments: { parameters: [{ name: 'who' }] }, ...spec },
})
const sensor = (trigger: object): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Sensor',
  metadata: { name: 's' },
  spec: { triggers: [trigger] },
})
const submitting = (resource: KubeObject, more: object = {}, outer: object = {}) =>
  sensor({ template: { name: 't', argoWorkflow: { operation: 'submit', source: { resource }, ...more } }, ...outer })
const found = (object: KubeObject, others: KubeObject[] = []) =>
  triggeredWorkflows(object)
    .flatMap(triggered => checkTriggeredWorkflow(triggered, others))
    .map(({ path, message, severity }) => `${severity} ${path.replace(/^.*\.resource\./, '')}: ${message}`)
const leading = (dest: string) => ({ parameters: [{ src: { dependencyName: 'd', dataKey: 'body' }, dest }] })

const AT = 'spec.triggers[0].template.argoWorkflow.source.resource'

test('a Workflow in a trigger is judged like any other', () => {
  const [triggered] = triggeredWorkflows(submitting(workflow({ entrypoint: 'nowhere' })))
  expect(triggered?.path).toBe(AT)
  expect(found(submitting(workflow({})))).toEqual([
    expect.stringContaining('error spec.arguments.parameters[0].value: the parameter who has no value'),
  ])
  expect(found(submitting(workflow({ entrypoint: 'nowhere' })))).toContainEqual(
    expect.stringContaining('error spec.entrypoint'),
  )
})

test('what parameters of the trigger set has a value', () => {
  expect(found(submitting(workflow({}), leading('spec.arguments.parameters.0.value')))).toEqual([])
  expect(found(submitting(workflow({ arguments: {} }), leading('spec.arguments.parameters.-1')))).toEqual([])
  expect(found(submitting(workflow({}), { args: ['-p', 'who=me'] }))).toEqual([])
  const outer = leading('argoWorkflow.source.resource.spec.arguments.parameters.0.value')
  expect(found(submitting(workflow({}), {}, outer))).toEqual([])
  expect(found(submitting(workflow({ entrypoint: 'nowhere' }), leading('spec.arguments.parameters.0.value')))).toEqual([
    expect.stringContaining('error spec.entrypoint'),
  ])
})

test('what parameters of the trigger change beyond that is not judged', () => {
  const wrong = workflow({ entrypoint: 'nowhere' })
  for (const dest of ['spec.entrypoint', 'spec.templates.0.container.image', 'spec', ''])
    expect(found(submitting(wrong, leading(dest))), dest).toEqual([])
  expect(found(submitting(wrong, {}, leading('argoWorkflow.source')))).toEqual([])
  expect(found(submitting(wrong, {}, leading('argoWorkflow.operation')))).not.toEqual([])
})

test('a template of another folder is a warning', () => {
  const referring = workflow({ templates: undefined, workflowTemplateRef: { name: 'whole' }, arguments: undefined })
  expect(found(submitting(referring))).toEqual(['warning spec: no WorkflowTemplate "whole" is in these manifests'])
  const whole = { ...workflow({}), kind: 'WorkflowTemplate', metadata: { name: 'whole' } }
  expect(found(submitting(referring), [whole])).toEqual([expect.stringContaining('the parameter who has no value')])
})

test('only what is made is looked at', () => {
  const resource = workflow({ entrypoint: 'nowhere' })
  expect(found(submitting(resource, { operation: 'resubmit' }))).toEqual([])
  const k8s = (operation: string) => sensor({ template: { name: 't', k8s: { operation, source: { resource } } } })
  expect(found(k8s('create'))).not.toEqual([])
  expect(found(k8s('patch'))).toEqual([])
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} }
  expect(found(sensor({ template: { name: 't', k8s: { source: { resource: pod } } } }))).toEqual([])
})
