import { delay } from '@tiphys/env'
import type { KubeList, ListMeta } from '@tiphys/kube'
import type { Registry } from '../registry/registry.ts'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { type ListOptions, listOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, expired, resourceVersionTooLarge, type StatusError } from '../status-error.ts'
import { type Page, RevisionExpired } from '../storage/collection.ts'
import type { Stored } from '../storage/stored.ts'
import { tailOf, withType } from './answer.ts'
import { type ContinueToken, decodeContinue, encodeContinue, startAfter } from './continue-token.ts'
import { revisionProblem } from './revision.ts'
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
  const { resource, registry } = context
  const { accept } = selectorOf(resource, options.labelSelector, options.fieldSelector)
  const start = await startOf(registry, options)
  const page = readPage(context, options, accept, start)
  const metadata: ListMeta = { resourceVersion: String(page.revision) }
  if (page.next !== undefined) {
    const below = page.next.slice(prefixOf(context).length)
    metadata.continue = encodeContinue({ revision: page.revision, start: startAfter(below) })
    if (!accept) metadata.remainingItemCount = page.remaining
  }
  return { resource, items: page.items, metadata }
}

/** Where a page starts, and the state that it shows: the one now unless a revision says otherwise. */
interface Start {
  token?: ContinueToken
  revision?: number
}

async function startOf(registry: Registry, options: ListOptions): Promise<Start> {
  const { resourceVersion, resourceVersionMatch: match } = options
  if (options.continue === '') {
    const asked = await askedRevision(registry, resourceVersion)
    const isExact = match === 'Exact' || (pageSize(options) !== undefined && match === '')
    return asked !== undefined && asked !== 0 && isExact ? { revision: asked } : {}
  }
  if (resourceVersion !== '' && resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  const token = decodeContinue(options.continue)
  if (token.revision < 0) return { token }
  await untilRevision(registry, token.revision)
  return { token, revision: token.revision }
}

/** "0" means: whatever is at hand, all of it. */
function pageSize({ limit, resourceVersion }: ListOptions): number | undefined {
  return limit === undefined || limit <= 0 || resourceVersion === '0' ? undefined : limit
}

const namespaceOf = ({ resource, info }: RequestContext): string | undefined =>
  resource.namespaced && info.namespace !== '' ? info.namespace : undefined

function prefixOf(context: RequestContext): string {
  const namespace = namespaceOf(context)
  return namespace === undefined ? '' : `${namespace}/`
}

function readPage(
  context: RequestContext,
  options: ListOptions,
  accept: ((stored: Stored) => boolean) | undefined,
  { token, revision }: Start,
): Page & { revision: number } {
  const { storage } = context.registry
  try {
    const page = context.resource.collection.page({
      namespace: namespaceOf(context),
      from: token === undefined ? undefined : prefixOf(context) + token.start.slice(1),
      limit: pageSize(options),
      accept,
      revision: revision === storage.revision ? undefined : revision,
    })
    return { ...page, revision: revision ?? storage.revision }
  } catch (thrown) {
    if (!(thrown instanceof RevisionExpired)) throw thrown
    throw token === undefined
      ? expired('The resourceVersion for the provided list is too old.')
      : expiredContinue(token)
  }
}

/** The caller may go on from where it was, with what is there now, at the price of consistency. */
function expiredContinue({ start }: ContinueToken): StatusError {
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  )
  error.metadata = { continue: encodeContinue({ revision: -1, start }) }
  return error
}

const FUTURE_WAIT_MS = 3000

/** The resourceVersion of a list as a number. Waits a little for one that lies in the future. */
async function askedRevision(registry: Registry, text: string): Promise<number | undefined> {
  if (text === '') return undefined
  const problem = revisionProblem(text)
  if (problem !== undefined) throw badRequest(`invalid resource version: ${problem}`)
  await untilRevision(registry, Number(text))
  return Number(text)
}

export async function untilRevision({ storage, env }: Registry, revision: number): Promise<void> {
  if (revision <= storage.revision) return
  await delay(env.clock, FUTURE_WAIT_MS)
  if (revision > storage.revision) throw resourceVersionTooLarge(revision, storage.revision)
}

export async function serveList(context: RequestContext): Promise<ApiResponse> {
  const list = await listing(context)
  return { status: 200, headers: {}, body: { type: 'json', value: () => listValue(list), text: () => listText(list) } }
}

/** Lists of custom resources always say where they go on, if only that they do not. */
const shownMetadata = ({ resource, metadata }: Listing): ListMeta =>
  resource.isCustom ? { continue: '', ...metadata } : metadata

export function listValue(list: Listing): KubeList {
  const { resource, items } = list
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: shownMetadata(list),
    items: items.map(stored => {
      const object = withType(resource, resource.fromStorage(stored.object))
      if (resource.isCustom) return object
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
      return rest as typeof object
    }),
  }
}

function listText(list: Listing): string {
  const { resource, items } = list
  const apiVersion = apiVersionOf(resource)
  // Items of built-in lists carry neither kind nor apiVersion, those of custom resources do.
  const prefix = resource.isCustom ? `{"kind":"${resource.kind}","apiVersion":"${apiVersion}",` : '{'
  const texts = items.map(stored => prefix + tailOf(resource, stored))
  return `{"kind":"${resource.listKind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(shownMetadata(list))},"items":[${texts.join(',')}]}`
}
