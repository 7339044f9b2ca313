import type { StepDetail } from '@tiphys/archive'

/** A step in the graph, or many alike that stand together. */
export interface GraphNode {
  id: string
  title: string
  phase: string
  x: number
  y: number
  step?: StepDetail
  /** Of a group. */
  members?: readonly StepDetail[]
  byPhase?: Readonly<Record<string, number>>
}

export interface GraphEdge {
  from: GraphNode
  to: GraphNode
}

export interface Graph {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  width: number
  height: number
}

export const NODE = { width: 176, height: 40, gapX: 28, gapY: 22 }
const GROUPED_FROM = 20
const isFailed = (phase: string) => phase === 'Failed' || phase === 'Error'

/** Lays steps out in layers, each below all that lead to it. More than twenty siblings are one node with counts; those that
 *  failed stay visible. Pure, and linear in steps and edges but for sorting. */
export function layOut(steps: readonly StepDetail[], openGroups: ReadonlySet<string> = new Set()): Graph {
  const byId = new Map(steps.map(step => [step.step, step]))
  const after = linksOf(steps, byId)
  const { nodes, nodeOf } = grouped(steps, after, openGroups)
  const links = new Map<GraphNode, Set<GraphNode>>()
  for (const [from, targets] of after) {
    const source = nodeOf.get(from)
    if (!source) continue
    const reached = links.get(source) ?? new Set()
    for (const target of targets) {
      const node = nodeOf.get(target)
      if (node && node !== source) reached.add(node)
    }
    links.set(source, reached)
  }
  const layers = layersOf(nodes, links)
  order(layers, links)
  const widest = Math.max(1, ...layers.map(layer => layer.length))
  const width = widest * (NODE.width + NODE.gapX) + NODE.gapX
  layers.forEach((layer, depth) => {
    const taken = layer.length * (NODE.width + NODE.gapX) - NODE.gapX
    layer.forEach((node, i) => {
      node.x = (width - taken) / 2 + i * (NODE.width + NODE.gapX)
      node.y = NODE.gapY + depth * (NODE.height + NODE.gapY * 1.6)
    })
  })
  const edges = [...links].flatMap(([from, targets]) => [...targets].map(to => ({ from, to })))
  return { nodes, edges, width, height: layers.length * (NODE.height + NODE.gapY * 1.6) + NODE.gapY }
}

/** What comes after what. A step that only belongs to another comes after it. */
function linksOf(steps: readonly StepDetail[], byId: ReadonlyMap<string, StepDetail>): Map<string, string[]> {
  const after = new Map<string, string[]>(
    steps.map(step => [step.step, (step.children ?? []).filter(id => byId.has(id))]),
  )
  const reached = new Set([...after.values()].flat())
  for (const { step, parent } of steps) {
    if (parent !== undefined && byId.has(parent) && !reached.has(step)) after.get(parent)?.push(step)
  }
  return after
}

function grouped(
  steps: readonly StepDetail[],
  after: ReadonlyMap<string, readonly string[]>,
  openGroups: ReadonlySet<string>,
): { nodes: GraphNode[]; nodeOf: Map<string, GraphNode> } {
  const byId = new Map(steps.map(step => [step.step, step]))
  const nodeOf = new Map<string, GraphNode>()
  const nodes: GraphNode[] = []
  const single = (step: StepDetail) => {
    const node: GraphNode = { id: step.step, title: step.displayName ?? step.name, phase: step.phase, x: 0, y: 0, step }
    nodes.push(node)
    nodeOf.set(step.step, node)
  }
  for (const [parent, children] of after) {
    const siblings = children.map(id => byId.get(id)).filter(step => step !== undefined)
    const quiet = siblings.filter(step => !isFailed(step.phase) && !nodeOf.has(step.step))
    const id = `group-${parent}`
    if (quiet.length <= GROUPED_FROM || openGroups.has(id)) continue
    const byPhase: Record<string, number> = {}
    for (const { phase } of quiet) byPhase[phase] = (byPhase[phase] ?? 0) + 1
    const phase = byPhase.Running ? 'Running' : byPhase.Pending ? 'Pending' : 'Succeeded'
    const node: GraphNode = { id, title: `${quiet.length} steps`, phase, x: 0, y: 0, members: quiet, byPhase }
    nodes.push(node)
    for (const step of quiet) nodeOf.set(step.step, node)
  }
  for (const step of steps) if (!nodeOf.has(step.step)) single(step)
  return { nodes, nodeOf }
}

type Links = ReadonlyMap<GraphNode, ReadonlySet<GraphNode>>

/** Each node one layer below the lowest that leads to it. A circle, which no workflow has, is cut where it closes. */
function layersOf(nodes: readonly GraphNode[], links: Links): GraphNode[][] {
  const incoming = new Map(nodes.map(node => [node, 0]))
  for (const targets of links.values())
    for (const target of targets) incoming.set(target, (incoming.get(target) ?? 0) + 1)
  const depth = new Map<GraphNode, number>()
  const ready = nodes.filter(node => incoming.get(node) === 0)
  for (const node of ready) depth.set(node, 0)
  for (let node = ready.pop(); node; node = ready.pop()) {
    for (const target of links.get(node) ?? []) {
      depth.set(target, Math.max(depth.get(target) ?? 0, (depth.get(node) ?? 0) + 1))
      const left = (incoming.get(target) ?? 1) - 1
      incoming.set(target, left)
      if (left === 0) ready.push(target)
    }
  }
  const layers: GraphNode[][] = []
  for (const node of nodes) {
    const at = depth.get(node) ?? 0
    ;(layers[at] ??= []).push(node)
  }
  return layers.map(layer => layer ?? [])
}

/** Puts each node near the middle of those that lead to it: fewer lines cross. */
function order(layers: GraphNode[][], links: Links): void {
  const place = new Map<GraphNode, number>()
  const sources = new Map<GraphNode, GraphNode[]>()
  for (const [from, targets] of links) {
    for (const to of targets) {
      const list = sources.get(to)
      if (list) list.push(from)
      else sources.set(to, [from])
    }
  }
  for (const layer of layers) {
    const middle = (node: GraphNode) => {
      const from = sources.get(node) ?? []
      return from.length === 0 ? 0 : from.reduce((sum, each) => sum + (place.get(each) ?? 0), 0) / from.length
    }
    const middles = new Map(layer.map(node => [node, middle(node)]))
    layer.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0))
    layer.forEach((node, i) => place.set(node, (i + 0.5) / layer.length))
  }
}
