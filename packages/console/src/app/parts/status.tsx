import type { ReactElement } from 'react'

/** What a word means, and its shape: nobody needs to see colours. */
type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'held' | 'calm'
type Shape = 'check' | 'cross' | 'bang' | 'half' | 'bars' | 'ring' | 'dash' | 'funnel' | 'dots'

const MEANINGS: Readonly<Record<string, readonly [Tone, Shape]>> = {
  ran: ['good', 'check'],
  succeeded: ['good', 'check'],
  passed: ['good', 'check'],
  joined: ['good', 'check'],
  healthy: ['good', 'check'],
  allowed: ['good', 'check'],
  true: ['good', 'check'],
  created: ['good', 'check'],
  changed: ['busy', 'check'],
  unchanged: ['calm', 'dash'],
  deleted: ['warn', 'dash'],
  failed: ['bad', 'cross'],
  error: ['bad', 'cross'],
  denied: ['bad', 'cross'],
  refused: ['bad', 'cross'],
  false: ['bad', 'cross'],
  parked: ['held', 'bars'],
  warning: ['warn', 'bang'],
  unknown: ['warn', 'bang'],
  gap: ['warn', 'bang'],
  running: ['busy', 'half'],
  started: ['busy', 'half'],
  retried: ['busy', 'half'],
  waiting: ['busy', 'ring'],
  pending: ['calm', 'dots'],
  unheard: ['calm', 'dash'],
  planned: ['calm', 'dots'],
  suspended: ['held', 'bars'],
  filtered: ['calm', 'funnel'],
  superseded: ['calm', 'dash'],
  discarded: ['calm', 'dash'],
  reset: ['calm', 'dash'],
  skipped: ['calm', 'dash'],
  omitted: ['calm', 'dash'],
}

const SHAPES: Readonly<Record<Shape, ReactElement>> = {
  check: <path d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm3.4 4.3L7.2 10.6 4.7 8.2" className="cut" />,
  cross: (
    <path d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8" className="cut" />
  ),
  bang: <path d="M8 1.2 15 14H1zM8 6v3.6M8 11.6v.6" className="cut" />,
  bars: <path d="M2 2h12v12H2zM6 5.2v5.6M10 5.2v5.6" className="cut" />,
  half: (
    <>
      <circle cx="8" cy="8" r="5.7" className="line" />
      <path d="M8 2.3a5.7 5.7 0 0 1 0 11.4z" />
    </>
  ),
  ring: <path d="M8 2.3a5.7 5.7 0 1 0 0 11.4A5.7 5.7 0 0 0 8 2.3zM8 5v3.2l2 1.3" className="line" />,
  dash: <path d="M8 2.3a5.7 5.7 0 1 0 0 11.4A5.7 5.7 0 0 0 8 2.3zM5.3 8h5.4" className="line" />,
  funnel: <path d="M2.5 3h11L9.4 8.2v4.6l-2.8-1.4V8.2z" className="line" />,
  dots: <circle cx="8" cy="8" r="5.7" className="line dotted" />,
}

export function toneOf(status: string): Tone {
  return MEANINGS[status.toLowerCase()]?.[0] ?? 'calm'
}

/** A word with its shape and colour. */
export function Status({
  value,
  word,
  compact = false,
}: {
  value: string
  word?: string
  compact?: boolean
}): ReactElement {
  const [tone, shape] = MEANINGS[value.toLowerCase()] ?? ['calm', 'dots']
  const text = word ?? value.toLowerCase()
  return (
    <span className={`status ${tone}`} title={compact ? text : undefined}>
      <StatusShape tone={tone} shape={shape} />
      <span className={compact ? 'hidden' : undefined}>{text}</span>
    </span>
  )
}

function StatusShape({ tone, shape }: { tone: Tone; shape: Shape }): ReactElement {
  return (
    <svg className={`shape ${tone}`} width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[shape]}
    </svg>
  )
}

/** The shape alone, inside another drawing. */
export function StatusMark({ value, x, y }: { value: string; x: number; y: number }): ReactElement {
  const [tone, shape] = MEANINGS[value.toLowerCase()] ?? ['calm', 'dots']
  return (
    <svg className={`shape ${tone}`} x={x} y={y} width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[shape]}
    </svg>
  )
}
