import { createObject, type WriteRequest } from '../registry/create-object.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type WriteOptions, writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, type StatusError } from '../status-error.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { readObject } from './read-object.ts'

export function writeRequest(context: RequestContext, options: WriteOptions): WriteRequest {
  const { registry, resource, info, user, warnings } = context
  const { fieldManager, dryRun } = options
  return { registry, resource, namespace: info.namespace, user, fieldManager, dryRun, warnings }
}

export async function serveCreate(context: RequestContext): Promise<ApiResponse> {
  const { resource, info } = context
  const options = writeOptions(context.request, 'CreateOptions')
  const object = await readObject(context, options.fieldValidation)
  checkNamespace(object.metadata.namespace, resource.namespaced, info.namespace)
  if (resource.review) return valueAnswer(201, await resource.review(context, object))
  if (resource.caution !== undefined) context.warnings.push(resource.caution)
  const stored = await createObject(writeRequest(context, options), object)
  return objectAnswer(201, resource, stored)
}

export const nameRequired = (name: string): StatusError =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)

/** An object may leave its namespace out; it may not name another one than the path. */
export function checkNamespace(given: string | undefined, namespaced: boolean, expected: string): void {
  if (given === undefined || given === '') return
  if (namespaced && given !== expected)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}
