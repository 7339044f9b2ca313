import { type Client, isAlreadyExists, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import { isFinal } from '../plan/phase.ts'
import { LABEL } from '../pods/labels.ts'
import type { Workflow, WorkflowSpec, WorkflowStatus } from '../spec/workflow.ts'

const BUDGET = kindRef<KubeObject>('policy/v1', 'PodDisruptionBudget')

/** Keeps the PodDisruptionBudget that a Workflow asks for as long as it runs: it has the Workflow's name, and selects its pods. */
export interface DisruptionBudgets {
  /** Makes or removes it, as the run stands. Throws when that has to be tried again. */
  keep(workflow: Workflow, spec: WorkflowSpec, status: WorkflowStatus): Promise<void>
}

export function createDisruptionBudgets(client: Client): DisruptionBudgets {
  /** Of runs, by uid, whose budget is there. */
  const made = new Set<string>()
  return {
    async keep({ apiVersion, kind, metadata }, { podDisruptionBudget: wanted }, { phase }) {
      if (wanted === undefined || wanted === null || !phase || phase === 'Pending') return
      const { name = '', namespace = '', uid = '' } = metadata
      if (isFinal(phase)) {
        // An engine that begins looks at runs that were over long ago: nothing is to be removed of most of them.
        if (made.delete(uid) || (await isThere(client, namespace, name)))
          await client.delete({ ...BUDGET, namespace, name }).catch(unless(isNotFound))
        return
      }
      if (made.has(uid)) return
      const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
      const labels = { [LABEL.workflow]: name }
      const budget: KubeObject = {
        ...BUDGET,
        metadata: { name, namespace, labels, ownerReferences: [owner] },
        spec: { selector: { matchLabels: labels }, ...wanted },
      }
      await client.create(budget).catch(unless(isAlreadyExists))
      made.add(uid)
    },
  }
}

const isThere = (client: Client, namespace: string, name: string): Promise<boolean> =>
  client.get({ ...BUDGET, namespace, name }).then(
    () => true,
    (thrown: unknown) => {
      if (!isNotFound(thrown)) throw thrown
      return false
    },
  )

const unless = (isFine: (thrown: unknown) => boolean) => (thrown: unknown) => {
  if (!isFine(thrown)) throw thrown
}
