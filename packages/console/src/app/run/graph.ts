import type { StepDetail } from '@tiphys/archive'
import { stateOf } from './step-state.ts'

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

/** Where more nodes stand beside each other than a row holds: a frame around several rows of them. */
export interface Tray {
  x: number
  y: number
  width: number
  height: number
}

/** A line to be drawn, from the bottom of something to the top of something. */
export interface GraphLine {
  key: string
  fromX: number
  fromY: number
  toX: number
  toY: number
}

export interface Graph {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  trays: readonly Tray[]
  /** The edges as they are drawn: one for all that go to or come from a tray. */
  lines: readonly GraphLine[]
  width: number
  height: number
}

export const NODE = { width: 176, height: 40, gapX: 28, gapY: 22 }
const LAYER_GAP = NODE.gapY * 1.6
const GROUPED_FROM = 20
/** So many stand beside each other at most; a layer with more has several rows. */
const ROW_OF = 10
const TRAY = { from: 24, gap: 10, padding: 14 }
/** What a group is called by when some of it are so: what goes on, then what was done. */
const TELLING = ['Running', 'Suspended', 'Pending', 'Succeeded']
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
  const edges = [...links].flatMap(([from, targets]) => [...targets].map(to => ({ from, to })))
  const { trays, trayOf, width, height } = place(layers)
  return { nodes, edges, trays, lines: linesOf(edges, trayOf), width, height }
}

/** Gives every node its place, layer below layer, each in the middle. */
function place(layers: readonly GraphNode[][]): {
  trays: Tray[]
  trayOf: ReadonlyMap<GraphNode, Tray>
  width: number
  height: number
} {
  const columnsOf = ({ length }: readonly GraphNode[]) => (length > TRAY.from ? ROW_OF : length)
  const pitch = NODE.width + NODE.gapX
  const width = Math.max(1, ...layers.map(columnsOf)) * pitch + NODE.gapX
  const trays: Tray[] = []
  const trayOf = new Map<GraphNode, Tray>()
  let y = NODE.gapY
  for (const layer of layers) {
    const columns = columnsOf(layer)
    const left = (width - (columns * pitch - NODE.gapX)) / 2
    const rows = Math.ceil(layer.length / Math.max(1, columns))
    const isTray = rows > 1
    const top = isTray ? y + TRAY.padding : y
    layer.forEach((node, i) => {
      node.x = left + (i % columns) * pitch
      node.y = top + Math.floor(i / columns) * (NODE.height + TRAY.gap)
    })
    const height = rows * NODE.height + (rows - 1) * TRAY.gap + (isTray ? 2 * TRAY.padding : 0)
    if (isTray) {
      const padding = TRAY.padding
      const tray = { x: left - padding, y, width: columns * pitch - NODE.gapX + 2 * padding, height }
      trays.push(tray)
      for (const node of layer) trayOf.set(node, tray)
    }
    y += height + LAYER_GAP
  }
  return { trays, trayOf, width, height: y - LAYER_GAP + NODE.gapY }
}

function linesOf(edges: readonly GraphEdge[], trayOf: ReadonlyMap<GraphNode, Tray>): GraphLine[] {
  const lines = new Map<string, GraphLine>()
  for (const { from, to } of edges) {
    const [above, below] = [trayOf.get(from), trayOf.get(to)]
    const key = `${above ? `tray ${above.y}` : from.id}→${below ? `tray ${below.y}` : to.id}`
    if (!lines.has(key)) lines.set(key, lineBetween(key, above ?? boxOf(from), below ?? boxOf(to)))
  }
  return [...lines.values()]
}

/** The lines of one node itself, where a tray has one for all. */
export const linesAt = ({ edges }: Graph, node: GraphNode): GraphLine[] =>
  edges
    .filter(({ from, to }) => from === node || to === node)
    .map(({ from, to }) => lineBetween(`${from.id}→${to.id}`, boxOf(from), boxOf(to)))

const boxOf = ({ x, y }: GraphNode): Tray => ({ x, y, width: NODE.width, height: NODE.height })
const lineBetween = (key: string, above: Tray, below: Tray): GraphLine => ({
  key,
  fromX: above.x + above.width / 2,
  fromY: above.y + above.height,
  toX: below.x + below.width / 2,
  toY: below.y,
})

/** From one row of a tray to the next; layers are further apart. */
export const ROW_PITCH = NODE.height + TRAY.gap

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
    const node: GraphNode = {
      id: step.step,
      title: step.displayName ?? step.name,
      phase: stateOf(step),
      x: 0,
      y: 0,
      step,
    }
    nodes.push(node)
    nodeOf.set(step.step, node)
  }
  for (const [parent, children] of after) {
    const siblings = children.map(id => byId.get(id)).filter(step => step !== undefined)
    const quiet = siblings.filter(step => !isFailed(step.phase) && !nodeOf.has(step.step))
    const id = `group-${parent}`
    if (quiet.length <= GROUPED_FROM || openGroups.has(id)) continue
    const byPhase: Record<string, number> = {}
    for (const step of quiet) byPhase[stateOf(step)] = (byPhase[stateOf(step)] ?? 0) + 1
    const phase = [...TELLING, ...Object.keys(byPhase)].find(each => byPhase[each]) ?? 'Succeeded'
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
