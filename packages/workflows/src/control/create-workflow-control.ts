import { TerminalFailure, uuid } from '@tiphys/env'
import { type Client, isConflict, isNotFound } from '@tiphys/kube'
import { POD, WORKFLOW } from '../engine/engine-context.ts'
import { createStatusKeeper, isElsewhere, type StatusKeeper } from '../engine/status-keeper.ts'
import { resubmitRun, retryRun } from '../plan/retry-run.ts'
import { ANNOTATION } from '../pods/labels.ts'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'
import { dispatchEvent } from './event-dispatch.ts'
import { createNodeSelector } from './node-selector.ts'
import { submit, submitFrom, withOptions } from './submission.ts'
import type { RetryOptions, WorkflowControl, WorkflowControlOptions, WorkflowRef } from './workflow-control.ts'

const MOST_CONFLICTS = 10

export function createWorkflowControl({ env, instanceId, artifacts }: WorkflowControlOptions): WorkflowControl {
  const statuses = createStatusKeeper(artifacts)
  const now = () => env.clock.now()
  const time = () => new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    submit,
    submitFrom: (client, from, options) => submitFrom(client, from, options, time()),
    async resubmit(client, ref, { memoized = false, parameters, ...options }) {
      const workflow = await read(client, statuses, ref)
      if (memoized) mustBeHere(workflow)
      const name = options.name ?? generatedName(options.generateName ?? prefixOf(workflow), uuid(env.random))
      const fresh = resubmitRun(workflow, { now: now(), name, memoized, ...(parameters && { parameters }) })
      const { name: _, generateName: __, ...rest } = options
      return submit(client, await stored(statuses, withOptions(fresh, { ...rest, name })))
    },
    retry: (client, ref, options = {}) => retry(client, statuses, ref, options, now()),
    suspend: (client, ref, options = {}) =>
      change(client, statuses, ref, options.annotations, workflow => {
        mustRun(workflow, 'suspended')
        return { ...workflow, spec: { ...workflow.spec, suspend: true } }
      }),
    resume: (client, ref, { nodeFieldSelector, outputs = {}, mustWait = false, annotations } = {}) =>
      change(client, statuses, ref, annotations, workflow => {
        if (nodeFieldSelector !== undefined) mustBeHere(workflow)
        const { suspend: _, ...spec } = workflow.spec
        const isMeant = createNodeSelector(nodeFieldSelector)
        if (mustWait) checkWaiting(workflow, nodeFieldSelector, isMeant, outputs)
        const resumed = withNodes(workflow, isMeant, node => resumedNode(node, outputs, time()))
        return nodeFieldSelector === undefined ? { ...resumed, spec } : resumed
      }),
    stop: (client, ref, { nodeFieldSelector, message, annotations } = {}) => {
      // The engine, which says how a run ended, would write over a message in the status.
      const isNoted = nodeFieldSelector === undefined && message !== undefined
      const notes = { ...annotations, ...(isNoted && { [ANNOTATION.stopMessage]: message }) }
      return change(client, statuses, ref, notes, workflow => {
        mustRun(workflow, 'stopped')
        if (nodeFieldSelector === undefined) return { ...workflow, spec: { ...workflow.spec, shutdown: 'Stop' } }
        const isMeant = createNodeSelector(nodeFieldSelector)
        return withNodes(workflow, isMeant, node => ({
          ...node,
          phase: 'Failed',
          finishedAt: time(),
          message: message ?? 'stopped',
        }))
      })
    },
    dispatch: (client, event) => dispatchEvent(client, event, { env, ...(instanceId !== undefined && { instanceId }) }),
    terminate: (client, ref, options = {}) =>
      change(client, statuses, ref, options.annotations, workflow => {
        mustRun(workflow, 'terminated')
        return { ...workflow, spec: { ...workflow.spec, shutdown: 'Terminate' } }
      }),
  }
}

const read = async (client: Client, statuses: StatusKeeper, ref: WorkflowRef): Promise<Workflow> =>
  statuses.whole(await client.get({ ...WORKFLOW, ...ref }))

const stored = async (statuses: StatusKeeper, workflow: Workflow): Promise<Workflow> =>
  workflow.status ? { ...workflow, status: await statuses.stored(workflow, workflow.status) } : workflow

/** Reads, changes, writes; again when somebody else was faster. */
async function change(
  client: Client,
  statuses: StatusKeeper,
  ref: WorkflowRef,
  annotations: Record<string, string> | undefined,
  edit: (workflow: Workflow) => Workflow,
): Promise<Workflow> {
  for (let conflicts = 1; ; conflicts++) {
    const before = await read(client, statuses, ref)
    const after = edit(before)
    const metadata = { ...after.metadata, annotations: { ...after.metadata.annotations, ...annotations } }
    try {
      return await client.update(await stored(statuses, { ...after, metadata }))
    } catch (thrown) {
      if (!isConflict(thrown) || conflicts === MOST_CONFLICTS) throw thrown
    }
  }
}

/** The pods of the steps that are done again go first: the new ones get their names. */
async function retry(
  client: Client,
  statuses: StatusKeeper,
  ref: WorkflowRef,
  options: RetryOptions,
  now: number,
): Promise<Workflow> {
  const { nodeFieldSelector, restartSuccessful = false, parameters, annotations } = options
  const isMeant = createNodeSelector(nodeFieldSelector)
  if (restartSuccessful && nodeFieldSelector === undefined)
    throw new TerminalFailure('workflow-selector-missing', {
      what: 'Nothing says which of the successful steps to restart',
      todo: 'Give a node field selector, for example displayName=build',
    })
  const planned = {
    now,
    ...(parameters && { parameters }),
    ...(restartSuccessful && { restart: isMeant }),
  }
  const before = await read(client, statuses, ref)
  mustBeHere(before)
  const { deletePods } = retryRun(before, planned)
  await Promise.all(
    deletePods.map(({ podName }) =>
      client.delete({ ...POD, namespace: ref.namespace, name: podName }).catch((thrown: unknown) => {
        if (!isNotFound(thrown)) throw thrown
      }),
    ),
  )
  return change(client, statuses, ref, annotations, workflow => retryRun(workflow, planned).workflow)
}

/** Whoever looks at nodes has to have them. */
function mustBeHere({ metadata, status = {} }: Workflow): void {
  if (!isElsewhere(status)) return
  throw new TerminalFailure('workflow-status-elsewhere', {
    what: `Parts of the workflow ${metadata.name ?? ''} are in the artifact store, because it is too large`,
    why: 'the artifact store cannot be reached from here',
    todo: 'Use the command or the console of the instance that runs it',
  })
}

function mustRun({ metadata, status }: Workflow, what: string): void {
  const phase = status?.phase ?? ''
  if (!['Succeeded', 'Failed', 'Error'].includes(phase)) return
  throw new TerminalFailure('workflow-is-over', {
    what: `The workflow ${metadata.name ?? ''} cannot be ${what}`,
    why: `it is over: ${phase}`,
  })
}

/** Somebody who resumes a run wants something to go on, and gives outputs to a step that asks for them. */
function checkWaiting(
  workflow: Workflow,
  selector: string | undefined,
  isMeant: (node: NodeStatus) => boolean,
  outputs: Readonly<Record<string, string>>,
): void {
  mustRun(workflow, 'resumed')
  const name = workflow.metadata.name ?? ''
  // The nodes of a large run may be elsewhere: what they wait for cannot be seen from here.
  if (isElsewhere(workflow.status ?? {})) return
  const waiting = Object.values(workflow.status?.nodes ?? {}).filter(isWaiting)
  const meant = waiting.filter(isMeant)
  if (meant.length === 0 && (selector !== undefined || workflow.spec.suspend !== true))
    throw new TerminalFailure('workflow-not-waiting', {
      what: `Nothing of the workflow ${name} waits to be resumed`,
      why:
        waiting.length === 0
          ? 'it is not suspended, and none of its steps is'
          : `the selector chooses none of the steps that wait: ${waiting.map(node => node.displayName).join(', ')}`,
    })
  const asked = new Set(meant.flatMap(node => (node.outputs?.parameters ?? []).map(parameter => parameter.name)))
  const unknown = Object.keys(outputs).find(output => !asked.has(output))
  if (unknown !== undefined)
    throw new TerminalFailure('workflow-output-unknown', {
      what: `No step of the workflow ${name} that waits asks for ${unknown}`,
      why: asked.size === 0 ? 'they ask for nothing' : `they ask for ${[...asked].join(', ')}`,
    })
}

const isWaiting = ({ type, phase }: NodeStatus): boolean => type === 'Suspend' && phase === 'Running'

/** Suspended steps that are meant, changed. */
function withNodes(
  workflow: Workflow,
  isMeant: (node: NodeStatus) => boolean,
  edit: (node: NodeStatus) => NodeStatus,
): Workflow {
  const nodes = Object.entries(workflow.status?.nodes ?? {}).map(
    ([id, node]) => [id, isWaiting(node) && isMeant(node) ? edit(node) : node] as const,
  )
  return { ...workflow, status: { ...workflow.status, nodes: Object.fromEntries(nodes) } }
}

function resumedNode(node: NodeStatus, outputs: Readonly<Record<string, string>>, finishedAt: string): NodeStatus {
  const parameters = (node.outputs?.parameters ?? []).map(parameter => {
    const given = Object.hasOwn(outputs, parameter.name) ? outputs[parameter.name] : undefined
    const value = given ?? parameter.value ?? parameter.valueFrom?.default
    if (value === undefined || value === null)
      throw new TerminalFailure('workflow-output-missing', {
        what: `The step ${node.displayName} cannot be resumed`,
        why: `nobody gives its output parameter ${parameter.name}, and it has no default`,
      })
    const { valueFrom: _, ...rest } = parameter
    return { ...rest, value }
  })
  return {
    ...node,
    phase: 'Succeeded',
    finishedAt,
    ...(node.progress !== undefined && { progress: '1/1' }),
    ...(parameters.length > 0 && { outputs: { ...node.outputs, parameters } }),
  }
}

const generatedName = (prefix: string, random: string): string =>
  `${prefix.slice(0, 53)}${random.replaceAll('-', '').slice(0, 5)}`

const prefixOf = ({ metadata }: Workflow): string => metadata.generateName ?? `${metadata.name ?? 'workflow'}-`
