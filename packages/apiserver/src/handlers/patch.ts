import { type KubeObject, type NumberTexts, stringifyJson } from '@tiphys/kube'
import { applyPatch } from '../apply/managed-fields.ts'
import { invalid as invalidField } from '../field-error.ts'
import { isObject, jsonTypeName } from '../json-value.ts'
import { printGo } from '../patch/go-print.ts'
import { applyJsonPatch, decodeJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { textsOfOperations, writeWithTexts } from '../patch/number-texts.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts'
import {
  type TouchedParts,
  touchedByMerge,
  touchedByOperations,
  touchedPart,
  withUntouched,
} from '../patch/touched-parts.ts'
import { createObject } from '../registry/create-object.ts'
import { apiVersionOf, groupResource, keyOf, type Resource, sharesFields } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import { type Update, updateObject } from '../registry/update-object.ts'
import { header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type WriteOptions, writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { badRequest, conflict, invalid, notFound, StatusError, unsupportedMediaType } from '../status-error.ts'
import { objectAnswer, withType } from './answer.ts'
import { BodyFailure, type ParsedBody, parsePatchBody } from './body.ts'
import { checkNamespace, nameRequired, writeRequest } from './create.ts'
import { typeMismatch, yamlErrors } from './read-object.ts'

const PATCH_TYPES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const

export type PatchType = (typeof PATCH_TYPES)[keyof typeof PATCH_TYPES]

export function patchType({ request, resource }: RequestContext): PatchType {
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
  const body = await readPatch(context, type)
  return type === 'apply'
    ? serveApply(context, options, body, subresource)
    : servePlainPatch(context, options, patcher(context, type, body), subresource)
}

export async function readPatch(context: RequestContext, type: PatchType): Promise<ParsedBody> {
  try {
    return await parsePatchBody(context, type === 'apply')
  } catch (thrown) {
    if (!(thrown instanceof BodyFailure)) throw thrown
    if (type === 'apply') throw badRequest(`error decoding YAML: error converting YAML to JSON: ${thrown.message}`)
    throw badRequest(type === 'strategic' ? thrown.message : `error decoding patch: ${thrown.message}`)
  }
}

/** Turns the current object into the patched one, and shows the patch as errors print it. */
export interface Patcher {
  /** What strict decoding refuses about the patch itself. */
  problems: readonly string[]
  apply(current: JsonObject): JsonObject
  /** What it can change. */
  touched: TouchedParts
  /** How the patched object's numbers were written that the patch brings. */
  numberTexts: NumberTexts
  /** The patched object for most types, the patch itself for a strategic one. */
  shown(patched: JsonObject): string
}

export function patcher(context: RequestContext, type: PatchType, parsed: ParsedBody): Patcher {
  const { value: body, problems, numberTexts } = parsed
  const shown = (texts: NumberTexts) => (patched: JsonObject) =>
    context.resource.isCustom
      ? stringifyJson(sortedDeep(patched))
      : writeWithTexts(inGoOrder(patched, touchedFields(body)), texts)
  if (type === 'json') {
    const patch = decodeJsonPatch(body)
    const texts = textsOfOperations(patch.operations, numberTexts)
    const refused = [...patch.unknownFields, ...problems.map(problem => `json patch ${problem}`)]
    const apply = (current: JsonObject) => applyJsonPatch(current, patch) as JsonObject
    const touched = touchedByOperations(patch.operations)
    return { problems: refused, apply, touched, numberTexts: texts, shown: shown(texts) }
  }
  if (type === 'merge') {
    const apply = (current: JsonObject) => applyMergePatch(current, body)
    return { problems, apply, touched: touchedByMerge(body), numberTexts, shown: shown(numberTexts) }
  }
  return {
    problems,
    apply: current => applyStrategicMergePatch(current, body, context.resource.schema),
    touched: touchedByMerge(body),
    // It is made of values, not of text: to it 1.0 is 1.
    numberTexts: undefined,
    shown: () => printGo(body),
  }
}

/** Custom resources are maps to Go, and Go sorts maps. */
function sortedDeep(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedDeep)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, child]) => [key, sortedDeep(child)]))
}

const META_ORDER = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
]

/** The fields at the top whose members a patch touches. */
const touchedFields = (patch: Json): string[] =>
  Array.isArray(patch)
    ? patch.flatMap(operation => /^\/([^/]+)\//.exec(String(isObject(operation) ? operation.path : ''))?.[1] ?? [])
    : Object.keys(isObject(patch) ? patch : {})

/** Go sorts the members of what a patch touched, and leaves the rest as the type declares it. */
function inGoOrder(patched: JsonObject, touched: readonly string[]): JsonObject {
  const byName = ([a]: [string, Json], [b]: [string, Json]) => (a < b ? -1 : 1)
  const rank = (name: string) => (META_ORDER.includes(name) ? META_ORDER.indexOf(name) : META_ORDER.length)
  const byRank = ([a]: [string, Json], [b]: [string, Json]) => rank(a) - rank(b)
  const sorted = Object.entries(patched).sort(byName)
  return Object.fromEntries(
    sorted.map(([name, value]) => {
      if (!isObject(value)) return [name, value]
      if (touched.includes(name)) return [name, Object.fromEntries(Object.entries(value).sort(byName))]
      return [name, name === 'metadata' ? Object.fromEntries(Object.entries(value).sort(byRank)) : value]
    }),
  )
}

async function servePlainPatch(
  context: RequestContext,
  options: WriteOptions,
  patch: Patcher,
  subresource: string,
): Promise<ApiResponse> {
  const { resource, info } = context
  const request = { ...writeRequest(context, options), name: info.name, subresource }
  const { stored } = await updateObject(request, current => {
    const before = withType(resource, current) as unknown as JsonObject
    const object = decodePatched(context, options, patch, before)
    checkPatchedName(context, object)
    return { object }
  })
  return objectAnswer(200, resource, stored)
}

function decodePatched(
  { resource, warnings }: RequestContext,
  options: WriteOptions,
  patch: Patcher,
  before: JsonObject,
): KubeObject {
  const touched = sharesFields(resource) ? patch.touched : { ...patch.touched, fields: undefined }
  const patched = patch.apply(touchedPart(before, touched))
  // Reading uses the object up; errors show it as the patch left it.
  const refuse = (why: string) =>
    invalid({ group: '', kind: '' }, '', [invalidField('patch', patch.shown(patch.apply(before)), why)])
  const apiVersion = apiVersionOf(resource)
  const given = { apiVersion: String(patched.apiVersion ?? ''), kind: String(patched.kind ?? '') }
  if (given.kind !== resource.kind || given.apiVersion !== apiVersion) throw refuse(typeMismatch(resource, given))
  const decoded = decodeOr(resource, patched, patch.numberTexts, refuse)
  const object = withUntouched(decoded.object, before, touched)
  const problems = [...patch.problems, ...decoded.problems]
  if (problems.length > 0 && options.fieldValidation === 'Strict') {
    throw refuse(`strict decoding error: ${problems.join(', ')}`)
  }
  if (options.fieldValidation === 'Warn') warnings.push(...problems)
  object.kind = resource.kind
  object.apiVersion = apiVersion
  return object
}

function decodeOr(
  resource: Resource,
  value: JsonObject,
  numberTexts: NumberTexts,
  refuse: (why: string) => StatusError,
): ReturnType<Resource['decode']> {
  try {
    return resource.decode(value, numberTexts)
  } catch (thrown) {
    if (!(thrown instanceof StatusError) || thrown.code !== 400) throw thrown
    throw refuse(thrown.message.replace(/^.* cannot be handled as a \w+: /, ''))
  }
}

function checkPatchedName({ resource, info }: RequestContext, { metadata }: KubeObject): void {
  if (metadata.name === undefined || metadata.name === '') throw nameRequired(info.name)
  if (metadata.name !== info.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`)
  }
  checkNamespace(metadata.namespace, resource.namespaced, info.namespace)
}

async function serveApply(
  context: RequestContext,
  options: WriteOptions,
  body: ParsedBody,
  subresource: string,
): Promise<ApiResponse> {
  const { resource, info } = context
  const config = appliedConfig(context, options, body)
  const write = writeRequest(context, options)
  const apply = (live: KubeObject | undefined): Update => {
    const result = appliedTo(context, options, live, config, subresource)
    const object = decodeApplied(context, options, result.object)
    if (result.managedFields) object.metadata.managedFields = result.managedFields
    else delete object.metadata.managedFields
    checkPatchedName(context, object)
    return { object, isTracked: true }
  }
  const exists =
    resource.collection.get(keyOf(resource.namespaced ? info.namespace : undefined, info.name)) !== undefined
  if (!exists) {
    if (subresource !== '') throw notFound(groupResource(resource), info.name)
    const { uid } = config.metadata
    if (uid !== undefined) {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      throw conflict(groupResource(resource), info.name, why)
    }
    const { object } = apply(undefined)
    // An applied version of an object that is not there is no lock on anything.
    delete object.metadata.resourceVersion
    if (resource.caution !== undefined) context.warnings.push(resource.caution)
    const created = await createObject(write, object, { isApply: true })
    return objectAnswer(201, resource, created)
  }
  const { stored } = await updateObject({ ...write, name: info.name, subresource }, apply)
  return objectAnswer(200, resource, stored)
}

function appliedTo(
  { resource, registry }: RequestContext,
  options: WriteOptions,
  live: KubeObject | undefined,
  config: KubeObject,
  subresource: string,
): ReturnType<typeof applyPatch> {
  return applyPatch({
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
}

function appliedConfig(
  { resource }: RequestContext,
  options: WriteOptions,
  { value, problems }: ParsedBody,
): KubeObject {
  if (problems.length > 0 && options.fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlErrors(problems)}`)
  }
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const why = `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`)
  }
  const config = (value ?? {}) as unknown as KubeObject
  // A type that is not text is none.
  const [apiVersion, kind] = [config.apiVersion as Json, config.kind as Json].map(given =>
    typeof given === 'string' ? given : '',
  ) as [string, string]
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    const slash = apiVersion.indexOf('/')
    const group = slash < 0 ? '' : apiVersion.slice(0, slash)
    throw badRequest(`invalid object type: ${group}/${apiVersion.slice(slash + 1)}, Kind=${kind}`)
  }
  config.metadata ??= {}
  if (config.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil')
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
