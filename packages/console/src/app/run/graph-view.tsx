import type { StepDetail } from '@tiphys/archive'
import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { StatusMark, toneOf } from '../parts/status.tsx'
import { formatDuration } from '../time.ts'
import { type Graph, type GraphNode, layOut, NODE } from './graph.ts'
import { isPlanned } from './planned.ts'

/** So many fit into a node. */
const MOST_LETTERS = 17

interface GraphViewProps {
  steps: readonly StepDetail[]
  chosen: string
  onChoose(step: string): void
}

/** The steps as a graph. Arrow keys move along the lines; the list view holds the same as a table. */
export function GraphView({ steps, chosen, onChoose }: GraphViewProps): ReactElement {
  const [openGroups, setOpenGroups] = useState<ReadonlySet<string>>(new Set())
  const graph = useMemo(() => layOut(steps, openGroups), [steps, openGroups])
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const current = graph.nodes.find(node => node.id === (focused ?? chosen)) ?? graph.nodes[0]

  // What is chosen is seen.
  useEffect(() => {
    const node = graph.nodes.find(({ id }) => id === chosen)
    const area = box.current
    if (!node || !area) return
    area.scrollLeft = node.x + NODE.width / 2 - area.clientWidth / 2
    // No further than needed: what leads to it stays in sight.
    area.scrollTop = Math.max(0, node.y + NODE.height + NODE.gapY - area.clientHeight)
  }, [graph, chosen])

  const choose = (node: GraphNode) => {
    if (isPlanned(node.phase)) return
    if (node.members) setOpenGroups(new Set([...openGroups, node.id]))
    else onChoose(node.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!current) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      return choose(current)
    }
    const next = neighbour(graph, current, event.key)
    if (!next) return
    event.preventDefault()
    setFocused(next.id)
    box.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(next.id)}"]`)?.focus()
  }
  return (
    <div ref={box} className="graph" role="group" aria-label="Graph of the steps" onKeyDown={onKeyDown}>
      <svg width={graph.width} height={graph.height} role="presentation">
        {graph.edges.map(({ from, to }) => (
          <path
            key={`${from.id}→${to.id}`}
            className="edge"
            d={`M${from.x + NODE.width / 2} ${from.y + NODE.height} C${from.x + NODE.width / 2} ${from.y + NODE.height + 20} ${to.x + NODE.width / 2} ${to.y - 20} ${to.x + NODE.width / 2} ${to.y}`}
          />
        ))}
        {graph.nodes.map(node => (
          <g
            key={node.id}
            data-node={node.id}
            role="button"
            tabIndex={node === current ? 0 : -1}
            aria-pressed={node.id === chosen}
            className={`node ${toneOf(node.phase)} ${node.id === chosen ? 'chosen' : ''} ${isPlanned(node.phase) ? 'planned' : ''}`}
            transform={`translate(${node.x} ${node.y})`}
            onClick={() => choose(node)}
            onFocus={() => setFocused(node.id)}
          >
            <title>{node.title}</title>
            <rect width={NODE.width} height={NODE.height} rx="7" />
            {node.members && <rect className="stack" x="4" y="4" width={NODE.width} height={NODE.height} rx="7" />}
            <StatusMark value={node.phase} x={12} y={13} />
            <text x="34" y="18">
              {shortened(node.title)}
            </text>
            <text x="34" y="32" className="node-note">
              {noteOf(node)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}

const shortened = (text: string) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text)

function noteOf({ step, byPhase, phase }: GraphNode): string {
  if (byPhase)
    return Object.entries(byPhase)
      .map(([name, count]) => `${count} ${name.toLowerCase()}`)
      .join(', ')
  if (step?.startedAt !== undefined && step.finishedAt !== undefined)
    return `${phase.toLowerCase()} · ${formatDuration(Math.max(0, step.finishedAt - step.startedAt))}`
  return phase.toLowerCase()
}

function neighbour({ nodes, edges }: Graph, from: GraphNode, key: string): GraphNode | undefined {
  const beside = nodes.filter(({ y }) => y === from.y).sort((a, b) => a.x - b.x)
  switch (key) {
    case 'ArrowDown':
      return edges.find(edge => edge.from === from)?.to
    case 'ArrowUp':
      return edges.find(edge => edge.to === from)?.from
    case 'ArrowRight':
      return beside[beside.indexOf(from) + 1]
    case 'ArrowLeft':
      return beside[beside.indexOf(from) - 1]
    default:
      return undefined
  }
}
