import { useQuery } from '@tanstack/react-query'
import type { RunDetail, StepDetail } from '@tiphys/archive'
import type { ReactElement, ReactNode } from 'react'
import { ActionButton } from '../access.tsx'
import { DifferenceTable } from '../parts/difference-table.tsx'
import { ObjectLink } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { Spent, Time } from '../parts/time.tsx'
import { get } from '../request.ts'
import { Parameters } from './parameters.tsx'
import { StepArtifacts } from './step-artifacts.tsx'
import { isSuspended, stateOf } from './step-state.ts'
import { timesOf } from './step-times.ts'

interface StepPanelProps {
  run: RunDetail
  step: StepDetail
  blocked: string | undefined
  onAct(action: 'retry' | 'resume'): void
  onChoose(step: string): void
}

/** Everything about one step beside its output. */
export function StepPanel({ run, step, blocked, onAct, onChoose }: StepPanelProps): ReactElement {
  const writes = run.writes.filter(write => write.step === step.step)
  const attempts = attemptsOf(run.steps.items, step)
  const isOver = run.finishedAt !== undefined
  return (
    <aside className="step-panel" aria-label={`Step ${step.displayName ?? step.name}`}>
      <header>
        <h2>{step.displayName ?? step.name}</h2>
        <Status value={stateOf(step)} />
      </header>
      {step.message !== undefined && <p className="message">{step.message}</p>}
      <dl className="facts-list">
        <Fact name="Type">{step.type}</Fact>
        {step.template !== undefined && <Fact name="Template">{step.template}</Fact>}
        {step.exitCode !== undefined && <Fact name="Exit code">{step.exitCode}</Fact>}
        <Fact name="Waited">
          <Spent span={timesOf(step, isOver).waited} />
        </Fact>
        <Fact name="Ran">
          <Spent span={timesOf(step, isOver).ran} />
        </Fact>
        {step.startedAt !== undefined && (
          <Fact name="Started">
            <Time at={step.startedAt} />
          </Fact>
        )}
        {step.pod !== undefined && (
          <Fact name="Pod">
            <code>{step.pod}</code>
          </Fact>
        )}
      </dl>
      {isSuspended(step) && !isOver ? (
        <ActionButton
          action="workflow"
          namespace={run.run.namespace}
          icon="play"
          kind="primary"
          blocked={blocked}
          onClick={() => onAct('resume')}
        >
          Resume this step
        </ActionButton>
      ) : (
        <ActionButton
          action="rerun"
          namespace={run.run.namespace}
          icon="replay"
          blocked={blocked ?? (isOver ? undefined : 'The run is not over.')}
          onClick={() => onAct('retry')}
        >
          Retry from this step
        </ActionButton>
      )}
      <Parameters title="Inputs" parameters={step.inputs ?? []} />
      <Parameters title="Outputs" parameters={step.outputs ?? []} />
      <StepArtifacts run={run.run} step={step} />
      {attempts.length > 1 && (
        <section>
          <h3>Attempts</h3>
          <ol className="attempts">
            {attempts.map(attempt => (
              <li key={attempt.step}>
                <Status value={attempt.phase} />
                <button
                  type="button"
                  className="link-button"
                  aria-current={attempt.step === step.step ? 'true' : undefined}
                  onClick={() => onChoose(attempt.step)}
                >
                  {attempt.displayName ?? attempt.name}
                </button>
                {attempt.message !== undefined && <span className="message">{attempt.message}</span>}
              </li>
            ))}
          </ol>
        </section>
      )}
      {writes.length > 0 && (
        <section>
          <h3>Wrote</h3>
          {writes.map(write => (
            <div key={write.id} className="write">
              <p>
                <Status value={write.outcome} /> {write.verb} <ObjectLink object={write.object} />
              </p>
              {write.diff && write.diff.length > 0 && <DifferenceTable changes={write.diff} />}
            </div>
          ))}
        </section>
      )}
      {step.pod !== undefined && (
        <PodEvents namespace={run.run.namespace} pod={step.pod} isEnded={isOver || step.finishedAt !== undefined} />
      )}
    </aside>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The children of the Retry that a step belongs to. */
function attemptsOf(steps: readonly StepDetail[], step: StepDetail): readonly StepDetail[] {
  const retry =
    step.type === 'Retry' ? step : steps.find(each => each.type === 'Retry' && each.children?.includes(step.step))
  return retry ? steps.filter(each => retry.children?.includes(each.step)) : []
}

interface PodEvent {
  at: number
  type?: string
  reason?: string
  message?: string
  count: number
}

/** They are the cluster's, which nobody tells of: asked for again while the pod may have trouble to start. */
const POD_EVENTS_MS = 3000

function PodEvents({
  namespace,
  pod,
  isEnded,
}: {
  namespace: string
  pod: string
  isEnded: boolean
}): ReactElement | null {
  const events = useQuery({
    queryKey: ['pod-events', namespace, pod],
    queryFn: ({ signal }) =>
      get<readonly PodEvent[]>(`/pod-events/${encodeURIComponent(namespace)}/${encodeURIComponent(pod)}`, {}, signal),
    retry: false,
    refetchInterval: !isEnded && POD_EVENTS_MS,
  })
  if (!events.data || events.data.length === 0) return null
  return (
    <section>
      <h3>Pod events</h3>
      <ul className="attempts">
        {events.data.map((event, i) => (
          <li key={i}>
            <Status value={event.type === 'Warning' ? 'warning' : 'true'} word={event.reason ?? ''} />
            <span className="message">{event.message}</span>
            <Time at={event.at} />
          </li>
        ))}
      </ul>
    </section>
  )
}
