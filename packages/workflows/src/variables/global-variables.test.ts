import { seededRandom } from '@tiphys/env'
import { expect, test } from 'vitest'
import type { Workflow } from '../spec/workflow.ts'
import { fixedGlobals, progressingGlobals } from './global-variables.ts'
import { joinScopes } from './scope.ts'
import { replaceText } from './substitution.ts'

const workflow: Workflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: {
    name: 'run',
    namespace: 'team',
    uid: 'u-1',
    creationTimestamp: '2026-03-29T05:06:07Z',
    annotations: { 'workflows.argoproj.io/scheduled-time': '2026-03-29T05:00:00Z' },
  },
  spec: { entrypoint: 'main', priority: 5 },
}

const scope = joinScopes(
  progressingGlobals({
    status: () => 'Failed',
    durationSeconds: () => 12.5,
    outputs: () => ({ parameters: [{ name: 'shared', value: 'everywhere' }] }),
    failures: () => [
      {
        node: {
          id: 'run-1',
          name: 'run.a',
          displayName: 'a',
          type: 'Pod',
          phase: 'Failed',
          message: 'exit "1"',
          finishedAt: '2026-03-29T05:06:19Z',
        },
        templateName: 'work',
        podName: 'run-work-1',
      },
    ],
  }),
  fixedGlobals({
    workflow,
    spec: workflow.spec,
    parameters: [
      { name: 'word', value: 'hello' },
      { name: 'toString', value: 'odd' },
    ],
    labels: { 'app.kubernetes.io/name': 'x' },
    annotations: workflow.metadata.annotations ?? {},
  }),
)

const env = { now: 0, random: seededRandom(1) }

test.each([
  [
    '{{workflow.name}} {{workflow.namespace}} {{workflow.uid}} {{workflow.mainEntrypoint}} {{workflow.priority}}',
    'run team u-1 main 5',
  ],
  ['{{workflow.parameters.word}} {{workflow.parameters.toString}}', 'hello odd'],
  ['{{workflow.parameters.json}}', '[{"name":"word","value":"hello"},{"name":"toString","value":"odd"}]'],
  ['{{workflow.labels.app.kubernetes.io/name}} {{workflow.labels.json}}', 'x {"app.kubernetes.io/name":"x"}'],
  [
    '{{workflow.creationTimestamp}} {{workflow.creationTimestamp.RFC3339}} {{workflow.creationTimestamp.s}}',
    '2026-03-29T05:06:07Z 2026-03-29T05:06:07Z 1774760767',
  ],
  [
    '{{workflow.creationTimestamp.Y}}-{{workflow.creationTimestamp.m}}-{{workflow.creationTimestamp.d}} {{workflow.creationTimestamp.H}}:{{workflow.creationTimestamp.M}}:{{workflow.creationTimestamp.S}}',
    '2026-03-29 05:06:07',
  ],
  [
    '{{workflow.creationTimestamp.A}} {{workflow.creationTimestamp.b}} {{workflow.creationTimestamp.I}}{{workflow.creationTimestamp.p}} {{workflow.creationTimestamp.y}} {{workflow.creationTimestamp.z}}',
    'Sunday Mar 05AM 26 +0000',
  ],
  ['{{workflow.scheduledTime}} {{workflow.status}} {{workflow.duration}}', '2026-03-29T05:00:00Z Failed 12.500000'],
  ['{{workflow.outputs.parameters.shared}}', 'everywhere'],
  [
    '{{=workflow.parameters.word + workflow.status + workflow.outputs.parameters.shared + workflow.creationTimestamp.Y}}',
    'helloFailedeverywhere2026',
  ],
  [
    '{{workflow.failures}}',
    '"[{\\"displayName\\":\\"a\\",\\"message\\":\\"exit \\\\\\"1\\\\\\"\\",\\"templateName\\":\\"work\\",\\"phase\\":\\"Failed\\",\\"podName\\":\\"run-work-1\\",\\"finishedAt\\":\\"2026-03-29T05:06:19Z\\"}]"',
  ],
])('%s', (text, expected) => {
  expect(replaceText(text, scope, env)).toBe(expected)
})

test.each([
  'workflow.parameters.none',
  'workflow.labels.constructor',
  'workflow.creationTimestamp.Q',
  'workflow.toString',
  'other',
])('there is no %s', name => {
  expect(scope.get(name)).toBeUndefined()
})
