import { goQuote, type KubeObject } from '@tiphys/kube'
import { checkQualifiedName } from '../builtin/names.ts'
import { getOwn, isObject, jsonCopy, jsonEqual } from '../json-value.ts'
import { type CustomSchema, compileCustomSchema } from '../schema/custom-schema.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import type { Strategy } from '../strategy.ts'
import type { CrdSpec, CrdVersion } from './crd.ts'
import { compareKubeVersions } from './kube-version.ts'

/** Instances of one version of a CRD. Pruning is not here: the resource's `decode` calls `CustomSchema.prune`. */
export function customStrategy(version: CrdVersion, schema: CustomSchema = compileCustomSchema(version)): Strategy {
  const hasStatus = version.subresources?.status !== undefined
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''))
  const ratcheted = new WeakMap<KubeObject, string[]>()

  const remember = (object: KubeObject, warnings: string[]) => {
    if (warnings.length > 0) ratcheted.set(object, warnings)
  }

  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    generationChanges: (object, old) => !jsonEqual(withoutMetadata(object), withoutMetadata(old)),
    setDefaults: object => schema.setDefaults(object as JsonObject),
    prepareForCreate(object) {
      if (hasStatus) delete object.status
    },
    prepareForUpdate(object, old) {
      if (!hasStatus) return
      if (old.status === undefined) delete object.status
      else object.status = old.status
    },
    prepareForStatusUpdate: keepAllButStatus,
    validate: object => schema.validate(object as JsonObject),
    validateUpdate(object, old) {
      const warnings: string[] = []
      const errors = schema.validateUpdate(object as JsonObject, old as JsonObject, warnings)
      remember(object, warnings)
      return errors
    },
    validateStatusUpdate(object, old) {
      const warnings: string[] = []
      const errors = schema.validateStatusUpdate(object as JsonObject, old as JsonObject, warnings)
      remember(object, warnings)
      return errors
    },
    warnings: (object, old) => [...(ratcheted.get(object) ?? []), ...finalizerWarnings(object, old)],
    fieldNames: selectable,
    fields: object => Object.fromEntries(selectable.map(name => [name, fieldText(object as JsonObject, name)])),
  }
}

function withoutMetadata({ metadata: _metadata, ...rest }: KubeObject): Record<string, unknown> {
  return rest
}

/** A status write takes even metadata from the stored object; only who manages which field is its own. */
function keepAllButStatus(object: KubeObject, old: KubeObject): void {
  const { managedFields, resourceVersion } = object.metadata
  const { managedFields: _managed, ...metadata } = jsonCopy(old.metadata)
  for (const field of Object.keys(object)) if (field !== 'status') delete object[field]
  for (const [field, value] of Object.entries(old)) if (field !== 'status') object[field] = value
  object.metadata = metadata
  if (managedFields !== undefined) object.metadata.managedFields = managedFields
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion
}

/** A selectable field as field selectors compare it; absent is empty. */
function fieldText(object: JsonObject, path: string): string {
  let value: Json | undefined = object
  for (const name of path.split('.')) value = isObject(value) ? getOwn(value, name) : undefined
  return typeof value === 'object' || value === undefined ? '' : String(value)
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old?.metadata.finalizers ?? [])
  const added = [...new Set(object.metadata.finalizers ?? [])].filter(name => !known.has(name)).sort()
  return added.flatMap(name => {
    const start = `metadata.finalizers: ${goQuote(name)}: `
    const warnings = checkQualifiedName(name).map(reason => `${start}${reason}`)
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return warnings
    const path = name.includes('.') ? ' including a path (/)' : ''
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`
    return [...warnings, `${start}${advice}`]
  })
}

/** What every request to a deprecated version is warned of; undefined for a version that is not. */
export function deprecationWarning({ group, names, versions }: CrdSpec, version: CrdVersion): string | undefined {
  if (!version.deprecated) return undefined
  if (version.deprecationWarning !== undefined) return version.deprecationWarning
  const better = versions
    .filter(({ deprecated, name, served }) => served && !deprecated && compareKubeVersions(version.name, name) < 0)
    .map(({ name }) => name)
    .sort((a, b) => compareKubeVersions(b, a))[0]
  const advice = better === undefined ? '' : `; use ${group}/${better} ${names.kind}`
  return `${group}/${version.name} ${names.kind} is deprecated${advice}`
}
