import type { EngineScene } from './events-engine-scene.ts'

/** A Sensor, what happens, and what comes of it. */
export interface SensorCase {
  name: string
  annotations?: Record<string, string>
  /** YAML of `spec.dependencies`; one on the entry `a` by default. */
  dependencies?: string
  /** YAML of what the default dependency has beside its names. */
  dependency?: string
  /** YAML of `spec.triggers`; by default one that makes a ConfigMap named as the event says. */
  triggers?: string
  /** What is there before. */
  given?: string
  /** Payloads, with the entry they come from. */
  events?: readonly (readonly [entry: string, body: unknown])[]
  /** What happens besides, after the events. */
  then?: (scene: EngineScene) => Promise<void>
  /** ConfigMaps at the end: their names, with their data where there are some. */
  makes?: readonly string[]
  /** Beside that. */
  outcome?: (scene: EngineScene) => Promise<unknown> | unknown
  is?: unknown
}

const event = (name: string, more: Record<string, unknown> = {}) => ['a', { name, ...more }] as const

const make = (parameters: string, resource = '{apiVersion: v1, kind: ConfigMap, metadata: {name: made}}') => `
- template: {name: make, k8s: {operation: create, source: {resource: ${resource}}, parameters: ${parameters}}}`

const NAME = '{src: {dependencyName: dep, dataKey: body.name}, dest: metadata.name}'
const dataOf = (src: string, more = '') => make(`[{src: {dependencyName: dep, ${src}}, dest: data.value${more}}]`)
const two = `
- {name: dep, eventSourceName: hook, eventName: a}
- {name: other-one, eventSourceName: hook, eventName: b}`
const conditions = (text: string, more = '') => `
- template: {name: make, conditions: "${text}"${more}, k8s: {source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}}}}}`
const k8s = (text: string, more = '') => `
- template: {name: make, k8s: {${text}}}
  ${more}`
const web = 'apiVersion: v1, kind: ConfigMap, metadata: {name: web}'
const http = (text: string, more = '') => `
- template: {name: post, http: {url: "URL", method: POST, ${text}}}
  ${more}`

const health = (scene: EngineScene) => scene.condition('Sensor', 'sensor', 'Healthy')
const reasonLater = async (scene: EngineScene) => {
  await scene.advance(10_000)
  return (await health(scene))?.reason
}
const verdicts = (scene: EngineScene) => scene.recordsOf('decision').map(({ verdict }) => verdict)
const parkedErrors = async (scene: EngineScene) => (await scene.engine.parked()).map(({ error }) => error)

const data = (filter: string) => `filters: {data: [${filter}]}`
const wanted = { name: 'wanted', n: 7, ok: true, tag: 'web-7' }
const passes = (name: string, dependency: string, body: Record<string, unknown> = wanted): SensorCase => ({
  name: `lets pass: ${name}`,
  dependency,
  events: [['a', body]],
  makes: ['wanted'],
})
const holdsBack = (name: string, dependency: string, verdict = 'filtered'): SensorCase => ({
  name: `holds back: ${name}`,
  dependency,
  events: [['a', wanted]],
  makes: [],
  outcome: verdicts,
  is: [verdict],
})

const filterCases: readonly SensorCase[] = [
  passes('everything without a filter', ''),
  passes('a text that is found', data('{path: body.tag, type: string, value: ["^web-[0-9]$"]}')),
  holdsBack('a text that is not found', data('{path: body.tag, type: string, value: [db]}')),
  passes('a text that is not another', data('{path: body.tag, type: string, comparator: "!=", value: [db]}')),
  passes('a number that is large enough', data('{path: body.n, type: number, comparator: ">=", value: ["7"]}')),
  holdsBack('a number that is too large', data('{path: body.n, type: number, comparator: "<", value: ["7"]}')),
  passes('a number of several', data('{path: body.n, type: number, value: ["1", "7"]}')),
  passes('a boolean', data('{path: body.ok, type: bool, value: ["true"]}')),
  holdsBack('another boolean', data('{path: body.ok, type: bool, value: ["false"]}')),
  passes(
    'what a template makes',
    data('{path: body.tag, type: string, template: "{{ upper .Input }}", value: [WEB-7]}'),
  ),
  holdsBack('a path that leads nowhere', data('{path: body.none, type: string, value: [x]}'), 'failed'),
  passes(
    'one of two conditions on data',
    `filters: {dataLogicalOperator: or, data: [{path: body.n, type: number, value: ["1"]}, {path: body.ok, type: bool, value: ["true"]}]}`,
  ),
  passes(
    'an expression',
    'filters: {exprs: [{expr: "count > 5 && ok", fields: [{name: count, path: body.n}, {name: ok, path: body.ok}]}]}',
  ),
  holdsBack(
    'an expression that is false',
    'filters: {exprs: [{expr: "count > 9", fields: [{name: count, path: body.n}]}]}',
  ),
  passes(
    'one of two expressions',
    'filters: {exprLogicalOperator: or, exprs: [{expr: "count > 9", fields: [{name: count, path: body.n}]}, {expr: "count == 7", fields: [{name: count, path: body.n}]}]}',
  ),
  passes('its source', 'filters: {context: {source: hook, subject: a, type: webhook}}'),
  holdsBack('another type', 'filters: {context: {type: calendar}}'),
  passes('a time of the day', 'filters: {time: {start: "05:00:00", stop: "06:00:00"}}'),
  holdsBack('another time of the day', 'filters: {time: {start: "06:00:00", stop: "05:00:00"}}'),
  passes('the time of another zone', 'filters: {time: {start: "06:00:00", stop: "07:00:00", timezone: Europe/Berlin}}'),
  passes('what a Lua script wants', 'filters: {script: "return event.body.n == 7"}'),
  holdsBack('what a Lua script does not want', 'filters: {script: "return event.body.n == 8"}'),
  passes(
    'what one of two filters wants',
    'filtersLogicalOperator: or, filters: {context: {type: calendar}, data: [{path: body.ok, type: bool, value: ["true"]}]}',
  ),
  {
    name: 'stops a Lua script that never ends, and says so',
    dependency: 'filters: {script: "while true do end"}',
    events: [event('wanted')],
    makes: [],
    outcome: reasonLater,
    is: 'EvaluationFailed',
  },
]

const transformCases: readonly SensorCase[] = [
  passes('what jq makes of it', 'transform: {jq: "{body: {name: .body.was}}"}', { was: 'wanted' }),
  passes('what Lua makes of it', 'transform: {script: "event.body.name = event.body.was return event"}', {
    was: 'wanted',
  }),
  passes(
    'what jq makes, where there is Lua too',
    'transform: {jq: "{body: {name: \\"wanted\\"}}", script: "return nil"}',
  ),
  passes(
    'filters after the transformation',
    'transform: {jq: ".body.n = 9"}, filters: {data: [{path: body.n, type: number, value: ["9"]}]}',
  ),
  {
    name: 'says which transformation failed',
    dependency: 'transform: {jq: ".body | error"}',
    events: [event('wanted')],
    makes: [],
    outcome: async scene => [await reasonLater(scene), ...verdicts(scene)],
    is: ['EvaluationFailed', 'failed'],
  },
]

const parameterCases: readonly SensorCase[] = [
  {
    name: 'sets a value of the data',
    triggers: dataOf('dataKey: body.tag'),
    events: [event('x', { tag: 't' })],
    makes: ['made value=t'],
  },
  {
    name: 'sets an object as its text',
    triggers: dataOf('dataKey: body.map'),
    events: [event('x', { map: { a: 1 } })],
    makes: ['made value={"a":1}'],
  },
  {
    name: 'sets a value of the context',
    triggers: dataOf('contextKey: subject'),
    events: [event('x')],
    makes: ['made value=a'],
  },
  {
    name: 'sets what a template makes of the data',
    triggers: dataOf('dataTemplate: "{{ .Input.body.tag | upper }}!"'),
    events: [event('x', { tag: 't' })],
    makes: ['made value=T!'],
  },
  {
    name: 'sets what a template makes of the context',
    triggers: dataOf('contextTemplate: "{{ .Input.type }}/{{ .Input.source }}"'),
    events: [event('x')],
    makes: ['made value=webhook/hook'],
  },
  {
    name: 'sets the value that is given',
    triggers: dataOf('value: fixed'),
    events: [event('x')],
    makes: ['made value=fixed'],
  },
  {
    name: 'sets the value that is given where the event has none',
    triggers: dataOf('dataKey: body.none, value: fixed'),
    events: [event('x')],
    makes: ['made value=fixed'],
  },
  {
    name: 'appends',
    triggers: make('[{src: {dependencyName: dep, dataKey: body.name}, dest: metadata.name, operation: append}]'),
    events: [event('x')],
    makes: ['madex'],
  },
  {
    name: 'prepends',
    triggers: make('[{src: {dependencyName: dep, dataKey: body.name}, dest: metadata.name, operation: prepend}]'),
    events: [event('x')],
    makes: ['xmade'],
  },
  {
    name: 'sets raw data',
    triggers: make(
      `[${NAME}, {src: {dependencyName: dep, dataKey: body.labels, useRawData: true}, dest: metadata.labels}]`,
    ),
    events: [event('x', { labels: { team: 'blue' } })],
    makes: ['x'],
    outcome: async scene => (await scene.get('ConfigMap', 'x')).metadata.labels?.team,
    is: 'blue',
  },
  {
    name: 'finds the place by a query, and escapes dots',
    triggers: make(
      '[{src: {dependencyName: dep, dataKey: body.name}, dest: "metadata.annotations.example\\\\.com/of"}]',
    ),
    events: [event('x')],
    makes: ['made'],
    outcome: async scene => (await scene.get('ConfigMap', 'made')).metadata.annotations?.['example.com/of'],
    is: 'x',
  },
  {
    name: 'sets parameters in the template itself',
    triggers: `${make(`[${NAME}]`)}
  parameters: [{src: {dependencyName: dep, dataKey: body.op}, dest: k8s.operation}]`,
    given: `{${web}}`,
    events: [['a', { name: 'web', op: 'delete' }]],
    makes: [],
  },
  {
    name: 'parks what has no value, and says which',
    triggers: dataOf('dataKey: body.none'),
    events: [event('x')],
    makes: [],
    outcome: async scene => (await parkedErrors(scene)).join(),
    is: "The parameters cannot be set: unable to resolve 'dep' parameter value. err: <nil>",
  },
  {
    name: 'leaves prototypes alone',
    triggers: make(`[${NAME}, {src: {dependencyName: dep, value: bad}, dest: __proto__.polluted}]`),
    events: [event('x')],
    outcome: () => (({}) as { polluted?: string }).polluted,
    is: undefined,
  },
  {
    name: 'sends values as they are',
    triggers: dataOf('dataKey: body.text'),
    events: [event('x', { text: '$(rm -rf /) {{.Input}} "q" \n end' })],
    makes: ['made value=$(rm -rf /) {{.Input}} "q" \n end'],
  },
]

const conditionCases: readonly SensorCase[] = [
  {
    name: 'waits for all dependencies',
    dependencies: two,
    triggers: conditions('').replace('conditions: "", ', ''),
    events: [event('x')],
    makes: [],
    outcome: verdicts,
    is: ['passed', 'waiting'],
  },
  {
    name: 'fires once all have come',
    dependencies: two,
    triggers: conditions('').replace('conditions: "", ', ''),
    events: [event('x'), ['b', {}]],
    outcome: async scene => (await scene.configMaps()).length,
    is: 1,
  },
  {
    name: 'fires for each of several',
    dependencies: two,
    triggers: conditions('dep || other-one'),
    events: [event('x'), ['b', {}]],
    outcome: async scene => (await scene.configMaps()).length,
    is: 2,
  },
  {
    name: 'keeps the latest event of a dependency',
    dependencies: two,
    triggers: `${make(`[${NAME}]`)}`,
    events: [event('first'), event('second'), ['b', {}]],
    makes: ['second'],
  },
  {
    name: 'forgets what waits, at the time that is given',
    dependencies: two,
    triggers: conditions('dep && other-one', ', conditionsReset: [{byTime: {cron: "7 5 * * *"}}]'),
    events: [event('x')],
    then: async scene => {
      await scene.advance(60_000)
      await scene.engine.fire({ namespace: 'default', source: 'hook', entry: 'b', data: '{"body":{}}', who: 'test' })
      await scene.settled()
    },
    makes: [],
    outcome: verdicts,
    is: ['passed', 'waiting', 'reset', 'passed', 'waiting'],
  },
  {
    name: 'remembers what waits over a restart',
    dependencies: two,
    triggers: conditions('dep && other_one'),
    events: [event('x')],
    then: async scene => {
      await scene.engine.stop()
      await scene.startEngine()
      await scene.engine.fire({ namespace: 'default', source: 'hook', entry: 'b', data: '{"body":{}}', who: 'test' })
      await scene.settled()
    },
    outcome: async scene => (await scene.configMaps()).length,
    is: 1,
  },
]

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
    is: 'spec.triggers[0].template.slack: triggers of the type slack are not supported by Tiphys yet',
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
    then: scene => scene.advance(10_000),
    outcome: async scene => [(await received(scene)).length, (await scene.engine.parked()).length],
    is: [3, 0],
  },
  {
    name: 'parks after the last attempt',
    triggers: http(
      'payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: fail}]',
      'retryStrategy: {steps: 2, duration: 1s}',
    ),
    events: [event('9')],
    then: scene => scene.advance(10_000),
    outcome: async scene => [(await received(scene)).length, (await scene.engine.parked()).length],
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
    outcome: async scene => [(await received(scene)).length, await later(scene, 1000), await later(scene, 1000)],
    is: [1, 2, 3],
  },
]

async function later(scene: EngineScene, ms: number): Promise<number> {
  await scene.advance(ms)
  return (await received(scene)).length
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
    outcome: async scene => (await received(scene)).length,
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
    outcome: async scene => (await received(scene)).length,
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
    then: scene => scene.advance(10_000),
    outcome: async scene => [
      (await received(scene)).at(-1),
      (await received(scene)).length < 4,
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

export const SENSOR_CASES: readonly SensorCase[] = [
  ...filterCases,
  ...transformCases,
  ...parameterCases,
  ...conditionCases,
  ...triggerCases,
  ...httpCases,
  ...orderCases,
  ...sensorCases,
]
