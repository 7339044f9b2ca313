import type { RunDetail } from '@tiphys/archive'
import { stepsByOwner } from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'
import { decodeNodes } from '@tiphys/workflows/compressed-nodes'
import { dim, green, type Output, red } from '../terminal.ts'
import { formatDuration } from './activity.ts'

/** A run as a tree of steps, whatever it was read from. */
export interface RunTree {
  name: string
  /** `Suspended` while it waits to be resumed, by somebody or by the time, as lists have it. */
  phase: string
  message: string | undefined
  progress: string | undefined
  startedAt: number | undefined
  finishedAt: number | undefined
  /** Its times are whole seconds. */
  isRough: boolean
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
  /** The outputs that nobody has given it yet. */
  asksFor: readonly string[]
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
  outputs?: { parameters?: readonly { name: string; value?: unknown }[] }
}

/** From a Workflow, as the cluster has it. */
export function treeOfWorkflow({ metadata, spec, status }: KubeObject): RunTree {
  const {
    phase = 'Pending',
    message,
    progress,
    compressedNodes = '',
    nodes = compressedNodes === '' ? {} : decodeNodes(compressedNodes),
    startedAt,
    finishedAt,
  } = (status ?? {}) as {
    phase?: string
    message?: string
    progress?: string
    nodes?: Record<string, NodeStatus>
    compressedNodes?: string
    startedAt?: string | null
    finishedAt?: string | null
  }
  const isHeld = (spec as { suspend?: boolean } | undefined)?.suspend === true
  const isSuspended =
    isHeld || Object.values(nodes).some(({ type, phase }) => type === 'Suspend' && phase === 'Running')
  const name = `${metadata.namespace}/${metadata.name}`
  return {
    name,
    phase: isSuspended && !hasEnded(phase) ? 'Suspended' : phase === '' ? 'Pending' : phase,
    // None of its steps says so.
    message: message ?? (isHeld && !hasEnded(phase) ? waitsFor(name) : undefined),
    progress,
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
    isRough: true,
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
      asksFor: namesWithoutValue(node.outputs?.parameters),
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
    isRough: false,
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
      asksFor: namesWithoutValue(step.outputs),
    })),
  }
}

const timeOf = (text: string | null | undefined) => (text === undefined || text === null ? undefined : Date.parse(text))

const namesWithoutValue = (parameters: readonly { name: string; value?: unknown }[] = []) =>
  parameters.filter(({ value }) => value === undefined || value === null).map(({ name }) => name)

/** The tree in lines: the run, then every step once, under what it belongs to. */
export function drawRun(out: Output, tree: RunTree, now: number): string[] {
  return rowsOf(out, tree, now).map(({ text }) => text)
}

/** As many lines of the tree as there is room for: what went well goes first, then what has not begun, then what is at work. What failed
 *  and what waits for a person stays longest. */
export function drawRunWithin(out: Output, tree: RunTree, now: number, height: number): string[] {
  const rows = rowsOf(out, tree, now)
  if (rows.length <= height) return rows.map(({ text }) => text)
  let tooMany = rows.length - height + 1
  let left = rows
  for (const calm of ['done', 'waiting', 'working'] as const)
    left = left.filter(row => row.calm !== calm || tooMany-- <= 0)
  left = left.slice(0, Math.max(1, height - 1))
  const more = dim(out, `  … ${rows.length - left.length} more steps`)
  return [...left.map(({ text }) => text), more].slice(0, height)
}

interface Row {
  text: string
  /** Why nobody has to see it, of a step without others below it. */
  calm: 'done' | 'waiting' | 'working' | undefined
}

function rowsOf(out: Output, tree: RunTree, now: number): Row[] {
  const progress = tree.progress === undefined ? '' : ` ${tree.progress}`
  const head = `${mark(out, tree.phase)} ${tree.name}  ${tree.phase}${progress}${took(tree, tree.isRough, now)}${said(tree.message)}`
  const below = stepsByOwner(tree.steps, step => step)
  const draw = (parent: string | undefined, depth: number): Row[] =>
    (below.get(parent) ?? []).flatMap(step => {
      const inside = draw(step.id, depth + 1)
      const calm = inside.length === 0 ? calmOf(step) : undefined
      return [{ text: line(out, tree, step, depth, now), calm }, ...inside]
    })
  return [{ text: head, calm: undefined }, ...draw(undefined, 1)]
}

function calmOf({ phase, type, message = '' }: TreeStep): Row['calm'] {
  switch (phase) {
    case 'Succeeded':
    case 'Skipped':
    case 'Omitted':
      return 'done'
    case 'Pending':
      return message === '' ? 'waiting' : 'working'
    case 'Running':
      return type === 'Suspend' ? undefined : 'working'
    default:
      return undefined
  }
}

function line(out: Output, { name: run, isRough }: RunTree, step: TreeStep, depth: number, now: number): string {
  const { name, phase, type, message } = step
  const kind = type === 'Pod' ? '' : dim(out, ` ${type}`)
  const isWaiting = type === 'Suspend' && phase === 'Running' && (message ?? '') === ''
  const way = isWaiting ? `${waitsFor(run)}${step.asksFor.map(output => ` -p ${output}=…`).join('')}` : message
  return `${'  '.repeat(depth)}${mark(out, phase)} ${name}${kind}${took(step, isRough, now)}${said(way)}`
}

const waitsFor = (run: string) => `waits: tiphys resume ${run}`

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

function took(
  { startedAt, finishedAt }: Pick<TreeStep, 'startedAt' | 'finishedAt'>,
  isRough: boolean,
  now: number,
): string {
  if (startedAt === undefined) return ''
  const ms = (finishedAt ?? Math.max(now, startedAt)) - startedAt
  if (!isRough) return `  ${formatDuration(ms)}`
  const seconds = Math.floor(ms / 1000)
  return `  ${seconds === 0 ? '<1s' : seconds < 60 ? `${seconds}s` : formatDuration(seconds * 1000)}`
}

/** On one line. What a step says of itself does not move the cursor. */
const said = (message: string | undefined) =>
  message === undefined || message === '' ? '' : `  ${message.replaceAll(/[\s\p{Cc}]+/gu, ' ')}`

export const hasEnded = (phase: string): boolean => ['Succeeded', 'Failed', 'Error'].includes(phase)
