import { jsonCopy } from '../json-value.ts'
import { createObject } from '../registry/create-object.ts'
import { keyOf } from '../registry/resource.ts'
import { updateObject } from '../registry/update-object.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest } from '../status-error.ts'
import { objectAnswer } from './answer.ts'
import { checkNamespace, nameRequired, writeRequest } from './create.ts'
import { readObject } from './read-object.ts'

export async function serveUpdate(context: RequestContext, subresource = ''): Promise<ApiResponse> {
  const { resource, info } = context
  const options = writeOptions(context.request, 'UpdateOptions')
  const object = await readObject(context, options.fieldValidation)
  const { metadata } = object
  checkNamespace(metadata.namespace, resource.namespaced, info.namespace)
  if (metadata.name === undefined || metadata.name === '') {
    throw nameRequired(info.name)
  }
  if (metadata.name !== info.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`)
  }
  const write = writeRequest(context, options)
  const exists =
    resource.collection.get(keyOf(resource.namespaced ? info.namespace : undefined, info.name)) !== undefined
  if (!exists && subresource === '' && resource.strategy.allowCreateOnUpdate === true) {
    const created = await createObject(write, object)
    return objectAnswer(201, resource, created)
  }
  let next = object
  // A second attempt after a race starts from the request again. One that names a version has no second: it is a conflict.
  const mayRepeat = (metadata.resourceVersion ?? '') === '' || metadata.resourceVersion === '0'
  const { stored } = await updateObject({ ...write, name: info.name, subresource, checksUid: true }, () => {
    const object = next
    if (mayRepeat) next = jsonCopy(next)
    return { object }
  })
  return objectAnswer(200, resource, stored)
}
