import { Failure, TerminalFailure } from '@tiphys/env'
import type { WorkflowControl } from '@tiphys/events'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { type Flags, type Invocation, type RunCommand, textOf } from '../command.ts'
import { Instance, WORKFLOW } from '../session/instance.ts'
import { parametersOf, unknownParameters } from '../session/parameters.ts'
import { parseSubject, runsBeginning } from '../session/subject.ts'
import { runControl } from '../session/workflow-control.ts'
import { follow } from './submit.ts'

export interface Ref {
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
    return { ref, changed: await act(await runControl(instance), client, ref, flags) }
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown
    throw await notThere(instance, ref, thrown)
  }
}

/** What is deleted stays in the history, and tiphys runs goes on listing it. */
async function notThere(instance: Instance, ref: Ref, cause: unknown): Promise<TerminalFailure> {
  const name = `${ref.namespace}/${ref.name}`
  // A history that does not answer tells nothing more.
  const history = instance.isOwnCluster ? await instance.history() : undefined
  const known = await history?.run(ref).catch(() => undefined)
  if (!known) {
    const like = history ? await runsBeginning(history, ref.name).catch(() => []) : []
    return new TerminalFailure('cli-not-found', {
      what: `there is no run ${name} in the cluster`,
      todo: `tiphys runs lists them${like.length === 0 ? '' : `; the newest that begin so: ${like.join(', ')}`}; -n names another namespace`,
      cause,
    })
  }
  return new TerminalFailure('cli-not-found', {
    what: `the run ${name} is not in the cluster any more: it was deleted`,
    todo: `tiphys get run ${name} shows what it did; tiphys submit starts a new one`,
    cause,
  })
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
  const [node, outputs] = [nodeSelector(flags), parametersOf(flags)]
  return control
    .resume(client, ref, {
      mustWait: true,
      ...(node !== undefined && { nodeFieldSelector: node }),
      ...(outputs && { outputs }),
    })
    .catch(thrown => {
      if (!(thrown instanceof Failure) || thrown.code !== 'workflow-output-missing') throw thrown
      const { code, what, why = '' } = thrown
      throw new TerminalFailure(code, { what, why, todo: 'Give it with -p NAME=VALUE', cause: thrown })
    })
})

/** `--node build` is the step of that name; everything else is a selector as upstream has it. */
export function nodeSelector(flags: Flags): string | undefined {
  const node = textOf(flags, 'node')
  return node === undefined || node.includes('=') ? node : `displayName=${node}`
}

export const remove = command('is deleted; what it did is still shown by tiphys runs', async (_, client, ref) => {
  const workflow = await client.get<KubeObject>({ ...WORKFLOW, ...ref })
  await client.delete({ ...WORKFLOW, ...ref })
  return workflow
})

/** Says what of the parameters that are given a run does not know. */
export async function noteParameters({ flags, terminal }: Invocation, client: Client, ref: Ref): Promise<void> {
  const given = parametersOf(flags)
  if (!given) return
  const workflow = await client.get<KubeObject>({ ...WORKFLOW, ...ref })
  for (const note of unknownParameters(workflow, given)) terminal.err.print(`note: ${note}`)
}

export const resubmit: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { changed } = await actOnRun(invocation, instance, async (control, client, ref, flags) => {
      await noteParameters(invocation, client, ref)
      const parameters = parametersOf(flags)
      return await control
        .resubmit(client, ref, {
          ...(flags.memoized === true && { memoized: true }),
          ...(parameters && { parameters }),
        })
        .catch(thrown => {
          if (!(thrown instanceof Failure) || thrown.code !== 'workflows-cannot-retry') throw thrown
          throw new TerminalFailure(thrown.code, {
            what: `--memoized keeps what succeeded of a run that failed, and ${ref.name} did not fail`,
            todo: 'Leave it out to do everything again',
            cause: thrown,
          })
        })
    })
    return await follow(invocation, instance, [changed])
  })
