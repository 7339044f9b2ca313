import { asError, type Clock } from '@tiphys/env'
import { type Client, isAlreadyExists, isNotFound, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import type { ObservedMemo } from '../plan/plan.ts'
import { LABEL } from '../pods/labels.ts'
import type { Outputs } from '../spec/workflow.ts'
import { isPassing, tryAgain } from './passing-trouble.ts'

const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const CACHE = 'Cache'
/** A ConfigMap has at most 1 MiB. */
const MOST_BYTES = 1_000_000
/** Keeping something is not worth a long wait. */
const MOST_TRIES = 4

interface Entry {
  nodeID: string
  outputs?: Outputs
  creationTimestamp: string
  lastHitTimestamp: string
}

export interface MemoAccess {
  client: Client
  clock: Clock
}

export interface MemoPlace {
  namespace: string
  configMap: string
  key: string
}

/** What an earlier run has kept under a key. That it was found is noted, as upstream does: whoever cleans a cache goes by it. Throws
 *  when the cache cannot be read for now. */
export async function readMemo(
  { client }: Pick<MemoAccess, 'client'>,
  at: MemoPlace,
  now: string,
): Promise<ObservedMemo> {
  const { namespace, configMap: name, key } = at
  let entry: Entry
  try {
    const found = await client.get({ ...CONFIG_MAP, namespace, name })
    const problem = labelProblem(found)
    if (problem !== undefined) return { error: problem }
    const data = found.data ?? {}
    const text = Object.hasOwn(data, key) ? data[key] : undefined
    if (text === undefined || text === '') return {}
    entry = JSON.parse(text) as Entry
  } catch (thrown) {
    if (isPassing(thrown)) throw thrown
    if (isNotFound(thrown)) return {}
    return { error: `the cache ${name} cannot be used: ${asError(thrown).message}` }
  }
  // A cache that may not be written can still be read.
  await put(client, at, { ...entry, lastHitTimestamp: now }).catch(() => {})
  return { entry }
}

/** Keeps the outputs of a node under a key, in a ConfigMap that is made when it is missing. */
export async function saveMemo(
  { client, clock }: MemoAccess,
  at: MemoPlace,
  memo: { nodeId: string; outputs: Outputs | undefined; now: string },
): Promise<ObservedMemo> {
  const { namespace, configMap: name, key } = at
  const entry: Entry = {
    nodeID: memo.nodeId,
    ...(memo.outputs && { outputs: memo.outputs }),
    creationTimestamp: memo.now,
    lastHitTimestamp: memo.now,
  }
  const text = JSON.stringify(entry)
  const save = async (): Promise<ObservedMemo> => {
    const found = (await existing(client, namespace, name)) ?? (await made(client, namespace, name))
    const problem = labelProblem(found)
    if (problem !== undefined) return { error: problem }
    if (Buffer.byteLength(JSON.stringify({ ...found.data, [key]: text })) > MOST_BYTES)
      return {
        error: `the cache ${name} is full, a ConfigMap has at most 1 MiB; delete entries of it, or name another in memoize.cache`,
      }
    await put(client, at, entry)
    return { entry }
  }
  try {
    return await tryAgain({ clock, most: MOST_TRIES }, save)
  } catch (thrown) {
    return { error: `the cache ${name} cannot be written: ${asError(thrown).message}` }
  }
}

/** Changes the one entry, so that steps that end at the same time do not get in each other's way. */
async function put(client: Client, { namespace, configMap: name, key }: MemoPlace, entry: Entry): Promise<void> {
  const patch = { data: { [key]: JSON.stringify(entry) } }
  await client.patch({ ...CONFIG_MAP, namespace, name }, { type: 'merge', patch })
}

function existing(client: Client, namespace: string, name: string): Promise<ConfigMap | undefined> {
  return client.get({ ...CONFIG_MAP, namespace, name }).catch((thrown: unknown) => {
    if (isNotFound(thrown)) return undefined
    throw thrown
  })
}

async function made(client: Client, namespace: string, name: string): Promise<ConfigMap> {
  const metadata = { name, namespace, labels: { [LABEL.configMapType]: CACHE } }
  try {
    return await client.create<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
  } catch (thrown) {
    if (isAlreadyExists(thrown)) return client.get({ ...CONFIG_MAP, namespace, name })
    throw thrown
  }
}

function labelProblem({ metadata }: ConfigMap): string | undefined {
  if (metadata.labels?.[LABEL.configMapType] === CACHE) return undefined
  return `the ConfigMap ${metadata.name ?? ''} is no cache: it has to have the label ${LABEL.configMapType}: ${CACHE}`
}
