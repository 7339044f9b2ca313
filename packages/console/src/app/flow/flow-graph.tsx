import type { Flow, FlowNode } from '@tiphys/archive'
import { type KeyboardEvent, type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { StatusMark } from '../parts/status.tsx'
import { formatTime } from '../time.ts'
import { href } from '../url.ts'
import { BOX, healthOf, layOutFlow, type PlacedEdge, type PlacedNode, rateInWords } from './flow-layout.ts'

interface FlowGraphProps {
  flow: Flow
  onChoose(node: FlowNode): void
}

/** Where changes come from and what they end in. One stop for the keyboard; arrows move between nodes. */
export function FlowGraph({ flow, onChoose }: FlowGraphProps): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(1100)
  const [focused, setFocused] = useState('')
  const [, navigate] = useLocation()
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth - 2))
    observer.observe(element)
    setWidth(element.clientWidth - 2)
    return () => observer.disconnect()
  }, [])
  const layout = useMemo(() => layOutFlow(flow, width), [flow, width])
  const current = layout.nodes.find(({ node }) => node.id === focused) ?? layout.nodes[0]

  const onKeyDown = (event: KeyboardEvent) => {
    if (!current) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      return onChoose(current.node)
    }
    const next = neighbour(layout.nodes, layout.edges, current, event.key)
    if (!next) return
    event.preventDefault()
    setFocused(next.node.id)
    box.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(next.node.id)}"]`)?.focus()
  }
  return (
    <div
      ref={box}
      className="flow-graph"
      role="group"
      aria-label="Flow graph; the table view holds the same"
      onKeyDown={onKeyDown}
    >
      <svg width={layout.width} height={layout.height}>
        {layout.columns.map(column => (
          <text key={column.name} x={column.x + 2} y={16} className="flow-column">
            {column.name}
          </text>
        ))}
        {layout.edges.map(placed => (
          <FlowLine
            key={`${placed.edge.from}→${placed.edge.to}`}
            placed={placed}
            onOpen={() => navigate(href('/events', { q: placed.edge.query }))}
          />
        ))}
        {/* After all lines: none is drawn over them. */}
        {layout.edges.map(placed => (
          <FlowLabel key={`${placed.edge.from}→${placed.edge.to}`} placed={placed} />
        ))}
        {layout.nodes.map(placed => (
          <FlowBox
            key={placed.node.id}
            placed={placed}
            health={healthOf(placed.node, flow.edges)}
            isCurrent={placed === current}
            onChoose={() => onChoose(placed.node)}
            onFocus={() => setFocused(placed.node.id)}
          />
        ))}
      </svg>
    </div>
  )
}

function FlowLine({ placed, onOpen }: { placed: PlacedEdge; onOpen(): void }): ReactElement {
  const { edge, from, to } = placed
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2]
  const bend = Math.max(20, (x2 - x1) / 2)
  const weight = Math.min(6, 1.25 + Math.log10(1 + edge.count))
  const isFailing = edge.errorShare > 0
  const words = `${edge.count.toLocaleString('en')} in the window, ${rateInWords(edge.rate)}${isFailing ? `, ${Math.round(edge.errorShare * 100)} % failed` : ''}, last ${formatTime(edge.lastAt, 'relative', Date.now())}`
  return (
    // The table view has the same as links; the graph itself is one stop.
    <g className={isFailing ? 'flow-edge failing' : 'flow-edge'} onClick={onOpen}>
      <title>{words}</title>
      <path d={`M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} strokeWidth={weight} />
      <path className="flow-hit" d={`M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} />
    </g>
  )
}

function FlowLabel({ placed: { edge, from, to, labelY } }: { placed: PlacedEdge }): ReactElement {
  const isFailing = edge.errorShare > 0
  return (
    <text
      className={isFailing ? 'flow-label failing' : 'flow-label'}
      x={(from.x + BOX.width + to.x) / 2}
      y={labelY - 5}
      textAnchor="middle"
    >
      {isFailing ? `${Math.round(edge.errorShare * 100)} % ✕` : rateInWords(edge.rate)}
    </text>
  )
}

interface FlowBoxProps {
  placed: PlacedNode
  health: ReturnType<typeof healthOf>
  isCurrent: boolean
  onChoose(): void
  onFocus(): void
}

function FlowBox({ placed: { node, x, y }, health, isCurrent, onChoose, onFocus }: FlowBoxProps): ReactElement {
  const [title, place] = titleOf(node)
  const note = [
    node.backlog > 0 ? `${node.backlog} waiting` : '',
    node.parked > 0 ? `${node.parked} parked` : '',
    node.condition?.reason ?? '',
  ]
    .filter(part => part !== '')
    .join(' · ')
  return (
    <g
      data-node={node.id}
      role="button"
      tabIndex={isCurrent ? 0 : -1}
      className={`flow-node ${health}`}
      transform={`translate(${x} ${y})`}
      onClick={onChoose}
      onFocus={onFocus}
    >
      <title>{[node.name, node.namespace, note].filter(part => part !== '').join(' · ')}</title>
      <rect width={BOX.width} height={BOX.height} rx="8" />
      <StatusMark value={health} x={11} y={16} />
      <text x="32" y={note === '' && place === '' ? 27 : 20} className="flow-name">
        {shortened(title, 12.5)}
      </text>
      <text x="32" y="35" className="flow-note">
        {shortened(note === '' ? place : note, 17)}
      </text>
    </g>
  )
}

/** What tells it from its neighbours comes first, what it belongs to below; a template's kind is left out. */
function titleOf({ column, namespace, name }: FlowNode): readonly [title: string, note: string] {
  const [first = name, ...rest] = name.split('/')
  if (column === 'kind') {
    const [kind = name, ...group] = name.split('.')
    return [kind, group.join('.')]
  }
  if (rest.length === 0) return [name, namespace]
  if (column === 'template') return [rest.join('/'), namespace]
  return column === 'trigger'
    ? [rest.join('/'), `${first} · ${namespace}`]
    : [first, `${rest.join('/')} · ${namespace}`]
}
/** Cut where a box ends: an `l` takes less room than an `m`. */
function shortened(text: string, room: number): string {
  let taken = 0
  for (let i = 0; i < text.length; i++) {
    const letter = text.charAt(i)
    taken += /[mwMW@%]/.test(letter) ? 1.45 : /[ijltfr.,:;'|()-]/.test(letter) ? 0.6 : 1
    if (taken > room) return `${text.slice(0, i - 1)}…`
  }
  return text
}

function neighbour(
  nodes: readonly PlacedNode[],
  edges: readonly PlacedEdge[],
  from: PlacedNode,
  key: string,
): PlacedNode | undefined {
  const column = nodes.filter(({ x }) => x === from.x).sort((a, b) => a.y - b.y)
  switch (key) {
    case 'ArrowRight':
      return edges.find(edge => edge.from === from)?.to
    case 'ArrowLeft':
      return edges.find(edge => edge.to === from)?.from
    case 'ArrowDown':
      return column[column.indexOf(from) + 1]
    case 'ArrowUp':
      return column[column.indexOf(from) - 1]
    default:
      return undefined
  }
}
