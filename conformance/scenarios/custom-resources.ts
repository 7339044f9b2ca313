import type { JsonObject } from '../src/http.ts'
import { definition, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'
import { crdPath } from '../src/session.ts'

/** Objects of defined kinds. */
export const customResources = area('custom-resources')
const { scenario } = customResources

const quiet = { unrecorded: true }

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...rest }
}

async function defineSpec(t: Session, spec: JsonObject, version: JsonObject = {}): Promise<void> {
  await t.define(definition(t, { spec, version }))
}

const create = (t: Session, name: string, spec: JsonObject) => t.post(t.custom('widgets'), widget(t, name, { spec }))

scenario('creates, reads, lists, updates and deletes', async t => {
  await t.define(definition(t))
  const created = await create(t, 'w', { size: 1 })
  await t.get(t.custom('widgets/w'))
  await t.get(t.custom('widgets'))
  await t.put(t.custom('widgets/w'), { ...created.object(), spec: { size: 2 } })
  await t.delete(t.custom('widgets/w'))
  await t.get(t.custom('widgets/w'))
})

scenario('requires a version on update', async t => {
  await t.define(definition(t))
  await create(t, 'w', {})
  await t.put(t.custom('widgets/w'), widget(t, 'w'))
  await t.put(t.custom('widgets/w'), { ...widget(t, 'w'), metadata: { name: 'w', resourceVersion: '1' } })
  await t.put(t.custom('widgets/none'), widget(t, 'none'))
})

scenario('requires kind and version in the body', async t => {
  await t.define(definition(t))
  await t.post(t.custom('widgets'), { metadata: { name: 'w' } })
  await t.post(t.custom('widgets'), { ...widget(t, 'w'), kind: 'Other' })
  await t.post(t.custom('widgets'), { ...widget(t, 'w'), apiVersion: 'other/v1' })
})

scenario('checks metadata as of every kind', async t => {
  await t.define(definition(t))
  await t.post(t.custom('widgets'), widget(t, 'Bad_Name'))
  await t.post(t.custom('widgets'), { ...widget(t, 'w'), metadata: { name: 'w', labels: { 'bad key!': 'x' } } })
  await t.post(t.custom('widgets'), { ...widget(t, 'w'), metadata: { name: 'w', labels: { n: 5 } } })
  await t.post(t.custom('widgets'), { ...widget(t, 'w'), metadata: { generateName: 'gen-' } })
})

scenario('serves cluster-wide kinds', async t => {
  await t.define(definition(t, { scope: 'Cluster' }))
  await t.post(`/apis/${t.group}/v1/widgets`, widget(t, 'w'))
  await t.get(`/apis/${t.group}/v1/widgets/w`)
  await t.get(t.custom('widgets/w'))
  await t.post(`/apis/${t.group}/v1/widgets`, { ...widget(t, 'x'), metadata: { name: 'x', namespace: t.namespace } })
})

scenario('defaults what is absent', async t => {
  await defineSpec(
    t,
    object(
      {
        size: { type: 'integer', default: 3 },
        color: { type: 'string', default: 'blue' },
        box: object({ deep: { type: 'boolean', default: true } }, { default: {} }),
        other: object({ deep: { type: 'boolean', default: true } }),
        list: { type: 'array', items: object({ n: { type: 'integer', default: 1 } }) },
      },
      { default: {} },
    ),
  )
  await t.post(t.custom('widgets'), widget(t, 'none'))
  await create(t, 'some', { size: 0, other: {}, list: [{}, { n: 2 }] })
})

scenario('defaults null where null is not allowed', async t => {
  await defineSpec(
    t,
    object({
      a: { type: 'string', default: 'x' },
      b: { type: 'string', nullable: true, default: 'x' },
      c: { type: 'string' },
      d: { type: 'string', nullable: true },
    }),
  )
  await create(t, 'w', { a: null, b: null, c: null, d: null })
})

scenario('defaults what was stored before the default existed', async t => {
  await defineSpec(t, object({ size: { type: 'integer' } }))
  await create(t, 'w', {})
  await t.until(
    () =>
      t.mergePatch(
        crdPath(`widgets.${t.group}`),
        {
          spec: {
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: { openAPIV3Schema: object({ spec: object({ size: { type: 'integer', default: 7 } }) }) },
              },
            ],
          },
        },
        quiet,
      ),
    reply => reply.status === 200,
  )
  await t.until(
    () => t.get(t.custom('widgets/w')),
    reply => reply.at('spec.size') === 7,
  )
})

scenario('prunes what the schema does not know', async t => {
  await defineSpec(
    t,
    object({
      known: { type: 'string' },
      open: object({ inner: object({ known: { type: 'string' } }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
      map: { type: 'object', additionalProperties: { type: 'string' } },
      maps: { type: 'object', additionalProperties: object({ a: { type: 'string' } }) },
    }),
  )
  await t.post(t.custom('widgets'), {
    ...widget(t, 'w'),
    spec: {
      known: 'x',
      unknown: 'y',
      open: { any: 1, inner: { known: 'x', unknown: 'y' } },
      map: { a: 'b' },
      maps: { k: { a: 'x', b: 'y' } },
    },
    top: 'level',
  })
})

scenario('embeds whole resources', async t => {
  await defineSpec(
    t,
    object({
      template: object({ spec: object({ a: { type: 'string' } }) }, { 'x-kubernetes-embedded-resource': true }),
      anything: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    }),
  )
  await create(t, 'good', {
    template: {
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'n', unknown: 'x', labels: { a: 'b' } },
      spec: { a: '1', b: '2' },
      other: 1,
    },
    anything: { apiVersion: 'v1', kind: 'Y', free: true },
  })
  await create(t, 'bad', { template: { metadata: { name: 'n' } } })
  await create(t, 'worse', { template: { apiVersion: 'a/b/c', kind: 'bad kind', metadata: { name: 'Bad_Name' } } })
})

scenario('refuses values of the wrong type', async t => {
  await defineSpec(
    t,
    object({
      text: { type: 'string' },
      whole: { type: 'integer' },
      number: { type: 'number' },
      flag: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
      box: object({}),
      either: { 'x-kubernetes-int-or-string': true },
    }),
  )
  await create(t, 'w', { text: 1, whole: 'x', number: 'x', flag: 'yes', list: {}, box: [], either: true })
  await create(t, 'w', { whole: 1.5, number: 1, list: [1, 'a'], either: 5 })
  await create(t, 'w', { whole: 1.0, number: 1.5, either: '5' })
})

scenario('refuses values outside their limits', async t => {
  await defineSpec(
    t,
    object({
      size: { type: 'integer', minimum: 1, maximum: 10 },
      open: { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true },
      step: { type: 'integer', multipleOf: 5 },
      text: { type: 'string', minLength: 2, maxLength: 4, pattern: '^a' },
      list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 3 } },
      map: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'string' } },
      choice: { type: 'string', enum: ['a', 'b'] },
    }),
  )
  await create(t, 'low', { size: 0, open: 1, step: 3, text: 'b', list: [], map: {}, choice: 'c' })
  await create(t, 'high', {
    size: 11,
    open: 10,
    step: 5,
    text: 'abcde',
    list: ['a', 'b', 'c'],
    map: { a: '1', b: '2', c: '3' },
    choice: 'a',
  })
  await create(t, 'deep', { list: ['long', 'ok'] })
})

scenario('requires required fields', async t => {
  await defineSpec(
    t,
    object(
      { a: { type: 'string' }, box: object({ b: { type: 'string' } }, { required: ['b'] }) },
      { required: ['a', 'c'] },
    ),
  )
  await create(t, 'w', { box: {} })
  await t.post(t.custom('widgets'), widget(t, 'x'))
})

scenario('checks logical words', async t => {
  await defineSpec(
    t,
    object(
      { a: { type: 'string' }, b: { type: 'string' } },
      {
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
    ),
  )
  await create(t, 'both', { a: '1', b: '2' })
  await create(t, 'none', {})
  await create(t, 'one', { a: '1' })
})

scenario('checks anyOf, allOf and not', async t => {
  await defineSpec(
    t,
    object({
      any: { type: 'integer', anyOf: [{ minimum: 10 }, { maximum: 5 }] },
      all: { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^a' }] },
      not: { type: 'string', not: { enum: ['bad'] } },
    }),
  )
  await create(t, 'w', { any: 7, all: 'b', not: 'bad' })
})

scenario('checks formats', async t => {
  const formats = [
    'date',
    'date-time',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'cidr',
    'uri',
    'uuid',
    'byte',
    'duration',
    'mac',
    'password',
    'hexcolor',
    'int32',
    'nonsense',
  ]
  await defineSpec(t, object(Object.fromEntries(formats.map(format => [format, { type: 'string', format }]))))
  await create(t, 'bad', Object.fromEntries(formats.map(format => [format, '!!'])))
  await create(t, 'good', {
    date: '2020-01-01',
    'date-time': '2020-01-01T00:00:00Z',
    email: 'a@b.test',
    hostname: 'a.test',
    ipv4: '1.2.3.4',
    ipv6: '::1',
    cidr: '10.1.0.0/16',
    uri: 'https://a.test',
    uuid: '11111111-2222-3333-4444-555555555555',
    byte: 'YQ==',
    duration: '5m',
    mac: '01:02:03:04:05:06',
  })
})

scenario('checks whole numbers of a width', async t => {
  await defineSpec(
    t,
    object({ small: { type: 'integer', format: 'int32' }, large: { type: 'integer', format: 'int64' } }),
  )
  await t.post(
    t.custom('widgets'),
    `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"small":2147483648,"large":9007199254740993}}`,
  )
  await t.post(
    t.custom('widgets'),
    `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"b"},"spec":{"large":9223372036854775807}}`,
  )
  await t.post(
    t.custom('widgets'),
    `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"c"},"spec":{"large":9223372036854775808}}`,
  )
})

scenario('refuses doubles in sets and keyed lists', async t => {
  await defineSpec(
    t,
    object({
      set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
        items: object({ id: { type: 'string' } }, { required: ['id'] }),
      },
    }),
  )
  await create(t, 'w', { set: ['a', 'b', 'a'], map: [{ id: 'x' }, { id: 'x' }] })
})

scenario('checks expressions', async t => {
  await defineSpec(
    t,
    object(
      {
        size: { type: 'integer' },
        color: { type: 'string', maxLength: 10 },
        min: { type: 'integer' },
        max: { type: 'integer' },
      },
      {
        'x-kubernetes-validations': [
          { rule: '!has(self.size) || self.size < 10 || self.color == "blue"', message: 'big must be blue' },
          { rule: '!has(self.min) || !has(self.max) || self.min <= self.max' },
          {
            rule: '!has(self.size) || self.size != 5',
            messageExpression: '"five " + self.color + " is unlucky"',
            reason: 'FieldValueForbidden',
            fieldPath: '.size',
          },
        ],
      },
    ),
  )
  await create(t, 'big', { size: 12, color: 'red' })
  await create(t, 'order', { min: 3, max: 2 })
  await create(t, 'unlucky', { size: 5, color: 'red' })
  await create(t, 'good', { size: 12, color: 'blue' })
})

scenario('checks transitions', async t => {
  await defineSpec(
    t,
    object(
      {
        size: { type: 'integer' },
        fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }] },
      },
      { 'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'may not shrink' }] },
    ),
  )
  await create(t, 'w', { size: 3, fixed: 'a' })
  await t.mergePatch(t.custom('widgets/w'), { spec: { size: 2 } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { fixed: 'b' } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { size: 4 } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { fixed: null } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { fixed: 'c' } })
})

scenario('knows when there was no old value', async t => {
  await defineSpec(
    t,
    object({
      color: {
        type: 'string',
        'x-kubernetes-validations': [
          { rule: 'oldSelf.hasValue() || self == "blue"', optionalOldSelf: true, message: 'must begin blue' },
        ],
      },
    }),
  )
  await create(t, 'red', { color: 'red' })
  await create(t, 'w', { color: 'blue' })
  await t.mergePatch(t.custom('widgets/w'), { spec: { color: 'red' } })
})

scenario('skips expressions where values have the wrong type', async t => {
  await defineSpec(
    t,
    object({ size: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule: 'self.size > 3' }] }),
  )
  await create(t, 'w', { size: 'x' })
  await create(t, 'absent', {})
})

scenario('has Kubernetes’ libraries in expressions', async t => {
  const rules = [
    'self.url == "" || url(self.url).getHost() == "a.test"',
    'quantity(self.amount).isGreaterThan(quantity("1"))',
    'self.text.find("[0-9]+") == "42"',
    'self.list.isSorted()',
    'ip(self.ip).family() == 4',
    'cidr("10.1.0.0/16").containsIP(self.ip)',
    'self.text.lowerAscii().split("-").size() == 2',
    'sets.contains(self.list, ["a"])',
    '!format.dns1123Label().validate(self.text).hasValue()',
    'semver("1.2.3").isLessThan(semver("1.3.0"))',
  ]
  await defineSpec(
    t,
    object(
      {
        url: { type: 'string', maxLength: 100 },
        amount: { type: 'string', maxLength: 20 },
        text: { type: 'string', maxLength: 20 },
        list: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5 } },
        ip: { type: 'string', maxLength: 20 },
      },
      { 'x-kubernetes-validations': rules.map(rule => ({ rule })) },
    ),
  )
  await create(t, 'good', { url: 'https://a.test/x', amount: '2', text: 'abc-42', list: ['a', 'b'], ip: '10.1.2.3' })
  await create(t, 'bad', {
    url: 'https://b.test/x',
    amount: '500m',
    text: 'ABC-x-y',
    list: ['b', 'c', 'b'],
    ip: '10.2.2.3',
  })
  await create(t, 'broken', { url: 'not a url', amount: 'much', text: 'abc-42', list: ['a'], ip: 'nowhere' })
})

scenario('lets unchanged mistakes pass', async t => {
  await defineSpec(t, object({ a: { type: 'string' }, b: { type: 'string' } }))
  await create(t, 'w', { a: 'too long', b: 'x' })
  await t.until(
    () =>
      t.mergePatch(
        crdPath(`widgets.${t.group}`),
        {
          spec: {
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: object({
                    spec: object({ a: { type: 'string', maxLength: 3 }, b: { type: 'string' } }),
                  }),
                },
              },
            ],
          },
        },
        quiet,
      ),
    reply => reply.status === 200,
  )
  await t.until(
    () => t.post(`${t.custom('widgets')}?dryRun=All`, widget(t, 'probe', { spec: { a: 'too long' } }), quiet),
    reply => reply.status === 422,
  )
  await t.mergePatch(t.custom('widgets/w'), { spec: { b: 'changed' } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { a: 'also too long' } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { a: 'ok' } })
})

scenario('keeps the status apart when it has the subresource', async t => {
  await defineSpec(t, object({ size: { type: 'integer' } }), { subresources: { status: {} } })
  const created = await t.post(t.custom('widgets'), widget(t, 'w', { spec: { size: 1 }, status: { ready: true } }))
  await t.put(t.custom('widgets/w/status'), { ...created.object(), spec: { size: 9 }, status: { ready: true } })
  await t.mergePatch(t.custom('widgets/w'), { status: { ready: false } })
  await t.mergePatch(t.custom('widgets/w/status'), { metadata: { labels: { a: 'b' } }, status: { ready: false } })
  await t.get(t.custom('widgets/w/status'))
  await t.mergePatch(t.custom('widgets/w'), { spec: { size: 2 } })
})

scenario('has no status path without the subresource', async t => {
  await defineSpec(t, object({}))
  await t.post(t.custom('widgets'), widget(t, 'w', { status: { ready: true } }))
  await t.get(t.custom('widgets/w/status'))
  await t.mergePatch(t.custom('widgets/w'), { status: { ready: false } })
})

scenario('scales by the paths of the definition', async t => {
  await t.define(
    definition(t, {
      version: {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    }),
  )
  await create(t, 'w', { replicas: 2 })
  await t.mergePatch(t.custom('widgets/w/status'), { status: { replicas: 1, selector: 'app=w' } })
  const scale = await t.get(t.custom('widgets/w/scale'))
  await t.put(t.custom('widgets/w/scale'), { ...scale.object(), spec: { replicas: 5 } })
  await t.mergePatch(t.custom('widgets/w/scale'), { spec: { replicas: -1 } })
  await t.get(t.custom('widgets/w'))
  await create(t, 'unset', {})
  await t.get(t.custom('widgets/unset/scale'))
})

scenario('serves several versions of the same object', async t => {
  const version = (name: string, storage: boolean, rest: JsonObject = {}): JsonObject => ({
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: object({
        spec: object({ [`in${name}`]: { type: 'string', default: name }, both: { type: 'string' } }),
      }),
    },
    ...rest,
  })
  await t.define(
    definition(t, {
      versions: [
        version('v1', true),
        version('v1beta1', false, { deprecated: true }),
        version('v1alpha1', false, { deprecated: true, deprecationWarning: 'go away' }),
      ],
    }),
  )
  await t.post(t.custom('widgets'), widget(t, 'w', { spec: { both: 'x', inv1: 'kept' } }))
  await t.get(t.custom('widgets/w', 'v1beta1'))
  await t.get(t.custom('widgets/w', 'v1alpha1'))
  await t.post(t.custom('widgets', 'v1beta1'), widget(t, 'x', { spec: { both: 'y' } }, 'v1beta1'))
  await t.get(t.custom('widgets'))
  await t.post(t.custom('widgets'), widget(t, 'y', {}, 'v1beta1'))
  await t.get(`/apis/${t.group}`)
})

scenario('selects by fields of the definition', async t => {
  await defineSpec(t, object({ color: { type: 'string' }, size: { type: 'integer' }, on: { type: 'boolean' } }), {
    selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }],
  })
  await create(t, 'a', { color: 'blue', size: 1, on: true })
  await create(t, 'b', { color: 'red', size: 2 })
  await create(t, 'c', {})
  await t.get(`${t.custom('widgets')}?fieldSelector=spec.color%3Dblue`)
  await t.get(`${t.custom('widgets')}?fieldSelector=spec.size%3D2`)
  await t.get(`${t.custom('widgets')}?fieldSelector=spec.color%3D`)
  await t.get(`${t.custom('widgets')}?fieldSelector=spec.on!%3Dtrue`)
  await t.get(`${t.custom('widgets')}?fieldSelector=spec.other%3Dx`)
})

scenario('watches custom resources', async t => {
  await t.define(definition(t))
  const stream = await t.watch(
    `${t.custom('widgets')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true`,
  )
  await stream.next(1)
  await create(t, 'w', { size: 1 })
  await t.mergePatch(t.custom('widgets/w'), { spec: { size: 2 } })
  await t.delete(t.custom('widgets/w'))
  await stream.nextChanges(3)
})

scenario('counts generations by everything but metadata and status', async t => {
  await t.define(definition(t, { version: { subresources: { status: {} } } }))
  await create(t, 'w', { a: 1 })
  await t.mergePatch(t.custom('widgets/w'), { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(t.custom('widgets/w'), { spec: { a: 2 } })
  await t.mergePatch(t.custom('widgets/w/status'), { status: { b: 1 } })
})

scenario('keeps data keys that look like JavaScript', async t => {
  await t.define(definition(t))
  await t.post(
    t.custom('widgets'),
    `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"__proto__":{"x":1},"constructor":{"prototype":1},"toString":"x"}}`,
  )
  await t.mergePatch(t.custom('widgets/w'), '{"spec":{"__proto__":{"y":2}}}')
  await t.get(t.custom('widgets/w'))
})

scenario('lists custom resources by pages and selectors', async t => {
  await t.define(definition(t))
  for (const name of ['a', 'b', 'c']) {
    await t.post(t.custom('widgets'), { ...widget(t, name), metadata: { name, labels: { name } } }, quiet)
  }
  await t.get(`${t.custom('widgets')}?limit=2`)
  await t.get(`${t.custom('widgets')}?labelSelector=name%20in%20(b,c)`)
  await t.delete(`${t.custom('widgets')}?labelSelector=name%3Db`)
})
