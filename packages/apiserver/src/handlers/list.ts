import { delay } from '@tiphys/env'
import type { KubeList, ListMeta } from '@tiphys/kube'
import type { Registry } from '../registry/registry.ts'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type ListOptions, listOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, expired, resourceVersionTooLarge, StatusError } from '../status-error.ts'
import { type Page, RevisionExpired } from '../storage/collection.ts'
import type { Stored } from '../storage/stored.ts'
import { tailOf, withType } from './answer.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { selectorOf } from './selector.ts'

export interface Listing {
  resource: Resource
  items: Stored[]
  metadata: ListMeta
}

/** Lists a collection: one page, at one revision. */
export async function listing(
  context: RequestContext,
  options: ListOptions = listOptions(context.request.query),
): Promise<Listing> {
  const { resource, registry, info } = context
  const selector = selectorOf(resource, options.labelSelector, options.fieldSelector)
  const asked = await askedRevision(registry, options)
  const page = readPage(context, options, selector.accept, asked)
  const metadata: ListMeta = { resourceVersion: String(page.revision) }
  if (page.next !== undefined) {
    const prefix = resource.namespaced && info.namespace !== '' ? `${info.namespace}/` : ''
    metadata.continue = encodeContinue(page.revision, `/${page.next.slice(prefix.length)}`)
    if (!selector.accept) metadata.remainingItemCount = page.remaining
  }
  const settled = registry.storage.settled()
  if (settled) await settled
  return { resource, items: page.items, metadata }
}

function readPage(
  { resource, registry, info }: RequestContext,
  options: ListOptions,
  accept: ((stored: Stored) => boolean) | undefined,
  asked: number | undefined,
): Page & { revision: number } {
  const namespace = resource.namespaced && info.namespace !== '' ? info.namespace : undefined
  // "0" means: whatever is at hand, all of it.
  const limit =
    options.limit === undefined || options.limit <= 0 || options.resourceVersion === '0' ? undefined : options.limit
  let after: string | undefined
  let revision: number | undefined
  if (options.continue !== '') {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const token = decodeContinue(options.continue)
    after = (namespace === undefined ? '' : `${namespace}/`) + token.after.replace(/^\//, '')
    revision = token.revision < 0 ? undefined : token.revision
  } else if (
    asked !== undefined &&
    asked !== 0 &&
    (options.resourceVersionMatch === 'Exact' || (limit !== undefined && options.resourceVersionMatch === ''))
  ) {
    revision = asked
  }
  const isNow = revision === undefined || revision === registry.storage.revision
  try {
    const page = resource.collection.page({ namespace, after, limit, accept, revision: isNow ? undefined : revision })
    return { ...page, revision: revision ?? registry.storage.revision }
  } catch (thrown) {
    if (!(thrown instanceof RevisionExpired)) throw thrown
    if (after === undefined) throw expired('The resourceVersion for the provided list is too old.')
    throw expiredContinue(after.slice(namespace === undefined ? 0 : namespace.length + 1))
  }
}

/** The caller may go on from where it was, with what is there now, at the price of consistency. */
function expiredContinue(after: string): StatusError {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'
  return Object.assign(expired(message), { listMeta: { continue: encodeContinue(-1, `/${after}`) } })
}

const FUTURE_WAIT_MS = 3000

/** The resourceVersion of the request as a number. Waits a little for one that lies in the future. */
export async function askedRevision(
  registry: Registry,
  options: { resourceVersion: string },
): Promise<number | undefined> {
  if (options.resourceVersion === '') return undefined
  const asked = parseRevision(options.resourceVersion)
  if (asked > registry.storage.revision) {
    await delay(registry.env.clock, FUTURE_WAIT_MS)
    if (asked > registry.storage.revision) throw resourceVersionTooLarge(asked, registry.storage.revision)
  }
  return asked
}

export function parseRevision(text: string): number {
  if (!/^\d+$/.test(text)) throw badRequest(`invalid resource version: ${invalidRevision(text)}`)
  return Number(text)
}

export const invalidRevision = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`

export async function serveList(context: RequestContext): Promise<ApiResponse> {
  const list = await listing(context)
  return { status: 200, headers: {}, body: { type: 'json', value: () => listValue(list), text: () => listText(list) } }
}

export function listValue({ resource, items, metadata }: Listing): KubeList {
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata,
    items: items.map(stored => {
      const object = withType(resource, resource.fromStorage(stored.object))
      if (resource.isCustom) return object
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
      return rest as typeof object
    }),
  }
}

function listText({ resource, items, metadata }: Listing): string {
  const apiVersion = apiVersionOf(resource)
  // Items of built-in lists carry neither kind nor apiVersion, those of custom resources do.
  const prefix = resource.isCustom ? `{"kind":"${resource.kind}","apiVersion":"${apiVersion}",` : '{'
  const texts = items.map(stored => prefix + tailOf(resource, stored))
  return `{"kind":"${resource.listKind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${texts.join(',')}]}`
}
