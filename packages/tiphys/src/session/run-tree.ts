import type { RunDetail } from '@tiphys/archive'
import type { KubeObject } from '@tiphys/kube'
import { dim, green, type Output, red } from '../terminal.ts'
import { formatDuration } from './activity.ts'

/** A run as a tree of steps, whatever it was read from. */
export interface RunTree {
  name: string
  phase: string
  message: string | undefined
  progress: string | undefined
  startedAt: number | undefined
  finishedAt: number | undefined
  steps: readonly TreeStep[]
}

export interface TreeStep {
  id: string
  name: string
  type: string
  phase: string
  message: string | undefined
  startedAt: number | undefined
  finishedAt: number | undefined
  /** The steps that come after it or belong to it. */
  children: readonly string[]
}

interface NodeStatus {
  id: string
  name: string
  displayName?: string
  type: string
  phase?: string
  message?: string
  startedAt?: string | null
  finishedAt?: string | null
  children?: string[]
}

/** From a Workflow, as the cluster has it. */
export function treeOfWorkflow({ metadata, status }: KubeObject): RunTree {
  const {
    phase = 'Pending',
    message,
    progress,
    nodes = {},
    startedAt,
    finishedAt,
  } = (status ?? {}) as {
    phase?: string
    message?: string
    progress?: string
    nodes?: Record<string, NodeStatus>
    startedAt?: string | null
    finishedAt?: string | null
  }
  return {
    name: `${metadata.namespace}/${metadata.name}`,
    phase: phase === '' ? 'Pending' : phase,
    message,
    progress,
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
    steps: Object.values(nodes).map(node => ({
      id: node.id,
      name: node.displayName ?? node.name,
      type: node.type,
      phase: node.phase ?? 'Pending',
      message: node.message,
      startedAt: timeOf(node.startedAt),
      finishedAt: timeOf(node.finishedAt),
      children: node.children ?? [],
    })),
  }
}

/** From what was recorded. */
export function treeOfRecord({ run, phase, message, progress, startedAt, finishedAt, steps }: RunDetail): RunTree {
  return {
    name: `${run.namespace}/${run.name}`,
    phase,
    message,
    progress,
    startedAt,
    finishedAt,
    steps: steps.items.map(step => ({
      id: step.step,
      name: step.displayName ?? step.name,
      type: step.type,
      phase: step.phase,
      message: step.message,
      startedAt: step.startedAt,
      finishedAt: step.finishedAt,
      children: step.children ?? steps.items.filter(({ parent }) => parent === step.step).map(({ step: id }) => id),
    })),
  }
}

const timeOf = (text: string | null | undefined) => (text === undefined || text === null ? undefined : Date.parse(text))

/** The tree in lines: the run, then every step once, under what it belongs to. */
export function drawRun(out: Output, tree: RunTree, now: number): string[] {
  const progress = tree.progress === undefined ? '' : ` ${tree.progress}`
  const head = `${mark(out, tree.phase)} ${tree.name}  ${tree.phase}${progress}${took(tree, now)}${said(tree.message)}`
  const byId = new Map(tree.steps.map(step => [step.id, step]))
  const isChild = new Set(tree.steps.flatMap(({ children }) => children))
  const drawn = new Set<string>()
  const draw = (step: TreeStep, depth: number): string[] => {
    if (drawn.has(step.id)) return []
    drawn.add(step.id)
    // The groups of `steps` and the attempts' frame are how the engine counts, and nothing a person has named.
    const isFrame = step.type === 'StepGroup'
    const below = step.children.flatMap(id => {
      const child = byId.get(id)
      return child ? draw(child, depth + (isFrame || isTask(step) ? 0 : 1)) : []
    })
    return isFrame ? below : [line(out, step, depth, now), ...below]
  }
  const roots = tree.steps.filter(({ id }) => !isChild.has(id))
  const [only] = roots
  // A run of one step is named like it.
  const lines = roots.flatMap(root => draw(root, 1))
  return only && roots.length === 1 && tree.steps.length === 1 ? [head, line(out, only, 1, now)] : [head, ...lines]
}

/** Tasks and pods have what follows them as children, which do not belong to them. */
const isTask = ({ type }: TreeStep) => ['Pod', 'Skipped', 'Suspend', 'HTTP', 'Plugin', 'Container'].includes(type)

function line(out: Output, step: TreeStep, depth: number, now: number): string {
  const { name, phase, type, message } = step
  const kind = type === 'Pod' ? '' : dim(out, ` ${type}`)
  return `${'  '.repeat(depth)}${mark(out, phase)} ${name}${kind}${took(step, now)}${said(message)}`
}

function mark(out: Output, phase: string): string {
  switch (phase) {
    case 'Succeeded':
      return green(out, '✔')
    case 'Failed':
    case 'Error':
      return red(out, '✖')
    case 'Running':
      return '●'
    case 'Skipped':
    case 'Omitted':
      return dim(out, '○')
    default:
      return dim(out, '◷')
  }
}

function took({ startedAt, finishedAt }: Pick<TreeStep, 'startedAt' | 'finishedAt'>, now: number): string {
  return startedAt === undefined ? '' : `  ${formatDuration((finishedAt ?? Math.max(now, startedAt)) - startedAt)}`
}

const said = (message: string | undefined) =>
  message === undefined || message === '' ? '' : `  ${message.replaceAll(/\s+/g, ' ')}`

export const hasEnded = (phase: string): boolean => ['Succeeded', 'Failed', 'Error'].includes(phase)
