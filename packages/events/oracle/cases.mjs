// Cases for filters and parameters. Deterministic: the same cases come out every time.
import { random } from '../../expressions/oracle/cases/random.mjs'
import { sourceFilterCases } from './source-filter-cases.mjs'

const context = {
  id: 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3',
  source: 'webhook',
  specversion: '1.0',
  type: 'resource',
  datacontenttype: 'application/json',
  subject: 'example',
  time: '2024-03-10T14:30:15Z',
}

const documents = [
  '{"type":"ADD","body":{"metadata":{"name":"web","namespace":"default","labels":{"app":"web","a.b":"c"},"generation":3},"spec":{"replicas":3,"ratio":1.50,"paused":false,"big":9007199254740993}},"oldBody":null,"group":"","version":"v1","resource":"pods"}',
  '{"type":"UPDATE","body":{"metadata":{"name":"db-0"},"spec":{"replicas":0,"list":[1,2,{"name":"x","value":"y"},{"name":"z","value":""}]},"status":{"ready":true}},"oldBody":{"spec":{"replicas":2}}}',
  '{"body":{"text":"hello \\"world\\"\\n","empty":"","zero":0,"null":null,"neg":-12.5e3,"nested":{"deep":{"er":["a","b"]}},"truth":"True","number":"42"},"header":{"X-One":["1"]}}',
  '{}',
  '[1,2,3]',
  '{"a":{"b":[{"c":1},{"c":2}]},"unicode":"grüße 😀","html":"<a href=\\"x\\">&</a>"}',
]

const paths = [
  'type',
  'body',
  'body.metadata.name',
  'body.metadata.labels',
  'body.metadata.labels.a\\.b',
  'body.spec.replicas',
  'body.spec.ratio',
  'body.spec.paused',
  'body.spec.big',
  'oldBody',
  'oldBody.spec.replicas',
  'body.spec.list',
  'body.spec.list.2.name',
  'body.spec.list.#',
  'body.spec.list.#(name=="x").value',
  'body.status.ready',
  'body.text',
  'body.empty',
  'body.zero',
  'body.null',
  'body.neg',
  'body.nested.deep.er.1',
  'body.truth',
  'body.number',
  'header.X-One.0',
  'a.b.#.c',
  'unicode',
  'html',
  'missing',
  'body.missing.deeper',
  'a.b.1',
  '#',
  '0',
  '@this',
]

/** Which of the paths lead somewhere in which document. */
const leading = [
  paths.slice(0, 10),
  ['type', 'body', 'body.metadata.name', ...paths.slice(9, 16)],
  paths.slice(16, 25),
  ['@this'],
  ['0', '#', '@this'],
  ['a.b.#.c', 'unicode', 'html', 'a.b.1'],
]

const { pick, chance, below } = random(20240310)
const document = () => (chance(0.85) ? below(3) : below(documents.length))
const path = at => pick(chance(0.9) ? leading[at] : paths)
const some = (list, most) => Array.from({ length: 1 + below(most) }, () => pick(list))

const templates = [
  '{{ .Input }}',
  '{{ .Input | upper }}',
  '{{ .Input | trim | quote }}',
  '{{ if eq .Input "ADD" }}yes{{ else }}no{{ end }}',
  '',
  '{{ .Input | b64enc }}',
  '{{ .Missing }}',
  '{{ .Input | nosuch }}',
  '{{ .Input',
  '{{ len .Input }}',
  '{{ .Input | replace "a" "b" }}',
]
const values = {
  bool: ['true', 'false', 'T', '0', 'yes', ''],
  number: ['3', '0', '-12500', '1.5', '1e0', 'x', '', '42', 'Inf'],
  string: ['ADD', '^web$', 'we', '.*', '', '[', 'hello', '3', 'true', '^$', 'gr..e', '(?i)add'],
}

function dataFilter(at) {
  const type = chance(0.05) ? pick(['object', '']) : pick(['bool', 'number', 'string'])
  return {
    path: path(at),
    type,
    ...(chance(0.95) ? { value: some(values[type] ?? ['x'], 3) } : {}),
    ...(chance(0.7) ? { comparator: pick(['>=', '>', '=', '!=', '<', '<=', '', '==']) } : {}),
    ...(chance(0.2) ? { template: pick(templates) } : {}),
  }
}

const expressions = [
  'a == "ADD"',
  'a > 2',
  'a >= 0 && b != "x"',
  'a',
  '!a',
  'a =~ "^w"',
  'a == b',
  'a + 1 == 4',
  'b == nil',
  'a ==',
  'c > 1',
  "a == 'web'",
  'a in ("ADD", "UPDATE")',
  '(a > 1) || (b == "y")',
  'true',
  'a == true',
]
const exprFilter = at => ({
  expr: pick(expressions),
  ...(chance(0.9) ? { fields: some([0], 2).map((_, index) => ({ name: 'ab'[index], path: path(at) })) } : {}),
})

const times = [
  '00:00:00',
  '14:00:00',
  '14:30:15',
  '14:30:16',
  '23:59:59',
  '9:00:00',
  '09:30:00',
  '25:00:00',
  'noon',
  '',
]
const operators = ['', 'and', 'or']

function filterCase() {
  const at = document()
  const filter = {
    ...(chance(0.5) ? { data: some([0], 3).map(() => dataFilter(at)) } : {}),
    ...(chance(0.5) ? { dataLogicalOperator: pick(operators) } : {}),
    ...(chance(0.4) ? { exprs: some([0], 2).map(() => exprFilter(at)) } : {}),
    ...(chance(0.5) ? { exprLogicalOperator: pick(operators) } : {}),
    ...(chance(0.3)
      ? {
          context: {
            [pick(['type', 'subject', 'source', 'datacontenttype'])]: pick(['resource', 'webhook', 'example', '', 'x']),
          },
        }
      : {}),
    ...(chance(0.2)
      ? {
          time: {
            start: pick(times),
            stop: pick(times),
            ...(chance(0.5)
              ? { timezone: pick(['Europe/Berlin', 'America/New_York', 'Nowhere/Land', 'UTC', '']) }
              : {}),
          },
        }
      : {}),
  }
  return { filter, operator: pick(operators), event: { context, data: documents[at] } }
}

const destinations = [
  'spec.arguments.parameters.0.value',
  'metadata.name',
  'metadata.labels.new',
  'spec.list.-1',
  'spec.list.1',
  'spec.deep.er.est',
  'metadata.labels.a\\.b',
  'spec.arguments.parameters.#(name=="message").value',
  'spec.arguments.parameters.#(name=="none").value',
  'spec.list',
  'spec',
  'data.:1',
  'spec.text',
]
const targets = [
  '{"metadata":{"name":"x","labels":{}},"spec":{"arguments":{"parameters":[{"name":"message","value":"old"},{"name":"b"}]},"list":["a"],"text":"t"}}',
  '{}',
  '{ "spec": { "text": 5, "list": [] } }',
]

function source(at) {
  const form = below(10)
  return {
    dependencyName: pick(['a', 'a', 'a', 'b', 'none']),
    ...(form < 5 ? { dataKey: path(at) } : {}),
    ...(form === 4 || form === 5 ? { dataTemplate: pick(parameterTemplates) } : {}),
    ...(form === 6 ? { contextKey: pick(['id', 'type', 'subject', 'source', 'time', 'missing']) } : {}),
    ...(form === 7
      ? { contextTemplate: pick(['{{ .Input.subject }}', '{{ .Input.type | upper }}', '{{ .Input.none }}', '{{']) }
      : {}),
    ...(chance(0.3) ? { value: pick(['default', '', '7', '{"x":1}']) } : {}),
    ...(chance(0.3) ? { useRawData: chance(0.8) } : {}),
  }
}
const parameterTemplates = [
  '{{ .Input.type }}',
  '{{ .Input.body.metadata.name | upper }}',
  '{{ .Input.body.spec.replicas }}',
  '{{ .Input.missing }}',
  '{{ .Input.body | toJson }}',
  '{{ index .Input.body.spec.list 0 }}',
  '{{ .Input.body.metadata.name }}-{{ .Input.type | lower }}',
  '{{',
]

function parameterCase(isPayload) {
  const at = document()
  const parameters = Array.from({ length: 1 + below(3) }, () => ({
    src: source(at),
    dest: isPayload && chance(0.1) ? '' : pick(destinations),
    ...(!isPayload && chance(0.4) ? { operation: pick(['append', 'prepend', 'overwrite', '', 'insert']) } : {}),
  }))
  const events = {
    a: { context, data: documents[at] },
    ...(chance(0.5) ? { b: { context: { ...context, subject: 'other' }, data: documents[document()] } } : {}),
  }
  return { parameters, events, ...(isPayload ? {} : { json: pick(targets) }) }
}

export const cases = {
  filters: Array.from({ length: 3000 }, filterCase),
  parameters: Array.from({ length: 2500 }, () => parameterCase(false)),
  payloads: Array.from({ length: 2000 }, () => parameterCase(true)),
  'source-filters': sourceFilterCases(2500),
}
