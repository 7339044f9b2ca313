// Writes src/kinds.generated.ts from the OpenAPI document in the Go module of Kubernetes. Needs Go:
// `node packages/kube/generate/kinds.mjs`
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const VERSION = 'v1.36.3'
const { Dir } = JSON.parse(
  execFileSync('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${VERSION}`], { cwd: tmpdir() }),
)
const { definitions } = JSON.parse(readFileSync(path.join(Dir, 'api/openapi-spec/swagger.json'), 'utf8'))

/** Written by hand in object.ts. */
const BY_HAND = new Map([
  ['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'ObjectMeta'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference', 'OwnerReference'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry', 'ManagedFieldsEntry'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta', 'ListMeta'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Status', 'Status'],
])
/** What the document cannot say of types that JSON writes in several ways. */
const SPECIAL = new Map([
  ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', 'unknown'],
  [
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
    'JSONSchemaProps | JSONSchemaProps[]',
  ],
  ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool', 'JSONSchemaProps | boolean'],
  [
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
    'JSONSchemaProps | string[]',
  ],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'string'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', 'Record<string, unknown>'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'string'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 'string'],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'Record<string, unknown>'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'number | string'],
])

const versionOf = id => id.split('.').at(-2)
const simpleName = id => id.split('.').at(-1)
const stability = version => (version.includes('alpha') ? 2 : version.includes('beta') ? 1 : 0)
const major = version => Number(/^v(\d+)/.exec(version)?.[1] ?? 0)
const groupOf = id => id.split('.').at(-3)

/** Kinds of released versions, and beta kinds that have no released version. */
function chooseKinds() {
  const kinds = Object.entries(definitions).flatMap(
    ([id, { properties, 'x-kubernetes-group-version-kind': gvks = [] }]) => {
      const hasMetadata = properties?.metadata?.$ref?.endsWith('.ObjectMeta')
      return hasMetadata && gvks.length === 1 ? [{ id, ...gvks[0] }] : []
    },
  )
  const isReleased = ({ group, kind }) =>
    kinds.some(other => other.group === group && other.kind === kind && stability(other.version) === 0)
  return kinds.filter(each => stability(each.version) === 0 || (stability(each.version) === 1 && !isReleased(each)))
}

/** The definitions that the chosen kinds are made of. */
function reach(ids) {
  const reached = new Set()
  const waiting = [...ids]
  while (waiting.length > 0) {
    const id = waiting.pop()
    if (reached.has(id) || BY_HAND.has(id) || SPECIAL.has(id)) continue
    reached.add(id)
    for (const [, target] of JSON.stringify(definitions[id]).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g))
      waiting.push(target)
  }
  return reached
}

/** The plain name goes to the released, newest, core definition, to a kind before a part of one; the others carry their
 *  group and version. */
function nameAll(ids, kindIds) {
  const rank = id => [
    kindIds.has(id) ? 0 : 1,
    stability(versionOf(id)),
    -major(versionOf(id)),
    groupOf(id) === 'core' ? 0 : 1,
    id,
  ]
  const ordered = [...ids].sort((a, b) => {
    const [left, right] = [rank(a), rank(b)]
    const at = left.findIndex((value, i) => value !== right[i])
    return left[at] < right[at] ? -1 : 1
  })
  const names = new Map()
  const taken = new Set(BY_HAND.values())
  for (const id of ordered) {
    const pascal = text => text[0].toUpperCase() + text.slice(1)
    const name = taken.has(simpleName(id))
      ? `${pascal(groupOf(id))}${pascal(versionOf(id))}${simpleName(id)}`
      : simpleName(id)
    names.set(id, name)
    taken.add(name)
  }
  return names
}

const kinds = chooseKinds()
const kindIds = new Set(kinds.map(({ id }) => id))
const names = nameAll(reach(kindIds), kindIds)

function typeOf(schema) {
  if (schema.$ref) {
    const id = schema.$ref.slice('#/definitions/'.length)
    return SPECIAL.get(id) ?? BY_HAND.get(id) ?? names.get(id)
  }
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  switch (schema.type) {
    case 'array': {
      const item = typeOf(schema.items)
      return item.includes('|') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties) : 'unknown'}>`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
      return schema.type
    default:
      return 'unknown'
  }
}

function declare(id, kind) {
  const { properties = {}, required = [] } = definitions[id]
  const fields = Object.entries(properties).map(([field, schema]) => {
    if (kind && field === 'apiVersion') return `apiVersion: '${apiVersionOf(kind)}'`
    if (kind && field === 'kind') return `kind: '${kind.kind}'`
    const isRequired = required.includes(field) || (kind && field === 'metadata')
    const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`
    return `${key}${isRequired ? '' : '?'}: ${typeOf(schema)}`
  })
  const body = fields.length === 0 ? 'Record<string, never>' : `{ ${fields.join('; ')} }`
  return `export type ${names.get(id)} = ${body}`
}

const apiVersionOf = ({ group, version }) => (group === '' ? version : `${group}/${version}`)
const kindOf = new Map(kinds.map(kind => [kind.id, kind]))
const byName = [...names].sort(([, a], [, b]) => (a < b ? -1 : 1))
const map = kinds
  .map(kind => ({ key: `${apiVersionOf(kind)}/${kind.kind}`, name: names.get(kind.id) }))
  .sort((a, b) => (a.key < b.key ? -1 : 1))

const declarations = byName.map(([id]) => declare(id, kindOf.get(id)))
const imported = [...BY_HAND.values()].filter(name => declarations.some(text => new RegExp(`\\b${name}\\b`).test(text)))

writeFileSync(
  new URL('../src/kinds.generated.ts', import.meta.url),
  [
    `// Generated by generate/kinds.mjs from the OpenAPI document of Kubernetes ${VERSION} (Apache-2.0).`,
    `import type { ${imported.sort().join(', ')} } from './object.ts'`,
    '',
    ...declarations,
    '',
    '/** The types of the built-in kinds by `apiVersion/Kind`. */',
    'export interface BuiltinKinds {',
    ...map.map(({ key, name }) => `  '${key}': ${name}`),
    '}',
    '',
  ].join('\n'),
)
console.log(`${kinds.length} kinds, ${names.size} types`)
