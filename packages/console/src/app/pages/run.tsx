import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, RunDetail, RunItem, StepDetail } from '@tiphys/archive'
import { Fragment, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ActionButton, useSession } from '../access.tsx'
import { copy } from '../clipboard.ts'
import type { RunAction } from '../command-line.ts'
import { useChanges } from '../live/use-live.ts'
import { Icon } from '../parts/icon.tsx'
import { EventLink, ObjectLink, RunLink } from '../parts/link.tsx'
import { NeighbourKeys } from '../parts/neighbour-keys.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { PhaseBar } from '../parts/phase-bar.tsx'
import { RunDialog } from '../parts/run-dialog.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Duration, Time } from '../parts/time.tsx'
import { YamlView } from '../parts/yaml-view.tsx'
import { shortcuts } from '../preference.ts'
import { failureOf, get, RequestFailure } from '../request.ts'
import { FailureBanner } from '../run/failure-banner.tsx'
import { GraphView } from '../run/graph-view.tsx'
import { LogDock } from '../run/log-dock.tsx'
import { attemptTitle, originOf } from '../run/origin.ts'
import { Parameters } from '../run/parameters.tsx'
import { suppliedOutputs, type WorkflowManifest, withPlanned } from '../run/planned.ts'
import { RunArtifacts, runOutputs } from '../run/step-artifacts.tsx'
import { withoutStepGroups } from '../run/step-groups.ts'
import { StepPanel } from '../run/step-panel.tsx'
import { isSuspended } from '../run/step-state.ts'
import { StepTable } from '../run/step-table.tsx'
import { sinceRetried } from '../run/step-times.ts'
import { TimelineView } from '../run/timeline-view.tsx'
import { href, runHref, templatePath, useAddress } from '../url.ts'

const isFailed = (phase: string) => phase === 'Failed' || phase === 'Error'
const ownFailures = (steps: readonly StepDetail[]): StepDetail[] => {
  const failed = steps.filter(({ phase }) => isFailed(phase))
  const ids = new Set(failed.map(({ step }) => step))
  const groups = new Set(failed.map(({ parent }) => parent))
  const isGroup = ({ step, children }: StepDetail) => groups.has(step) || children?.some(child => ids.has(child))
  return failed.filter(step => step.type === 'Pod' || !isGroup(step))
}

export default function RunPage({ namespace, name }: { namespace: string; name: string }): ReactElement {
  const { get: read } = useAddress()
  const uid = read('uid')
  const path = `/runs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const run = useQuery({
    queryKey: ['run', namespace, name, uid],
    queryFn: ({ signal }) => get<RunDetail>(path, { uid }, signal),
  })
  const manifest = useQuery({
    queryKey: ['manifest', `${path}/manifest`],
    queryFn: ({ signal }) =>
      get<{ yaml: string; object: WorkflowManifest } | { missing: string }>(`${path}/manifest`, {}, signal),
    enabled: run.data !== undefined,
    retry: false,
  })
  // One that was just submitted may not be recorded yet: it is looked for again. One that is over may be retried: it alone is followed.
  useChanges(
    [
      ['run', namespace, name],
      ['manifest', `${path}/manifest`],
    ],
    true,
    run.data?.finishedAt === undefined ? undefined : `run:"${run.data.run.uid}"`,
  )
  const failure = failureOf(run)
  if (failure) return <MissingRun namespace={namespace} name={name} error={failure} />
  if (!run.data)
    return (
      <Page title={name}>
        <Skeleton rows={10} />
      </Page>
    )
  const present = manifest.data && 'object' in manifest.data ? manifest.data.object : undefined
  const isReplaced = present !== undefined && uid !== '' && present.metadata?.uid !== uid
  return <Run run={run.data} path={path} workflow={isReplaced ? undefined : present} isReplaced={isReplaced} />
}

interface RunProps {
  run: RunDetail
  path: string
  /** As the cluster has it; undefined while it is read, and when it is gone. */
  workflow: WorkflowManifest | undefined
  /** The cluster has another one under its name: what is done by the name would be done to that one. */
  isReplaced: boolean
}

const REPLACED = 'Another run has its name now.'

function Run({ run, path, workflow, isReplaced }: RunProps): ReactElement {
  const { get: read, set } = useAddress()
  const session = useSession()
  const [action, setAction] = useState<RunAction>()
  const [again, setAgain] = useState<StepDetail>()
  const { namespace, name } = run.run
  const items = useMemo(() => sinceRetried(run.steps.items, run.history), [run.steps.items, run.history])
  const steps = useMemo(() => withoutStepGroups(items), [items])
  const isOver = run.finishedAt !== undefined
  const origin = originOf(run)
  const drawn = useMemo(
    () => (workflow ? withoutStepGroups(withPlanned(items, workflow, isOver)) : steps),
    [items, steps, workflow, isOver],
  )
  const waiting = isOver ? [] : steps.filter(isSuspended)
  const chosenId = read('step') || run.culprit?.step || (waiting[0] ?? leafOf(steps))?.step || steps[0]?.step || ''
  const chosen = steps.find(({ step }) => step === chosenId)
  const given = useMemo(() => runOutputs(run.steps.items), [run.steps.items])
  const hasValues = run.parameters.length + run.outputs.length + given.length > 0
  const view = read('view') || 'graph'
  const address = useRef(set)
  address.current = set
  // The same for ever: the graph is not rendered anew for a function.
  const choose = useCallback((step: string) => address.current({ step, container: undefined }, { replace: true }), [])
  const isWaiting = waiting.length > 0 || workflow?.spec?.suspend === true
  const replaced = isReplaced ? REPLACED : undefined
  const retriable =
    replaced ?? (session.data?.can.control === false ? 'No workflow engine runs beside this console.' : undefined)

  // [ and ] go to the steps that failed of themselves: a group that failed because of one has no log to explain it.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.target as HTMLElement).closest?.('input,textarea,select,dialog') || event.ctrlKey || event.metaKey)
        return
      if ((event.key !== '[' && event.key !== ']') || shortcuts.get() === 'off') return
      const failed = ownFailures(steps)
      const at = failed.findIndex(({ step }) => step === chosenId)
      // From a step that did not fail, backwards is to the last.
      const before = at < 0 ? failed.length : at
      const next = failed.at(event.key === ']' ? (at + 1) % Math.max(1, failed.length) : before - 1)
      if (next) set({ step: next.step, container: undefined }, { replace: true })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [steps, chosenId, set])

  return (
    <Page
      title={name}
      name={`Run ${namespace}/${name}`}
      crumb={
        <>
          <Link href={href('/runs')}>Runs</Link> / {namespace}
        </>
      }
      sub={
        <span className="facts">
          <Status value={run.phase} />
          {run.steps.total > 0 && (
            <PhaseBar byPhase={run.steps.byPhase} total={run.steps.total} progress={run.progress} />
          )}
          <span>
            <Time at={run.startedAt ?? run.at} />
          </span>
          <span>
            {isOver ? 'took' : 'for'} <Duration from={run.startedAt ?? run.at} to={run.finishedAt} />
          </span>
          {run.attempt > 1 && <span title={attemptTitle(run)}>attempt {run.attempt}</span>}
          {run.template !== undefined && (
            <span>
              from <TemplateLink template={run.template} namespace={namespace} />
            </span>
          )}
          {'event' in origin ? (
            <span>
              because of event <EventLink id={origin.event} />
            </span>
          ) : (
            <span>started {origin.words}</span>
          )}
          {run.object && (
            <span>
              for <ObjectLink object={run.object} />
            </span>
          )}
          {run.repeats && (
            <span>
              repeats <RunLink run={run.repeats} />
            </span>
          )}
          <Namesakes run={run} />
        </span>
      }
      actions={
        <>
          <button type="button" className="button" onClick={() => void copy(summaryOf(run), 'Summary copied')}>
            <Icon name="copy" size={14} /> Copy summary
          </button>
          {isOver ? (
            <>
              <ActionButton
                action="submit"
                namespace={namespace}
                blocked={retriable}
                onClick={() => setAction('resubmit')}
              >
                Resubmit
              </ActionButton>
              <ActionButton
                action="rerun"
                namespace={namespace}
                icon="replay"
                kind={isFailed(run.phase) ? 'primary' : 'plain'}
                blocked={retriable ?? (isFailed(run.phase) ? undefined : 'Only a run that failed can be retried.')}
                onClick={() => setAction('retry')}
              >
                Retry
              </ActionButton>
            </>
          ) : (
            <>
              <ActionButton
                action="workflow"
                namespace={namespace}
                icon="pause"
                blocked={replaced ?? (workflow?.spec?.suspend === true ? 'The run is suspended already.' : undefined)}
                onClick={() => setAction('suspend')}
              >
                Suspend
              </ActionButton>
              <ActionButton
                action="workflow"
                namespace={namespace}
                icon="play"
                kind={isWaiting ? 'primary' : 'plain'}
                // Of one that the cluster does not show it is not known.
                blocked={replaced ?? (workflow && !isWaiting ? 'Nothing in the run waits for somebody.' : undefined)}
                onClick={() => {
                  setAgain(waiting.length === 1 ? waiting[0] : undefined)
                  setAction('resume')
                }}
              >
                Resume
              </ActionButton>
              <ActionButton
                action="workflow"
                namespace={namespace}
                icon="stop"
                blocked={replaced}
                onClick={() => setAction('stop')}
              >
                Stop
              </ActionButton>
              <ActionButton
                action="workflow"
                namespace={namespace}
                kind="danger"
                blocked={replaced}
                onClick={() => setAction('terminate')}
              >
                Terminate
              </ActionButton>
            </>
          )}
        </>
      }
      cli={[`tiphys logs ${name} -n ${namespace}`, `kubectl get workflow ${name} -n ${namespace} -o yaml`]}
    >
      <NeighbourKeys list="/runs" current={run.run.uid} />
      {(run.culprit || isFailed(run.phase)) && <FailureBanner run={run} onChoose={choose} />}
      <div className="run-body">
        <div className="run-main">
          <Tabs
            label="Views of the run"
            chosen={view}
            onChoose={next => set({ view: next === 'graph' ? undefined : next }, { replace: true })}
            tabs={[
              {
                id: 'graph',
                name: 'Graph',
                content: () =>
                  drawn.length === 0 ? (
                    <NoSteps isOver={isOver} />
                  ) : (
                    <GraphView steps={drawn} chosen={chosenId} onChoose={choose} />
                  ),
              },
              {
                id: 'timeline',
                name: 'Timeline',
                content: () =>
                  steps.length === 0 ? (
                    <NoSteps isOver={isOver} />
                  ) : (
                    <TimelineView steps={steps} chosen={chosenId} isOver={isOver} onChoose={choose} />
                  ),
              },
              {
                id: 'list',
                name: 'List',
                count: steps.length,
                content: () =>
                  steps.length === 0 ? (
                    <NoSteps isOver={isOver} />
                  ) : (
                    <StepTable steps={steps} chosen={chosenId} isOver={isOver} onChoose={choose} />
                  ),
              },
              ...(hasValues
                ? [
                    {
                      id: 'values',
                      name: 'Values',
                      content: () => (
                        <div className="run-values">
                          <Parameters title="Parameters" parameters={run.parameters} />
                          <Parameters title="Outputs" parameters={run.outputs} />
                          {given.length > 0 && <RunArtifacts run={run.run} outputs={given} />}
                        </div>
                      ),
                    },
                  ]
                : []),
              {
                id: 'yaml',
                name: 'YAML',
                content: () =>
                  isReplaced ? (
                    <Empty icon="templates" title="No manifest">
                      <p>{REPLACED} What the archive knows of this one is shown.</p>
                    </Empty>
                  ) : (
                    <YamlView path={`${path}/manifest`} />
                  ),
              },
            ]}
          />
          {steps.length > 0 && (
            <LogDock
              run={run.run}
              step={chosen}
              container={read('container')}
              isOver={isOver}
              onContainer={container => set({ container }, { replace: true })}
            />
          )}
        </div>
        {chosen && (
          <StepPanel
            run={run}
            step={chosen}
            blocked={retriable}
            onChoose={choose}
            onAct={next => {
              setAgain(chosen)
              setAction(next)
            }}
          />
        )}
      </div>
      {action && (
        <RunDialog
          action={action}
          runs={[run.run]}
          steps={run.steps.items}
          step={again}
          inputs={again ? suppliedOutputs(workflow, again.step) : []}
          onClose={() => {
            setAction(undefined)
            setAgain(undefined)
          }}
        />
      )}
    </Page>
  )
}

const NoSteps = ({ isOver }: { isOver: boolean }) => (
  <Empty icon="runs" title={isOver ? 'No step began' : 'No step has begun yet'}>
    <p>{isOver ? 'The run ended before its first step: its message says why.' : 'They appear here as they begin.'}</p>
  </Empty>
)

/** What runs, not what only holds it together. */
const leafOf = (steps: readonly StepDetail[]) =>
  steps.find(({ phase, pod }) => phase === 'Running' && pod !== undefined) ??
  steps.find(({ phase }) => phase === 'Running')

const MOST_NAMESAKES = 5

/** Other runs that have had the name, which alone leads to the newest. */
function Namesakes({ run: { run } }: { run: RunDetail }): ReactElement | null {
  const { namespace, name, uid } = run
  const found = useQuery({
    queryKey: ['namesakes', namespace, name],
    queryFn: ({ signal }) =>
      get<ArchivePage<RunItem>>('/runs', { q: `run:"${name}"`, ns: namespace, limit: MOST_NAMESAKES + 1 }, signal),
  })
  const others = found.data?.items.filter(item => item.run.name === name && item.run.uid !== uid) ?? []
  if (others.length === 0) return null
  return (
    <span>
      other runs of this name:
      {others.slice(0, MOST_NAMESAKES).map(item => (
        <Fragment key={item.run.uid}>
          {' '}
          <Link href={runHref(item.run)}>
            <Status value={item.phase} /> <Time at={item.at} />
          </Link>
        </Fragment>
      ))}
    </span>
  )
}

function TemplateLink({ template, namespace }: { template: string; namespace: string }): ReactElement {
  const [kind, name] = template.split('/')
  if (kind === undefined || name === undefined) return <span>{template}</span>
  return <Link href={href(templatePath(kind, kind.startsWith('Cluster') ? '' : namespace, name))}>{name}</Link>
}

function MissingRun({ namespace, name, error }: { namespace: string; name: string; error: Error }): ReactElement {
  const isMissing = error instanceof RequestFailure && error.status === 404
  return (
    <Page
      title={isMissing ? 'No such run' : 'The run cannot be shown'}
      name={`${isMissing ? 'No such run' : 'The run cannot be shown'}: ${namespace}/${name}`}
      cli={[`kubectl get workflow ${name} -n ${namespace}`]}
    >
      {isMissing ? (
        <Empty icon="runs" title={`Nothing is known of ${namespace}/${name}`}>
          <p>
            It never was, it was removed by retention, or you may not see it. One that was just started appears by
            itself.
          </p>
          <Link href={href('/runs')} className="button">
            Look at all runs
          </Link>
        </Empty>
      ) : (
        <Problem error={error} />
      )}
    </Page>
  )
}

/** A few lines for a chat. */
function summaryOf(run: RunDetail): string {
  const step = run.steps.items.find(({ step: id }) => id === run.culprit?.step)
  return [
    `run ${run.run.namespace}/${run.run.name}: ${run.phase}${run.message ? ` (${run.message})` : ''}`,
    ...(step ? [`failed step: ${step.displayName ?? step.name}${step.message ? ` (${step.message})` : ''}`] : []),
    ...(run.culprit?.lastLines.slice(-5).map(line => `> ${line}`) ?? []),
    `${location.origin}${runHref(run.run)}`,
  ].join('\n')
}
