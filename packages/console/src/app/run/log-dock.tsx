import type { StepDetail } from '@tiphys/archive'
import { type ReactElement, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { copy } from '../clipboard.ts'
import { counted } from '../count.ts'
import { live } from '../live/use-live.ts'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/page.tsx'
import { address } from '../request.ts'
import { runsOf } from './ansi.ts'
import { LogStore } from './log-store.ts'
import { silenceOf } from './silence.ts'

interface LogDockProps {
  run: { namespace: string; name: string; uid: string }
  step: StepDetail | undefined
  container: string
  isOver: boolean
  onContainer(container: string): void
}

/** As tall as what is pointed at has to be. */
const LINE = 24
const never = () => () => {}

/** The output of the chosen step. */
export function LogDock({ run, step, container, isOver, onContainer }: LogDockProps): ReactElement {
  const logs = step?.logs ?? []
  const chosen = logs.find(log => log.container === container) ?? logs.find(log => log.container === 'main') ?? logs[0]
  return (
    <section className="dock" aria-label="Output">
      <header className="dock-head">
        <h2>Output</h2>
        {step && <span className="dock-step">{step.displayName ?? step.name}</span>}
        {logs.length > 1 && (
          <label>
            <span className="hidden">Container</span>
            <select value={chosen?.container} onChange={event => onContainer(event.target.value)}>
              {logs.map(log => (
                <option key={log.container} value={log.container}>
                  {log.container} ({counted(log.lines, 'line')})
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      {step && chosen ? (
        <Lines
          key={`${step.step}/${chosen.container}`}
          run={run}
          step={step.step}
          container={chosen.container}
          isOver={isOver}
        />
      ) : (
        <p className="dock-empty">{step ? silenceOf(step, isOver) : 'Choose a step to see its output.'}</p>
      )}
    </section>
  )
}

interface LinesProps {
  run: { namespace: string; name: string; uid: string }
  step: string
  container: string
  isOver: boolean
}

/** `#L120` or `#L120-L140`. */
function marked(): { from: number; to: number } | undefined {
  const found = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash)
  if (!found) return undefined
  const from = Number(found[1])
  return { from, to: Number(found[2] ?? from) }
}

function Lines({ run, step, container, isOver }: LinesProps): ReactElement {
  const path = `/runs/${encodeURIComponent(run.namespace)}/${encodeURIComponent(run.name)}/logs/${encodeURIComponent(step)}/${encodeURIComponent(container)}`
  const [store, setStore] = useState<LogStore>()
  const [text, setText] = useState('')
  const [place, setPlace] = useState({ top: 0, height: 240 })
  const [mark, setMark] = useState(marked)
  const [doesFollow, setFollow] = useState(mark === undefined)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const opened = new LogStore(path, run.uid)
    setStore(opened)
    return () => opened.close()
  }, [path, run.uid])
  useSyncExternalStore(store?.subscribe ?? never, () => store?.version ?? 0)

  useEffect(() => {
    if (!store || isOver) return
    return live.follow({ topic: 'changes' }, { onRows: () => void store.renew(), onGap: () => void store.renew() })
  }, [store, isOver])

  const count = store?.count ?? 0
  const isReady = store?.state === 'ready'
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !isReady) return
    setPlace(before => ({ ...before, height: element.clientHeight }))
    if (doesFollow) element.scrollTop = count * LINE
  }, [isReady, count, doesFollow])

  // Lines that the address names come into sight; what is in sight already, and a reader who went on, stay where they are.
  useLayoutEffect(() => {
    const element = box.current
    const index = mark && isReady ? (store?.indexOf(mark.from) ?? -1) : -1
    if (!element || index < 0) return
    const { scrollTop, clientHeight } = element
    if (index * LINE < scrollTop || (index + 1) * LINE > scrollTop + clientHeight)
      element.scrollTop = Math.max(0, (index - 3) * LINE)
  }, [isReady, mark, store])

  useEffect(() => {
    const onHash = () => {
      setMark(marked())
      setFollow(false)
    }
    window.addEventListener('hashchange', onHash)
    return () => window.removeEventListener('hashchange', onHash)
  }, [])

  const first = Math.max(0, Math.floor(place.top / LINE) - 10)
  const last = Math.min(count - 1, Math.ceil((place.top + place.height) / LINE) + 10)
  useEffect(() => store?.ensure(first, last), [store, first, last])

  const markLine = (number: number, isRange: boolean) => {
    const next =
      isRange && mark
        ? { from: Math.min(mark.from, number), to: Math.max(mark.from, number) }
        : { from: number, to: number }
    const hash = next.from === next.to ? `#L${next.from}` : `#L${next.from}-L${next.to}`
    history.replaceState(history.state, '', location.pathname + location.search + hash)
    setFollow(false)
    setMark(next)
  }
  if (store?.state === 'failed') return <Problem error={store.error ?? new Error('unknown')} />
  const rows: ReactElement[] = []
  for (let index = first; index <= last; index++) {
    const number = store?.numberAt(index) ?? 0
    const line = store?.line(number)
    const isMarked = mark !== undefined && number >= mark.from && number <= mark.to
    rows.push(
      <div key={index} className={isMarked ? 'log-line marked' : 'log-line'} style={{ top: index * LINE }}>
        <a
          href={`#L${number}`}
          className="line-number"
          id={`L${number}`}
          aria-label={`Line ${number}`}
          onClick={event => {
            event.preventDefault()
            markLine(number, event.shiftKey)
          }}
        >
          {number}
        </a>
        <span className="line-text">
          {line === undefined
            ? '…'
            : runsOf(line).map((piece, i) => (
                <span key={i} className={piece.className || undefined}>
                  {piece.text}
                </span>
              ))}
        </span>
      </div>,
    )
  }
  return (
    <>
      <div className="dock-tools">
        <input
          type="search"
          aria-label="Only lines with this text"
          placeholder="Only lines with…"
          value={text}
          onFocus={() => void store?.prepare()}
          onChange={event => {
            setText(event.target.value)
            void store?.filter(event.target.value)
          }}
        />
        <span className="faint number">
          {text !== '' && store ? `${count.toLocaleString('en')} of ` : ''}
          {isReady ? counted(store?.total ?? 0, 'line') : 'Reading…'}
          {store?.isSearching ? ', searching…' : ''}
        </span>
        {!isOver && (
          <label className="check">
            <input type="checkbox" checked={doesFollow} onChange={event => setFollow(event.target.checked)} />
            Follow
          </label>
        )}
        {mark && (
          <button
            type="button"
            className="button small"
            onClick={() => void copy(location.href, 'Link to the lines copied')}
          >
            <Icon name="link" size={12} /> Copy link
          </button>
        )}
        <a className="button small" href={address(`${path}/file`, { uid: run.uid })} download>
          <Icon name="download" size={12} /> Download
        </a>
      </div>
      {(store?.missing ?? 0) > 0 && <p className="notice">Some of the output was gone before it could be archived.</p>}
      <div
        ref={box}
        className="log"
        role="log"
        aria-live="off"
        aria-label="Lines of output"
        tabIndex={0}
        onScroll={event => {
          const { scrollTop, clientHeight, scrollHeight } = event.currentTarget
          setPlace({ top: scrollTop, height: clientHeight })
          setFollow(scrollTop + clientHeight > scrollHeight - LINE)
        }}
      >
        <div style={{ height: count * LINE, position: 'relative' }}>{rows}</div>
      </div>
    </>
  )
}
