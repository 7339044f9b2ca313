import { objectAnswer } from '../handlers/answer.ts'
import { writeRequest } from '../handlers/create.ts'
import { readObject } from '../handlers/read-object.ts'
import { jsonCopy } from '../json-value.ts'
import { updateObject } from '../registry/update-object.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'

interface NamespaceSpec {
  finalizers?: string[]
}

/** Sets spec.finalizers of a namespace and nothing else; a namespace on its way out goes when the last one is gone. */
export async function serveNamespaceFinalize(context: RequestContext): Promise<ApiResponse> {
  const { resource, info } = context
  const options = writeOptions(context.request, 'UpdateOptions')
  const given = await readObject(context, options.fieldValidation)
  const { finalizers = [] } = (given.spec ?? {}) as NamespaceSpec
  const { stored } = await updateObject(
    { ...writeRequest(context, options), name: info.name, subresource: 'finalize' },
    current => {
      const object = jsonCopy(current)
      object.spec = finalizers.length > 0 ? { finalizers } : {}
      if (given.metadata.resourceVersion !== undefined) object.metadata.resourceVersion = given.metadata.resourceVersion
      return { object, isTracked: true }
    },
  )
  return objectAnswer(200, resource, stored)
}
