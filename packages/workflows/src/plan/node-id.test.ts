import { expect, test } from 'vitest'
import type { Workflow } from '../spec/workflow.ts'
import { fnv32a, nodeId, podName } from './node-id.ts'
import { simulate } from './testing/simulation.ts'

test.each([
  ['', 2166136261],
  ['a', 3826002220],
  ['foobar', 3214735720],
  ['ä', 429777122],
])('the hash of %j is the one that Go has', (text, hash) => {
  expect(fnv32a(text)).toBe(hash)
})

test('nodes and pods are named as upstream names them', () => {
  expect(nodeId('hello', 'hello')).toBe('hello')
  expect(nodeId('hello', 'hello[0].a')).toBe(`hello-${fnv32a('hello[0].a')}`)
  expect(podName('hello', 'hello', 'main')).toBe('hello')
  expect(podName('hello', 'hello[0].a', 'print')).toBe(`hello-print-${fnv32a('hello[0].a')}`)
  const long = podName('hello', 'hello.a', 'x'.repeat(300))
  expect(long.length).toBeLessThanOrEqual(253)
  expect(long.endsWith(`-${fnv32a('hello.a')}`)).toBe(true)
})

test('two steps whose names have one hash are two steps', () => {
  expect(fnv32a('run.lpocznx')).toBe(fnv32a('run.lgjurvz'))
  const workflow: Workflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run' },
    spec: {
      entrypoint: 'main',
      templates: [
        { name: 'leaf', container: { image: 'x', command: ['true'] } },
        {
          name: 'main',
          dag: {
            tasks: [
              { name: 'lpocznx', template: 'leaf' },
              { name: 'lgjurvz', template: 'leaf', depends: 'lpocznx' },
              { name: 'last', template: 'leaf', depends: 'lgjurvz.Succeeded && lpocznx.Succeeded' },
            ],
          },
        },
      ],
    },
  }
  const run = simulate(workflow, { crashes: 0.3 })
  expect(run.status.phase).toBe('Succeeded')
  const ids = ['.lpocznx', '.lgjurvz', '.last'].map(rest => run.node(rest)?.id)
  expect(ids.slice(0, 2)).toEqual(['run-485847814', 'run-485847814-2'])
  expect([...run.world.created.keys()].slice(0, 2)).toEqual(['run-leaf-485847814', 'run-leaf-485847814-2'])
  expect([...run.world.created.values()]).toEqual([1, 1, 1])
})
