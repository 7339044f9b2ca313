import { asError } from '@tiphys/env'
import { type Client, isAlreadyExists, type KubeObject, kindRef } from '@tiphys/kube'
import { isFinal } from '../plan/phase.ts'
import { LABEL } from '../pods/labels.ts'
import type { Workflow, WorkflowSpec, WorkflowStatus } from '../spec/workflow.ts'
import { isPassing } from './passing-trouble.ts'

const BUDGET = kindRef<KubeObject>('policy/v1', 'PodDisruptionBudget')

/** Keeps the PodDisruptionBudget that a Workflow asks for as long as it runs: it has the Workflow's name, and selects its pods. */
export interface DisruptionBudgets {
  /** Makes or removes it, as the run stands. Resolves with why it cannot be made; throws when that has to be tried again. */
  keep(workflow: Workflow, spec: WorkflowSpec, status: WorkflowStatus): Promise<string | undefined>
}

export function createDisruptionBudgets(client: Client): DisruptionBudgets {
  /** Of runs, by uid, whose budget is there. */
  const made = new Set<string>()
  return {
    async keep({ apiVersion, kind, metadata }, { podDisruptionBudget: wanted }, { phase }) {
      if (wanted === undefined || wanted === null || !phase || phase === 'Pending') return undefined
      const { name = '', namespace = '', uid = '' } = metadata
      if (isFinal(phase)) {
        // An engine that begins looks at runs that were over long ago: nothing is to be removed of most of them.
        if (made.delete(uid) || (await isThere(client, namespace, name)))
          // One that may not be removed goes with the Workflow.
          await client.delete({ ...BUDGET, namespace, name }).catch(unless(thrown => !isPassing(thrown)))
        return undefined
      }
      if (made.has(uid)) return undefined
      const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
      const labels = { [LABEL.workflow]: name }
      const budget: KubeObject = {
        ...BUDGET,
        metadata: { name, namespace, labels, ownerReferences: [owner] },
        spec: { selector: { matchLabels: labels }, ...wanted },
      }
      try {
        await client.create(budget)
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown
        if (!isAlreadyExists(thrown)) return `spec.podDisruptionBudget: it cannot be made: ${asError(thrown).message}`
      }
      made.add(uid)
      return undefined
    },
  }
}

const isThere = (client: Client, namespace: string, name: string): Promise<boolean> =>
  client.get({ ...BUDGET, namespace, name }).then(
    () => true,
    (thrown: unknown) => {
      if (isPassing(thrown)) throw thrown
      return false
    },
  )

const unless = (isFine: (thrown: unknown) => boolean) => (thrown: unknown) => {
  if (!isFine(thrown)) throw thrown
}
