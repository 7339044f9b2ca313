import { type KubeObject, stringifyJson } from '@tiphys/kube'
import { ApplyConflict, applyPatch } from '../apply/managed-fields.ts'
import { invalid as invalidField } from '../field-error.ts'
import { applyJsonPatch, decodeJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts'
import { createObject } from '../registry/create-object.ts'
import { apiVersionOf, groupResource, keyOf, type Resource } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import { type Update, updateObject } from '../registry/update-object.ts'
import { header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type WriteOptions, writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { badRequest, conflict, invalid, notFound, StatusError, unsupportedMediaType } from '../status-error.ts'
import { objectAnswer, withType } from './answer.ts'
import { type ParsedBody, parsePatchBody } from './body.ts'
import { checkNamespace, writeRequest } from './create.ts'

const PATCH_TYPES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const

type PatchType = (typeof PATCH_TYPES)[keyof typeof PATCH_TYPES]

function patchType({ request, resource }: RequestContext): PatchType {
  const contentType = (header(request, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const type = PATCH_TYPES[contentType as keyof typeof PATCH_TYPES]
  if (type === undefined) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  if (type === 'strategic' && resource.isCustom) {
    throw unsupportedMediaType(Object.keys(PATCH_TYPES).filter(name => !name.includes('strategic')))
  }
  return type
}

export async function servePatch(context: RequestContext, subresource = ''): Promise<ApiResponse> {
  const type = patchType(context)
  const options = writeOptions(context.request, 'PatchOptions', type === 'apply')
  const body = await parsePatchBody(context, type === 'apply')
  return type === 'apply'
    ? serveApply(context, options, body, subresource)
    : servePlainPatch(context, options, patcher(context, type, body.value), subresource)
}

/** Turns the current object into the patched one. */
type Patcher = (current: JsonObject) => JsonObject

function patcher(context: RequestContext, type: PatchType, body: Json): Patcher {
  if (type === 'json') {
    const patch = decodeJsonPatch(body)
    context.warnings.push(...patch.unknownFields)
    return current => applyJsonPatch(current, patch) as JsonObject
  }
  if (type === 'merge') return current => applyMergePatch(current, body)
  return current => applyStrategicMergePatch(current, body, context.resource.schema)
}

async function servePlainPatch(
  context: RequestContext,
  options: WriteOptions,
  patch: Patcher,
  subresource: string,
): Promise<ApiResponse> {
  const { resource, info, registry } = context
  const request = { ...writeRequest(context, options), name: info.name, subresource }
  const { stored } = await updateObject(request, current => {
    const patched = patch(withType(resource, current) as unknown as JsonObject)
    const object = decodePatched(context, options, patched)
    checkPatchedName(context, object)
    return { object }
  })
  const settled = registry.storage.settled()
  if (settled) await settled
  return objectAnswer(200, resource, stored)
}

function decodePatched({ resource, warnings }: RequestContext, options: WriteOptions, patched: JsonObject): KubeObject {
  const refuse = (why: string) =>
    invalid({ group: '', kind: '' }, '', [invalidField('patch', stringifyJson(patched), why)])
  const apiVersion = apiVersionOf(resource)
  if (patched.kind !== resource.kind || patched.apiVersion !== apiVersion) {
    throw refuse(
      `no kind ${JSON.stringify(patched.kind)} is registered for version ${JSON.stringify(patched.apiVersion)}`,
    )
  }
  let decoded: ReturnType<Resource['decode']>
  try {
    decoded = resource.decode(patched)
  } catch (thrown) {
    if (!(thrown instanceof StatusError) || thrown.code !== 400) throw thrown
    throw refuse(thrown.message.replace(/^.* cannot be handled as a \w+: /, ''))
  }
  const { object, problems } = decoded
  if (problems.length > 0 && options.fieldValidation === 'Strict')
    throw refuse(`strict decoding error: ${problems.join(', ')}`)
  if (options.fieldValidation === 'Warn') warnings.push(...problems)
  object.kind = resource.kind
  object.apiVersion = apiVersion
  return object
}

function checkPatchedName({ resource, info }: RequestContext, { metadata }: KubeObject): void {
  if (metadata.name !== info.name) {
    throw badRequest(
      `the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${info.name})`,
    )
  }
  checkNamespace(metadata.namespace, resource.namespaced, info.namespace)
}

async function serveApply(
  context: RequestContext,
  options: WriteOptions,
  body: ParsedBody,
  subresource: string,
): Promise<ApiResponse> {
  const { resource, info, registry } = context
  const config = appliedConfig(context, body)
  const write = writeRequest(context, options)
  const apply = (live: KubeObject | undefined): Update => {
    try {
      const result = applyPatch({
        live,
        config,
        schema: resource.schema,
        manager: options.fieldManager,
        apiVersion: apiVersionOf(resource),
        subresource,
        force: options.force,
        now: timestamp(registry.env.clock.now()),
        resetFields: subresource === '' ? resource.resetFields : resource.statusResetFields,
      })
      const object = decodeApplied(context, options, result.object)
      if (result.managedFields) object.metadata.managedFields = result.managedFields
      return { object, isTracked: true }
    } catch (thrown) {
      if (thrown instanceof ApplyConflict) throw applyConflict(thrown)
      throw thrown
    }
  }
  const exists =
    resource.collection.get(keyOf(resource.namespaced ? info.namespace : undefined, info.name)) !== undefined
  if (!exists) {
    if (subresource !== '') throw notFound(groupResource(resource), info.name)
    if (config.metadata.uid !== undefined) {
      const why = `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`
      throw conflict(groupResource(resource), info.name, why)
    }
    const { object } = apply(undefined)
    if (resource.caution !== undefined) context.warnings.push(resource.caution)
    const created = await createObject(write, object, { isApply: true })
    await registry.storage.settled()
    return objectAnswer(201, resource, created)
  }
  const { stored } = await updateObject({ ...write, name: info.name, subresource }, apply)
  const settled = registry.storage.settled()
  if (settled) await settled
  return objectAnswer(200, resource, stored)
}

function appliedConfig({ resource, info }: RequestContext, { value }: ParsedBody): KubeObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = Array.isArray(value) ? 'array' : typeof value
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`,
    )
  }
  const config = value as unknown as KubeObject
  const { apiVersion = '', kind = '' } = config
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    const slash = apiVersion.indexOf('/')
    const group = slash < 0 ? '' : apiVersion.slice(0, slash)
    throw badRequest(`invalid object type: ${group}/${apiVersion.slice(slash + 1)}, Kind=${kind}`)
  }
  config.metadata ??= {}
  if (config.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil')
  config.metadata.name ??= info.name
  if (config.metadata.name !== info.name) {
    throw badRequest(
      `the name of the object (${config.metadata.name}) does not match the name on the URL (${info.name})`,
    )
  }
  checkNamespace(config.metadata.namespace, resource.namespaced, info.namespace)
  if (resource.namespaced) config.metadata.namespace ??= info.namespace
  return config
}

function decodeApplied({ resource, warnings }: RequestContext, options: WriteOptions, applied: KubeObject): KubeObject {
  const { object, problems } = resource.decode(applied as unknown as JsonObject)
  if (problems.length > 0 && options.fieldValidation === 'Strict') {
    throw badRequest(`strict decoding error: ${problems.join(', ')}`)
  }
  if (options.fieldValidation === 'Warn') warnings.push(...problems)
  object.kind = resource.kind
  object.apiVersion = apiVersionOf(resource)
  return object
}

function applyConflict(found: ApplyConflict): StatusError {
  return new StatusError(409, 'Conflict', found.message, {
    causes: found.conflicts.map(({ message, field }) => ({ reason: 'FieldManagerConflict', message, field })),
  })
}
