import { type KubeObject, parseJsonStrict } from '@tiphys/kube'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import { header, type RequestBody } from '../request/api-request.ts'
import type { FieldValidation } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { badRequest, StatusError, unsupportedMediaType } from '../status-error.ts'

export const BODY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

export interface ParsedBody {
  value: Json
  /** What strict decoding refuses about the text itself: `duplicate field "data.a"`. */
  problems: readonly string[]
}

export type MediaType = 'json' | 'yaml' | 'protobuf'

export function mediaTypeOf(contentType: string | undefined, accepted: readonly string[] = BODY_TYPES): MediaType {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json') return 'json'
  if (type === 'application/yaml') return 'yaml'
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf'
  throw unsupportedMediaType(accepted)
}

/** Reads a request body in any of the accepted media types as a JSON value. */
export async function parseBody(context: RequestContext, kind: string): Promise<ParsedBody> {
  const body = await context.request.body()
  const type = mediaTypeOf(header(context.request, 'content-type'))
  return decodeBytes(body, type, kind)
}

async function decodeBytes(body: RequestBody, type: MediaType, kind: string): Promise<ParsedBody> {
  if ('value' in body) return { value: body.value, problems: [] }
  if (type === 'protobuf') {
    const { decodeProtobuf } = await import('../protobuf/protobuf.ts')
    return { value: decodeProtobuf(body.bytes), problems: [] }
  }
  const text = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength).toString('utf8')
  if (type === 'yaml') {
    const { readYamlBody } = await import('./yaml-body.ts')
    return readYamlBody(text)
  }
  try {
    const { value, duplicateFields } = parseJsonStrict(text)
    return { value: value as Json, problems: duplicateFields.map(field => `duplicate field ${JSON.stringify(field)}`) }
  } catch (thrown) {
    throw badRequest(undecodable(kind, (thrown as Error).message))
  }
}

/** A patch's body: JSON, or YAML for an apply patch. */
export async function parsePatchBody(context: RequestContext, isYaml: boolean): Promise<ParsedBody> {
  const body = await context.request.body()
  try {
    return await decodeBytes(body, isYaml ? 'yaml' : 'json', '')
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    throw badRequest(
      `error decoding ${isYaml ? 'YAML' : 'patch'}: ${thrown.message.replace(/^ cannot be handled: /, '')}`,
    )
  }
}

const undecodable = (kind: string, why: string): string => `${kind} cannot be handled: ${why}`

/** The object of a create or update, as the version of the resource that the path names. Unknown and duplicate fields
 *  are refused, warned about or ignored, as the request asks. */
export async function readObject(context: RequestContext, fieldValidation: FieldValidation): Promise<KubeObject> {
  const { resource } = context
  const parsed = await parseBody(context, resource.kind)
  return decodeObject(context, resource, parsed, fieldValidation)
}

export function decodeObject(
  context: RequestContext,
  resource: Resource,
  parsed: ParsedBody,
  fieldValidation: FieldValidation,
): KubeObject {
  const value = checkType(resource, parsed.value)
  const { object, problems } = resource.decode(value)
  const all = [...problems, ...parsed.problems]
  if (all.length > 0 && fieldValidation !== 'Ignore') {
    if (fieldValidation === 'Strict') throw strictError(resource, all)
    context.warnings.push(...all)
  }
  object.apiVersion = apiVersionOf(resource)
  object.kind = resource.kind
  return object
}

export const strictError = (resource: Resource, problems: readonly string[]) =>
  badRequest(
    `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${problems.join(', ')}`,
  )

function checkType(resource: Resource, value: Json): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  }
  const { apiVersion, kind } = value
  const expected = apiVersionOf(resource)
  if (resource.isCustom) {
    if ((kind !== undefined && kind !== resource.kind) || (apiVersion !== undefined && apiVersion !== expected)) {
      throw badRequest(
        `the API version in the data (${apiVersion ?? ''}, Kind=${kind ?? ''}) does not match the expected API version (${expected}, Kind=${resource.kind})`,
      )
    }
    return value
  }
  const isOther =
    (kind !== undefined && kind !== '' && kind !== resource.kind) ||
    (apiVersion !== undefined && apiVersion !== '' && apiVersion !== expected)
  if (isOther) {
    throw badRequest(
      `${kind ?? resource.kind} in version ${JSON.stringify(String(apiVersion ?? resource.version).replace(/^.*\//, ''))} cannot be handled as a ${resource.kind}: no kind ${JSON.stringify(kind ?? resource.kind)} is registered for version ${JSON.stringify(apiVersion ?? expected)}`,
    )
  }
  return value
}
