import type { KubeObject } from '@tiphys/kube'
import { expect, test } from 'vitest'
import { pastedValues } from './pasted-values.ts'

const workflow = (...templates: object[]): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'x' },
  spec: { templates },
})
const found = (...templates: object[]) =>
  pastedValues(workflow(...templates)).map(({ path, message }) => [path, message])
const said = (tag: string, variable: string, use: string) =>
  `${tag} becomes part of the program, so that whoever gives the value decides what is run; write env: [{ name: ${variable}, value: "${tag}" }] and use ${use} here`

test('a value in the text that a shell runs is told, with the form in which it stays data', () => {
  const command = ['sh', '-ec', 'echo {{inputs.parameters.image-tag}} {{ inputs.parameters.image-tag }}']
  expect(found({ container: { command } })).toEqual([
    ['spec.templates[0].container.command[2]', said('{{inputs.parameters.image-tag}}', 'IMAGE_TAG', '"$IMAGE_TAG"')],
    ['spec.templates[0].container.command[2]', said('{{ inputs.parameters.image-tag }}', 'IMAGE_TAG', '"$IMAGE_TAG"')],
  ])
  expect(
    found({ container: { command: ['/bin/bash', '-c'], args: ['echo {{=inputs.parameters.x}}', '{{item}}'] } }),
  ).toEqual([['spec.templates[0].container.args[0]', said('{{=inputs.parameters.x}}', 'VALUE', '"$VALUE"')]])
})

test('a value in the source of a script is told in the words of its language', () => {
  const script = (program: string) => ({ script: { command: [program], source: 'x {{steps.a.outputs.result}}' } })
  const use = (program: string) => found(script(program))[0]?.[1]?.split(' and use ')[1]
  expect(use('bash')).toBe('"$RESULT" here')
  expect(use('/usr/bin/python3.12')).toBe('os.environ["RESULT"] here')
  expect(use('node')).toBe('process.env.RESULT here')
  expect(use('lua')).toBe('the environment variable RESULT here')
})

test('what is data already, or made by the engine, is not told', () => {
  expect(
    found(
      { container: { command: ['echo', '{{inputs.parameters.x}}'] } },
      { container: { command: ['python3', '-c', '{{workflow.parameters.program}}'] } },
      { container: { command: ['sh', '-c', 'echo "$1"', 'sh', '{{inputs.parameters.x}}'] } },
      { container: { command: ['sh', '-c', 'echo "$X"'], env: [{ name: 'X', value: '{{inputs.parameters.x}}' }] } },
      { script: { command: ['sh'], source: 'cat {{inputs.artifacts.in.path}} {{workflow.name}} {{pod.name}}' } },
    ),
  ).toEqual([])
})

test('containers of all sorts and inline templates are looked at', () => {
  const program = { command: ['sh', '-c', 'echo {{item}}'] }
  const paths = found(
    { initContainers: [program], sidecars: [program], containerSet: { containers: [program] } },
    { steps: [[{ name: 'a', inline: { container: program } }]] },
    { dag: { tasks: [{ name: 'a', inline: { script: { command: ['sh'], source: 'echo {{item.name}}' } } }] } },
  ).map(([path]) => path)
  expect(paths).toEqual([
    'spec.templates[0].containerSet.containers[0].command[2]',
    'spec.templates[0].initContainers[0].command[2]',
    'spec.templates[0].sidecars[0].command[2]',
    'spec.templates[1].steps[0][0].inline.container.command[2]',
    'spec.templates[2].dag.tasks[0].inline.script.source',
  ])
})
