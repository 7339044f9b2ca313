import { child, type FieldError, formatFieldError, invalid, key } from '../field-error.ts'
import { isObject, jsonCopy, jsonEqual } from '../json-value.ts'
import { compileCelRules } from '../schema/cel-rules.ts'
import { DecodeFailure } from '../schema/decode.ts'
import { coerceEmbeddedMetadata, validateEmbeddedResources } from '../schema/embedded-resource.ts'
import { prune } from '../schema/prune.ts'
import type { Json, JsonObject, Schema } from '../schema/schema.ts'
import { resourceNode, type StructuralNode, structuralNode } from '../schema/structural-node.ts'
import { compileDefaultValidator } from '../schema/validate.ts'

const META_FIELDS = new Set(['metadata', 'apiVersion', 'kind'])

/** Puts a value where it stands in the nearest resource, so that it is checked as a part of one. */
type Surround = (value: Json) => JsonObject

/** What must hold for the defaults of a structural schema: they pass the schema themselves. */
export function validateDefaults(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const root = resourceNode(structuralNode(schema))
  visit(root, root, path, asResource, false, errors)
  return errors
}

const asResource: Surround = value => ({ kind: 'Validation', apiVersion: 'validation/v1', ...(value as JsonObject) })

function visit(
  node: StructuralNode,
  resource: StructuralNode,
  path: string,
  surround: Surround,
  isInMetadata: boolean,
  errors: FieldError[],
): void {
  if (node.isEmbeddedResource) [resource, surround, isInMetadata] = [node, asResource, false]
  if (node.default !== undefined) {
    const at = child(path, 'default')
    errors.push(
      ...(isInMetadata
        ? validateInMetadata(node, resource, at, surround)
        : validateDefault(node, at, node === resource)),
    )
  }
  if (node.items) visit(node.items, resource, child(path, 'items'), value => surround([value]), isInMetadata, errors)
  for (const [name, property] of node.properties) {
    const isMeta = isInMetadata || (node.isEmbeddedResource && META_FIELDS.has(name))
    visit(
      property,
      resource,
      key(child(path, 'properties'), name),
      value => surround({ [name]: value }),
      isMeta,
      errors,
    )
  }
}

function validateDefault(node: StructuralNode, at: string, isResource: boolean): FieldError[] {
  const errors: FieldError[] = []
  const value = node.default as Json
  const pruned = jsonCopy(value)
  prune(pruned, node, node.isEmbeddedResource)
  if (!jsonEqual(pruned, value)) errors.push(invalid(at, value, 'must not have unknown fields'))
  return [...errors, ...(metadataErrors(node, at) ?? valueErrors(node, at, isResource))]
}

/** undefined when all metadata in the default is right. */
function metadataErrors(node: StructuralNode, at: string): FieldError[] | undefined {
  const value = node.default as Json
  const wrongType = embeddedTypeError(value, node, at)
  if (wrongType) return [wrongType]
  const errors = validateEmbeddedResources(value, node, at)
  return errors.length > 0 ? errors : undefined
}

function embeddedTypeError(value: Json, node: StructuralNode, at: string): FieldError | undefined {
  if (isObject(value) && node.isEmbeddedResource) {
    for (const name of ['apiVersion', 'kind']) {
      const field = value[name]
      if (field !== undefined && typeof field !== 'string') return invalid(child(at, name), field, 'must be a string')
    }
  }
  return undefined
}

function valueErrors(node: StructuralNode, at: string, isResource: boolean): FieldError[] {
  const value = node.default as Json
  const errors = compileDefaultValidator(node.schema, at)(value)
  if (errors.length > 0) return errors
  const rules = compileCelRules(node, { isResourceRoot: isResource })
  if (!rules) return []
  const found = rules.validate(value, value, { path: at })
  return found.length > 0 ? found : rules.validate(value, undefined, { path: at })
}

function validateInMetadata(
  node: StructuralNode,
  resource: StructuralNode,
  at: string,
  surround: Surround,
): FieldError[] {
  const value = node.default as Json
  const object = surround(jsonCopy(value))
  try {
    coerceEmbeddedMetadata(object, resource)
  } catch (thrown) {
    if (!(thrown instanceof DecodeFailure)) throw thrown
    return [invalid(at, value, `must result in valid metadata: ${thrown.message}`)]
  }
  const errors = validateEmbeddedResources(object, resource)
  if (errors.length > 0) {
    const texts = [...new Set(errors.map(formatFieldError))]
    const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
    return [invalid(at, value, `must result in valid metadata: ${text}`)]
  }
  return valueErrors(node, at, false)
}
