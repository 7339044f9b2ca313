import { type Client, isConflict, type KubeObject } from '@tiphys/kube'
import type { Plan } from '../plan/plan.ts'
import type { Workflow } from '../spec/workflow.ts'
import { compressed, decompressed } from './node-compression.ts'

/** Stores what was planned for a run: status, labels and annotations, in one request. Returns undefined when the Workflow
 *  has changed meanwhile, and planning has to look again. */
export async function storePlan(client: Client, stored: Workflow, plan: Plan): Promise<Workflow | undefined> {
  const { labels = {}, annotations = {} } = stored.metadata
  const isLabelled = isWithin(plan.labels, labels) && isWithin(plan.annotations, annotations)
  if (!plan.changed && isLabelled) return stored
  const next: Workflow = {
    ...stored,
    metadata: {
      ...stored.metadata,
      labels: { ...labels, ...plan.labels },
      annotations: { ...annotations, ...plan.annotations },
    },
    status: plan.changed ? compressed(plan.status) : (stored.status ?? plan.status),
  }
  try {
    return await client.update(next, { fieldManager: 'tiphys-workflows' })
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown
    return undefined
  }
}

const isWithin = (wanted: Readonly<Record<string, string>>, there: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, value]) => there[name] === value)

/** Reads Workflows in full; each version is decoded once. */
export function createRunReader(): (workflow: Workflow) => Workflow {
  const known = new WeakMap<KubeObject, Workflow>()
  return workflow => {
    const before = known.get(workflow)
    if (before) return before
    const full = decompressed(workflow)
    known.set(workflow, full)
    return full
  }
}
