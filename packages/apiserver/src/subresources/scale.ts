import type { KubeObject } from '@tiphys/kube'
import { builtinKindSchema } from '../builtin-schema.ts'
import { invalid as invalidField } from '../field-error.ts'
import { valueAnswer } from '../handlers/answer.ts'
import { writeRequest } from '../handlers/create.ts'
import { readStored } from '../handlers/get.ts'
import { patcher, patchType, readPatch } from '../handlers/patch.ts'
import { decodeObject, readBodyAs } from '../handlers/read-object.ts'
import { jsonCopy } from '../json-value.ts'
import { decodeBuiltin } from '../registry/builtin-resources.ts'
import { groupResource, type Resource } from '../registry/resource.ts'
import { updateObject } from '../registry/update-object.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type WriteOptions, writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { JsonObject, Schema } from '../schema/schema.ts'
import { badRequest, conflict, invalid, MODIFIED } from '../status-error.ts'

/** Where a kind keeps what the scale subresource shows. */
export interface ScaleMapping {
  replicas(object: KubeObject): number | undefined
  setReplicas(object: KubeObject, replicas: number): void
  statusReplicas(object: KubeObject): number
  selector(object: KubeObject): string | undefined
}

interface Scale extends KubeObject {
  spec: { replicas?: number }
  status: { replicas: number; selector?: string }
}

export function serveScale(mapping: ScaleMapping) {
  return async (context: RequestContext): Promise<ApiResponse> => {
    if (context.info.verb === 'get') return valueAnswer(200, scaleOf(mapping, (await readStored(context)).object))
    const options = writeOptions(context.request, context.info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions')
    const change = context.info.verb === 'patch' ? await patchedScale(context) : await givenScale(context, options)
    const request = { ...writeRequest(context, options), name: context.info.name, subresource: 'scale' }
    const { stored } = await updateObject(request, current => {
      const scale = change(scaleOf(mapping, current))
      checkScale(context.resource, scale, current)
      const object = jsonCopy(current)
      mapping.setReplicas(object, scale.spec.replicas ?? 0)
      return { object }
    })
    return valueAnswer(200, scaleOf(mapping, stored.object))
  }
}

function scaleOf(mapping: ScaleMapping, object: KubeObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = mapping.replicas(object)
  const selector = mapping.selector(object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name: name as string,
      namespace: namespace as string,
      uid: uid as string,
      resourceVersion: resourceVersion as string,
      creationTimestamp: creationTimestamp as string,
    },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: mapping.statusReplicas(object), ...(selector === undefined ? {} : { selector }) },
  }
}

async function givenScale(context: RequestContext, options: WriteOptions): Promise<(current: Scale) => Scale> {
  const resource = scaleResource(context)
  const parsed = await readBodyAs(context, resource)
  const scale = decodeObject(context, resource, parsed, options.fieldValidation) as Scale
  return () => scale
}

/** Enough of a resource to read a Scale from a body. */
function scaleResource(context: RequestContext): Resource {
  const schema = builtinKindSchema('autoscaling', 'v1', 'Scale') as Schema
  const type = { kind: 'Scale', apiVersion: 'autoscaling/v1' }
  return {
    ...context.resource,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    isCustom: false,
    schema,
    decode: (value, texts) => decodeBuiltin(value, schema, { hasGeneration: false }, type, texts),
  }
}

async function patchedScale(context: RequestContext): Promise<(current: Scale) => Scale> {
  const type = patchType(context)
  const patch = patcher({ ...context, resource: scaleResource(context) }, type, await readPatch(context, type))
  return current => patch.apply(current as unknown as JsonObject) as unknown as Scale
}

function checkScale(resource: Resource, scale: Scale, current: KubeObject): void {
  const { resourceVersion, name } = scale.metadata
  if (name !== undefined && name !== '' && name !== current.metadata.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${current.metadata.name})`)
  }
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== current.metadata.resourceVersion) {
    throw conflict(groupResource(resource), current.metadata.name as string, MODIFIED)
  }
  const replicas = scale.spec?.replicas ?? 0
  if (replicas < 0 && !resource.isCustom) {
    const error = invalidField('spec.replicas', replicas, 'must be greater than or equal to 0')
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, current.metadata.name as string, [error])
  }
}
