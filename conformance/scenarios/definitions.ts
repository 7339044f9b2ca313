import type { JsonObject } from '../src/http.ts'
import { definition, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import { crdPath, type Session } from '../src/session.ts'

/** CustomResourceDefinitions themselves. */
export const definitions = area('definitions')
const { scenario } = definitions

const quiet = { unrecorded: true }

async function refused(t: Session, schema: JsonObject): Promise<void> {
  const reply = await t.post(crdPath(), definition(t, { schema }))
  if (reply.status === 201) t.removeAtEnd(reply.string('metadata.name'))
}

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...rest }
}

scenario('accepts a definition and fills in its names', async t => {
  await t.post(crdPath(), definition(t))
  await t.served(`widgets.${t.group}`)
  await t.until(
    () => t.get(crdPath(`widgets.${t.group}`)),
    reply => reply.text.includes('"Established"'),
  )
})

scenario('fills in names that are left out', async t => {
  const left = definition(t, { names: { singular: '', shortNames: ['wd'], categories: ['all'] } })
  await t.post(crdPath(), left)
  t.removeAtEnd(`widgets.${t.group}`)
})

scenario('requires a name made of plural and group', async t => {
  await t.post(crdPath(), { ...definition(t), metadata: { name: 'other' } })
})

scenario('requires its fields', async t => {
  await t.post(crdPath(), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `x.${t.group}` },
    spec: {},
  })
  await t.post(crdPath(), definition(t, { versions: [] }))
  await t.post(crdPath(), definition(t, { version: { schema: {} } }))
  await t.post(crdPath(), definition(t, { rest: { scope: 'Galaxy' } }))
  await t.post(crdPath(), definition(t, { names: { kind: 'not-a-kind', plural: 'Bad_Plural' } }))
})

scenario('requires exactly one storage version', async t => {
  const version = (name: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: object({}) },
  })
  await t.post(crdPath(), definition(t, { versions: [version('v1', false)] }))
  await t.post(crdPath(), definition(t, { versions: [version('v1', true), version('v2', true)] }))
  await t.post(crdPath(), definition(t, { versions: [version('v1', true), version('v1', false)] }))
  await t.post(crdPath(), definition(t, { versions: [version('Bad', true)] }))
})

scenario('refuses protected groups without approval', async t => {
  const crd = definition(t) as { metadata: { name: string }; spec: JsonObject }
  const group = `${t.namespace}.k8s.io`
  await t.post(crdPath(), { ...crd, metadata: { name: `widgets.${group}` }, spec: { ...crd.spec, group } })
})

scenario('refuses preserveUnknownFields of old', async t => {
  await t.post(crdPath(), definition(t, { rest: { preserveUnknownFields: true } }))
})

scenario('requires types everywhere in a schema', async t => {
  await refused(t, { properties: {} })
  await refused(t, object({ spec: { properties: { a: { type: 'string' } } } }))
  await refused(t, object({ spec: { type: 'array' } }))
  await refused(t, object({ spec: { type: 'nonsense' } }))
  await refused(t, { type: 'array', items: { type: 'string' } })
})

scenario('forbids schema words that are not structural', async t => {
  await refused(t, object({ spec: { type: 'string', $ref: '#/definitions/x' } }))
  await refused(t, object({ spec: object({}, { additionalItems: true }) }))
  await refused(t, object({ spec: { type: 'array', uniqueItems: true, items: { type: 'string' } } }))
  await refused(t, object({ spec: object({ a: { type: 'string' } }, { additionalProperties: { type: 'string' } }) }))
  await refused(t, object({ spec: object({}, { additionalProperties: false }) }))
  await refused(t, object({ spec: { type: 'array', items: [{ type: 'string' }] } }))
  await refused(t, object({ spec: { type: 'object', patternProperties: { '^a': { type: 'string' } } } }))
})

scenario('restricts what stands inside logical words', async t => {
  await refused(t, object({ spec: { anyOf: [{ type: 'string' }] } }))
  await refused(t, object({ spec: { type: 'object', allOf: [{ properties: { a: { default: 1 } } }] } }))
  await refused(t, object({ spec: { type: 'string', not: { description: 'x', minLength: 1 } } }))
  await refused(
    t,
    object({ spec: object({}, { oneOf: [{ required: ['b'] }, { properties: { c: { type: 'string' } } }] }) }),
  )
})

scenario('restricts the schema of metadata', async t => {
  await refused(t, object({ metadata: object({ name: { type: 'string', pattern: '^a' } }) }))
  await refused(t, object({ metadata: object({ labels: { type: 'object' } }) }))
  await refused(t, object({ metadata: { type: 'string' } }))
  await refused(t, object({ apiVersion: { type: 'integer' }, kind: { type: 'object' } }))
})

scenario('checks Kubernetes’ own schema words', async t => {
  await refused(t, object({ spec: { type: 'string', 'x-kubernetes-int-or-string': true } }))
  await refused(t, object({ spec: { type: 'string', 'x-kubernetes-preserve-unknown-fields': true } }))
  await refused(t, object({ spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }))
  await refused(t, object({ spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'heap' } }))
  await refused(t, object({ spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' } }))
  await refused(
    t,
    object({
      spec: {
        type: 'array',
        items: object({ id: { type: 'string' } }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
      },
    }),
  )
  await refused(
    t,
    object({
      spec: {
        type: 'array',
        items: object({ id: object({}) }, { required: ['id'] }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
      },
    }),
  )
  await refused(t, object({ spec: { type: 'array', items: object({}), 'x-kubernetes-list-type': 'set' } }))
  await refused(t, object({ spec: { type: 'string', 'x-kubernetes-map-type': 'atomic' } }))
  await refused(t, object({ spec: object({}, { 'x-kubernetes-embedded-resource': true }) }))
})

scenario('checks defaults against the schema', async t => {
  await refused(t, object({ spec: { type: 'integer', default: 'text' } }))
  await refused(t, object({ spec: object({ a: { type: 'integer', maximum: 3 } }, { default: { a: 5 } }) }))
  await refused(t, object({ spec: object({ a: { type: 'integer' } }, { default: { b: 5 } }) }))
  await refused(t, object({ spec: { type: 'string', nullable: false, default: null } }))
  await refused(t, object({ metadata: object({ name: { type: 'string', default: 'x' } }) }))
})

scenario('checks patterns and formats of a schema', async t => {
  await refused(t, object({ spec: { type: 'string', pattern: '[' } }))
  await refused(t, object({ spec: { type: 'string', pattern: '(?!x)a' } }))
  await refused(t, object({ spec: { type: 'string', format: 'no-such-format' } }))
})

scenario('checks expressions when they are defined', async t => {
  const rule = (validation: JsonObject, rest: JsonObject = {}) =>
    object({
      spec: object(
        { size: { type: 'integer' }, name: { type: 'string' } },
        { 'x-kubernetes-validations': [validation], ...rest },
      ),
    })
  await refused(t, rule({ rule: 'self.nope > 1' }))
  await refused(t, rule({ rule: 'self.size' }))
  await refused(t, rule({ rule: 'self.size >' }))
  await refused(t, rule({ rule: '' }))
  await refused(t, rule({ rule: 'self.size == "x"' }))
  await refused(t, rule({ rule: 'self.size > 1', message: '' }))
  await refused(t, rule({ rule: 'self.size > 1', message: 'two\nlines' }))
  await refused(t, rule({ rule: 'self.size > 1', messageExpression: '1' }))
  await refused(t, rule({ rule: 'self.size > 1', messageExpression: 'nope' }))
  await refused(t, rule({ rule: 'self.size > 1', reason: 'Because' }))
  await refused(t, rule({ rule: 'self.size > 1', fieldPath: '.nope' }))
  await refused(t, rule({ rule: 'self.size > 1', fieldPath: 'size' }))
  await refused(t, rule({ rule: 'self.size > 1', optionalOldSelf: true }))
})

scenario('refuses expressions that could cost too much', async t => {
  await refused(
    t,
    object({
      spec: object({
        list: {
          type: 'array',
          items: { type: 'array', items: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.all(a, a.all(b, a.all(c, b == c)))' }],
        },
      }),
    }),
  )
})

scenario('refuses transition rules where old values cannot be found', async t => {
  await refused(
    t,
    object({
      spec: object({
        list: {
          type: 'array',
          maxItems: 5,
          items: { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
        },
      }),
    }),
  )
})

scenario('checks printer columns, scale and selectable fields', async t => {
  await t.post(
    crdPath(),
    definition(t, {
      version: {
        additionalPrinterColumns: [
          { name: 'a', type: 'nonsense', jsonPath: '.spec' },
          { name: '', type: 'string', jsonPath: 'spec' },
        ],
      },
    }),
  )
  await t.post(crdPath(), definition(t, { version: { subresources: { scale: {} } } }))
  await t.post(
    crdPath(),
    definition(t, {
      version: { subresources: { scale: { specReplicasPath: '.status.x', statusReplicasPath: '.spec.y' } } },
    }),
  )
  await t.post(
    crdPath(),
    definition(t, { version: { selectableFields: [{ jsonPath: '.spec.nope' }, { jsonPath: '.metadata.name' }] } }),
  )
})

scenario('says which names conflict with another definition', async t => {
  await t.define(definition(t, { names: { shortNames: ['wd'] } }))
  const second = definition(t, { plural: 'gadgets', names: { kind: 'Widget', shortNames: ['wd'] } })
  await t.post(crdPath(), second, quiet)
  t.removeAtEnd(`gadgets.${t.group}`)
  await t.until(
    () => t.get(crdPath(`gadgets.${t.group}`)),
    reply => reply.text.includes('NamesAccepted'),
  )
})

scenario('counts generations of a definition', async t => {
  await t.define(definition(t))
  await t.mergePatch(crdPath(`widgets.${t.group}`), { metadata: { labels: { a: 'b' } } }, quiet)
  await t.until(
    () => t.mergePatch(crdPath(`widgets.${t.group}`), { spec: { names: { shortNames: ['wd'] } } }, quiet),
    reply => reply.status === 200,
  )
  const reply = await t.get(crdPath(`widgets.${t.group}`), quiet)
  t.note('generation', reply.at('metadata.generation') ?? null)
})

scenario('lets no one change what is fixed', async t => {
  await t.define(definition(t))
  await t.mergePatch(crdPath(`widgets.${t.group}`), { spec: { scope: 'Cluster' } })
  await t.mergePatch(crdPath(`widgets.${t.group}`), { spec: { group: 'other.conformance.dev' } })
  await t.mergePatch(crdPath(`widgets.${t.group}`), { spec: { names: { plural: 'others' } } })
})

scenario('keeps a version that objects are stored in', async t => {
  const version = (name: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: object({}) },
  })
  await t.define(definition(t, { versions: [version('v1', true), version('v2', false)] }))
  const path = crdPath(`widgets.${t.group}`)
  await t.until(
    () => t.mergePatch(path, { spec: { versions: [version('v1', false), version('v2', true)] } }, quiet),
    reply => reply.status === 200,
  )
  const stored = await t.until(
    () => t.get(path, quiet),
    reply => JSON.stringify(reply.at('status.storedVersions')) === '["v1","v2"]',
  )
  t.note('stored versions', stored.at('status.storedVersions') ?? null)
  await t.mergePatch(path, { spec: { versions: [version('v2', true)] } })
  await t.mergePatch(`${path}/status`, { status: { storedVersions: ['v2'] } }, quiet)
  const removed = await t.until(
    () => t.mergePatch(path, { spec: { versions: [version('v2', true)] } }, quiet),
    reply => reply.status === 200,
  )
  t.note('removal of v1', removed.status)
})

scenario('deletes its instances with itself', async t => {
  await t.define(definition(t))
  await t.post(t.custom('widgets'), widget(t, 'w'), quiet)
  const deleted = await t.delete(crdPath(`widgets.${t.group}`), undefined, quiet)
  t.note('answer', {
    kind: deleted.at('kind') ?? null,
    finalizers: deleted.at('metadata.finalizers') ?? null,
    status: deleted.status,
  })
  await t.until(
    () => t.get(crdPath(`widgets.${t.group}`)),
    reply => reply.status === 404,
  )
  // The kind goes a moment after its definition; until then the object is what is not found.
  await t.until(
    () => t.get(t.custom('widgets/w')),
    reply => reply.text.startsWith('404 page not found'),
  )
})

scenario('forgets instances when it is defined again', async t => {
  await t.define(definition(t))
  await t.post(t.custom('widgets'), widget(t, 'w'), quiet)
  await t.delete(crdPath(`widgets.${t.group}`), undefined, quiet)
  await t.until(
    () => t.get(crdPath(`widgets.${t.group}`), quiet),
    reply => reply.status === 404,
  )
  await t.define(definition(t))
  await t.until(
    () => t.get(t.custom('widgets')),
    reply => reply.status === 200,
  )
})

scenario('waits for finalizers of instances', async t => {
  await t.define(definition(t))
  await t.post(
    t.custom('widgets'),
    { ...widget(t, 'w'), metadata: { name: 'w', finalizers: ['example.test/hold'] } },
    quiet,
  )
  await t.delete(crdPath(`widgets.${t.group}`), undefined, quiet)
  const held = await t.until(
    () => t.get(t.custom('widgets/w'), quiet),
    reply => reply.at('metadata.deletionTimestamp') !== undefined,
  )
  t.note('instance is going away', held.at('metadata.deletionTimestamp') !== undefined)
  await t.post(t.custom('widgets'), widget(t, 'late'))
  await t.mergePatch(t.custom('widgets/w'), { metadata: { finalizers: null } }, quiet)
  await t.until(
    () => t.get(crdPath(`widgets.${t.group}`)),
    reply => reply.status === 404,
  )
})

scenario('defaults its own fields', async t => {
  const created = await t.post(
    crdPath(),
    definition(t, {
      version: {
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
      },
    }),
    quiet,
  )
  t.removeAtEnd(`widgets.${t.group}`)
  t.note('spec', created.at('spec') ?? null)
})

scenario('stops serving a version when told', async t => {
  const version = (name: string, served: boolean, storage: boolean): JsonObject => ({
    name,
    served,
    storage,
    schema: { openAPIV3Schema: object({}) },
  })
  await t.define(definition(t, { versions: [version('v1', true, true), version('v2', true, false)] }))
  await t.until(
    () =>
      t.mergePatch(
        crdPath(`widgets.${t.group}`),
        { spec: { versions: [version('v1', true, true), version('v2', false, false)] } },
        quiet,
      ),
    reply => reply.status === 200,
  )
  await t.until(
    () => t.get(t.custom('widgets', 'v2')),
    reply => reply.status === 404,
  )
  await t.get(t.custom('widgets', 'v1'))
})
