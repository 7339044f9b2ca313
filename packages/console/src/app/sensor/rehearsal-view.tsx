import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, EventItem, Trace } from '@tiphys/archive'
import { type ReactElement, useEffect, useState } from 'react'
import type { Rehearsal, RehearsedDependency, RehearsedTrigger } from '../../api/workshop.ts'
import { useSession } from '../access.tsx'
import { EventLink } from '../parts/link.tsx'
import { CodeField } from '../parts/manifest-editor.tsx'
import { Empty, Problem, Skeleton } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Yaml } from '../parts/yaml-view.tsx'
import { get, post } from '../request.ts'
import { formatDuration } from '../time.ts'
import { useAddress } from '../url.ts'

interface RehearsalViewProps {
  namespace: string
  name: string
  yaml: string
  /** The sources and entries that its dependencies are about: `SOURCE/ENTRY`. */
  entries: readonly string[]
}

const PAUSE_MS = 400

/** Tries an event against the Sensor, as it is or with changes to either: which filters pass, what would be sent. Nothing is
 *  sent. */
export function RehearsalView({ namespace, name, yaml, entries }: RehearsalViewProps): ReactElement {
  const { get: read, set } = useAddress()
  const session = useSession()
  const sources = [...new Set(entries.map(entry => entry.split('/')[0]))]
  const recent = useQuery({
    queryKey: ['events-of-sources', namespace, sources],
    queryFn: ({ signal }) =>
      get<ArchivePage<EventItem>>('/events', { q: `source:${sources.join(',')}`, ns: namespace, limit: 50 }, signal),
    enabled: sources.length > 0,
  })
  const chosen = read('event') || (recent.data?.items[0]?.id ?? '')
  const trace = useQuery({
    queryKey: ['event', chosen],
    queryFn: ({ signal }) => get<Trace>(`/events/${encodeURIComponent(chosen)}`, {}, signal),
    enabled: chosen !== '',
  })
  const event = trace.data?.event
  const [payload, setPayload] = useState<string>()
  const [manifest, setManifest] = useState<string>()
  const body = {
    namespace,
    sensor: name,
    ...(manifest !== undefined && { manifest }),
    ...(chosen === '' ? { source: entries[0] ?? '' } : { event: chosen }),
    ...(payload !== undefined && { payload }),
  }
  const wanted = JSON.stringify(body)
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const isComplete = chosen !== '' || payload !== undefined
    const timer = setTimeout(() => isComplete && setAsked(wanted), asked === '' ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [wanted, asked, chosen, payload])
  const rehearsal = useQuery({
    queryKey: ['rehearsal', asked],
    queryFn: () => post<Rehearsal>('/rehearsals', JSON.parse(asked)),
    enabled: asked !== '',
    placeholderData: before => before,
    retry: false,
  })
  if (session.data?.can.rehearse === false)
    return (
      <Empty icon="play" title="Nothing can be tried out here">
        <p>No event engine runs beside this console; that of the cluster decides what its sensors do.</p>
      </Empty>
    )
  const options = recent.data?.items ?? []
  return (
    <div className="rehearsal">
      <section className="card rehearsal-form" aria-label="What is tried">
        <p className="faint">
          Try an event of the past against this sensor, or change either of them. Nothing is sent, written or recorded.
        </p>
        <label className="field">
          <span>Event</span>
          <select
            value={chosen}
            onChange={change => {
              setPayload(undefined)
              set({ event: change.target.value }, { replace: true })
            }}
          >
            {options.length === 0 && <option value="">No event of its sources yet: write a payload</option>}
            {chosen !== '' && !options.some(({ id }) => id === chosen) && (
              <option value={chosen}>{event ? titleOf(event) : chosen}</option>
            )}
            {options.map(item => (
              <option key={item.id} value={item.id}>
                {titleOf(item)}
              </option>
            ))}
          </select>
        </label>
        <div className="rehearsal-changes">
          <button
            type="button"
            className="button small"
            aria-pressed={payload !== undefined}
            disabled={chosen !== '' && event?.body === undefined}
            onClick={() => setPayload(payload === undefined ? JSON.stringify(event?.body ?? {}, null, 2) : undefined)}
          >
            {payload === undefined ? 'Change the payload' : 'Take the payload as it was'}
          </button>
          <button
            type="button"
            className="button small"
            aria-pressed={manifest !== undefined}
            onClick={() => setManifest(manifest === undefined ? withoutStatus(yaml) : undefined)}
          >
            {manifest === undefined ? 'Change the sensor' : 'Take the sensor as it is'}
          </button>
          {chosen !== '' && <EventLink id={chosen}>Open the event</EventLink>}
        </div>
        {payload !== undefined && <CodeField label="Payload" value={payload} rows={14} onChange={setPayload} />}
        {manifest !== undefined && <CodeField label="Sensor" value={manifest} rows={18} onChange={setManifest} />}
      </section>
      {rehearsal.error && <Problem error={rehearsal.error} />}
      {!rehearsal.data && !rehearsal.error && asked !== '' && <Skeleton rows={4} />}
      {rehearsal.data && !rehearsal.error && <Outcome rehearsal={rehearsal.data} />}
    </div>
  )
}

const titleOf = ({ change, type, object, at, verdict }: EventItem) =>
  `${change ?? type} ${object ? `${object.kind} ${object.name}` : ''} · ${verdict} · ${formatDuration(Date.now() - at, 1)} ago`

/** What the cluster says of it is no part of what is tried. */
const withoutStatus = (yaml: string) => yaml.replace(/^status:\n(?:[ \t-].*\n?)*/m, '')

function Outcome({ rehearsal: { problems, dependencies, triggers } }: { rehearsal: Rehearsal }): ReactElement {
  return (
    <div className="rehearsal-outcome">
      {problems.length > 0 && (
        <ul className="findings card" aria-label="What is wrong with the sensor">
          {problems.map(({ path, message, severity }) => (
            <li key={`${path}-${message}`}>
              <Status value={severity} />
              <code>{path}</code>
              <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      {dependencies.map(dependency => (
        <DependencyOutcome key={dependency.name} dependency={dependency} />
      ))}
      {triggers.map(trigger => (
        <TriggerOutcome key={trigger.name} trigger={trigger} />
      ))}
    </div>
  )
}

function DependencyOutcome({ dependency }: { dependency: RehearsedDependency }): ReactElement {
  const { name, verdict, about, by, message, transformed, filters } = dependency
  return (
    <section className="card" aria-label={`Dependency ${name}`}>
      <header className="card-head">
        <h3>
          {name} <span className="faint">· dependency on {about}</span>
        </h3>
        {verdict === 'other' ? <Status value="skipped" word="another source" /> : <Status value={verdict} />}
      </header>
      {verdict === 'other' && <p className="faint">The event is of another source or entry.</p>}
      {verdict === 'passed' && filters.length === 0 && <p className="faint">It has no filters: every event passes.</p>}
      {message !== undefined && (
        <p className="message">
          {by}: {message}
        </p>
      )}
      {filters.length > 0 && (
        <table className="plain stacks">
          <caption className="hidden">Filters</caption>
          <thead>
            <tr>
              <th scope="col">Filter</th>
              <th scope="col">Saw</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {filters.map(filter => (
              <tr key={`${filter.kind}-${filter.text}`}>
                <th scope="row">
                  <span className="tag">{filter.kind}</span> <code>{filter.text}</code>
                </th>
                <td>
                  {filter.inputs.map(({ path, value }) => (
                    <div key={path}>
                      <code>{value ?? '(not there)'}</code>
                    </div>
                  ))}
                </td>
                <td>
                  <Status
                    value={filter.passed ? 'passed' : 'false'}
                    word={filter.passed ? 'passes' : 'holds it back'}
                  />
                  {filter.error !== undefined && <div className="message">{filter.error}</div>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {transformed !== undefined && (
        <details>
          <summary>After the transformation</summary>
          <pre className="raw" tabIndex={0}>
            <code>{pretty(transformed)}</code>
          </pre>
        </details>
      )}
    </section>
  )
}

function TriggerOutcome({ trigger }: { trigger: RehearsedTrigger }): ReactElement {
  const { name, type, verdict, missing, does, sends, note, message } = trigger
  return (
    <section className="card" aria-label={`Trigger ${name}`}>
      <header className="card-head">
        <h3>
          {name} <span className="faint">· trigger, {type}</span>
        </h3>
        {verdict === 'fires' && <Status value="ran" word="would fire" />}
        {verdict === 'waits' && <Status value="waiting" word="would wait" />}
        {verdict === 'filtered' && <Status value="filtered" word="would do nothing" />}
        {verdict === 'broken' && <Status value="failed" word="would fail" />}
      </header>
      {verdict === 'waits' && <p>It would wait for an event of {missing.join(' and ')}.</p>}
      {verdict === 'filtered' && <p className="faint">No dependency of it lets the event through.</p>}
      {does !== undefined && (
        <p>
          It would <strong>{does}</strong>:
        </p>
      )}
      {message !== undefined && <p className="message">{message}</p>}
      {typeof sends === 'string' && <Yaml text={sends} />}
      {note !== undefined && <p className="faint">{note}</p>}
    </section>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json // cut, or no JSON: as it is
  }
}
