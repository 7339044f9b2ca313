import { kindRef } from '@tiphys/kube'
import { afterEach, describe, expect, it } from 'vitest'
import { nodeNamed, WorkflowsScene } from './workflows-scene.ts'

const POD = kindRef('v1', 'Pod')

describe('the workflow engine', () => {
  let scene: WorkflowsScene
  afterEach(() => scene?.close())

  it('runs steps one after the other, in pods, and lays the status out as upstream does', async () => {
    scene = await WorkflowsScene.create()
    await scene.create(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: hello }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: first, template: say, arguments: { parameters: [{ name: text, value: one }] } }
        - - { name: second, template: say, arguments: { parameters: [{ name: text, value: two }] } }
          - { name: third, template: say, arguments: { parameters: [{ name: text, value: three }] } }
    - name: say
      inputs: { parameters: [{ name: text }] }
      metadata: { annotations: { tiphys.dev/simulate: '{"log":"said {{inputs.parameters.text}}"}' } }
      container: { image: alpine, command: [echo, "{{inputs.parameters.text}}"] }
`)
    const workflow = await scene.untilOver('hello')
    expect(workflow.status).toMatchObject({ phase: 'Succeeded', progress: '3/3' })
    expect(workflow.metadata.labels).toMatchObject({
      'workflows.argoproj.io/completed': 'true',
      'workflows.argoproj.io/phase': 'Succeeded',
    })
    const first = nodeNamed(workflow, 'first')
    expect(first).toMatchObject({ name: 'hello[0].first', type: 'Pod', phase: 'Succeeded', outputs: { exitCode: '0' } })
    await scene.engine?.settled()
    const { items: pods } = await scene.client.list({ ...POD, namespace: 'default' })
    expect(pods.map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[], [], []])
    expect(pods.map(({ metadata }) => metadata.labels?.['workflows.argoproj.io/completed'])).toEqual([
      'true',
      'true',
      'true',
    ])
    expect(pods.map(({ spec }) => spec?.containers[0]?.command?.join(' ')).toSorted()).toEqual([
      'echo one',
      'echo three',
      'echo two',
    ])
  })
})
