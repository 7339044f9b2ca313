// Rules as custom resource definitions have them: typed by a schema, with the sizes that cost estimates need.
const string = { type: 'string' }
const integer = { type: 'integer' }

const workload = {
  type: 'object',
  required: ['replicas', 'name'],
  properties: {
    name: { type: 'string', maxLength: 63 },
    description: string,
    replicas: integer,
    minReplicas: integer,
    maxReplicas: integer,
    ratio: { type: 'number' },
    paused: { type: 'boolean' },
    mode: { type: 'string', enum: ['Fast', 'Slow', 'Careful'] },
    port: { 'x-kubernetes-int-or-string': true },
    percent: { 'x-kubernetes-int-or-string': true, maxLength: 8 },
    timeout: { type: 'string', format: 'duration' },
    started: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    payload: { type: 'string', format: 'byte' },
    email: { type: 'string', format: 'email', maxLength: 100 },
    note: { type: 'string', nullable: true },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 }, maxProperties: 10 },
    limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
    nested: { type: 'object', additionalProperties: { type: 'object', properties: { a: integer } }, maxProperties: 4 },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 8, 'x-kubernetes-list-type': 'set' },
    args: { type: 'array', items: string },
    numbers: { type: 'array', items: integer, maxItems: 100 },
    ratios: { type: 'array', items: { type: 'number' } },
    matrix: { type: 'array', maxItems: 5, items: { type: 'array', maxItems: 5, items: integer } },
    ports: {
      type: 'array',
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          name: { type: 'string', maxLength: 15 },
          port: integer,
          protocol: { type: 'string', default: 'TCP' },
        },
      },
    },
    containers: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: string,
          image: string,
          env: { type: 'array', items: { type: 'object', properties: { name: string, value: string } } },
        },
      },
    },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object', properties: { x: integer } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
    empty: { type: 'object' },
    'with-dash': string,
    'with.dot': string,
    'a/b': string,
    __under__: integer,
    in: string,
    namespace: string,
    'bad name': string,
    '1st': string,
  },
}

const full = {
  name: 'web',
  description: 'the front end',
  replicas: 3,
  minReplicas: 1,
  maxReplicas: 5,
  ratio: 0.5,
  paused: false,
  mode: 'Fast',
  port: 8080,
  percent: '50%',
  timeout: '1h30m',
  started: '2024-05-06T07:08:09Z',
  day: '2024-05-06',
  payload: 'aGVsbG8=',
  email: 'a@example.com',
  note: null,
  labels: { app: 'web', tier: 'front' },
  limits: { cpu: '500m', pods: 3 },
  nested: { x: { a: 1 }, y: {} },
  tags: ['a', 'b'],
  args: ['--verbose', '--port=80'],
  numbers: [3, 1, 2],
  ratios: [1, 2.5],
  matrix: [[1, 2], [3], []],
  ports: [
    { name: 'http', port: 80, protocol: 'TCP' },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ],
  containers: [
    { name: 'main', image: 'nginx:1.25', env: [{ name: 'A', value: '1' }] },
    { name: 'side', image: 'envoy' },
  ],
  template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: { x: 1 } },
  free: { whatever: 1 },
  anything: [1, 2],
  empty: {},
  'with-dash': 'd',
  'with.dot': 'e',
  'a/b': 'f',
  __under__: 7,
  in: 'g',
  namespace: 'h',
}

const older = {
  ...full,
  replicas: 2,
  name: 'web',
  tags: ['b', 'a'],
  ports: [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'http', port: 80, protocol: 'TCP' },
  ],
  numbers: [1, 2],
}

const small = { name: 'x', replicas: 0 }

const rules = String.raw`
self.replicas >= 0
self.replicas <= self.maxReplicas
self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas
!has(self.minReplicas) || self.replicas >= self.minReplicas
has(self.minReplicas) ? self.minReplicas <= self.replicas : true
self.replicas > 1.5
self.replicas == 3u
self.ratio <= 1
self.ratio * 2.0
self.ratio + 1
self.paused || self.replicas > 0
self.name.startsWith('w')
self.name.size() < 10
size(self.name) <= 63
self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')
self.description.matches('^[a-z ]+$')
self.description.contains('front')
self.description == 'the front end'
self.description + self.name
self.mode in ['Fast', 'Slow']
self.mode == 'Careful'
self.mode != oldSelf.mode
self.name == oldSelf.name
self.replicas >= oldSelf.replicas
self == oldSelf
self.port == 8080
self.port == '8080'
type(self.port) == int ? self.port < 65536 : self.port.matches('^[a-z]+$')
int(self.port) > 0
string(self.port)
self.port + 1
self.percent.endsWith('%')
self.percent.matches('^[0-9]+%$')
type(self.percent) == string
self.timeout < duration('2h')
self.timeout == duration('90m')
self.timeout.getMinutes()
self.started > timestamp('2020-01-01T00:00:00Z')
self.started.getFullYear()
self.started + self.timeout
self.day.getDate()
self.payload == b'hello'
size(self.payload)
string(self.payload)
self.email.contains('@')
self.note == null
has(self.note)
self.note != null && self.note.size() > 3
self.labels['app'] == 'web'
self.labels.app
self.labels.missing
'app' in self.labels
has(self.labels.app)
has(self.labels.missing)
self.labels.all(k, k.size() < 10)
self.labels.all(k, self.labels[k].size() < 10)
self.labels.exists(k, k.startsWith('x'))
self.labels.all(k, v, v != '')
self.labels.transformMap(k, v, v.upperAscii())
self.labels.map(k, self.labels[k])
self.labels.size() <= 10
self.labels == oldSelf.labels
self.labels == {'app': 'web', 'tier': 'front'}
self.labels[?'app'].orValue('none')
self.labels.?missing.orValue('none')
self.labels.?app.hasValue()
self.limits['cpu']
quantity(self.limits['cpu']).isLessThan(quantity('1'))
self.limits.all(k, isQuantity(string(self.limits[k])))
type(self.limits['pods'])
self.nested.x.a
self.nested.all(k, has(self.nested[k].a))
self.nested.transformList(k, v, has(v.a)).size()
'a' in self.tags
self.tags.all(t, t.size() == 1)
self.tags.exists_one(t, t == 'a')
self.tags == oldSelf.tags
self.tags == ['b', 'a']
['b', 'a'] == self.tags
self.tags + ['c', 'a']
self.tags + oldSelf.tags
self.tags.size()
self.tags.map(t, t + '!')
self.tags.filter(t, t > 'a')
self.tags.isSorted()
self.tags.join(',')
self.tags[0]
self.tags[5]
self.tags.indexOf('b')
sets.equivalent(self.tags, oldSelf.tags)
sets.contains(self.tags, ['a'])
sets.intersects(self.tags, ['z'])
self.args.all(a, a.startsWith('--'))
self.args.exists(a, a.contains('port'))
self.args.join(' ')
self.args.map(a, a.split('='))
self.args.map(a, a.replace('-', ''))
self.args.map(a, a.substring(2))
self.args.filter(a, a.matches('port=[0-9]+'))
self.args.map(a, a.find('[0-9]+'))
self.args + ['x']
self.args == oldSelf.args
self.args.sort()
self.args.distinct()
self.args.reverse()
self.args.slice(0, 1)
self.args.max()
self.args.transformList(i, a, a + string(i))
self.numbers.sum()
self.numbers.max()
self.numbers.min()
self.numbers.isSorted()
self.numbers.sort()
self.numbers.all(n, n > 0)
self.numbers.all(n, self.numbers.exists(m, m == n))
self.numbers.map(n, n * 2)
self.numbers.filter(n, n % 2 == 1)
self.numbers.sortBy(n, -n)
self.numbers == oldSelf.numbers
self.numbers == [3, 1, 2]
self.numbers + [4]
self.numbers + oldSelf.numbers
self.numbers[0] + self.numbers[1]
self.numbers.exists(n, n / 0 > 1)
self.numbers.all(n, n in [1, 2, 3])
self.numbers.all(i, n, n > i || i > 0)
self.numbers.transformMap(i, n, n)
self.ratios.sum()
self.ratios.all(r, r >= 1)
self.ratios == [1.0, 2.5]
self.matrix.all(row, row.all(x, x > 0))
self.matrix.map(row, row.size())
self.matrix.flatten()
self.matrix.flatten().sum()
self.matrix[0][1]
self.matrix == oldSelf.matrix
self.ports.all(p, p.port > 0)
self.ports.all(p, p.port > 0 && p.port < 65536)
self.ports.exists(p, p.name == 'http')
self.ports.exists_one(p, p.protocol == 'UDP')
self.ports.filter(p, p.protocol == 'TCP').size()
self.ports.map(p, p.port)
self.ports.map(p, p.name).isSorted()
self.ports == oldSelf.ports
self.ports + oldSelf.ports
self.ports[0] == oldSelf.ports[1]
self.ports[0] == oldSelf.ports[0]
self.ports[0].name
self.ports[0].missing
self.ports.all(p, self.ports.exists_one(q, q.name == p.name))
self.ports.all(p, !has(p.name) || p.name.size() > 0)
self.ports.map(p, p.?name.orValue('none'))
self.ports.sortBy(p, p.port).map(p, p.name)
self.ports.all(p, oldSelf.ports.exists(o, o.port == p.port))
self.containers.all(c, c.image.contains(':'))
self.containers.all(c, !has(c.env) || c.env.all(e, e.name != ''))
self.containers.exists(c, has(c.env) && c.env.exists(e, e.value == '1'))
self.containers.map(c, c.name)
self.containers == oldSelf.containers
self.containers.filter(c, c.name in ['main']).map(c, c.image)
self.template.kind == 'Pod'
self.template.metadata.name
self.template.metadata.labels
self.template.spec.x == 1
self.free.whatever
self.free == oldSelf.free
self.anything
has(self.empty)
self.empty == {}
self.empty.x
self.with__dash__dash
self.with__dot__dot
self.a__slash__b
self.__underscores__under__underscores__
self.__in__
self.__namespace__
self.namespace
self.bad
has(self.with__dash__dash)
self.map(k, k)
self.all(k, true)
size(self)
'name' in self
self['name']
self.?name.orValue('')
self.?missing
has(self.template.spec)
has(self.template.metadata.name)
has(self.ports)
has(self.nope)
self.name + 1
self.replicas + 'a'
self.name.size
self.name()
self.replicas.foo
self.labels.all(k, k > 1)
self.tags.all(t, t > 1)
oldSelf.replicas == 2
oldSelf.nope
"%s has %d replicas".format([self.name, self.replicas])
"%s".format([self.labels])
"%s".format([self.tags])
"%.2f".format([self.ratio])
"value of " + self.name + " must be at least " + string(self.minReplicas)
self.name == 'web' ? 'yes' : 'no'
[self.name, self.mode].join('/')
{'n': self.name}.n
{'n': self.replicas}['n'] + 1
[self.replicas, self.minReplicas].max()
self.name in self.labels
self.name.lowerAscii() == self.name
self.name.upperAscii()
self.name.trim()
self.name.replace('w', 'x')
self.name.split('')
self.name.charAt(0)
self.name.indexOf('e')
self.description.lastIndexOf('f')
url('https://' + self.name + '.example.com').getHost()
isURL(self.name)
ip(self.name)
isIP(self.name)
cidr('10.0.0.0/8').containsIP(self.name)
format.dns1123Label().validate(self.name).hasValue()
!format.dns1123Label().validate(self.name).hasValue()
semver('1.2.' + string(self.replicas)).isLessThan(semver('1.3.0'))
optional.of(self.name).orValue('x')
optional.ofNonZeroValue(self.replicas).hasValue()
self.name == 'web' || self.replicas / 0 == 1
self.numbers.map(n, n > 1, string(n)).join('-')
self.ports.map(p, {'port': p.port, 'name': p.name})
self.ports.all(p, p.protocol in ['TCP', 'UDP', 'SCTP'])
self.ports.filter(p, p.port > 60).map(p, p.port).sum()
self.name.size() + self.description.size() > 10
!(self.paused && self.replicas > 0)
(self.paused ? 0 : self.replicas) < 10
(has(self.mode) ? self.mode : 'Slow') == 'Fast'
self.mode == 'Fast' ? self.replicas >= 1 : self.replicas == 0
self.labels.all(k, self.labels[k] in ['web', 'front'])
lists.range(self.replicas).map(i, i)
self.containers[0].env[0].value
self.containers[0].?env[0].?value
self.containers[1].?env[?0].?value.orValue('none')
`
  .split('\n')
  .filter(line => line !== '')

const optionalRules = String.raw`
oldSelf.hasValue()
!oldSelf.hasValue() || oldSelf.value().replicas <= self.replicas
oldSelf.orValue(self).replicas
oldSelf.optMap(o, o.replicas <= self.replicas).orValue(true)
oldSelf.?replicas.orValue(0)
oldSelf.?labels[?'app'].orValue('none')
oldSelf.?started
oldSelf.value().started
oldSelf.?tags == optional.of(self.tags)
self.tags == oldSelf.?tags.orValue([])
oldSelf.?tags.orValue([]) == self.tags
oldSelf.replicas
oldSelf.?nope
has(oldSelf.replicas)
has(oldSelf.nope)
oldSelf.ports.optMap(p, p.size())
oldSelf.optFlatMap(o, o.?name)
oldSelf == optional.none()
oldSelf.value() == self
`
  .split('\n')
  .filter(line => line !== '')

// Single-schema cases: the rule stands on a leaf, as rules on list items and map values do.
const leaves = [
  [
    string,
    '"abc"',
    ['self', 'self.size() > 2', 'self == oldSelf', "self.matches('a')", 'self + 1', 'has(self)', 'self.x'],
  ],
  [{ type: 'string', maxLength: 5 }, '"abc"', ['self.size() > 2', "self.contains('b')", 'self + self']],
  [{ type: 'string', enum: ['a', 'bcd'] }, '"a"', ["self in ['a']", 'self == oldSelf', 'self < "b"']],
  [integer, '5', ['self > 1', 'self == 5.0', 'self / 0', 'self.x', '-self', 'string(self)', 'self in [1, 5]']],
  [integer, '9007199254740993', ['self', 'self + 1']],
  [{ type: 'number' }, '5', ['self > 1', 'self == 5', 'self / 0.0', 'int(self)']],
  [{ type: 'number' }, '1e300', ['self * 1e10', 'self']],
  [{ type: 'boolean' }, 'true', ['self', '!self', 'self && oldSelf', 'self == true']],
  [{ 'x-kubernetes-int-or-string': true }, '"50%"', ['self', 'type(self) == string', 'self + 1', "self.endsWith('%')"]],
  [{ 'x-kubernetes-int-or-string': true }, '50', ['self', 'self > 3', 'type(self) == int', 'self == "50"']],
  [{ type: 'string', format: 'duration' }, '"1 day"', ['self', "self > duration('1h')"]],
  [{ type: 'string', format: 'duration' }, '"nope"', ['self']],
  [
    { type: 'string', format: 'date-time' },
    '"2024-01-01T00:00:00.5+02:00"',
    ['self', 'self.getHours()', 'string(self)'],
  ],
  [{ type: 'string', format: 'date' }, '"2024-01-01"', ['self', 'self.getDayOfWeek()']],
  [{ type: 'string', format: 'byte' }, '"AAEC"', ['self', 'size(self)', "self == b'\\x00\\x01\\x02'"]],
  [
    { type: 'array', items: integer },
    '[1, 2, 3]',
    [
      'self.sum()',
      'self[0]',
      'self == [1, 2, 3]',
      'self.all(x, x > 0)',
      'self + [4]',
      'self.map(x, x)',
      'self[7]',
      'self[-1]',
      "self['a']",
    ],
  ],
  [
    { type: 'array', items: integer, maxItems: 3 },
    '[1, 2, 3]',
    [
      'self.all(x, self.all(y, x + y > 0))',
      'self.exists(x, x > 2)',
      'size(self) < 4',
      '2 in self',
      '7 in self',
      'self.map(x, x > 1, x)',
    ],
  ],
  [
    { type: 'array', items: { type: 'string', maxLength: 4 }, maxItems: 3 },
    '["a", "b"]',
    [
      "'a' in self",
      "self.exists(x, x == 'b')",
      'self.join("-").size()',
      'self.max()',
      'self.isSorted()',
      "self.all(x, x.matches('[a-z]'))",
    ],
  ],
  [
    { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    '["a", "b"]',
    ["self == ['b', 'a']", "self + ['b', 'c']", 'self.all(x, x in oldSelf)', 'self != oldSelf'],
  ],
  [
    { type: 'object', additionalProperties: string },
    '{"a": "b"}',
    [
      "self['a']",
      'self.a',
      'self.b',
      'size(self)',
      "self.all(k, k == 'a')",
      'self == {"a": "b"}',
      'self.exists(k, v, v == "b")',
    ],
  ],
  [
    { type: 'object', additionalProperties: integer, maxProperties: 3 },
    '{"a": 1}',
    [
      'self.all(k, self[k] > 0)',
      "self['a'] + 1",
      "'a' in self",
      'self.map(k, self[k]).sum()',
      'self.transformMap(k, v, v + 1)',
    ],
  ],
  [
    { type: 'object', properties: { a: integer } },
    '{"a": 1, "b": 2}',
    ['self.a', 'self.b', 'has(self.a)', 'self == oldSelf', 'size(self)', 'self.map(k, k)', "self == {'a': 1}"],
  ],
  [
    { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    '{"a": null}',
    ['self.a', 'has(self.a)', 'self.?a', 'self.a == null'],
  ],
  [
    { type: 'array', items: { type: 'string', nullable: true } },
    '["a", null]',
    ['self', 'self[1] == null', 'self.all(x, x != null)', "self.exists(x, x == 'a')"],
  ],
  [
    { type: 'object', properties: { a: integer } },
    '{"a": "wrong"}',
    ['self.a', 'self.a + 1', 'has(self.a)', 'self.a == 1 || true'],
  ],
]

const limited = [1, 5, 20, 100].flatMap(limit => [
  { e: 'self.numbers.all(n, n > 0)', schema: 'workload', value: 'full', oldValue: 'older', limit },
  {
    e: 'self.numbers.all(n, self.numbers.exists(m, m == n))',
    schema: 'workload',
    value: 'full',
    oldValue: 'older',
    limit,
  },
  { e: 'self.replicas >= 0', schema: 'workload', value: 'full', oldValue: 'older', limit },
])

// Named, because many cases share them.
export const fixtures = {
  schemas: { workload },
  values: { full, older, small, whole: { ...full, apiVersion: 'v1', kind: 'W', metadata: { name: 'n', labels: {} } } },
}

export const schemaCases = [
  ...rules.map(e => ({ e, schema: 'workload', value: 'full', oldValue: 'older' })),
  ...rules.map(e => ({ e, schema: 'workload', value: 'small', oldValue: 'full' })),
  ...rules.slice(0, 40).map(e => ({ e, schema: 'workload', root: true, value: 'whole', oldValue: 'older' })),
  ...['self.metadata.name', 'self.kind', 'self.apiVersion', 'self.metadata.labels', 'self.metadata.generateName'].map(
    e => ({
      e,
      schema: 'workload',
      root: true,
      value: 'whole',
      oldValue: 'older',
    }),
  ),
  ...optionalRules.flatMap(e => [
    { e, schema: 'workload', optional: true, value: 'full', oldValue: 'older' },
    { e, schema: 'workload', optional: true, value: 'full' },
  ]),
  ...leaves.flatMap(([s, json, list]) => list.map(e => ({ e, s, self: JSON.parse(json), old: JSON.parse(json) }))),
  ...limited,
]
  // JSON.parse loses the digits of this one; the oracle must get the same number.
  .map(oneCase =>
    typeof oneCase.self === 'number' && oneCase.self > Number.MAX_SAFE_INTEGER
      ? { ...oneCase, self: 9007199254740992, old: 9007199254740992 }
      : oneCase,
  )
