import type { MemoizationStatus, NodeStatus, Template } from '../spec/workflow.ts'
import { durationOf } from '../variables/duration-text.ts'
import type { Scope } from '../variables/scope.ts'
import { substitute } from '../variables/substitution.ts'
import { exportGlobals } from './outputs.ts'
import { setCondition } from './progress.ts'
import { type NewNode, NodeFault, type Run } from './run.ts'

const validKey = /^[a-zA-Z0-9][-a-zA-Z0-9]*$/

interface MemoCheck {
  /** Found in the cache, or waiting for it. */
  readonly done?: NodeStatus
  readonly node?: NodeStatus | undefined
  /** Not found: what the node is to remember. */
  readonly status?: MemoizationStatus | undefined
}

/** Looks into the cache before a node begins. A node that has looked has a memoizationStatus, and looks no more. */
export function checkMemo(
  run: Run,
  template: Template,
  scope: Scope,
  node: NodeStatus | undefined,
  shape: NewNode,
): MemoCheck {
  if (template.memoize === undefined || node?.memoizationStatus !== undefined) {
    return { node, status: node?.memoizationStatus }
  }
  const path = `templates.${template.name ?? ''}.memoize`
  const { key, maxAge, cache } = substitute(template.memoize, scope, { ...run.env, path })
  const configMap = cache?.configMap?.name
  if (configMap === undefined || configMap === '') throw new NodeFault(`${path}.cache.configMap.name is required`)
  if (!validKey.test(key)) {
    throw new NodeFault(
      `${path}.key: ${JSON.stringify(key)} is no key of a cache: it may have letters, digits and - only`,
    )
  }
  const id = run.id(shape.name)
  const found = run.observed.memos?.[id]
  if (found === undefined) {
    run.ask({ do: 'readMemo', nodeId: id, configMap, key })
    return { done: node ?? run.create(shape) }
  }
  if (found.error !== undefined) throw new NodeFault(`${path}: ${found.error}`)
  const { entry } = found
  const isFresh =
    entry !== undefined &&
    (maxAge === undefined || maxAge === '' || run.now - Date.parse(entry.creationTimestamp) < ageOf(maxAge, path))
  const status: MemoizationStatus = { hit: isFresh, key, cacheName: configMap }
  if (!isFresh)
    return { node: node === undefined ? undefined : run.update(node, { memoizationStatus: status }), status }
  const hit = run.update(node ?? run.create(shape), {
    phase: 'Succeeded',
    memoizationStatus: status,
    ...(entry.outputs === undefined ? {} : { outputs: entry.outputs }),
  })
  exportGlobals(run, hit.outputs)
  return { done: hit }
}

function ageOf(maxAge: string, path: string): number {
  try {
    return durationOf(maxAge)
  } catch (error) {
    throw new NodeFault(`${path}.maxAge: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Keeps what a node gave, when the cache did not have it. */
export function saveMemo(run: Run, node: NodeStatus): void {
  const memo = node.memoizationStatus
  if (memo === undefined || memo.hit || node.phase !== 'Succeeded') return
  const { entry, error } = run.observed.memos?.[node.id] ?? {}
  if (entry?.nodeID === node.id || error !== undefined) return
  run.ask({ do: 'saveMemo', nodeId: node.id, configMap: memo.cacheName, key: memo.key, outputs: node.outputs })
}

/** Whether something is still to be kept: whoever sees that a run is over finds its memos. After a crash nobody knows any more,
 *  and the next run does the work again. */
export function isSavingMemos(run: Run): boolean {
  for (const id of Object.keys(run.observed.memos ?? {})) {
    const node = run.node(id)
    if (node !== undefined) saveMemo(run, node)
  }
  return run.actions.some(action => action.do === 'saveMemo')
}

/** What could not be kept is said where it happened. The step itself has succeeded, and so has the run: the next one does the
 *  work again. */
export function noteMemoTroubles(run: Run): void {
  for (const [id, { error }] of Object.entries(run.observed.memos ?? {})) {
    const node = error === undefined ? undefined : run.node(id)
    if (node?.phase !== 'Succeeded' || node.memoizationStatus?.hit !== false) continue
    const message = `not memoized: ${error}`
    run.update(node, { message })
    setCondition(run, { type: 'MemoizationError', status: 'True', message: `${node.name}: ${message}` })
  }
}
