import type { Flow, FlowEdge, FlowNode } from '@tiphys/archive'
import type { PipelineManifest } from '../pipeline-manifest.ts'

export const COLUMNS = ['source', 'bus', 'sensor', 'trigger', 'template', 'kind'] as const
export const COLUMN_NAMES: Readonly<Record<FlowNode['column'], string>> = {
  source: 'Sources',
  bus: 'Bus',
  sensor: 'Sensors',
  trigger: 'Triggers',
  template: 'Templates',
  kind: 'Written kinds',
}
export const BOX = { width: 150, height: 46, gapY: 14, top: 34 }
const LABEL_HEIGHT = 13

export interface PlacedNode {
  node: FlowNode
  x: number
  y: number
}

export interface PlacedEdge {
  edge: FlowEdge
  from: PlacedNode
  to: PlacedNode
  /** The height at which its rate is written. */
  labelY: number
}

export interface FlowLayout {
  nodes: readonly PlacedNode[]
  edges: readonly PlacedEdge[]
  columns: readonly { name: string; x: number }[]
  width: number
  height: number
}

/** Fixed columns, in the order in which a change goes through them; in a column each node near those that lead to it. */
export function layOutFlow({ nodes, edges }: Flow, width: number): FlowLayout {
  const used = COLUMNS.filter(column => nodes.some(node => node.column === column))
  const step = used.length < 2 ? 0 : Math.max(BOX.width + 40, (width - BOX.width - 8) / (used.length - 1))
  const placed = new Map<string, PlacedNode>()
  let tallest = 0
  used.forEach((column, i) => {
    const own = nodes.filter(node => node.column === column)
    const middle = (node: FlowNode) => {
      const from = edges
        .filter(edge => edge.to === node.id)
        .map(edge => placed.get(edge.from)?.y)
        .filter(y => y !== undefined)
      return from.length === 0 ? 0 : from.reduce((sum, y) => sum + y, 0) / from.length
    }
    const isIdle = ({ id }: FlowNode) => !edges.some(({ from, to }) => from === id || to === id)
    const sorted = own
      .map(node => ({ node, at: middle(node), idle: Number(isIdle(node)) }))
      .sort((a, b) => a.idle - b.idle || a.at - b.at || a.node.name.localeCompare(b.node.name))
    let y = BOX.top
    for (const { node, at } of sorted) {
      y = Math.max(y, at)
      placed.set(node.id, { node, x: 4 + i * step, y })
      y += BOX.height + BOX.gapY
    }
    tallest = Math.max(tallest, y)
  })
  const drawn = edges.flatMap(edge => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)]
    return from && to ? [{ edge, from, to, labelY: 0 }] : []
  })
  placeLabels(drawn)
  return {
    nodes: [...placed.values()],
    edges: drawn,
    columns: used.map((column, i) => ({ name: COLUMN_NAMES[column], x: 4 + i * step })),
    width: Math.max(width, 8 + BOX.width + step * (used.length - 1)),
    height: tallest + 4,
  }
}

/** Beside what an edge comes from, where it is the only one from there; else beside what it goes to. Those of one gap that would
 *  meet are written below each other. */
function placeLabels(edges: readonly PlacedEdge[]): void {
  const gaps = new Map<number, PlacedEdge[]>()
  for (const edge of edges) {
    const isOnly = edges.every(other => other.from !== edge.from || other === edge)
    edge.labelY = (isOnly ? edge.from.y : edge.to.y) + BOX.height / 2
    gaps.set(edge.from.x, [...(gaps.get(edge.from.x) ?? []), edge])
  }
  for (const gap of gaps.values()) {
    gap.sort((a, b) => a.labelY - b.labelY)
    let free = 0
    for (const edge of gap) {
      edge.labelY = Math.max(edge.labelY, free)
      free = edge.labelY + LABEL_HEIGHT
    }
  }
}

const PARTS: Readonly<Record<string, FlowNode['column']>> = {
  EventSource: 'source',
  EventBus: 'bus',
  Sensor: 'sensor',
}

/** The flow with what is in the cluster and had nothing to do: that a source is silent, or never worked, is to be seen too. */
export function withIdle(flow: Flow, manifests: readonly PipelineManifest[]): Flow {
  const idle = manifests.flatMap(({ kind, metadata: { namespace = '', name }, status }): FlowNode[] => {
    const column = PARTS[kind]
    const isDrawn = flow.nodes.some(
      node => node.column === column && node.namespace === namespace && node.name.split('/')[0] === name,
    )
    if (!column || isDrawn) return []
    const bad = status?.conditions?.find(condition => condition.status === 'False')
    const condition = bad && {
      condition: bad.type,
      status: bad.status,
      reason: bad.reason ?? bad.type,
      ...(bad.message !== undefined && { message: bad.message }),
      at: 0,
    }
    const id = `${column}:${namespace}:${name}`
    return [{ id, column, namespace, name, ...(condition && { condition }), backlog: 0, parked: 0, lastAt: 0 }]
  })
  return idle.length === 0 ? flow : { ...flow, nodes: [...flow.nodes, ...idle] }
}

/** A template has no condition of its own: it warns when runs of it failed. */
export function healthOf(node: FlowNode, edges: readonly FlowEdge[] = []): 'failed' | 'parked' | 'warning' | 'healthy' {
  if (node.condition) return 'failed'
  if (node.parked > 0) return 'parked'
  const hasFailures = node.column === 'template' && edges.some(({ to, errors }) => to === node.id && errors > 0)
  return hasFailures ? 'warning' : 'healthy'
}

/** `12/s`, `0.4/s`, `3/min`, `2/h`. */
export function rateInWords(perSecond: number): string {
  if (perSecond >= 10) return `${Math.round(perSecond)}/s`
  if (perSecond >= 0.1) return `${perSecond.toFixed(1)}/s`
  if (perSecond * 60 >= 1) return `${Math.round(perSecond * 60)}/min`
  return `${Math.max(1, Math.round(perSecond * 3600))}/h`
}
