import { Failure, TerminalFailure } from '@tiphys/env'
import type { WorkflowControl } from '@tiphys/events'
import type { Client, KubeObject } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { type Invocation, type RunCommand, textOf } from '../command.ts'
import { parkedTargets, performAction } from '../session/action.ts'
import { Instance, WORKFLOW } from '../session/instance.ts'
import { parametersOf } from '../session/parameters.ts'
import { treeOfWorkflow } from '../session/run-tree.ts'
import { actOnRun, nodeSelector, noteParameters, type Ref } from './run-control.ts'
import { follow } from './submit.ts'

/** What says nothing of deliveries. */
const OF_RUNS = ['node', 'restart-successful', 'parameter', 'watch']

/** `tiphys retry RUN|EVENT|sensor/NAME[/TRIGGER]` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags } = invocation
    const [subject = ''] = operands
    const { client, namespace } = await instance.cluster()
    const targets = await parkedTargets(subject, namespace, () => instance.history())
    const ofRun = OF_RUNS.find(name => flags[name] !== undefined)
    if (targets.length > 0 && ofRun !== undefined)
      throw new UsageFailure(`--${ofRun} is of runs, and ${subject} is none`, 'Leave it out')
    let code = 0
    for (const { namespace, spec } of targets)
      code = Math.max(code, await performAction(invocation, client, { kind: 'Retry', namespace, spec }))
    if (targets.length > 0) return code
    if (flags['restart-successful'] === true && flags.node === undefined)
      throw new UsageFailure('--restart-successful needs --node STEP', 'It is the step from which the run starts over')
    const { changed } = await actOnRun(invocation, instance, (control, client, ref) =>
      retryRun(invocation, control, client, ref),
    )
    return await follow(invocation, instance, [changed], 'is tried again')
  })

/** With `--node` it goes on from there, whether that step succeeded or not. */
async function retryRun(invocation: Invocation, control: WorkflowControl, client: Client, ref: Ref) {
  const { flags } = invocation
  const [node, parameters] = [nodeSelector(flags), parametersOf(flags)]
  await mustHaveStep(client, ref, textOf(flags, 'node'))
  await noteParameters(invocation, client, ref)
  try {
    return await control.retry(client, ref, {
      ...(node !== undefined && { nodeFieldSelector: node, restartSuccessful: true }),
      ...(parameters && { parameters }),
    })
  } catch (thrown) {
    const isOver = thrown instanceof Failure && thrown.code === 'workflows-cannot-retry'
    if (!isOver || !thrown.what.includes('Succeeded')) throw thrown
    const todo = `Name the step to start over from with --node STEP, or start all of it with tiphys resubmit ${ref.name}`
    throw new TerminalFailure(thrown.code, { what: thrown.what, todo, cause: thrown })
  }
}

/** A name that no step has would select nothing. */
async function mustHaveStep(client: Client, { namespace, name }: Ref, step: string | undefined): Promise<void> {
  if (step === undefined || step.includes('=')) return
  const { steps } = treeOfWorkflow(await client.get<KubeObject>({ ...WORKFLOW, namespace, name }))
  const names = new Set(steps.filter(({ type }) => type !== 'StepGroup').map(({ name }) => name))
  if (names.size === 0 || names.has(step)) return
  throw new TerminalFailure('cli-not-found', {
    what: `the run ${name} has no step ${step}`,
    todo: `It has ${[...names].join(', ')}`,
  })
}
