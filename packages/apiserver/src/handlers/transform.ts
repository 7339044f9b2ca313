import type { KubeList, KubeObject, ListMeta } from '@tiphys/kube'
import type { Resource } from '../registry/resource.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { Representation } from '../request/negotiation.ts'
import type { RequestContext } from '../request/request-context.ts'
import { serveVerb } from '../server/resource-routes.ts'
import { StatusError } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { partialMetadata } from '../table/partial-metadata.ts'
import { includeObject, type Table, tableOf } from '../table/table.ts'
import { valueAnswer, withType } from './answer.ts'
import { readStored } from './get.ts'
import { listing } from './list.ts'
import { type EventView, serveWatch } from './watch.ts'

/** Serves a request whose answer is wanted as a table or as metadata alone. */
export async function serveTransformed(context: RequestContext, form: Representation): Promise<ApiResponse> {
  if (form.as === 'partial') return servePartial(context, form)
  if (form.as === 'table') return serveTable(context, form.version)
  return serveVerb(context)
}

/** Shows the object of an answer in another form; a Status or a list stays as it is. */
export function showObject(context: RequestContext, form: Representation, response: ApiResponse): ApiResponse {
  if (response.body.type !== 'json' || (form.as !== 'partial' && form.as !== 'table')) return response
  const object = response.body.value() as KubeObject
  if (object.kind === 'Status' || 'items' in object) return response
  const shown = form.as === 'partial' ? partialMetadata(object) : tableOfObject(context, form.version, object)
  return { ...valueAnswer(response.status, shown), headers: response.headers }
}

type Partial = Extract<Representation, { as: 'partial' }>

async function servePartial(context: RequestContext, form: Partial): Promise<ApiResponse> {
  const { info, resource } = context
  const view = (stored: Stored): KubeObject => partialMetadata(withType(resource, resource.fromStorage(stored.object)))
  if (info.verb === 'watch') {
    return serveWatch(context, { value: view, bookmark: partialMetadata })
  }
  const isList = info.verb === 'list'
  if (isList !== (form.kind === 'PartialObjectMetadataList')) throw wrongForm(resource, form.kind, isList)
  if (isList) {
    const { items, metadata } = await listing(context)
    const list: KubeList = {
      kind: form.kind,
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: items.map(view),
    }
    return valueAnswer(200, list)
  }
  if (info.verb === 'get') return valueAnswer(200, view(await readStored(context)))
  return showObject(context, form, await serveVerb(context))
}

/** The real server names the type that it holds in memory. */
function wrongForm(resource: Resource, form: Partial['kind'], isList: boolean): StatusError {
  const kind = isList ? resource.listKind : resource.kind
  const home = resource.group === '' || resource.group === 'events.k8s.io' ? 'core' : resource.group.split('.')[0]
  const type = resource.isCustom ? `unstructured.Unstructured${isList ? 'List' : ''}` : `${home}.${kind}`
  const what = isList ? 'a list' : 'not a list'
  return new StatusError(406, 'NotAcceptable', `you requested ${form}, but the requested object is ${what} (*${type})`)
}

async function serveTable(context: RequestContext, version: string): Promise<ApiResponse> {
  const { info } = context
  // A bad query is refused before the stream begins, not in the middle of it.
  includeObject(context.request.query)
  if (info.verb === 'watch') return serveWatch(context, tableView(context, version))
  if (info.verb === 'list') {
    const { items, metadata } = await listing(context)
    return valueAnswer(200, table(context, version, items, metadata))
  }
  if (info.verb === 'get') {
    const stored = await readStored(context)
    return valueAnswer(200, table(context, version, [stored], { resourceVersion: String(stored.revision) }))
  }
  return showObject(context, { as: 'table', version }, await serveVerb(context))
}

/** The first event of a watch carries the columns, later ones do not. */
function tableView(context: RequestContext, version: string): EventView {
  let isFirst = true
  const show = (stored: Stored): Table => {
    const shown = table(context, version, [stored], { resourceVersion: String(stored.revision) }, isFirst)
    isFirst = false
    return shown
  }
  return {
    value: show,
    bookmark: object => show({ key: '', revision: Number(object.metadata.resourceVersion), object }),
  }
}

function table(
  { resource, env, request }: RequestContext,
  version: string,
  items: readonly Stored[],
  metadata: ListMeta,
  withColumns = true,
): Table {
  const include = includeObject(request.query)
  return tableOf(resource, items, { version, include, now: env.clock.now(), metadata, withColumns })
}

function tableOfObject(context: RequestContext, version: string, object: KubeObject): Table {
  const stored: Stored = { key: '', revision: Number(object.metadata.resourceVersion ?? 0), object }
  return table(context, version, [stored], { resourceVersion: String(stored.revision) })
}
