import type { KubeObject, NumberTexts, Status } from '@tiphys/kube'
import { builtinKindSchema } from '../builtin-schema.ts'
import { deleteObject } from '../registry/delete-object.ts'
import type { Resource } from '../registry/resource.ts'
import { header, type RequestBody } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type DeleteOptions, deleteOptions, listOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { DecodeFailure, decode } from '../schema/decode.ts'
import type { JsonObject, Schema } from '../schema/schema.ts'
import { badRequest, StatusError } from '../status-error.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { BodyFailure, decodeBytes, type MediaType, mediaTypeOf, type ParsedBody } from './body.ts'
import { listing, listValue } from './list.ts'
import { notRegistered, typeMetaProblem } from './read-object.ts'

async function readOptions(context: RequestContext): Promise<DeleteOptions> {
  const { request } = context
  const body = await request.body()
  const isEmpty = 'bytes' in body ? body.bytes.length === 0 : body.value === undefined || body.value === null
  if (isEmpty) return deleteOptions(request.query, undefined)
  const { value, numberTexts } = await decodeOptions(body, mediaTypeOf(header(request, 'content-type')))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body is not a DeleteOptions object')
  const problem = typeMetaProblem(value)
  if (problem !== undefined) throw badRequest(problem)
  if (value.kind !== undefined && value.kind !== 'DeleteOptions') {
    throw badRequest(notRegistered({ apiVersion: String(value.apiVersion ?? ''), kind: String(value.kind) }))
  }
  return deleteOptions(request.query, typedOptions(value, numberTexts))
}

function typedOptions(value: JsonObject, numberTexts: NumberTexts): JsonObject {
  const schema = builtinKindSchema('', 'v1', 'DeleteOptions') as Schema
  try {
    return decode(value, schema, 'Ignore', numberTexts).value
  } catch (thrown) {
    if (thrown instanceof DecodeFailure) throw badRequest(thrown.what)
    throw thrown
  }
}

async function decodeOptions(body: RequestBody, type: MediaType): Promise<ParsedBody> {
  try {
    return await decodeBytes(body, type)
  } catch (thrown) {
    if (!(thrown instanceof BodyFailure)) throw thrown
    throw badRequest(`couldn't get version/kind; json parse error: ${thrown.message}`)
  }
}

export async function serveDelete(context: RequestContext): Promise<ApiResponse> {
  const { resource, registry, info, user, warnings } = context
  const options = withDefaultPolicy(resource, await readOptions(context))
  const { stored, deleted } = await deleteObject({
    registry,
    resource,
    namespace: info.namespace,
    name: info.name,
    user,
    fieldManager: '',
    dryRun: options.dryRun,
    warnings,
    options,
  })
  if (!deleted || resource.strategy.returnsDeletedObject === true) return objectAnswer(200, resource, stored)
  return valueAnswer(200, deletedStatus(resource, info.name, stored.object))
}

function withDefaultPolicy(resource: Resource, options: DeleteOptions): DeleteOptions {
  if (options.propagationPolicy !== undefined || resource.strategy.orphansDependentsByDefault !== true) return options
  return { ...options, propagationPolicy: 'Orphan' }
}

function deletedStatus(resource: Resource, name: string, object: KubeObject): Status {
  const { group, name: kind } = resource
  const uid = object.metadata.uid as string
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? {} : { group }), kind, uid },
  }
}

export async function serveDeleteCollection(context: RequestContext): Promise<ApiResponse> {
  const { resource, registry, user, warnings } = context
  const options = withDefaultPolicy(resource, await readOptions(context))
  const list = await listing(context, listOptions(context.request.query))
  for (const stored of list.items) {
    const { namespace = '', name = '' } = stored.object.metadata
    try {
      await deleteObject({
        registry,
        resource,
        namespace,
        name,
        user,
        fieldManager: '',
        dryRun: options.dryRun,
        warnings,
        options,
      })
    } catch (thrown) {
      // Somebody else deleted it first: that is what was asked for.
      if (!(thrown instanceof StatusError) || thrown.code !== 404) throw thrown
    }
  }
  return valueAnswer(200, listValue(list))
}
