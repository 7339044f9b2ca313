import { asError } from '@tiphys/env'
import { type Client, isAlreadyExists, isConflict, isNotFound, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import type { ObservedMemo } from '../plan/plan.ts'
import { LABEL } from '../pods/labels.ts'
import type { Outputs } from '../spec/workflow.ts'

const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const CACHE = 'Cache'
const MOST_CONFLICTS = 10
/** A ConfigMap has at most 1 MiB. */
const MOST_BYTES = 1_000_000

interface Entry {
  nodeID: string
  outputs?: Outputs
  creationTimestamp: string
  lastHitTimestamp: string
}

/** What an earlier run has kept under a key. */
export async function readMemo(
  client: Client,
  { namespace, configMap, key }: { namespace: string; configMap: string; key: string },
): Promise<ObservedMemo> {
  try {
    const found = await client.get({ ...CONFIG_MAP, namespace, name: configMap })
    const problem = labelProblem(found)
    if (problem !== undefined) return { error: problem }
    const data = found.data ?? {}
    const text = Object.hasOwn(data, key) ? data[key] : undefined
    return text === undefined ? {} : { entry: JSON.parse(text) as Entry }
  } catch (thrown) {
    if (isNotFound(thrown)) return {}
    return { error: `the cache ${configMap} cannot be used: ${asError(thrown).message}` }
  }
}

/** Keeps the outputs of a node under a key, in a ConfigMap that is made when it is missing. */
export async function saveMemo(
  client: Client,
  at: { namespace: string; configMap: string; key: string },
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
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await client.get({ ...CONFIG_MAP, namespace, name }).catch((thrown: unknown) => {
        if (isNotFound(thrown)) return undefined
        throw thrown
      })
      if (!found) {
        const metadata = { name, namespace, labels: { [LABEL.configMapType]: CACHE } }
        await client.create<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [key]: text } })
        return { entry }
      }
      const problem = labelProblem(found)
      if (problem !== undefined) return { error: problem }
      const data = { ...found.data, [key]: text }
      if (JSON.stringify(data).length > MOST_BYTES)
        return { error: `the cache ${name} is full: a ConfigMap has at most 1 MiB; use another, or delete old entries` }
      await client.update({ ...found, data })
      return { entry }
    } catch (thrown) {
      if ((isConflict(thrown) || isAlreadyExists(thrown)) && attempt < MOST_CONFLICTS) continue
      return { error: `the cache ${name} cannot be written: ${asError(thrown).message}` }
    }
  }
}

function labelProblem({ metadata }: ConfigMap): string | undefined {
  if (metadata.labels?.[LABEL.configMapType] === CACHE) return undefined
  return `the ConfigMap ${metadata.name ?? ''} is no cache: it has to have the label ${LABEL.configMapType}: ${CACHE}`
}
