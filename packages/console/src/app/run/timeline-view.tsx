import type { StepDetail } from '@tiphys/archive'
import { type PointerEvent, type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { scaleOf } from '../event/scale.ts'
import { Status, toneOf } from '../parts/status.tsx'
import { formatDuration, formatSpan, useNow } from '../time.ts'
import { criticalPath } from './critical-path.ts'
import { stateOf } from './step-state.ts'
import { timesOf } from './step-times.ts'

interface TimelineViewProps {
  steps: readonly StepDetail[]
  chosen: string
  isOver: boolean
  onChoose(step: string): void
}

const ROW = 28
const SHOWN_AT_ONCE = 60

/** When each step waited and when it ran. Idle time is folded; drag over the times to look closer. */
export function TimelineView({ steps, chosen, isOver, onChoose }: TimelineViewProps): ReactElement {
  const now = useNow(!isOver)
  const [window, setWindow] = useState<{ from: number; to: number }>()
  const [top, setTop] = useState(0)
  const [brush, setBrush] = useState<{ from: number; to: number }>()
  const track = useRef<HTMLDivElement>(null)
  const rows = useRef<HTMLDivElement>(null)
  const at = steps.findIndex(({ step }) => step === chosen)
  // Of many steps the chosen one is in sight; one that is moves nothing.
  useLayoutEffect(() => {
    const box = rows.current
    if (!box || at < 0) return
    if (at * ROW < box.scrollTop || (at + 1) * ROW > box.scrollTop + box.clientHeight)
      box.scrollTop = at * ROW - (box.clientHeight - ROW) / 2
  }, [at])
  const critical = useMemo(() => criticalPath(steps), [steps])
  const spans = useMemo(
    () => steps.map(step => ({ from: step.at, to: step.finishedAt ?? (isOver ? step.changedAt : now) })),
    [steps, isOver, now],
  )
  const scale = scaleOf(spans, window)
  const percent = (time: number) => scale.at(time) * 100
  const first = Math.max(0, Math.floor(top / ROW) - 5)
  const shown = steps.slice(first, first + SHOWN_AT_ONCE)

  const shareAt = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect()
    return box ? Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) : 0
  }
  const end = () => {
    if (brush && Math.abs(brush.to - brush.from) > 0.01) {
      const [a, b] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)]
      setWindow({ from: scale.timeAt(a), to: scale.timeAt(b) })
    }
    setBrush(undefined)
  }
  return (
    <div className="timeline">
      <div className="timeline-head">
        <span>Step</span>
        <div
          ref={track}
          className="timeline-axis"
          onPointerDown={event => {
            event.currentTarget.setPointerCapture(event.pointerId)
            setBrush({ from: shareAt(event), to: shareAt(event) })
          }}
          onPointerMove={event => brush && setBrush({ ...brush, to: shareAt(event) })}
          onPointerUp={end}
          title="Drag to look closer"
        >
          <span>0</span>
          <span>{formatDuration(scale.timeAt(0.5) - scale.from)}</span>
          <span>{formatDuration(scale.to - scale.from)}</span>
          {brush && (
            <span
              className="brush"
              style={{
                left: `${Math.min(brush.from, brush.to) * 100}%`,
                width: `${Math.abs(brush.to - brush.from) * 100}%`,
              }}
            />
          )}
        </div>
        {window && (
          <button type="button" className="button small" onClick={() => setWindow(undefined)}>
            Whole time
          </button>
        )}
      </div>
      <div
        ref={rows}
        className="timeline-rows"
        onScroll={event => setTop(event.currentTarget.scrollTop)}
        tabIndex={0}
        role="group"
        aria-label="Timeline of the steps"
      >
        <div style={{ height: steps.length * ROW, position: 'relative' }}>
          {shown.map((step, i) => {
            const started = step.startedAt ?? step.finishedAt ?? (isOver ? step.changedAt : now)
            const ended = step.finishedAt ?? (isOver ? step.changedAt : now)
            return (
              <button
                type="button"
                key={step.step}
                className={`timeline-row ${step.step === chosen ? 'chosen' : ''} ${critical.has(step.step) ? 'critical' : ''}`}
                aria-pressed={step.step === chosen}
                style={{ top: (first + i) * ROW }}
                onClick={() => onChoose(step.step)}
              >
                <span className="timeline-name">
                  <Status value={stateOf(step)} compact />
                  <span>{step.displayName ?? step.name}</span>
                  {step.attempt > 1 && <span className="tag">attempt {step.attempt}</span>}
                </span>
                <span
                  className="track"
                  title={
                    timesOf(step, isOver).waited
                      ? `${started > step.at ? `waited ${formatDuration(started - step.at)}, ` : ''}ran ${formatSpan(started, ended)}`
                      : 'did not run'
                  }
                >
                  {scale.folds.map(fold => (
                    <span key={fold.at} className="fold" style={{ left: `${fold.at * 100}%` }} />
                  ))}
                  <span
                    className="queue"
                    style={{
                      left: `${percent(step.at)}%`,
                      width: `${Math.max(0, percent(started) - percent(step.at))}%`,
                    }}
                  />
                  <span
                    className={`bar ${toneOf(stateOf(step))}`}
                    style={{ left: `${percent(started)}%`, width: `max(3px, ${percent(ended) - percent(started)}%)` }}
                  />
                  {attemptsOf(step, steps).map(begun => (
                    <span key={begun} className="attempt-tick" style={{ left: `${percent(begun)}%` }} />
                  ))}
                  {!isOver && <span className="now-line" style={{ left: `${percent(now)}%` }} />}
                </span>
                <span className="timeline-took number">
                  {timesOf(step, isOver).waited ? formatSpan(started, ended) : '–'}
                </span>
              </button>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** When the attempts of a step that is tried again began, but for the first. */
function attemptsOf({ type, children = [] }: StepDetail, steps: readonly StepDetail[]): readonly number[] {
  if (type !== 'Retry') return []
  const own = new Set(children)
  const begun = steps.flatMap(({ step, startedAt }) => (own.has(step) && startedAt !== undefined ? [startedAt] : []))
  return [...new Set(begun)].sort((a, b) => a - b).slice(1)
}
