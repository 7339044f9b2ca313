import { useQuery } from '@tanstack/react-query'
import type { Trace } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { counted } from '../count.ts'
import { EventLink, RunLink } from '../parts/link.tsx'
import { Empty } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { get } from '../request.ts'
import { filterWords, type SensorSpec } from '../sensor/filter-words.ts'
import { formatDuration } from '../time.ts'
import { href, pipelinePath } from '../url.ts'
import { FilterTable, InputTable } from './filter-table.tsx'
import { type FilterKind, isFilter, isOfSource, WhySentence } from './why-sentence.tsx'

/** Nothing comes of it: nobody depends on what it tells. */
function Unheard({ trace }: { trace: Trace }): ReactElement {
  const { namespace = '', name = '', part = '' } = trace.event?.source ?? {}
  return (
    <Empty icon="events" title="No sensor listens to this event">
      <Repeats trace={trace} />
      <p>
        When it came, no Sensor of its bus depended on{' '}
        <Link href={href(pipelinePath('EventSource', namespace, name))}>
          {name}/{part}
        </Link>
        . A Sensor with this dependency gets the events that come from then on; this one can be replayed to it.
      </p>
      <pre>
        <code>{`dependencies:\n  - name: ${part}\n    eventSourceName: ${name}\n    eventName: ${part}`}</code>
      </pre>
    </Empty>
  )
}

function Unseen({ trace }: { trace: Trace }): ReactElement {
  return (
    <Empty icon="health" title="No sensor has looked at this event">
      <Repeats trace={trace} />
      <p>
        Those that depend on{' '}
        <code>
          {trace.event?.source.name}/{trace.event?.source.part}
        </code>{' '}
        have not come to it yet, or none runs. The Health page shows the sensors and what is wrong with them.
      </p>
      <Link href={href('/health')} className="button">
        Open Health
      </Link>
    </Empty>
  )
}

type Trigger = Trace['outcomes'][number]['trigger']

/** What is known of the event at each trigger; what went wrong comes first, for that is what is asked. */
function reasonsOf(trace: Trace, triggers: ReadonlyMap<string, Trigger>) {
  const reasons = [...triggers].map(([name, trigger]) => {
    const isOwn = (each: { trigger: Trigger }) =>
      `${each.trigger.namespace}/${each.trigger.name}/${each.trigger.part}` === name
    const deliveries = trace.deliveries.filter(isOwn)
    const actions = new Set(deliveries.map(({ action }) => action))
    const failedRuns = trace.runs.filter(
      ({ action = '', phase }) => actions.has(action) && (phase === 'Failed' || phase === 'Error'),
    )
    const outcome = trace.outcomes.find(isOwn)
    const urgency = outcome?.state === 'parked' ? 0 : outcome?.state === 'failed' || failedRuns.length > 0 ? 1 : 2
    return { name, trigger, deliveries, failedRuns, outcome, urgency, decisions: trace.decisions.filter(isOwn) }
  })
  return reasons.sort((a, b) => a.urgency - b.urgency)
}

/** Why it did, or did not: for every sensor that looked at the event what decided, and from which inputs. */
export function WhyView({ trace }: { trace: Trace }): ReactElement {
  const triggers = new Map<string, Trigger>()
  const decided = trace.decisions.filter(({ verdict }) => verdict !== 'repeated')
  for (const { trigger } of [...trace.outcomes, ...decided, ...trace.deliveries])
    triggers.set(`${trigger.namespace}/${trigger.name}/${trigger.part}`, trigger)
  if (triggers.size === 0)
    return trace.event?.verdict === 'unheard' ? <Unheard trace={trace} /> : <Unseen trace={trace} />
  return (
    <>
      <Repeats trace={trace} />
      <div className="why">
        {reasonsOf(trace, triggers).map(({ name, trigger, outcome, decisions, deliveries, failedRuns }) => {
          const isSource = decisions.some(isOfSource)
          const [kind, part] = isSource ? (['EventSource', 'entry'] as const) : (['Sensor', 'trigger'] as const)
          const path = pipelinePath(kind, trigger.namespace, trigger.name)
          return (
            <section key={name} className="card" aria-label={`${kind} ${trigger.name}, ${part} ${trigger.part}`}>
              <header className="card-head">
                <h3>
                  <Link href={href(path)}>{trigger.name}</Link>
                  <span className="faint">
                    {' '}
                    · {part} {trigger.part}
                  </span>
                </h3>
                {outcome && <Status value={outcome.state} />}
                {outcome?.state === 'parked' && (
                  <Link className="button small primary" href={href('/parked', { q: `event:${trace.id}` })}>
                    Retry or discard
                  </Link>
                )}
                {!isSource && (
                  <Link className="button small" href={href(path, { tab: 'dry-run', event: trace.id })}>
                    Dry run
                  </Link>
                )}
              </header>
              <WhySentence state={outcome?.state ?? 'pending'} decisions={decisions} message={outcome?.message} />
              {failedRuns.map(({ run, message }) => (
                <p key={run.uid} className="why-sentence">
                  But the run that it started, <RunLink run={run} />, failed{message !== undefined && `: ${message}`}.
                </p>
              ))}
              {decisions.map((decision, i) => (
                <div key={i} className="decision">
                  <div className="decision-head">
                    <Status value={decision.verdict} />
                    {decision.dependency === '' ? (
                      decision.verdict === 'joined' && <span>all dependencies</span>
                    ) : (
                      <span>
                        dependency <code>{decision.dependency}</code>
                      </span>
                    )}
                    {decision.verdict === 'superseded' && decision.by !== undefined ? (
                      <EventLink id={decision.by} />
                    ) : (
                      decision.by !== undefined && <code className="expression">{decision.by}</code>
                    )}
                    {isFilter(decision.by) && !decision.filters && (
                      <FilterLines trigger={trigger} dependency={decision.dependency} kind={decision.by} />
                    )}
                    <Time at={decision.at} />
                  </div>
                  {decision.filters && decision.filters.length > 0 ? (
                    <FilterTable decision={decision} />
                  ) : (
                    decision.inputs &&
                    decision.inputs.length > 0 && (
                      <InputTable
                        inputs={decision.inputs}
                        result={decision.verdict !== 'filtered' && decision.verdict !== 'failed'}
                      />
                    )
                  )}
                  {decision.transform && (
                    <details>
                      <summary>What the transformation made of the event</summary>
                      <pre className="raw" tabIndex={0} aria-label="What the transformation made of the event">
                        <code>{JSON.stringify(decision.transform.output, null, 2)}</code>
                      </pre>
                    </details>
                  )}
                  {decision.message !== undefined && <p className="message">{decision.message}</p>}
                  <Others events={decision.events.filter(event => event !== trace.id)} />
                </div>
              ))}
              {deliveries.length > 0 && (
                <ol className="attempts">
                  {deliveries.map((delivery, i) => (
                    <li key={i}>
                      <Status value={delivery.outcome} />
                      <span>attempt {delivery.attempt}</span>
                      {delivery.durationMs !== undefined && (
                        <span className="faint">{formatDuration(delivery.durationMs)}</span>
                      )}
                      {delivery.heldBackMs !== undefined && (
                        <span className="faint">
                          after the rate limit held it back for {formatDuration(delivery.heldBackMs)}
                        </span>
                      )}
                      <Time at={delivery.at} />
                      {words(delivery) !== undefined && (
                        <span className="message">
                          {i > 0 && words(delivery) === words(deliveries[i - 1])
                            ? 'for the same reason'
                            : words(delivery)}
                        </span>
                      )}
                    </li>
                  ))}
                </ol>
              )}
            </section>
          )
        })}
      </div>
    </>
  )
}

const words = (delivery: Trace['deliveries'][number] | undefined): string | undefined =>
  delivery?.message ?? delivery?.reason

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** It came again under its id: the newest of what is told of that has counted the others. */
function Repeats({ trace }: { trace: Trace }): ReactElement | null {
  const last = trace.decisions.filter(({ verdict }) => verdict === 'repeated').at(-1)
  if (!last) return null
  return (
    <p className="notice">
      {sentence(last.message ?? 'it came again')} (<Time at={last.at} />
      ).
    </p>
  )
}

interface FilterLinesProps {
  trigger: Trigger
  dependency: string
  kind: FilterKind
}

/** The filter itself, where only its kind was recorded: how it reads, the Sensor in the cluster says. */
function FilterLines({ trigger: { namespace, name }, dependency, kind }: FilterLinesProps): ReactElement | null {
  const sensor = useQuery({
    queryKey: ['pipeline', 'Sensor', namespace, name],
    queryFn: ({ signal }) =>
      get<{ object: { spec?: SensorSpec } }>(
        `/pipeline/Sensor/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
        {},
        signal,
      ),
    retry: false,
  })
  const found = sensor.data?.object.spec?.dependencies?.find(each => each.name === dependency)
  const { lines } = filterWords(found?.filters, found?.filtersLogicalOperator, kind === 'filters' ? undefined : kind)
  if (lines.length === 0) return null
  return (
    <span className="filter-lines" title="As the sensor is now">
      {lines.map(line => (
        <code key={line}>{line}</code>
      ))}
    </span>
  )
}

const MOST_OTHERS = 6

/** The events that were looked at together with this one. */
function Others({ events }: { events: readonly string[] }): ReactElement | null {
  if (events.length === 0) return null
  const more = events.length - MOST_OTHERS
  return (
    <p className="faint">
      Together with{' '}
      {events.slice(0, MOST_OTHERS).map((event, i) => (
        <span key={event}>
          {i > 0 && ', '}
          <EventLink id={event} />
        </span>
      ))}
      {more > 0 && ` and ${counted(more, 'other event')}`}.
    </p>
  )
}
