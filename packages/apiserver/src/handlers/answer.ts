import { type KubeObject, stringifyJson } from '@tiphys/kube'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { ApiResponse, ResponseBody } from '../request/api-response.ts'
import type { Stored } from '../storage/stored.ts'

/** The stored object's JSON without the outer brace, kind and apiVersion: `"metadata":{…},"spec":{…}}`. */
export function tailOf(resource: Resource, stored: Stored): string {
  const shown = resource.fromStorage(stored.object)
  if (shown !== stored.object) return writeTail(shown)
  stored.tail ??= writeTail(shown)
  return stored.tail
}

function writeTail(object: KubeObject): string {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object
  return stringifyJson(rest).slice(1)
}

/** `{"kind":"ConfigMap","apiVersion":"v1",…}` */
export const storedText = (resource: Resource, stored: Stored): string =>
  `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",${tailOf(resource, stored)}`

export function objectAnswer(status: number, resource: Resource, stored: Stored): ApiResponse {
  const body: ResponseBody = {
    type: 'json',
    value: () => withType(resource, resource.fromStorage(stored.object)),
    text: () => storedText(resource, stored),
  }
  return { status, headers: {}, body }
}

export function valueAnswer(status: number, value: unknown): ApiResponse {
  return { status, headers: {}, body: { type: 'json', value: () => value, text: () => stringifyJson(value) } }
}

export function withType(resource: Resource, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(resource)
  if (object.apiVersion === apiVersion && object.kind === resource.kind) return object
  return { ...object, kind: resource.kind, apiVersion }
}
