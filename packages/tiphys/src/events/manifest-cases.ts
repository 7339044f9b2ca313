import {
  conditions,
  dataOf,
  event,
  make,
  NAME,
  parkedErrors,
  reasonLater,
  type SensorCase,
  two,
  verdicts,
  web,
} from './sensor-case.ts'
import { requests } from './trigger-cases.ts'

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
  holdsBack('everything when a script throws', 'filters: {script: "error(event.body.name)"}', 'failed'),
  holdsBack(
    'everything when an expression compares what cannot be compared',
    'filters: {exprs: [{expr: "tag > 5", fields: [{name: tag, path: body.tag}]}]}',
    'failed',
  ),
  holdsBack(
    'everything when a template fails',
    data('{path: body.tag, type: string, template: \'{{ fail "no" }}\', value: [x]}'),
    'failed',
  ),
  {
    name: 'lets other dependencies go on when a filter throws, and says which one does',
    dependencies: `
- {name: bad, eventSourceName: hook, eventName: a, filters: {script: "error('no')"}}
- {name: dep, eventSourceName: hook, eventName: b}`,
    triggers: make(`[${NAME}]`).replace('name: make,', 'name: make, conditions: "bad || dep",'),
    events: [event('wanted'), ['b', { name: 'other' }]],
    makes: ['other'],
    outcome: async scene => (await reasonLater(scene)) ?? '',
    is: 'EvaluationFailed',
  },
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
    name: 'sets in the template itself what it cannot do without',
    triggers: `
- template: {name: post, http: {method: POST, payload: [{src: {dependencyName: dep, dataKey: body.name}, dest: who}]}}
  parameters:
    - {src: {dependencyName: none, value: "URL"}, dest: http.url}`,
    events: [event('x')],
    outcome: async scene => [
      requests.get(scene),
      (await scene.condition('Sensor', 'sensor', 'TriggersProvided'))?.status,
    ],
    is: [['{"who":"x"}'], 'True'],
  },
  {
    name: 'parks what parameters make nonsense of, and says what',
    triggers: `
- template: {name: make, k8s: {source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: made}}}}}
  parameters: [{src: {dependencyName: dep, dataKey: body.op}, dest: k8s.operation}]`,
    events: [['a', { op: 'destroy' }]],
    makes: [],
    outcome: async scene => {
      const said = /^The parameters make a template that cannot be carried out: k8s\.operation: .*destroy/
      return said.test((await parkedErrors(scene)).join())
    },
    is: true,
  },
  {
    name: 'parks what has no value, and says which',
    triggers: dataOf('dataKey: body.none'),
    events: [event('x')],
    makes: [],
    outcome: async scene => (await parkedErrors(scene)).join(),
    is: 'The parameters cannot be set: the dataKey "body.none" finds no value in the event of dep. Its data has header, body. Correct it, or set a default in src.value',
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
    afterwards: async scene => {
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
    afterwards: async scene => {
      await scene.engine.stop()
      await scene.startEngine()
      await scene.engine.fire({ namespace: 'default', source: 'hook', entry: 'b', data: '{"body":{}}', who: 'test' })
      await scene.settled()
    },
    outcome: async scene => (await scene.configMaps()).length,
    is: 1,
  },
]

export const INPUT_CASES: readonly SensorCase[] = [
  ...filterCases,
  ...transformCases,
  ...parameterCases,
  ...conditionCases,
]
