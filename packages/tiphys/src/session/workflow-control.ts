import { Failure, systemEnv, TerminalFailure } from '@tiphys/env'
import type { WorkflowControl } from '@tiphys/events'
import type { Client, KubeObject } from '@tiphys/kube'
import type { Instance } from './instance.ts'

/** What people do with runs, through the API. */
export async function workflowControl(): Promise<WorkflowControl> {
  const { createWorkflowControl } = await import('@tiphys/workflows')
  return createWorkflowControl({ env: systemEnv })
}

/** What needs the steps of a run, which may be in the artifact store of the instance that runs it. */
const OF_STEPS = ['retry', 'resume', 'resubmit'] as const

type Ref = Parameters<WorkflowControl['retry']>[1]
type OfSteps = (client: Client, ref: Ref, options: object) => Promise<KubeObject>

/** The same; where parts of a run cannot be reached from here the running instance does it. */
export async function runControl(instance: Pick<Instance, 'isOwnCluster' | 'call'>): Promise<WorkflowControl> {
  const own = await workflowControl()
  const reaching = OF_STEPS.map(action => {
    const here: OfSteps = own[action]
    const act: OfSteps = (client, ref, options) =>
      here(client, ref, options).catch(async thrown => {
        if (!(thrown instanceof Failure) || thrown.code !== 'workflow-status-elsewhere') throw thrown
        if (instance.isOwnCluster) return (await instance.call('actOnRun', action, ref, options)) as KubeObject
        const { code, what, why = '' } = thrown
        const todo = `Call it without --kubeconfig and --context on the data folder of the instance that runs it (--data DIR), while that runs, or begin anew with tiphys resubmit ${ref.name}`
        throw new TerminalFailure(code, { what, why, todo, cause: thrown })
      })
    return [action, act] as const
  })
  return { ...own, ...Object.fromEntries(reaching) }
}

/** What `runControl` asks of an instance, which has the artifacts. */
export const actOnRun =
  (control: WorkflowControl, client: Client) =>
  async (action: (typeof OF_STEPS)[number], ref: Ref, options: object): Promise<KubeObject> => {
    if (!OF_STEPS.includes(action)) throw new TerminalFailure('cli-unknown-call', { what: `there is no ${action}` })
    return await control[action](client, ref, options)
  }
