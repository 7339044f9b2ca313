import type { RunDetail } from '@tiphys/archive'
import { stepsByOwner } from '@tiphys/journal/records'
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
  /** The step it belongs to. */
  parent: string | undefined
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
  boundaryID?: string
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
      parent: node.boundaryID,
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
      parent: step.parent,
      children: step.children ?? [],
    })),
  }
}

const timeOf = (text: string | null | undefined) => (text === undefined || text === null ? undefined : Date.parse(text))

/** The tree in lines: the run, then every step once, under what it belongs to. */
export function drawRun(out: Output, tree: RunTree, now: number): string[] {
  const progress = tree.progress === undefined ? '' : ` ${tree.progress}`
  const head = `${mark(out, tree.phase)} ${tree.name}  ${tree.phase}${progress}${took(tree, now)}${said(tree.message)}`
  const below = stepsByOwner(tree.steps, step => step)
  const draw = (parent: string | undefined, depth: number): string[] =>
    (below.get(parent) ?? []).flatMap(step => [line(out, step, depth, now), ...draw(step.id, depth + 1)])
  return [head, ...draw(undefined, 1)]
}

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
