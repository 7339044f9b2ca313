import type { Trace } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Status, toneOf } from '../parts/status.tsx'
import { formatDuration } from '../time.ts'
import { type Scale, scaleOf } from './scale.ts'
import { type Line, linesOf } from './waterfall.ts'

const ICONS: Readonly<Record<Line['kind'], IconName>> = {
  event: 'events',
  decision: 'health',
  delivery: 'send',
  run: 'runs',
  step: 'right',
  write: 'objects',
  effect: 'events',
}
const WORDS: Readonly<Record<Line['kind'], string>> = {
  event: 'event',
  decision: 'decision',
  delivery: 'delivery',
  run: 'run',
  step: 'step',
  write: 'write',
  effect: 'caused event',
}

/** The chain of an event as a table of lines, with when each of them was. */
export function TraceView({ trace, now }: { trace: Trace; now: number }): ReactElement {
  const lines = linesOf(trace, now)
  const scale = scaleOf(lines)
  const whole = scale.to - scale.from
  return (
    <section className="card trace" aria-label="Trace">
      <table className="waterfall">
        <caption className="hidden">What came of the event, in order</caption>
        <thead>
          <tr>
            <th scope="col">What happened</th>
            <th scope="col" className="waterfall-status">
              Status
            </th>
            <th scope="col" className="waterfall-time">
              <span className="axis">
                <span>0</span>
                <span>{formatDuration(whole)}</span>
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <tr
              key={line.key}
              className={toneOf(line.status) === 'bad' || line.status === 'parked' ? 'failing' : undefined}
            >
              <th scope="row">
                <span className="line-title" style={{ paddingInlineStart: `${line.depth * 16}px` }}>
                  <Icon name={ICONS[line.kind]} size={13} />
                  <span className="hidden">{WORDS[line.kind]} </span>
                  {line.href === undefined ? <span>{line.title}</span> : <Link href={line.href}>{line.title}</Link>}
                  {line.note !== undefined && <span className="note">{line.note}</span>}
                </span>
              </th>
              <td className="waterfall-status">
                <Status value={line.status} />
              </td>
              <td className="waterfall-time">
                <Bar line={line} scale={scale} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {trace.isCut && <p className="cut-note">More came of it than is shown here.</p>}
    </section>
  )
}

function Bar({ line, scale }: { line: Line; scale: Scale }): ReactElement {
  const left = scale.at(line.from) * 100
  const width = Math.max(0, scale.at(line.to) * 100 - left)
  const isMoment = line.to - line.from < 1
  const after = line.from - scale.from
  const words = !isMoment ? formatDuration(line.to - line.from) : after < 1 ? '' : `+${formatDuration(after)}`
  // Beside the bar where there is room, else in it.
  const isInside = left + width > 72 && left < 16
  const place = isInside
    ? { left: `calc(${left}% + 8px)` }
    : left + width > 72
      ? { right: `calc(${100 - left}% + 10px)` }
      : { left: `calc(${left + width}% + 10px)` }
  return (
    <span className="track" title={titleOf(line, after)}>
      {scale.folds.map(fold => (
        <span
          key={fold.at}
          className="fold"
          style={{ left: `${fold.at * 100}%` }}
          title={`${formatDuration(fold.ms)} in which nothing happened`}
        />
      ))}
      <span
        className={`bar ${toneOf(line.status)} ${isMoment ? 'moment' : ''}`}
        style={isMoment ? { left: `${left}%` } : { left: `${left}%`, width: `max(3px, ${width}%)` }}
      />
      <span className={isInside ? 'bar-words inside' : 'bar-words'} style={place}>
        {words}
      </span>
    </span>
  )
}

function titleOf({ from, to }: Line, after: number): string {
  const when = after < 1 ? 'at the beginning' : `${formatDuration(after)} after the beginning`
  return to - from < 1 ? when : `${formatDuration(to - from)}, ${when}`
}
