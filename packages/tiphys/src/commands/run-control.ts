import { TerminalFailure } from '@tiphys/env'
import type { WorkflowControl } from '@tiphys/events'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { type Flags, type Invocation, type RunCommand, textOf } from '../command.ts'
import { Instance } from '../session/instance.ts'
import { parametersOf } from '../session/parameters.ts'
import { parseSubject } from '../session/subject.ts'
import { workflowControl } from '../session/workflow-control.ts'
import { follow } from './submit.ts'

interface Ref {
  namespace: string
  name: string
}
type Act = (control: WorkflowControl, client: Client, ref: Ref, flags: Flags) => Promise<KubeObject>

/** Does something with the run that the command line names. */
export async function actOnRun(
  invocation: Invocation,
  instance: Instance,
  act: Act,
): Promise<{ ref: Ref; changed: KubeObject }> {
  const { operands, flags } = invocation
  const [given = ''] = operands
  const { client, namespace: usual } = await instance.cluster()
  const subject = parseSubject(given, textOf(flags, 'namespace'))
  if (subject.type !== 'run') throw new UsageFailure(`${given} is no run`, 'tiphys runs lists them')
  const ref = { namespace: subject.namespace ?? usual, name: subject.name }
  try {
    return { ref, changed: await act(await workflowControl(), client, ref, flags) }
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown
    throw new TerminalFailure('cli-not-found', {
      what: `there is no run ${ref.namespace}/${ref.name} in the cluster`,
      todo: 'tiphys runs lists them; -n names another namespace',
      cause: thrown,
    })
  }
}

const command =
  (done: string, act: Act): RunCommand =>
  invocation =>
    Instance.use(invocation, async instance => {
      const { ref } = await actOnRun(invocation, instance, act)
      const { flags, terminal } = invocation
      terminal.out.print(flags.json === true ? JSON.stringify(ref) : `Workflow ${ref.namespace}/${ref.name} ${done}`)
      return 0
    })

export const stop = command('is told to stop', (control, client, ref, flags) => {
  const message = textOf(flags, 'message')
  return control.stop(client, ref, message === undefined ? {} : { message })
})

export const terminate = command('is told to end at once', (control, client, ref) => control.terminate(client, ref))

export const suspend = command('is suspended', (control, client, ref) => control.suspend(client, ref))

export const resume = command('goes on', (control, client, ref, flags) => {
  const [node, outputs] = [textOf(flags, 'node'), parametersOf(flags)]
  return control.resume(client, ref, {
    ...(node !== undefined && { nodeFieldSelector: node }),
    ...(outputs && { outputs }),
  })
})

export const resubmit: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { changed } = await actOnRun(invocation, instance, (control, client, ref, flags) => {
      const parameters = parametersOf(flags)
      return control.resubmit(client, ref, {
        ...(flags.memoized === true && { memoized: true }),
        ...(parameters && { parameters }),
      })
    })
    return await follow(invocation, instance, [changed])
  })
