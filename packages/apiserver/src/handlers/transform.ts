import { formatYaml, type KubeList, type KubeObject, type ListMeta } from '@tiphys/kube'
import type { ApiResponse, ResponseBody } from '../request/api-response.ts'
import type { Representation } from '../request/negotiation.ts'
import type { RequestContext } from '../request/request-context.ts'
import { serveVerb } from '../server/resource-routes.ts'
import { notAcceptableRepresentations } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { partialMetadata } from '../table/partial-metadata.ts'
import { includeObject, tableOf } from '../table/table.ts'
import { valueAnswer, withType } from './answer.ts'
import { readStored } from './get.ts'
import { listing } from './list.ts'
import { type EventView, serveWatch } from './watch.ts'

/** Serves a request whose answer is wanted in another form than plain JSON. */
export async function serveTransformed(context: RequestContext, form: Representation): Promise<ApiResponse> {
  if (form.as === 'yaml') {
    if (context.info.verb === 'watch') throw notAcceptableRepresentations()
    return asYaml(await serveVerb(context))
  }
  if (form.as === 'partial') return servePartial(context)
  if (form.as === 'table') return serveTable(context, form.version)
  return serveVerb(context)
}

function asYaml(response: ApiResponse): ApiResponse {
  if (response.body.type !== 'json') return response
  const body: ResponseBody = { type: 'text', text: formatYaml(response.body.value()) }
  return { ...response, headers: { ...response.headers, 'content-type': 'application/yaml' }, body }
}

async function servePartial(context: RequestContext): Promise<ApiResponse> {
  const { info, resource } = context
  const view = (stored: Stored): KubeObject => partialMetadata(withType(resource, resource.fromStorage(stored.object)))
  if (info.verb === 'watch') {
    return serveWatch(context, { isPlain: false, value: view, bookmark: partialMetadata })
  }
  if (info.verb === 'list') {
    const { items, metadata } = await listing(context)
    const list: KubeList = {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: items.map(view),
    }
    return valueAnswer(200, list)
  }
  if (info.verb === 'get') return valueAnswer(200, view(await readStored(context)))
  return mapObject(await serveVerb(context), partialMetadata)
}

async function serveTable(context: RequestContext, version: string): Promise<ApiResponse> {
  const { info, resource, env, request } = context
  const include = includeObject(request.query)
  const table = (items: readonly Stored[], metadata: ListMeta, withColumns = true) =>
    tableOf(resource, items, { version, include, now: env.clock.now(), metadata, withColumns })
  if (info.verb === 'watch') {
    let isFirst = true
    const withColumnsOnce = () => {
      const first = isFirst
      isFirst = false
      return first
    }
    const view: EventView = {
      isPlain: false,
      value: stored => table([stored], { resourceVersion: String(stored.revision) }, withColumnsOnce()),
      bookmark: object => {
        const stored: Stored = { key: '', revision: Number(object.metadata.resourceVersion), object }
        return table([stored], { resourceVersion: object.metadata.resourceVersion as string }, withColumnsOnce())
      },
    }
    return serveWatch(context, view)
  }
  if (info.verb === 'list') {
    const { items, metadata } = await listing(context)
    return valueAnswer(200, table(items, metadata))
  }
  if (info.verb === 'get') {
    const stored = await readStored(context)
    return valueAnswer(200, table([stored], { resourceVersion: String(stored.revision) }))
  }
  return mapObject(await serveVerb(context), object => {
    const stored: Stored = { key: '', revision: Number(object.metadata.resourceVersion ?? 0), object }
    return table([stored], { resourceVersion: String(stored.revision) })
  })
}

/** Shows the object of a write's answer in another form; a Status or a list stays as it is. */
function mapObject(response: ApiResponse, view: (object: KubeObject) => unknown): ApiResponse {
  if (response.body.type !== 'json') return response
  const value = response.body.value() as KubeObject
  if (value.kind === 'Status' || 'items' in value) return response
  return { ...valueAnswer(response.status, view(value)), headers: response.headers }
}
