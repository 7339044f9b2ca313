import type { EngineScene } from './engine-scene.ts'
import {
  conditions,
  event,
  http,
  k8s,
  make,
  NAME,
  parkedErrors,
  reasonLater,
  type SensorCase,
  verdicts,
  web,
} from './sensor-case.ts'

const triggerCases: readonly SensorCase[] = [
  {
    name: 'makes a name from a prefix',
    triggers: k8s('source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}}}'),
    events: [event('x')],
    outcome: async scene => /^made-[0-9a-f]{10}$/.test((await scene.configMaps())[0] ?? ''),
    is: true,
  },
  {
    name: 'updates',
    given: `{${web}, data: {old: a}}`,
    triggers: k8s(`operation: update, source: {resource: {${web}, data: {new: b}}}`),
    events: [event('x')],
    makes: ['web new=b old=a'],
  },
  {
    name: 'updates a live object',
    given: `{${web}, data: {old: a}}`,
    triggers: k8s(
      `operation: update, liveObject: true, source: {resource: {${web}}}, parameters: [{src: {dependencyName: dep, dataKey: body.name}, dest: data.old, operation: append}]`,
    ),
    events: [event('x')],
    makes: ['web old=ax'],
  },
  {
    name: 'creates what it should update',
    triggers: k8s(`operation: update, source: {resource: {${web}}}`),
    events: [event('x')],
    makes: ['web'],
  },
  {
    name: 'patches by merging',
    given: `{${web}, data: {old: a}}`,
    triggers: k8s(
      `operation: patch, patchStrategy: application/merge-patch+json, source: {resource: {${web}, data: {old: b}}}`,
    ),
    events: [event('x')],
    makes: ['web old=b'],
  },
  {
    name: 'patches strategically',
    given: `{${web}, data: {old: a}}`,
    triggers: k8s(
      `operation: patch, patchStrategy: application/strategic-merge-patch+json, source: {resource: {${web}, data: {new: b}}}`,
    ),
    events: [event('x')],
    makes: ['web new=b old=a'],
  },
  {
    name: 'deletes, and is content with nothing to delete',
    given: `{${web}}`,
    triggers: k8s(`operation: delete, source: {resource: {${web}}}`),
    events: [event('x'), event('y')],
    makes: [],
    outcome: async scene => (await scene.engine.parked()).length,
    is: 0,
  },
  {
    name: 'applies, beyond upstream',
    triggers: k8s(`operation: apply, source: {resource: {${web}, data: {a: b}}}`),
    events: [event('x'), event('y')],
    makes: ['web a=b'],
  },
  {
    name: 'reads the object from text',
    triggers: k8s('source: {inline: "{apiVersion: v1, kind: ConfigMap, metadata: {name: inline}}"}'),
    events: [event('x')],
    makes: ['inline'],
  },
  {
    name: 'reads the object from a ConfigMap',
    given:
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {file: "{apiVersion: v1, kind: ConfigMap, metadata: {name: from-map}}"}}',
    triggers: k8s('source: {configmap: {name: web, key: file}}'),
    events: [event('x')],
    outcome: async scene => (await scene.configMaps()).includes('from-map'),
    is: true,
  },
  {
    name: 'reads no file unless a folder is allowed',
    triggers: k8s('source: {file: {path: /etc/passwd}}'),
    events: [event('x')],
    outcome: async scene => (await parkedErrors(scene))[0]?.split(':')[0],
    is: 'The file /etc/passwd is not read',
  },
  {
    name: 'fails for a name that is taken, and parks',
    given: `{${web}}`,
    triggers: k8s(`source: {resource: {${web}}}`),
    events: [event('x')],
    outcome: reasonLater,
    is: 'TriggerFailing',
  },
  {
    name: 'refuses another namespace without the right to it',
    given:
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: everything}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: []}',
    triggers: k8s('source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: kube-system}}}'),
    events: [event('x')],
    outcome: async scene => (await parkedErrors(scene))[0]?.includes('in the namespace "kube-system"'),
    is: true,
  },
  {
    name: 'logs',
    triggers: '\n- template: {name: tell, log: {intervalSeconds: 1}}',
    events: [event('x'), event('y')],
    outcome: scene => scene.logged.filter(({ message }) => message === 'an event has come').length,
    is: 1,
  },
  {
    name: 'refuses a type that Tiphys has not, by name',
    triggers: '\n- template: {name: tell, slack: {channel: x}}',
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'TriggersProvided'))?.message,
    is: "spec.triggers[0].template.slack: triggers of the type slack are not supported by Tiphys yet: use http with the address of one of Slack's incoming webhooks",
  },
  {
    name: 'refuses two types in one trigger',
    triggers: '\n- template: {name: tell, log: {}, http: {url: "https://example.com"}}',
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'TriggersProvided'))?.status,
    is: 'False',
  },
  {
    name: 'runs what it can of a Sensor with a trigger that it cannot',
    triggers: `${make(`[${NAME}]`)}\n- template: {name: bad, slack: {}}`,
    events: [event('x')],
    makes: ['x'],
  },
  {
    name: 'refuses addresses of this machine unless they are allowed',
    triggers: '\n- template: {name: post, http: {url: "http://169.254.169.254/latest", method: GET}}',
    events: [event('x')],
    outcome: async scene => (await scene.engine.parked()).length,
    is: 1,
  },
  {
    name: 'parks what cannot be done by a cluster without Workflows',
    triggers:
      '\n- template: {name: run, argoWorkflow: {operation: submit, source: {resource: {apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {generateName: run-}, spec: {}}}}}',
    events: [event('x')],
    outcome: async scene => (await parkedErrors(scene))[0]?.split(':')[0],
    is: 'No Workflow can be submitted or controlled',
  },
]

const httpCases: readonly SensorCase[] = [
  {
    name: 'posts a payload',
    triggers: http('payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: who}]'),
    events: [event('x')],
    outcome: received,
    is: ['{"who":"x"}'],
  },
  {
    name: 'tries again as the strategy says',
    triggers: http(
      'payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: fail}]',
      'retryStrategy: {steps: 3, duration: 1s}',
    ),
    events: [event('2')],
    afterwards: scene => scene.advance(10_000),
    outcome: async scene => [received(scene).length, (await scene.engine.parked()).length],
    is: [3, 0],
  },
  {
    name: 'parks after the last attempt',
    triggers: http(
      'payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: fail}]',
      'retryStrategy: {steps: 2, duration: 1s}',
    ),
    events: [event('9')],
    afterwards: scene => scene.advance(10_000),
    outcome: async scene => [received(scene).length, (await scene.engine.parked()).length],
    is: [2, 1],
  },
  {
    name: 'hands what failed for good to the dead-letter trigger',
    triggers: `${http('payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: fail}]', 'atLeastOnce: true')}
  dlqTrigger: {${make('[{src: {dependencyName: dep, dataKey: body.name}, dest: metadata.name, operation: append}]').slice(3)}}`,
    events: [event('9')],
    makes: ['made9'],
    outcome: async scene => (await scene.engine.parked()).length,
    is: 0,
  },
  {
    name: 'counts as success what the policy allows',
    triggers: http(
      'payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: fail}]',
      'policy: {status: {allow: [500]}}',
    ),
    events: [event('9')],
    outcome: async scene => (await scene.engine.parked()).length,
    is: 0,
  },
  {
    name: 'keeps to the rate',
    triggers: http(
      'payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: who}]',
      'rateLimit: {unit: Second, requestsPerUnit: 1}',
    ),
    events: [event('a'), event('b'), event('c')],
    outcome: async scene => [received(scene).length, await later(scene, 1000), await later(scene, 1000)],
    is: [1, 2, 3],
  },
]

async function later(scene: EngineScene, ms: number): Promise<number> {
  await scene.advance(ms)
  return received(scene).length
}

/** What the receiver of the http triggers got; the test fills it in. */
export const requests = new WeakMap<EngineScene, string[]>()
function received(scene: EngineScene): string[] {
  return requests.get(scene) ?? []
}

const failing = (extra: string) =>
  `${http('payload: [{src: {dependencyName: dep, dataKey: body.fail}, dest: fail}, {src: {dependencyName: dep, dataKey: body.name}, dest: who}]', extra)}`
const KEY = { 'tiphys.dev/key': 'body.key' }
const orderCases: readonly SensorCase[] = [
  {
    name: 'goes on with a key whose delivery is parked',
    annotations: KEY,
    triggers: failing(''),
    events: [
      ['a', { name: 'one', key: 'k', fail: '9' }],
      ['a', { name: 'two', key: 'k', fail: '0' }],
    ],
    outcome: async scene => received(scene).length,
    is: 2,
  },
  {
    name: 'holds back a key whose delivery is parked, where that is asked for',
    annotations: { ...KEY, 'tiphys.dev/on-parked': 'block' },
    triggers: failing(''),
    events: [
      ['a', { name: 'one', key: 'k', fail: '9' }],
      ['a', { name: 'two', key: 'k', fail: '0' }],
      ['a', { name: 'three', key: 'l', fail: '0' }],
    ],
    outcome: async scene => received(scene).length,
    is: 2,
  },
  {
    name: 'lets a newer event take the place of those that wait',
    annotations: { ...KEY, 'tiphys.dev/coalesce': 'latest' },
    triggers: http(
      'payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: who}]',
      'rateLimit: {unit: Second, requestsPerUnit: 1}',
    ),
    events: [
      ['a', { name: 'first', key: 'k' }],
      ['a', { name: 'second', key: 'k' }],
      ['a', { name: 'third', key: 'k' }],
      ['a', { name: 'last', key: 'k' }],
    ],
    afterwards: scene => scene.advance(10_000),
    outcome: async scene => [
      received(scene).at(-1),
      received(scene).length < 4,
      verdicts(scene).includes('superseded'),
    ],
    is: ['{"who":"last"}', true, true],
  },
  {
    name: 'says which annotation makes no sense',
    annotations: { 'tiphys.dev/coalesce': 'newest' },
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'FieldsKnown'))?.message,
    is: 'tiphys.dev/coalesce: newest is neither "latest" nor "none" and is ignored',
  },
]

const sensorCases: readonly SensorCase[] = [
  {
    name: 'says that a dependency has no source',
    dependencies: '\n- {name: dep, eventSourceName: nothing, eventName: a}',
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'DependenciesProvided'))?.message,
    is: 'dep waits for nothing/a, which does not exist',
  },
  {
    name: 'says that a condition names no dependency',
    triggers: conditions('dep && none'),
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'TriggersProvided'))?.message,
    is: 'spec.triggers[0].template.conditions: there is no dependency "none"',
  },
  {
    name: 'says that two dependencies have one name',
    dependencies:
      '\n- {name: dep, eventSourceName: hook, eventName: a}\n- {name: dep, eventSourceName: hook, eventName: b}',
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'DependenciesProvided'))?.reason,
    is: 'InvalidDependencies',
  },
  {
    name: 'says that a duration cannot be read',
    triggers: `${make(`[${NAME}]`)}\n  retryStrategy: {duration: soon}`,
    outcome: async scene => (await scene.condition('Sensor', 'sensor', 'TriggersProvided'))?.message,
    is: 'spec.triggers[0].retryStrategy: time: invalid duration "soon"',
  },
  {
    name: 'carries out both triggers, whatever one of them does',
    triggers: `${make(`[${NAME}]`)}\n- template: {name: bad, k8s: {operation: update, source: {resource: {apiVersion: none.example.com/v1, kind: None, metadata: {name: x}}}}}`,
    events: [event('x')],
    makes: ['x'],
    outcome: async scene => (await scene.engine.parked()).map(({ trigger }) => trigger),
    is: ['bad'],
  },
]

export const TRIGGER_CASES: readonly SensorCase[] = [...triggerCases, ...httpCases, ...orderCases, ...sensorCases]
