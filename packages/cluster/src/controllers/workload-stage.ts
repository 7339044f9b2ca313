import { kindRef } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { formatTime } from '../timestamp.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { createStage, type Stage } from './stage.ts'

/** A stage where the test plays the kubelet: it says which pods become ready, or lets `keepReady` do it for all. */
export interface WorkloadStage extends Stage {
  pods(): Promise<Pod[]>
  setReady(pod: Pod, isReady?: boolean): Promise<void>
  setPhase(pod: Pod, phase: string): Promise<void>
  /** Makes every pod ready, until nothing changes any more. */
  keepReady(): Promise<void>
}

export async function createWorkloadStage(
  create: readonly ((context: ControllerContext) => Controller)[],
): Promise<WorkloadStage> {
  const stage = await createStage(...create)
  const { client, clock } = stage

  const pods = async () => {
    const { items } = await client.list({ ...kindRef('v1', 'Pod'), namespace: 'default' })
    return items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  }

  const setStatus = async (pod: Pod, phase: string, isReady: boolean) => {
    const lastTransitionTime = formatTime(clock.now())
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }]
    const { namespace = '', name = '' } = pod.metadata
    const patch = { type: 'merge', patch: { status: { phase, conditions } } } as const
    await client.patch({ ...kindRef('v1', 'Pod'), namespace, name }, patch, { subresource: 'status' })
  }

  return {
    ...stage,
    pods,
    setReady: (pod, isReady = true) => setStatus(pod, 'Running', isReady),
    setPhase: (pod, phase) => setStatus(pod, phase, false),
    async keepReady() {
      for (;;) {
        await stage.settle()
        const starting = (await pods()).filter(pod => pod.status?.phase === 'Pending')
        if (starting.length === 0) return
        for (const pod of starting) await setStatus(pod, 'Running', true)
      }
    },
  }
}
