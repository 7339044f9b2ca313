import { useQuery } from '@tanstack/react-query'
import type { EventItem } from '@tiphys/archive'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import { counted } from '../count.ts'
import { post } from '../request.ts'
import { href } from '../url.ts'
import { Confirm } from './dialog.tsx'
import { Problem } from './page.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

export type ReplayMode = 'all' | 'no-run' | 'failed'

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
      cli={`tiphys replay ${events?.length === 1 ? events[0] : `'${query ?? ''}'`} --mode ${mode} --rate ${rate}`}
      onConfirm={confirm}
      onClose={onClose}
    >
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
      {preview.error && <Problem error={preview.error} />}
      {preview.data && (
        <>
          <p>
            <strong>{count.toLocaleString('en')}</strong> {count === 1 ? 'event is' : 'events are'} sent again as new
            ones that name the original
            {preview.data.runs > 0 ? `; when they were new they started ${preview.data.runs} runs` : ''}.
            {preview.data.isCut && ' More match than one replay takes: narrow the query.'}
          </p>
          <ul className="sample">
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
