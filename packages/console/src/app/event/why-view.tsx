import type { Trace } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { counted } from '../count.ts'
import { EventLink } from '../parts/link.tsx'
import { Empty } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { formatDuration } from '../time.ts'
import { href, pipelinePath } from '../url.ts'

/** Why it did, or did not: for every sensor that looked at the event what decided, and from which inputs. */
export function WhyView({ trace }: { trace: Trace }): ReactElement {
  const triggers = new Map<string, Trace['outcomes'][number]['trigger']>()
  for (const { trigger } of [...trace.outcomes, ...trace.decisions, ...trace.deliveries])
    triggers.set(`${trigger.namespace}/${trigger.name}/${trigger.part}`, trigger)
  if (triggers.size === 0) {
    return (
      <Empty icon="health" title="No sensor looked at this event">
        <p>
          No Sensor has a dependency on{' '}
          <code>
            {trace.event?.source.name}/{trace.event?.source.part}
          </code>
          , or none runs. The Health page shows the sensors and what is wrong with them.
        </p>
        <Link href={href('/health')} className="button">
          Open Health
        </Link>
      </Empty>
    )
  }
  return (
    <div className="why">
      {[...triggers].map(([name, trigger]) => {
        const isOwn = (each: { trigger: typeof trigger }) =>
          `${each.trigger.namespace}/${each.trigger.name}/${each.trigger.part}` === name
        const outcome = trace.outcomes.find(isOwn)
        const decisions = trace.decisions.filter(isOwn)
        const deliveries = trace.deliveries.filter(isOwn)
        return (
          <section key={name} className="card" aria-label={`Sensor ${trigger.name}, trigger ${trigger.part}`}>
            <header className="card-head">
              <h3>
                <Link href={href(pipelinePath('Sensor', trigger.namespace, trigger.name))}>{trigger.name}</Link>
                <span className="faint"> · trigger {trigger.part}</span>
              </h3>
              {outcome && <Status value={outcome.state} />}
              <Link
                className="button small"
                href={href(pipelinePath('Sensor', trigger.namespace, trigger.name), {
                  tab: 'dry-run',
                  event: trace.id,
                })}
              >
                Dry run
              </Link>
            </header>
            <p className="why-sentence">
              {sentenceOf(outcome?.state ?? 'pending', decisions.at(-1)?.by, outcome?.message)}
            </p>
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
                  {decision.by !== undefined && <code className="expression">{decision.by}</code>}
                  <Time at={decision.at} />
                </div>
                {decision.inputs && decision.inputs.length > 0 && (
                  <table className="inputs">
                    <caption className="hidden">Inputs of the decision</caption>
                    <tbody>
                      {decision.inputs.map(input => (
                        <tr key={input.path}>
                          <th scope="row">
                            <code>{input.path}</code>
                          </th>
                          <td>
                            <code>{input.value === undefined ? '(not there)' : JSON.stringify(input.value)}</code>
                          </td>
                        </tr>
                      ))}
                      <tr className="verdict-row">
                        <th scope="row">result</th>
                        <td>
                          <code>{String(decision.verdict !== 'filtered' && decision.verdict !== 'failed')}</code>
                        </td>
                      </tr>
                    </tbody>
                  </table>
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
                    <Time at={delivery.at} />
                    {(delivery.message ?? delivery.reason) !== undefined && (
                      <span className="message">{delivery.message ?? delivery.reason}</span>
                    )}
                  </li>
                ))}
              </ol>
            )}
          </section>
        )
      })}
    </div>
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

function sentenceOf(state: string, by: string | undefined, message: string | undefined): string {
  const because = by === undefined ? '' : ` because of ${by}`
  switch (state) {
    case 'filtered':
      return `The sensor turned the event away${because}.`
    case 'superseded':
      return 'A newer event about the same thing took its place.'
    case 'waiting':
      return `The sensor waits for other events before it acts${because}.`
    case 'parked':
      return `The delivery was given up and waits for a person${message === undefined ? '' : `: ${message}`}.`
    case 'failed':
      return `It failed${message === undefined ? '' : `: ${message}`}.`
    case 'running':
      return 'The delivery is under way.'
    case 'discarded':
      return 'A person gave the delivery up.'
    case 'ran':
      return 'The sensor let the event through, and the trigger’s action was accepted.'
    default:
      return 'Nobody has looked at it yet.'
  }
}
