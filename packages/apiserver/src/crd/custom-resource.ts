import { createHash } from 'node:crypto'
import type { KubeObject } from '@tiphys/kube'
import { statusResetFieldsOf, withoutStatusFields } from '../apply/reset-fields.ts'
import { jsonCopy } from '../json-value.ts'
import { apiVersionOf, type Decoded, type Resource, type Subresource } from '../registry/resource.ts'
import { type CustomSchema, compileCustomSchema } from '../schema/custom-schema.ts'
import { DecodeFailure } from '../schema/decode.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { badRequest } from '../status-error.ts'
import type { Collection } from '../storage/collection.ts'
import { serveScale } from '../subresources/scale.ts'
import { servePart } from '../subresources/subresources.ts'
import type { CrdVersion, CustomResourceDefinition } from './crd.ts'
import { customScale } from './custom-scale.ts'
import { customStrategy, deprecationWarning } from './custom-strategy.ts'
import { printerColumns } from './printer-columns.ts'

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const TERMINATING = 'create not allowed while custom resource definition is terminating'
const PART_VERBS = ['get', 'patch', 'update']

/** The version that a CRD's objects are stored in. */
export interface StorageForm {
  version: CrdVersion
  schema: CustomSchema
}

/** One served version of a CRD as a resource. */
export function customResource(
  crd: CustomResourceDefinition,
  version: CrdVersion,
  collection: Collection,
  stored: StorageForm,
): Resource {
  const { group, scope } = crd.spec
  const names = crd.status?.acceptedNames ?? crd.spec.names
  const isStored = stored.version === version
  const schema = isStored ? stored.schema : compileCustomSchema(version)
  const strategy = customStrategy(version, schema)
  const apiVersion = apiVersionOf({ group, version: version.name })
  const deprecation = deprecationWarning(crd.spec, version)
  const hasStatus = version.subresources?.status !== undefined
  const inThisVersion = (object: KubeObject): KubeObject => shownAs(object, apiVersion, schema, stored)
  return {
    group,
    version: version.name,
    name: names.plural,
    singular: names.singular ?? '',
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === 'Namespaced',
    verbs: VERBS,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    storageVersionHash: storageVersionHash(group, stored.version.name, names.kind),
    isCustom: true,
    schema: schema.fieldSchema,
    strategy,
    collection,
    subresources: subresourcesOf(version, group, names.kind),
    columns: printerColumns(version),
    resetFields: hasStatus ? withoutStatusFields : undefined,
    statusResetFields: hasStatus ? statusResetFieldsOf({ group, resource: names.plural, isCustom: true }) : undefined,
    decode: value => decodeCustom(value, schema, names.kind, version.name),
    complete: () => {},
    fromStorage: inThisVersion,
    toStorage: object => (isStored ? shownAsIs(object, schema) : storedAs(object, group, stored)),
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(crd.metadata.deletionTimestamp === undefined ? {} : { createRefusal: TERMINATING }),
  }
}

/** Says in discovery when objects are stored in another form than before. */
const storageVersionHash = (group: string, version: string, kind: string): string =>
  createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64')

/** An object as a version shows it: completed by what the storage version knows by now, without what this version does not
 *  know. Remembered per object: it is asked for every time the object is read. */
function shownAs(object: KubeObject, apiVersion: string, schema: CustomSchema, stored: StorageForm): KubeObject {
  let views = shown.get(object)
  if (!views) {
    views = new Map()
    shown.set(object, views)
  }
  let view = views.get(schema)
  if (!view) {
    view = { ...jsonCopy(object), apiVersion }
    stored.schema.pruneStored(view as JsonObject)
    stored.schema.setDefaults(view as JsonObject)
    if (schema !== stored.schema) schema.pruneStored(view as JsonObject)
    views.set(schema, view)
  }
  return view
}

/** What is stored in the form of this very schema is shown as it is stored. Defaults that are added to the schema later
 *  make another schema of it. */
function shownAsIs(object: KubeObject, schema: CustomSchema): KubeObject {
  shown.set(object, new Map([[schema, object]]))
  return object
}

/** An object of another version as it is stored: without what the storage version does not know. */
function storedAs(object: KubeObject, group: string, { version, schema }: StorageForm): KubeObject {
  const converted: KubeObject = { ...jsonCopy(object), apiVersion: apiVersionOf({ group, version: version.name }) }
  schema.pruneStored(converted as JsonObject)
  return converted
}

const shown = new WeakMap<KubeObject, Map<CustomSchema, KubeObject>>()

function decodeCustom(value: Json, schema: CustomSchema, kind: string, version: string): Decoded {
  const object = value as JsonObject
  try {
    const unknown = schema.prune(object)
    schema.setDefaults(object)
    object.metadata ??= {}
    return {
      object: object as unknown as KubeObject,
      problems: unknown.map(path => `unknown field "${path}"`),
    }
  } catch (thrown) {
    if (!(thrown instanceof DecodeFailure)) throw thrown
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${thrown.what}`)
  }
}

function subresourcesOf(version: CrdVersion, group: string, kind: string): Map<string, Subresource> {
  const all = new Map<string, Subresource>()
  const { status, scale } = version.subresources ?? {}
  if (status)
    all.set('status', {
      name: 'status',
      kind: { group, version: version.name, kind },
      verbs: PART_VERBS,
      serve: servePart('status'),
    })
  if (scale) {
    const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
    all.set('scale', { name: 'scale', kind, verbs: PART_VERBS, serve: serveScale(customScale(scale)) })
  }
  return all
}
