import { stringifyJson } from '@tiphys/kube'
import { checkLabel1035 } from '../builtin/names.ts'
import { validateObjectMeta } from '../builtin/object-meta.ts'
import { builtinSchema } from '../builtin-schema.ts'
import { child, type FieldError, formatFieldError, invalid, required } from '../field-error.ts'
import { isObject, jsonCopy } from '../json-value.ts'
import { DecodeFailure, decode } from './decode.ts'
import { visitEmbeddedResources } from './prune.ts'
import type { Json, JsonObject } from './schema.ts'
import type { StructuralNode } from './structural-node.ts'

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** Reads the metadata of the object as what it is, in place, and answers the paths of its unknown fields.
 *  Throws a `DecodeFailure` for metadata of the wrong type. */
export function coerceMetadata(object: JsonObject): string[] {
  return coerceOne(object, 'metadata')
}

/** The same for every resource embedded in the object; the paths are sorted. */
export function coerceEmbeddedMetadata(object: JsonObject, node: StructuralNode): string[] {
  const unknown: string[] = []
  visitEmbeddedResources(object, node, '', (resource, path) => {
    for (const name of ['apiVersion', 'kind'] as const) {
      const value = resource[name]
      if (value === undefined || typeof value === 'string') continue
      throw new DecodeFailure(formatFieldError(invalid(child(path, name), value, 'must be a string')))
    }
    const at = child(path, 'metadata')
    const shown = resource.metadata === undefined ? '' : stringifyJson(resource.metadata)
    try {
      unknown.push(...coerceOne(resource, at))
    } catch (thrown) {
      if (!(thrown instanceof DecodeFailure)) throw thrown
      throw new DecodeFailure(`${at}: Invalid value: ${shown}: ${thrown.message}`)
    }
  })
  return unknown.sort()
}

function coerceOne(resource: JsonObject, path: string): string[] {
  const { metadata } = resource
  if (metadata === undefined) return []
  const { value, unknownFields } = decode(metadata ?? {}, builtinSchema(OBJECT_META))
  resource.metadata = value
  return unknownFields.map(unknown => `${path}.${unknown}`)
}

/** What an older server or schema let pass: apiVersion, kind and fields of metadata of the wrong type are dropped. */
export function dropInvalidMetadata(object: JsonObject, node: StructuralNode): void {
  visitEmbeddedResources(object, node, '', resource => {
    for (const name of ['apiVersion', 'kind']) if (typeof resource[name] !== 'string') delete resource[name]
    const { metadata } = resource
    if (!isObject(metadata)) {
      delete resource.metadata
      return
    }
    for (const name of Object.keys(metadata)) {
      try {
        decode({ [name]: jsonCopy(metadata[name] as Json) }, builtinSchema(OBJECT_META))
      } catch (thrown) {
        if (!(thrown instanceof DecodeFailure)) throw thrown
        delete metadata[name]
      }
    }
  })
}

/** What must hold for apiVersion, kind and metadata of embedded resources. */
export function validateEmbeddedResources(object: Json, node: StructuralNode, path = ''): FieldError[] {
  const errors: FieldError[] = []
  visitEmbeddedResources(object, node, path, (resource, at) => {
    if (!Object.hasOwn(resource, 'apiVersion')) errors.push(required(child(at, 'apiVersion')))
    if (!Object.hasOwn(resource, 'kind')) errors.push(required(child(at, 'kind')))
    errors.push(...validateApiVersion(resource.apiVersion, child(at, 'apiVersion')))
    errors.push(...validateKind(resource.kind, child(at, 'kind')))
    errors.push(...validateMetadata(resource.metadata, child(at, 'metadata')))
  })
  return errors
}

function validateApiVersion(value: Json | undefined, field: string): FieldError[] {
  if (value === undefined) return []
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')]
  if (value === '') return [invalid(field, value, 'must not be empty')]
  if (value.split('/').length > 2) return [invalid(field, value, `unexpected GroupVersion string: ${value}`)]
  return []
}

function validateKind(value: Json | undefined, field: string): FieldError[] {
  if (value === undefined) return []
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')]
  if (value === '') return [invalid(field, value, 'must not be empty')]
  const reasons = checkLabel1035(value.toLowerCase())
  if (reasons.length === 0) return []
  return [invalid(field, value, `may have mixed case, but should otherwise match: ${reasons.join(',')}`)]
}

function validateMetadata(value: Json | undefined, field: string): FieldError[] {
  if (value === undefined) return []
  try {
    const { value: meta } = decode(JSON.parse(stringifyJson(value)) as Json, builtinSchema(OBJECT_META))
    const named = { name: 'fakename', ...meta } as { name: string; namespace?: string }
    const rule = { namespaced: named.namespace !== undefined, nameRule: 'path', isCustomResource: true } as const
    return validateObjectMeta(named, rule, field)
  } catch (thrown) {
    if (thrown instanceof DecodeFailure) return [invalid(field, value, thrown.message)]
    throw thrown
  }
}
