import type { StepDetail } from '@tiphys/archive'
import {
  type KeyboardEvent,
  memo,
  type ReactElement,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { StatusMark, toneOf } from '../parts/status.tsx'
import { formatSpan } from '../time.ts'
import { type Graph, type GraphLine, type GraphNode, layOut, linesAt, NODE, ROW_PITCH } from './graph.ts'
import { isPlanned } from './planned.ts'
import { shortTitle } from './step-title.ts'

/** So many fit into a node. */
const MOST_LETTERS = 17
/** What is drawn changes in steps of so many pixels, and reaches as far beyond the edge. */
const CELL = 320

interface GraphViewProps {
  steps: readonly StepDetail[]
  chosen: string
  onChoose(step: string): void
}

interface Area {
  left: number
  top: number
  right: number
  bottom: number
}

/** The steps as a graph, of which what is in sight is drawn. Arrow keys move along the lines; the list view holds the same as a
 *  table. */
export const GraphView = memo(function GraphView({ steps, chosen, onChoose }: GraphViewProps): ReactElement {
  const [openGroups, setOpenGroups] = useState<ReadonlySet<string>>(new Set())
  const graph = useMemo(() => layOut(steps, openGroups), [steps, openGroups])
  const box = useRef<HTMLDivElement>(null)
  const [area, setArea] = useState<Area>({ left: 0, top: 0, right: 0, bottom: 0 })
  const [focused, setFocused] = useState<string>()
  /** To be focused as soon as it is drawn. */
  const wanted = useRef<string | undefined>(undefined)
  const chosenNode = useMemo(() => nodeOf(graph, chosen), [graph, chosen])
  const current = graph.nodes.find(node => node.id === focused) ?? chosenNode ?? graph.nodes[0]

  const measure = useCallback(() => {
    const element = box.current
    if (!element) return
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element
    const next = {
      left: Math.floor(scrollLeft / CELL - 1) * CELL,
      top: Math.floor(scrollTop / CELL - 1) * CELL,
      right: Math.ceil((scrollLeft + clientWidth) / CELL + 1) * CELL,
      bottom: Math.ceil((scrollTop + clientHeight) / CELL + 1) * CELL,
    }
    setArea(before =>
      before.left === next.left &&
      before.top === next.top &&
      before.right === next.right &&
      before.bottom === next.bottom
        ? before
        : next,
    )
  }, [])

  const reveal = useCallback(
    (node: GraphNode) => {
      const element = box.current
      if (!element) return
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = element
      // What can be seen does not move, and nothing further than needed: what leads to it stays in sight.
      if (node.x < scrollLeft || node.x + NODE.width > scrollLeft + clientWidth)
        element.scrollLeft = node.x + NODE.width / 2 - clientWidth / 2
      if (node.y < scrollTop) element.scrollTop = node.y - NODE.gapY
      else if (node.y + NODE.height > scrollTop + clientHeight)
        element.scrollTop = node.y + NODE.height + NODE.gapY - clientHeight
      measure()
    },
    [measure],
  )

  useLayoutEffect(() => {
    if (chosenNode) reveal(chosenNode)
    else measure()
  }, [chosenNode, reveal, measure])

  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [measure])

  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const element = box.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(wanted.current)}"]`)
    if (!element) return
    wanted.current = undefined
    element.focus({ preventScroll: true })
  })

  const choose = useCallback(
    (node: GraphNode) => {
      if (node.members) setOpenGroups(before => new Set([...before, node.id]))
      else if (!isPlanned(node.phase)) onChoose(node.id)
    },
    [onChoose],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (!current) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      return choose(current)
    }
    const next = neighbour(graph, current, event.key)
    if (!next) return
    event.preventDefault()
    wanted.current = next.id
    setFocused(next.id)
    reveal(next)
  }
  return (
    <div
      ref={box}
      className="graph"
      role="group"
      aria-label="Graph of the steps"
      onKeyDown={onKeyDown}
      onScroll={measure}
    >
      <svg width={graph.width} height={graph.height} role="presentation">
        {graph.trays.map(tray => (
          <rect key={tray.y} className="tray" rx="10" {...tray} />
        ))}
        {graph.lines
          .filter(line => isLineIn(line, area))
          .map(line => (
            <path key={line.key} className="edge" d={curve(line)} />
          ))}
        {chosenNode &&
          graph.trays.length > 0 &&
          linesAt(graph, chosenNode).map(line => <path key={line.key} className="edge own" d={curve(line)} />)}
        {graph.nodes
          .filter(node => node === current || isNodeIn(node, area))
          .map(node => (
            <Node
              key={node.id}
              node={node}
              isChosen={node === chosenNode}
              isCurrent={node === current}
              onChoose={choose}
              onFocus={setFocused}
            />
          ))}
      </svg>
    </div>
  )
})

interface NodeProps {
  node: GraphNode
  isChosen: boolean
  isCurrent: boolean
  onChoose(node: GraphNode): void
  onFocus(id: string): void
}

/** One step. Choosing another renders two of these, however many there are. */
const Node = memo(function Node({ node, isChosen, isCurrent, onChoose, onFocus }: NodeProps): ReactElement {
  return (
    <g
      data-node={node.id}
      role="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-pressed={isChosen}
      className={`node ${toneOf(node.phase)}${isChosen ? ' chosen' : ''}${isPlanned(node.phase) ? ' planned' : ''}`}
      transform={`translate(${node.x} ${node.y})`}
      onClick={() => onChoose(node)}
      onFocus={() => onFocus(node.id)}
    >
      <title>{node.title}</title>
      <rect width={NODE.width} height={NODE.height} rx="7" />
      {node.members && <rect className="stack" x="4" y="4" width={NODE.width} height={NODE.height} rx="7" />}
      <StatusMark value={node.phase} x={12} y={13} />
      <text x="34" y="18">
        {shortTitle(node.title, MOST_LETTERS)}
      </text>
      <text x="34" y="32" className="node-note">
        {noteOf(node)}
      </text>
    </g>
  )
})

/** Where a step is: itself, or the group that holds it. */
const nodeOf = ({ nodes }: Graph, step: string): GraphNode | undefined =>
  nodes.find(({ id, members }) => id === step || members?.some(member => member.step === step))

const isNodeIn = ({ x, y }: GraphNode, { left, top, right, bottom }: Area): boolean =>
  x < right && x + NODE.width > left && y < bottom && y + NODE.height > top

const isLineIn = ({ fromX, fromY, toX, toY }: GraphLine, { left, top, right, bottom }: Area): boolean =>
  Math.min(fromX, toX) < right &&
  Math.max(fromX, toX) > left &&
  Math.min(fromY, toY) < bottom &&
  Math.max(fromY, toY) > top

const curve = ({ fromX, fromY, toX, toY }: GraphLine): string =>
  `M${fromX} ${fromY} C${fromX} ${fromY + 20} ${toX} ${toY - 20} ${toX} ${toY}`

function noteOf({ step, byPhase, phase }: GraphNode): string {
  if (byPhase)
    return Object.entries(byPhase)
      .map(([name, count]) => `${count} ${name.toLowerCase()}`)
      .join(', ')
  if (step?.startedAt !== undefined && step.finishedAt !== undefined)
    return `${phase.toLowerCase()} · ${formatSpan(step.startedAt, step.finishedAt)}`
  return phase.toLowerCase()
}

function neighbour({ nodes, edges }: Graph, from: GraphNode, key: string): GraphNode | undefined {
  const beside = nodes.filter(({ y }) => y === from.y).sort((a, b) => a.x - b.x)
  const above = (node: GraphNode) => node.x === from.x && from.y - node.y === ROW_PITCH
  const below = (node: GraphNode) => node.x === from.x && node.y - from.y === ROW_PITCH
  switch (key) {
    case 'ArrowDown':
      return nodes.find(below) ?? edges.find(edge => edge.from === from)?.to
    case 'ArrowUp':
      return nodes.find(above) ?? edges.find(edge => edge.to === from)?.from
    case 'ArrowRight':
      return beside[beside.indexOf(from) + 1]
    case 'ArrowLeft':
      return beside[beside.indexOf(from) - 1]
    default:
      return undefined
  }
}
