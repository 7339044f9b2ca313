import { type Random, seededRandom } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import type { NodeStatus, Workflow, WorkflowStatus } from '../../spec/workflow.ts'
import type { Action } from '../action.ts'
import { isFinal } from '../phase.ts'
import { type Plan, plan } from '../plan.ts'
import { type Endings, SimulatedWorld } from './simulated-world.ts'

export interface SimulationOptions {
  /** Templates, ConfigMaps and what else the run needs. */
  objects?: readonly KubeObject[]
  endings?: Endings
  seed?: number
  /** How likely the engine dies between storing a status and acting. */
  crashes?: number
  now?: number
  /** Called after every plan; may change the Workflow or the world, as people do. */
  control?(workflow: Workflow, world: SimulatedWorld): Workflow
  /** Called when nothing goes on. True: something was done about it. */
  idle?(workflow: Workflow): Workflow | undefined
}

export interface Simulation {
  workflow: Workflow
  status: WorkflowStatus
  world: SimulatedWorld
  /** Every action that was carried out. */
  actions: readonly Action[]
  plans: number
  now: number
  node(rest: string): NodeStatus | undefined
}

const maxPlans = 20_000

/** Runs a Workflow to its end, or until nothing can go on. Time stands still while something can happen, and jumps to the next
 *  thing that waits for it otherwise. */
export function simulate(manifest: Workflow, options: SimulationOptions = {}): Simulation {
  const random = seededRandom(options.seed ?? 1)
  const world = new SimulatedWorld(options.objects ?? [], options.endings ?? (() => ({ phase: 'Succeeded' })), random)
  let now = options.now ?? Date.parse('2026-03-29T12:00:00Z')
  let workflow = prepared(manifest, now)
  const actions: Action[] = []
  let plans = 0
  for (; plans < maxPlans; plans++) {
    const planned = plan({ workflow, templates: world.templates, observed: world.observed(), now })
    workflow = stored(workflow, planned)
    if (crashed(random, options.crashes)) {
      world.crash(workflow)
      continue
    }
    let isBusy = planned.changed
    for (const action of planned.actions) {
      actions.push(action)
      if (world.perform(action, now)) isBusy = true
    }
    const before = workflow
    workflow = options.control?.(workflow, world) ?? workflow
    const hasAdvanced = world.advance()
    if (isBusy || hasAdvanced || workflow !== before) continue
    if (isFinal(workflow.status?.phase)) break
    if (planned.wakeAt !== undefined) {
      now = planned.wakeAt
      continue
    }
    const changed = options.idle?.(workflow)
    if (changed === undefined) break
    workflow = changed
  }
  const status = workflow.status ?? {}
  const name = workflow.metadata.name ?? ''
  return { workflow, status, world, actions, plans, now, node: rest => findNode(status, name, rest) }
}

export function findNode({ nodes = {} }: WorkflowStatus, workflowName: string, rest: string): NodeStatus | undefined {
  const name = rest === 'root' ? workflowName : workflowName + rest
  return Object.values(nodes).find(node => node.name === name)
}

function prepared(manifest: Workflow, now: number): Workflow {
  const { metadata } = manifest
  return {
    ...manifest,
    metadata: {
      namespace: 'default',
      uid: 'b9a6c0d2-6f5e-4c0b-8a53-6ef1c4f3a001',
      creationTimestamp: new Date(now).toISOString(),
      ...metadata,
      name: metadata.name ?? `${metadata.generateName ?? 'run-'}x7k2p`,
    },
  }
}

/** As it comes back from the API server: other objects with the same contents. */
function stored(workflow: Workflow, { status, labels, annotations, changed }: Plan): Workflow {
  const metadata = {
    ...workflow.metadata,
    labels: { ...workflow.metadata.labels, ...labels },
    annotations: { ...workflow.metadata.annotations, ...annotations },
  }
  return changed
    ? { ...workflow, metadata, status: JSON.parse(JSON.stringify(status)) as WorkflowStatus }
    : { ...workflow, metadata }
}

const crashed = (random: Random, likelihood = 0) => likelihood > 0 && random.next() < likelihood
