import type { KubeObject } from '@tiphys/kube'
import type { Workflow } from '../spec/workflow.ts'
import type { ServedObjects } from './served-objects.ts'

const LIMIT_LABEL = 'workflows.argoproj.io/parallelism-limit'

export interface Capacity {
  /** Whether runs like this are counted: what is stored of them decides about others then. */
  isLimited(workflow: Workflow): boolean
  /** Why a run that has not started has to wait; undefined when it need not. */
  hold(workflow: Workflow): string | undefined
  /** The runs that wait for room; none where nobody was held. */
  waiting(): readonly Workflow[]
}

/** How many runs may be under way at once: in all, and in a namespace. Higher priorities come first, then older ones. */
export function createCapacity(
  workflows: Pick<ServedObjects<Workflow>, 'list'>,
  namespaces: Pick<ServedObjects<KubeObject>, 'get'>,
  { engine, namespace: each }: { engine?: number; namespace?: number } = {},
): Capacity {
  const limitIn = (namespace: string): number | undefined => {
    const label = Number(namespaces.get(namespace)?.metadata.labels?.[LIMIT_LABEL] ?? Number.NaN)
    return Number.isInteger(label) && label > 0 ? label : each
  }
  const isFull = (limit: number | undefined, runs: readonly Workflow[], workflow: Workflow): boolean => {
    if (limit === undefined || limit <= 0) return false
    const running = runs.filter(other => other.status?.phase === 'Running' && !isGoing(other)).length
    const ahead = runs.filter(
      other => isWaiting(other) && !isGoing(other) && other !== workflow && comesBefore(other, workflow),
    ).length
    return running + ahead >= limit
  }
  const whyHeld = (workflow: Workflow): string | undefined => {
    if (!isWaiting(workflow)) return undefined
    const { namespace = '' } = workflow.metadata
    const limit = limitIn(namespace)
    if (engine === undefined && limit === undefined) return undefined
    if (isFull(limit, workflows.list(namespace), workflow))
      return `Workflow processing has been postponed because too many workflows are already running in the namespace ${namespace}`
    if (isFull(engine, workflows.list(), workflow))
      return 'Workflow processing has been postponed because too many workflows are already running'
    return undefined
  }
  // Mostly nobody is held, and whenever a run ends it is asked who.
  let hasHeld = false
  return {
    isLimited: ({ metadata: { namespace = '' } }) => engine !== undefined || limitIn(namespace) !== undefined,
    hold(workflow) {
      const why = whyHeld(workflow)
      if (why !== undefined) hasHeld = true
      return why
    },
    waiting() {
      const waiting = hasHeld ? workflows.list().filter(isWaiting) : []
      hasHeld = waiting.length > 0
      return waiting
    },
  }
}

const isWaiting = ({ status }: Workflow): boolean => ['', 'Pending'].includes(status?.phase ?? '')
/** It was deleted, and somebody holds it: nothing of it goes on. */
const isGoing = ({ metadata }: Workflow): boolean => metadata.deletionTimestamp !== undefined

function comesBefore(a: Workflow, b: Workflow): boolean {
  const [first, second] = [a.spec.priority ?? 0, b.spec.priority ?? 0]
  if (first !== second) return first > second
  const [older, newer] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  return older === newer ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : older < newer
}
