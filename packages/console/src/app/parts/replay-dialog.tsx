import { useQuery } from '@tanstack/react-query'
import type { EventItem } from '@tiphys/archive'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import { type ReplayMode, replayLine } from '../command-line.ts'
import { counted } from '../count.ts'
import { termsOf } from '../query.ts'
import { post } from '../request.ts'
import { href } from '../url.ts'
import { Confirm } from './dialog.tsx'
import { Problem } from './page.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

export interface ReplayPreview {
  count: number
  isCut: boolean
  sample: readonly EventItem[]
  sources: readonly { name: string; count: number }[]
  runs: number
}

interface ReplayDialogProps {
  query?: string
  events?: readonly string[]
  ns: string
  onClose(): void
}

const MANY = 100

/** Whoever replays the same query twice would else send twice as many. */
const leavesOutReplays = (query = '') => !termsOf(query).some(({ field }) => field === 'replayof' || field === 'id')

/** What a replay will reach, before it does. */
export function ReplayDialog({ query, events, ns, onClose }: ReplayDialogProps): ReactElement {
  const [mode, setMode] = useState<ReplayMode>('all')
  const [rate, setRate] = useState(10)
  const [, navigate] = useLocation()
  const what = { ...(events ? { events } : { query: query ?? '' }), ...(ns !== '' && { ns }), mode }
  const preview = useQuery({
    queryKey: ['replay-preview', what],
    queryFn: () => post<ReplayPreview>('/actions/replay/preview', what),
  })
  const count = preview.data?.count ?? 0
  const confirm = async () => {
    await post('/actions/replay', { ...what, rate })
    say(`Replay of ${counted(count, 'event')} started`)
    navigate(href('/replay'))
  }
  return (
    <Confirm
      title={events?.length === 1 ? 'Replay this event' : 'Replay events'}
      verb={`Replay ${count} event${count === 1 ? '' : 's'}`}
      typed={count > MANY ? `replay ${count}` : undefined}
      isDisabled={count === 0 || preview.data?.isCut === true}
      cli={replayLine({ query, events, ns, mode, rate })}
      onConfirm={confirm}
      onClose={onClose}
    >
      {events?.length !== 1 && (
        <fieldset className="choices-row">
          <legend>Which of them</legend>
          {(
            [
              ['all', 'All'],
              ['no-run', 'Only without a run'],
              ['failed', 'Only failed or parked'],
            ] as const
          ).map(([value, name]) => (
            <label key={value} className="check">
              <input type="radio" name="mode" checked={mode === value} onChange={() => setMode(value)} />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      {events?.length !== 1 && (
        <label className="field inline">
          <span>Events a second, at most</span>
          <input
            type="number"
            min={1}
            max={10_000}
            value={rate}
            onChange={event => setRate(Math.max(1, Number(event.target.value) || 1))}
          />
        </label>
      )}
      {preview.error && <Problem error={preview.error} />}
      {preview.data && (
        <>
          <p>
            <strong>{count.toLocaleString('en')}</strong>{' '}
            {count === 1
              ? 'event is sent again as a new one that names'
              : 'events are sent again as new ones that name'}{' '}
            the original
            {preview.data.runs > 0
              ? `; when ${count === 1 ? 'it was' : 'they were'} new ${count === 1 ? 'it' : 'they'} started ${counted(preview.data.runs, 'run')}`
              : ''}
            .{count > 1 && ' The oldest comes first, and those of one key are handled one after the other.'}
            {preview.data.isCut && ' More match than one replay takes: narrow the query.'}
            {!events && leavesOutReplays(query) && ' What was sent again itself is left out: replayof:* asks for it.'}
          </p>
          <ul className="sample" tabIndex={0}>
            {preview.data.sample.map(event => (
              <li key={event.id}>
                <Status value={event.verdict} compact />
                <span>
                  {event.change ?? event.type}{' '}
                  {event.object ? `${event.object.kind} ${event.object.name}` : event.id.slice(0, 12)}
                </span>
                <Time at={event.at} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Confirm>
  )
}
