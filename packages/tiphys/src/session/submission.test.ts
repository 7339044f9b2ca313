import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { systemEnv } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import { workflowDefinitions } from '@tiphys/workflows'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installDefinitions } from './definitions.ts'
import { problemsOf, readSource, withValues, workflowOf } from './submission.ts'

const apiVersion = 'argoproj.io/v1alpha1'
const container = { image: 'busybox', command: ['true'] }

let server: ApiServer
let client: Client
beforeAll(async () => {
  server = await createApiServer({ clusterDefaults: true })
  client = server.client()
  await installDefinitions(workflowDefinitions, { client, env: systemEnv })
  const templates = [
    {
      name: 'main',
      steps: [[{ name: 'a', templateRef: { name: 'shared', template: 'work', clusterScope: true } }]],
    },
  ]
  await client.create({
    apiVersion,
    kind: 'WorkflowTemplate',
    metadata: { namespace: 'default', name: 'hello' },
    spec: { entrypoint: 'main', arguments: { parameters: [{ name: 'who' }] }, templates },
  })
  await client.create({
    apiVersion,
    kind: 'ClusterWorkflowTemplate',
    metadata: { name: 'shared' },
    spec: { templates: [{ name: 'work', container }] },
  })
  await client.create({
    apiVersion,
    kind: 'CronWorkflow',
    metadata: { namespace: 'default', name: 'nightly' },
    spec: { schedules: ['0 3 * * *'], workflowSpec: { entrypoint: 'main', templates: [{ name: 'main', container }] } },
  })
})
afterAll(() => server.close())

const workflow = (spec: Record<string, unknown>): KubeObject => ({
  apiVersion,
  kind: 'Workflow',
  metadata: { generateName: 'x-', namespace: 'default' },
  spec,
})
const source = async (kind: string, name: string) =>
  workflowOf(await readSource({ kind, namespace: 'default', name }, client), 'default')

describe('what the engine would refuse', () => {
  it('is found before a run is made, with the field', async () => {
    const spec = { entrypoint: 'main', templates: [{ name: 'main', steps: [[{ name: 'a', template: 'nope' }]] }] }
    expect(await problemsOf(workflow(spec), client)).toEqual([
      { path: 'spec.templates[0].steps[0][0]', message: 'template nope is not in spec.templates' },
    ])
    expect(await problemsOf(workflow({ workflowTemplateRef: { name: 'nobody' } }), client)).toEqual([
      { path: 'spec.workflowTemplateRef', message: 'WorkflowTemplate nobody does not exist' },
    ])
  })

  it('is nothing where templates of the cluster, and those that they refer to, have all that is missing', async () => {
    const made = await source('WorkflowTemplate', 'hello')
    expect(await problemsOf(made, client)).toMatchObject([
      { message: expect.stringMatching(/^the parameter who has no value/) },
    ])
    expect(await problemsOf(withValues(made, { who: 'Ada' }), client)).toEqual([])
    expect(await problemsOf(await source('CronWorkflow', 'nightly'), client)).toEqual([])
  })

  it('is not said where the templates may not be read', async () => {
    const stranger = client.as({ user: 'stranger' })
    expect(await problemsOf(workflow({ workflowTemplateRef: { name: 'hello' } }), stranger)).toEqual([])
  })
})

describe('values', () => {
  it('replace those of the manifest where they stand, and come after them where there are none', () => {
    const parameters = [
      { name: 'a', valueFrom: { configMapKeyRef: {} }, description: 'first' },
      { name: 'b', value: '1' },
    ]
    const changed = withValues(workflow({ entrypoint: 'main', arguments: { parameters } }), { c: '3', a: '2' })
    expect(changed.spec).toEqual({
      entrypoint: 'main',
      arguments: {
        parameters: [
          { name: 'a', value: '2', description: 'first' },
          { name: 'b', value: '1' },
          { name: 'c', value: '3' },
        ],
      },
    })
  })
})
