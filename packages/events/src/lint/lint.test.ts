import { readYaml } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { lintManifests } from './lint.ts'

async function lint(text: string, file = 'a.yaml'): Promise<string[]> {
  const documents = (await readYaml(text)).map(({ value, lineOf }) => ({ file, object: value, lineOf }))
  const findings = await lintManifests(documents)
  return findings.map(({ line, severity, path, message }) => `${line} ${severity} ${path}: ${message}`)
}

const SURROUNDINGS = `
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: { name: default }
spec: { jetstream: { version: latest } }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: worker }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: worker }
rules:
  - { apiGroups: [""], resources: [configmaps, pods], verbs: [create, list, watch] }
  - { apiGroups: [argoproj.io], resources: [workflows, workflowtemplates], verbs: ["*"] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: worker }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: worker }
subjects: [{ kind: ServiceAccount, name: worker }]
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: { name: sources }
spec:
  template: { serviceAccountName: worker }
  webhook:
    hook: { endpoint: /hook, method: POST, port: "12000" }
    tagged: { endpoint: /tagged, method: POST, port: "12000", metadata: { a: b } }
  resource:
    pods: { version: v1, resource: pods, eventTypes: [ADD] }
  nats:
    raw: { url: "nats://nats:4222", subject: a }
    json: { url: "nats://nats:4222", subject: a, jsonBody: true }
  calendar:
    tick: { interval: 10s }
---
`

type SensorParts = Partial<Record<'metadata' | 'dependency' | 'dependencies' | 'trigger' | 'template' | 'rest', string>>

/** A Sensor, with one part of it replaced; lines are counted from the Sensor on. */
const sensor = ({
  metadata = '{ name: sensor }',
  dependency = '',
  dependencies = `
    - name: dep
      eventSourceName: sources
      eventName: hook${dependency === '' ? '' : `\n${dependency}`}`,
  trigger = '',
  template = `
        log: {}`,
  rest = '',
}: SensorParts = {}) => `apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: ${metadata}
spec:
  template: { serviceAccountName: worker }
  dependencies:${dependencies}
  triggers:
    - template:
        name: one${template}
${trigger}${rest}`

const before = SURROUNDINGS.split('\n').length - 1

async function lintSensor(parts: SensorParts, more = ''): Promise<string[]> {
  const findings = await lint(SURROUNDINGS + sensor(parts) + more)
  return findings.map(finding => finding.replace(/^\d+/, line => String(Number(line) - before)))
}

it('finds nothing in manifests that work', async () => {
  const dependency = `      transform: { jq: . }
      filters:
        time: { start: "02:00:00", stop: "03:00:00", timezone: Europe/Berlin }
        script: return event.body ~= nil`
  const template = `
        conditions: dep
        k8s:
          operation: create
          source:
            resource:
              apiVersion: v1
              kind: ConfigMap
              metadata: { generateName: made- }
          parameters:
            - { src: { dependencyName: dep, dataTemplate: "{{ .Input.body.name | upper }}" }, dest: data.name }`
  expect(
    await lintSensor({ dependency, template, trigger: '      retryStrategy: { steps: 3, duration: 2s }\n' }),
  ).toEqual([])
})

describe('fields', () => {
  it('that nobody knows', async () => {
    expect(await lintSensor({ rest: '      retryStrateggy: {}\n' })).toEqual([
      '14 error spec.triggers[0].retryStrateggy: unknown field "retryStrateggy", did you mean "retryStrategy"?',
    ])
  })

  it('that belong beside the template', async () => {
    const template = `
        log: {}
        atLeastOnce: true
        policy: { status: { allow: [200] } }`
    expect(await lintSensor({ template })).toEqual([
      '14 error spec.triggers[0].template.atLeastOnce: atLeastOnce has no effect in the template: it belongs beside it',
      '15 error spec.triggers[0].template.policy: policy has no effect in the template: it belongs beside it',
    ])
  })

  it('of a type that Tiphys does not support, or of none', async () => {
    expect(await lintSensor({ template: '\n        slack: { channel: x }' })).toEqual([
      expect.stringMatching(
        /^13 error spec.triggers\[0\].template.slack: triggers of the type slack are not supported by Tiphys yet/,
      ),
    ])
    expect(
      (
        await lint(`${SURROUNDINGS}
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: { name: other }
spec:
  kafka:
    orders: { url: a, topic: b }
`)
      ).map(finding => finding.replace(/^\d+ /, '')),
    ).toEqual([expect.stringMatching(/^error spec.kafka.orders: kafka is not supported by Tiphys yet: read it with/)])
  })

  it('annotations that are none', async () => {
    const metadata = '{ name: sensor, annotations: { tiphys.dev/serialise: completion, tiphys.dev/coalesce: newest } }'
    expect(await lintSensor({ metadata })).toEqual([
      expect.stringMatching(
        /^3 error metadata\.annotations\.tiphys\.dev\/serialise: no annotation of this name is known/,
      ),
      '3 warning metadata.annotations.tiphys.dev/coalesce: newest is neither "latest" nor "none" and is ignored',
    ])
  })
})

describe('dependencies', () => {
  const dependencies = (...list: [name: string, source: string, event: string][]) =>
    list
      .map(([name, source, event]) => `\n    - { name: ${name}, eventSourceName: ${source}, eventName: ${event} }`)
      .join('')

  it('that no source provides', async () => {
    expect(await lintSensor({ dependencies: dependencies(['a', 'sources', 'hok'], ['b', 'nowhere', 'x']) })).toEqual([
      '7 error spec.dependencies[0].eventName: the EventSource sources has no entry "hok": it has hook, tagged, pods, raw, json, tick',
      '8 error spec.dependencies[1].eventSourceName: no EventSource "nowhere" is in these manifests',
    ])
  })

  it('only warns of a source that may be elsewhere', async () => {
    const findings = await lint(sensor())
    expect(findings).toContain(
      '8 warning spec.dependencies[0].eventSourceName: no EventSource "sources" is in these manifests',
    )
    expect(findings.filter(finding => finding.includes('error'))).toEqual([])
  })

  it('of one name, or of names that conditions cannot tell apart', async () => {
    const twice = dependencies(['a', 'sources', 'hook'], ['a', 'sources', 'tick'])
    expect(await lintSensor({ dependencies: twice })).toEqual([
      '8 error spec.dependencies[1].name: more than one dependency has the name a',
    ])
    const twins = dependencies(['a-b', 'sources', 'hook'], ['a_b', 'sources', 'tick'])
    expect(await lintSensor({ dependencies: twins })).toEqual([
      '8 warning spec.dependencies[1].name: a-b and a_b cannot be told apart in conditions: rename one of them',
    ])
  })

  it('that conditions do not know', async () => {
    expect(await lintSensor({ template: '\n        conditions: dep && deb\n        log: {}' })).toEqual([
      '13 error spec.triggers[0].template.conditions: there is no dependency "deb"',
    ])
  })

  it('of triggers with the same name', async () => {
    const rest = '    - template: { name: one, log: {} }\n'
    expect(await lintSensor({ rest })).toEqual(['14 error spec.triggers[1].template.name: duplicate trigger name: one'])
  })
})

describe('programs that do not parse', () => {
  it.each([
    ['transform: { jq: ".a |" }', /transform\.jq: /],
    ['transform: { script: "return event.." }', /transform\.script: /],
    ['filters: { script: "if then" }', /filters\.script: /],
    [
      'filters: { exprs: [{ expr: "a ==", fields: [{ name: a, path: body.a }] }] }',
      /filters\.exprs\[0\]\.expr: Unexpected end of expression/,
    ],
    [
      'filters: { exprs: [{ expr: "a == 1 && b", fields: [{ name: a, path: body.a }] }] }',
      /"b" is the name of no field/,
    ],
    [
      'filters: { data: [{ path: body.a, type: string, value: ["(a"] }] }',
      /data\[0\]\.value\[0\]: error parsing regexp/,
    ],
    ['filters: { data: [{ path: body.a, type: number, value: ["x"] }] }', /"x" is not a number/],
    ['filters: { data: [{ path: body.a, type: bool, value: ["yes"] }] }', /"yes" is neither true nor false/],
    ['filters: { data: [{ path: body.a, type: number, value: [1] }] }', /must be a text in quotes, not 1/],
    ['filters: { data: [{ path: body.a, type: text, value: ["x"] }] }', /"text" is none of bool, number and string/],
    ['filters: { data: [{ path: body.a, type: string, comparator: ">", value: ["x"] }] }', /compares no string/],
    [
      'filters: { data: [{ path: body.a, type: string, value: ["x"], template: "{{ if }}" }] }',
      /data\[0\]\.template: template: /,
    ],
    ['filters: { data: [{ path: body.a, type: string, value: [] }] }', /no values specified/],
    ['filters: { time: { start: "25:00:00", stop: "03:00:00" } }', /filters\.time: /],
    ['filters: { context: { type: calendar } }', /no event passes: the type of these events is "webhook"/],
    ['filters: { dataLogicalOperator: xor }', /"xor" is neither "and" nor "or"/],
    ['filtersLogicalOperator: xor', /filtersLogicalOperator: xor is neither/],
  ])('%s', async (dependency, message) => {
    const findings = await lintSensor({ dependency: `      ${dependency}` })
    expect(findings[0]).toMatch(/^10 error spec\.dependencies\[0\]/)
    expect(findings[0]).toMatch(message)
  })

  it.each([
    ['retryStrategy: { duration: 5 parsecs }', /retryStrategy: /],
    ['rateLimit: { unit: Day, requestsPerUnit: 1 }', /rateLimit\.unit: Day is none of/],
  ])('%s', async (trigger, message) => {
    const findings = await lintSensor({ trigger: `      ${trigger}\n` })
    expect(findings).toEqual([expect.stringMatching(/^14 error /)])
    expect(findings[0]).toMatch(message)
  })

  it('schedules of conditions', async () => {
    const template = `
        log: {}
        conditionsReset: [{ byTime: { cron: "* * * *" } }]`
    expect(await lintSensor({ template })).toEqual([
      expect.stringMatching(/^14 error spec\.triggers\[0\]\.template\.conditionsReset\[0\]/),
    ])
  })

  it('filters, schedules and durations of sources', async () => {
    const text = `${SURROUNDINGS}
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: { name: other, annotations: { tiphys.dev/resync: often } }
spec:
  webhook:
    w: { endpoint: /w, method: POST, port: "1", filter: { expression: "body.a ==" } }
    x: { endpoint: /x, method: POST, port: "1", filter: { expression: "a == 1" } }
    u: { endpoint: /u, method: POST, port: "1", filter: { expression: "nope(body.a)" } }
    z: { endpoint: /z, method: POST, port: "1", filter: { expression: "sprig.upper(body.a) == header.a" } }
  calendar:
    c: { schedule: "* * *" }
    d: { interval: 5 parsecs }
`
    expect((await lint(text)).map(finding => finding.replace(/^\d+/, line => String(Number(line) - before)))).toEqual([
      expect.stringMatching(/^4 warning metadata\.annotations\.tiphys\.dev\/resync: often is no duration/),
      expect.stringMatching(/^7 error spec\.webhook\.w\.filter\.expression: unexpected token EOF/),
      '8 error spec.webhook.x.filter.expression: webhook events have no "a": they have header, body; did you mean "body.a"?',
      '9 error spec.webhook.u.filter.expression: there is no function nope: every event is held back',
      '10 warning spec.webhook.z.filter.expression: names of headers are spelled A in webhook events',
      expect.stringMatching(/^12 error spec\.calendar\.c\.schedule: /),
      expect.stringMatching(/^13 error spec\.calendar\.d\.interval: /),
    ])
  })
})

describe('paths that a source never emits', () => {
  const filter = (eventName: string, path: string, more = '') => ({
    dependencies: `
    - name: dep
      eventSourceName: sources
      eventName: ${eventName}
      ${more}
      filters: { data: [{ path: "${path}", type: string, value: ["x"] }] }`,
  })

  it.each([
    ['hook', 'name', 'webhook events have no "name": they have header, body; did you mean "body.name"?'],
    [
      'pods',
      'object.kind',
      'resource events have no "object": they have type, body, oldBody, group, version, resource; did you mean "body.object.kind"?',
    ],
    ['tick', 'time', 'calendar events have no "time": they have eventTime'],
    ['raw', 'body.a', 'the body of nats events is a text: it has fields when the entry raw says jsonBody: true'],
    ['hook', 'metadata.a', 'the entry hook has no metadata, and its events have none'],
  ])('of %s: %s', async (entry, path, message) => {
    expect(await lintSensor(filter(entry, path))).toEqual([
      `11 error spec.dependencies[0].filters.data[0].path: ${message}`,
    ])
  })

  it('says how headers are spelled', async () => {
    expect(await lintSensor(filter('hook', 'header.x-github-event.0'))).toEqual([
      '11 warning spec.dependencies[0].filters.data[0].path: names of headers are spelled X-Github-Event in webhook events',
    ])
  })

  it.each([
    ['hook', 'body.name'],
    ['tagged', 'metadata.a'],
    ['json', 'body.a'],
    ['pods', 'oldBody.metadata.labels.a\\\\.b'],
    ['hook', '@this'],
    ['hook', '*.name'],
  ])('has nothing against %s: %s', async (entry, path) => {
    expect(await lintSensor(filter(entry, path))).toEqual([])
  })

  it('has nothing against what a transformation may make', async () => {
    expect(await lintSensor(filter('hook', 'name', 'transform: { jq: .body }'))).toEqual([])
  })
})

describe('parameters', () => {
  const log = (parameters: string) => ({
    template: `\n        http: { url: "https://example.com", payload: [${parameters}] }`,
  })

  it.each([
    [
      '{ src: { dependencyName: deb, dataKey: body }, dest: a }',
      /^13 error .*payload\[0\]\.src\.dependencyName: there is no dependency "deb": there are dep/,
    ],
    [
      '{ src: { dependencyName: dep, dataKey: name }, dest: a }',
      /^13 error .*src\.dataKey: webhook events have no "name"/,
    ],
    [
      '{ src: { dependencyName: dep, dataKey: name, value: x }, dest: a }',
      /^13 warning .*src\.dataKey: webhook events have no "name"/,
    ],
    [
      '{ src: { dependencyName: dep, dataTemplate: "{{ .Input.name }}" }, dest: a }',
      /^13 error .*src\.dataTemplate: webhook events have no "name"/,
    ],
    [
      '{ src: { dependencyName: dep, dataTemplate: "{{ nope . }}" }, dest: a }',
      /function \\"nope\\" not defined|function "nope" not defined/,
    ],
    ['{ src: { dependencyName: dep, contextKey: topic }, dest: a }', /an event's context has no "topic"/],
    [
      '{ src: { dependencyName: dep, dataKey: body }, dest: a, operation: add }',
      /"add" is none of overwrite, append and prepend/,
    ],
    ['{ src: { dependencyName: dep, dataKey: body }, dest: __proto__.x }', /"__proto__\.x" is no place for a value/],
    ['{ src: { dependencyName: dep, dataKey: body }, dest: list.1000000000 }', /no list has an item 1000000000/],
    ['{ src: { dependencyName: dep, dataKey: body }, dest: "{{ .Input.x }}" }', /dest is a path/],
  ])('%s', async (parameter, message) => {
    const findings = await lintSensor(log(parameter))
    expect(findings.some(finding => message.test(finding))).toBe(true)
  })

  it('without a destination are the whole payload', async () => {
    expect(await lintSensor(log('{ src: { dependencyName: dep, dataKey: body }, dest: "" }'))).toEqual([])
  })

  const workflow = (parameter: string, more = '') => ({
    template: `
        argoWorkflow:
          operation: submit
          source:
            resource:
              apiVersion: argoproj.io/v1alpha1
              kind: Workflow
              metadata: { generateName: run- }
              spec:
                arguments: { parameters: [{ name: message, value: "" }] }
                templates:
                  - { name: a, script: { image: x, command: [sh], source: 'echo "{{workflow.parameters.message}}"' } }
                  - { name: b, container: { image: x, command: [echo], args: [x] } }
                  - { name: c, container: { image: x, command: [sh, -c], args: [x] } }
          parameters:
            - { src: { dependencyName: dep, dataKey: body.a }, dest: '${parameter}' }${more}`,
  })
  const quiet = (findings: string[]) => findings.filter(finding => !finding.includes('is pasted into a program, where'))

  it('that set nothing, because what they look for is not there', async () => {
    expect(quiet(await lintSensor(workflow('spec.arguments.parameters.#(name=="text").value')))).toEqual([
      '27 error spec.triggers[0].template.argoWorkflow.parameters[0].dest: sets nothing: no part of the object is found by "spec.arguments.parameters.#(name=="text").value"',
    ])
  })

  it('that are pasted into a program', async () => {
    const pasted =
      /^23 error .*script\.source: the parameter "message" comes from an event and is pasted into a program/
    expect(await lintSensor(workflow('spec.arguments.parameters.0.value'))).toEqual([expect.stringMatching(pasted)])
    expect(await lintSensor(workflow('spec.arguments.parameters.#(name=="message").value'))).toEqual([
      expect.stringMatching(pasted),
    ])
  })

  it.each([
    ['spec.templates.0.script.source', true],
    ['spec.templates.1.container.args.0', false],
    ['spec.templates.1.container.command', true],
    ['spec.templates.2.container.args.0', true],
  ])('that are a program: %s is %s', async (dest, isProgram) => {
    const found = quiet(await lintSensor(workflow(dest))).some(finding =>
      finding.includes('becomes part of a program here'),
    )
    expect(found).toBe(isProgram)
  })

  it('that the parameters of the trigger replace are not judged', async () => {
    const template = `
        http:
          url: https://example.com
          payload:
            - { src: { dependencyName: LATER, dataKey: body }, dest: a }`
    const trigger = `      parameters:
        - { src: { dependencyName: dep, contextKey: subject }, dest: http.payload.0.src.dependencyName }
`
    expect(await lintSensor({ template, trigger })).toEqual([])
    expect(await lintSensor({ template })).toHaveLength(1)
  })
})

describe('objects', () => {
  const writing = (metadata: string, more = '') => ({
    template: `
        k8s:
          source: { resource: { apiVersion: v1, kind: ConfigMap, metadata: ${metadata} } }${more}`,
  })

  it('with the same name for every event', async () => {
    expect(await lintSensor(writing('{ name: fixed }'))).toEqual([
      expect.stringMatching(
        /^14 warning .*source\.resource\.metadata\.name: is the same for every event: the second one fails/,
      ),
    ])
    const status = "{ name: fixed, annotations: { 'tiphys.dev/subresource': status } }"
    expect(await lintSensor(writing(status, '\n          operation: patch'))).toEqual([
      expect.stringMatching(/lets the ServiceAccount worker get configmaps and patch configmaps\/status/),
    ])
    const set = `
          parameters: [{ src: { dependencyName: dep, dataKey: body.name }, dest: metadata.name }]`
    expect(await lintSensor(writing('{ name: fixed }', set))).toEqual([])
    expect(await lintSensor(writing('{ name: fixed }', '\n          operation: apply'))).toEqual([
      expect.stringMatching(/lets the ServiceAccount worker get configmaps and patch configmaps/),
    ])
  })

  it('without a name', async () => {
    expect(await lintSensor(writing('{}'))).toEqual([
      '14 error spec.triggers[0].template.k8s.source.resource.metadata: has neither name nor generateName, and no parameter sets one',
    ])
  })

  it('that are no objects, or no YAML', async () => {
    const inline = (text: string) => ({ template: `\n        k8s: { source: { inline: ${JSON.stringify(text)} } }` })
    expect(await lintSensor(inline('a: 1'))).toEqual([
      '13 error spec.triggers[0].template.k8s.source.inline: is no object of Kubernetes: it has no apiVersion or no kind',
    ])
    expect(await lintSensor(inline('a: [1'))).toEqual([expect.stringMatching(/^13 error .*source\.inline: yaml: /)])
    const named = await lintSensor(inline('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}'))
    expect(named).toEqual([expect.stringMatching(/^13 warning .*source\.inline\.metadata\.name: is the same/)])
  })

  it('with templates where nothing carries them out', async () => {
    expect(await lintSensor(writing('{ generateName: x, labels: { a: "{{ .Input.body.a }}" } }'))).toEqual([
      '14 warning spec.triggers[0].template.k8s.source.resource.metadata.labels.a: a template is not carried out here: use dataTemplate or contextTemplate of a parameter',
    ])
  })
})

describe('what is not there', () => {
  it('an EventBus, a ServiceAccount, a permission', async () => {
    const text = `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: { name: s }
spec:
  eventBusName: fast
  template: { serviceAccountName: nobody }
  resource:
    pods: { version: v1, resource: pods, eventTypes: [ADD] }
`
    expect(await lint(text)).toEqual([
      '6 warning spec.eventBusName: no EventBus "fast" is in these manifests',
      '7 warning spec.template.serviceAccountName: no ServiceAccount "nobody" is in these manifests',
      '9 warning spec.resource.pods: nothing in these manifests lets the ServiceAccount nobody list and watch pods',
    ])
  })

  it('a role that is elsewhere may allow anything', async () => {
    const binding = `
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: b }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: worker, namespace: default }]
`
    const template = `
        k8s: { source: { resource: { apiVersion: v1, kind: Secret, metadata: { generateName: x } } } }`
    expect(await lintSensor({ template })).toEqual([
      '13 warning spec.triggers[0].template.k8s: nothing in these manifests lets the ServiceAccount worker create secrets',
    ])
    expect(await lintSensor({ template }, binding)).toEqual([])
  })

  it('a bus that Tiphys does not have', async () => {
    expect(
      await lint(
        'apiVersion: argoproj.io/v1alpha1\nkind: EventBus\nmetadata: { name: default }\nspec:\n  kafka: { url: a }\n',
      ),
    ).toEqual([expect.stringMatching(/^4 error spec: kafka is not supported by Tiphys yet/)])
  })
})

it('programs of workflows, by themselves', async () => {
  const template = (kind: string, spec: string) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\nmetadata: { name: a }\nspec: ${spec}\n`
  const spec =
    '{ templates: [{ name: a, script: { image: x, command: [sh], source: "echo {{inputs.parameters.text}}" } }] }'
  for (const kind of ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate'])
    expect(await lint(template(kind, spec))).toEqual([
      expect.stringMatching(
        /^4 warning spec\.templates\[0\]\.script\.source: the parameter "text" is pasted into a program, where quotes/,
      ),
    ])
  expect(await lint(template('CronWorkflow', `{ workflowSpec: ${spec} }`))).toEqual([
    expect.stringMatching(/^4 warning spec\.workflowSpec\.templates\[0\]\.script\.source: /),
  ])
})

it('is not upset by manifests that are something else, or nothing', async () => {
  for (const text of [
    'a: 1',
    '[1]',
    'apiVersion: argoproj.io/v1alpha1\nkind: Sensor',
    'apiVersion: argoproj.io/v1alpha1\nkind: Sensor\nspec: [1]\nmetadata: 7',
    'apiVersion: argoproj.io/v1alpha1\nkind: EventSource\nspec: { webhook: [], resource: 7, calendar: { a: null } }',
  ])
    expect(Array.isArray(await lint(text))).toBe(true)
})
