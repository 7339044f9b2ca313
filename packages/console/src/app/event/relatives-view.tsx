import type { EventItem, Provenance, Trace } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { EventLink, ObjectLink, RunLink } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { runHref } from '../url.ts'

/** What led to the event, and what it led to. */
export function RelativesView({ trace }: { trace: Trace }): ReactElement {
  const { cause, effects, replays, together, event } = trace
  return (
    <div className="relatives">
      <section className="card" aria-label="Causes">
        <h3>What led to it</h3>
        {event?.replayOf !== undefined && (
          <p>
            It repeats the event <EventLink id={event.replayOf} />.
          </p>
        )}
        {cause ? (
          <CauseLine cause={cause} />
        ) : (
          event?.replayOf === undefined && (
            <p className="faint">A person or something outside of Tiphys: no write of ours made it.</p>
          )
        )}
      </section>
      <section className="card" aria-label="Effects">
        <h3>What it led to</h3>
        {effects.length === 0 && trace.runs.length === 0 && trace.writes.length === 0 && (
          <p className="faint">Nothing was started or written.</p>
        )}
        <ul className="relation-list">
          {trace.runs.map(({ run, phase, at }) => (
            <li key={run.uid}>
              <Status value={phase} /> run <RunLink run={run} /> <Time at={at} />
            </li>
          ))}
          {trace.writes.map(write => (
            <li key={write.id}>
              <Status value={write.outcome} /> {write.verb} <ObjectLink object={write.object} /> <Time at={write.at} />
            </li>
          ))}
        </ul>
        <EventList events={effects.map(({ event: effect }) => effect)} />
      </section>
      {together.length > 0 && (
        <section className="card" aria-label="Handled together">
          <h3>Handled together with</h3>
          <p className="faint">A trigger waited for all of these events, and did one thing for them.</p>
          <EventList events={together} />
        </section>
      )}
      {replays.length > 0 && (
        <section className="card" aria-label="Replays">
          <h3>Events that repeat it</h3>
          <EventList events={replays} />
        </section>
      )}
    </div>
  )
}

function EventList({ events }: { events: readonly EventItem[] }): ReactElement {
  return (
    <ul className="relation-list">
      {events.map(({ id, at, verdict, change, type, object }) => (
        <li key={id}>
          <Status value={verdict} /> event{' '}
          <EventLink id={id}>{`${change ?? type} ${object?.name ?? id.slice(0, 8)}`}</EventLink> <Time at={at} />
        </li>
      ))}
    </ul>
  )
}

export function CauseLine({ cause }: { cause: Provenance }): ReactElement {
  const { write, event, run, step } = cause
  return (
    <p className="cause">
      {event && (
        <>
          event{' '}
          <EventLink
            id={event.id}
          >{`${event.change ?? event.type} ${event.object?.name ?? event.id.slice(0, 8)}`}</EventLink>
          <span className="arrow">→</span>
        </>
      )}
      {run && (
        <>
          run <RunLink run={run.run} />
          {step && (
            <>
              {' '}
              step <Link href={runHref(run.run, { step: step.id })}>{step.name}</Link>
            </>
          )}
          <span className="arrow">→</span>
        </>
      )}
      {write.verb} <ObjectLink object={write.object} />
      {write.as !== undefined && <span className="faint"> as {write.as}</span>} <Time at={write.at} />
    </p>
  )
}
