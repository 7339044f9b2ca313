import { type Client, isConflict } from '@tiphys/kube'
import type { Plan } from '../plan/plan.ts'
import type { Workflow } from '../spec/workflow.ts'
import type { StatusKeeper } from './status-keeper.ts'

/** Stores what was planned for a run: status, labels and annotations, in one request. Returns undefined when the Workflow
 *  has changed meanwhile, and planning has to look again. */
export async function storePlan(
  client: Client,
  statuses: StatusKeeper,
  stored: Workflow,
  plan: Plan,
): Promise<Workflow | undefined> {
  const { labels = {}, annotations = {} } = stored.metadata
  const isLabelled = isWithin(plan.labels, labels) && isWithin(plan.annotations, annotations)
  if (!plan.changed && isLabelled) return stored
  // Who manages which field is the server's to say; without it the request is half as large.
  const { managedFields: _managers, ...metadata } = stored.metadata
  const next: Workflow = {
    ...stored,
    metadata: {
      ...metadata,
      labels: { ...labels, ...plan.labels },
      annotations: { ...annotations, ...plan.annotations },
    },
    status: plan.changed ? await statuses.stored(stored, plan.status) : (stored.status ?? plan.status),
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
