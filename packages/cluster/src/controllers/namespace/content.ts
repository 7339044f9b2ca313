import type { Client, ResourceInfo } from '@tiphys/kube'
import { ApiError, formatApiVersion, isNotFound, kindRef } from '@tiphys/kube'

/** What is left of one kind in a namespace after its deletion was asked for. */
export interface Remainder {
  resource: ResourceInfo
  count: number
  /** How many objects wait for each finalizer. */
  finalizers: ReadonlyMap<string, number>
  /** After how many seconds it may be gone; 0 when it is gone, or should be. */
  estimateSeconds: number
  error?: Error
}

/** How long finalizers of other parties are given, as a guess. */
const FINALIZER_ESTIMATE_SECONDS = 15

/** Deletes all objects of a kind in a namespace and says what is left. */
export async function deleteContent(
  client: Client,
  resource: ResourceInfo,
  namespace: string,
  /** For how long the namespace has been on its way out. */
  ageMs: number,
): Promise<Remainder> {
  const nothing: Remainder = { resource, count: 0, finalizers: new Map(), estimateSeconds: 0 }
  let estimateSeconds = 0
  try {
    if ((await namesIn(client, resource, namespace)).length === 0) return nothing
    const grace = isPods(resource) ? await longestGracePeriod(client, namespace) : 0
    estimateSeconds = ageMs >= grace * 1000 ? 0 : grace
    await deleteAll(client, resource, namespace)
    const left = await namesIn(client, resource, namespace)
    if (left.length === 0) return nothing
    const finalizers = countFinalizers(left)
    if (estimateSeconds === 0 && finalizers.size > 0) estimateSeconds = FINALIZER_ESTIMATE_SECONDS
    const remainder = { resource, count: left.length, finalizers, estimateSeconds }
    if (estimateSeconds > 0) return remainder
    const { group, version, resource: name } = resource
    const error = `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${name}`
    return { ...remainder, error: new Error(error) }
  } catch (thrown) {
    // A kind that went away meanwhile has nothing left.
    if (isNotFound(thrown)) return nothing
    return { ...nothing, estimateSeconds, error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }
}

export const isPods = ({ group, resource }: ResourceInfo): boolean => group === '' && resource === 'pods'

async function namesIn(client: Client, resource: ResourceInfo, namespace: string) {
  if (!resource.verbs.includes('list')) return []
  const { items } = await client.listAll({ ...selectionOf(resource), namespace }, { metadataOnly: true })
  return items
}

async function deleteAll(client: Client, resource: ResourceInfo, namespace: string): Promise<void> {
  // Nothing is orphaned here: all of it goes.
  const options = { propagationPolicy: 'Background' } as const
  if (resource.verbs.includes('deletecollection')) {
    await client.deleteCollection({ ...selectionOf(resource), namespace }, options)
    return
  }
  for (const { metadata } of await namesIn(client, resource, namespace)) {
    try {
      await client.delete({ ...selectionOf(resource), namespace, name: metadata.name ?? '' }, options)
    } catch (thrown) {
      if (!isNotFound(thrown) && !(thrown instanceof ApiError && thrown.statusCode === 405)) throw thrown
    }
  }
}

async function longestGracePeriod(client: Client, namespace: string): Promise<number> {
  const { items } = await client.listAll({ ...kindRef('v1', 'Pod'), namespace })
  const alive = items.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
  return Math.max(0, ...alive.map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0))
}

function countFinalizers(objects: readonly { metadata: { finalizers?: string[] } }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { metadata } of objects) {
    for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  }
  return counts
}

const selectionOf = (resource: ResourceInfo) => ({ apiVersion: formatApiVersion(resource), kind: resource.kind })
