import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, RunItem } from '@tiphys/archive'
import { type ReactElement, useEffect, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ActionButton, useSession } from '../access.tsx'
import { say } from '../announce.ts'
import { submitLine } from '../command-line.ts'
import { useChanges } from '../live/use-live.ts'
import { Confirm } from '../parts/dialog.tsx'
import { ManifestEditor } from '../parts/manifest-editor.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { RunTable } from '../parts/run-table.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { Yaml } from '../parts/yaml-view.tsx'
import { failureOf, get, post, RequestFailure } from '../request.ts'
import { GraphView } from '../run/graph-view.tsx'
import { type Schedule, scheduleOf } from '../template/schedule.ts'
import {
  formValues,
  hasEntry,
  type ParameterSpec,
  parametersOf,
  plannedSteps,
  referredTo,
  type TemplateManifest,
} from '../template/template.ts'
import { href, runHref, templatePath, useAddress } from '../url.ts'

interface Answer {
  object: TemplateManifest
  yaml: string
  nextAt?: number
}

export default function Template({
  kind,
  namespace,
  name,
}: {
  kind: string
  namespace: string
  name: string
}): ReactElement {
  const { get: read, set } = useAddress()
  const path = `/templates/${encodeURIComponent(kind)}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const found = useQuery({
    queryKey: ['template', kind, namespace, name],
    queryFn: ({ signal }) => get<Answer>(path, {}, signal),
    retry: false,
    refetchInterval: ({ state }) => untilNext(state.data?.nextAt),
  })
  const runs = useQuery({
    queryKey: ['runs-of-template', kind, namespace, name],
    queryFn: ({ signal }) =>
      get<ArchivePage<RunItem>>(
        '/runs',
        { q: `template:"${kind}/${name}"`, ns: namespace === '-' ? '' : namespace, limit: 50 },
        signal,
      ),
  })
  useChanges([['runs-of-template', kind, namespace, name]])
  const [isSubmitting, setSubmitting] = useState(false)
  const parameters = useMemo(() => (found.data ? parametersOf(found.data.object) : []), [found.data])
  const steps = useMemo(() => (found.data ? plannedSteps(found.data.object) : []), [found.data])
  const schedule = useMemo(() => found.data && scheduleOf(found.data.object, found.data.nextAt), [found.data])
  const session = useSession()
  const form = useForm()
  const values = formValues(parameters, form.given)
  const runNamespace = namespace === '-' ? read('ns') || 'default' : namespace
  const cli = submitLine({ kind, namespace: runNamespace, name, values })
  const failure = failureOf(found)
  if (failure) {
    const isMissing = failure instanceof RequestFailure && failure.status === 404
    return (
      <Page title={isMissing ? 'No such template' : 'The template cannot be shown'}>
        {isMissing ? (
          <Empty icon="templates" title={`${kind} ${name} is not in the cluster`}>
            <Link href={href('/templates')} className="button">
              Look at all templates
            </Link>
          </Empty>
        ) : (
          <Problem error={failure} />
        )}
        {runs.data && runs.data.items.length > 0 && <RunTable runs={runs.data.items} />}
      </Page>
    )
  }
  return (
    <Page
      title={name}
      name={`${kind} ${namespace === '-' ? '' : `${namespace}/`}${name}`}
      crumb={
        <>
          <Link href={href('/templates')}>Templates</Link> / {kind} {namespace === '-' ? '' : `/ ${namespace}`}
        </>
      }
      sub={schedule && <ScheduleFacts schedule={schedule} />}
      actions={
        <ActionButton
          action="submit"
          namespace={runNamespace}
          icon="play"
          kind="primary"
          blocked={
            found.data && !hasEntry(found.data.object)
              ? 'It has no entrypoint: other Workflows refer to its templates.'
              : kind === 'CronWorkflow' && session.data?.can.control === false
                ? 'No workflow engine runs beside this console.'
                : undefined
          }
          onClick={() => setSubmitting(true)}
        >
          Submit
        </ActionButton>
      }
      cli={[cli]}
    >
      {!found.data && <Skeleton />}
      {found.data && (
        <>
          {parameters.length > 0 && (
            <section className="card" aria-label="Parameters">
              <h2>Parameters</h2>
              <div className="form" onBlur={form.keep}>
                {parameters.map(each => (
                  <ParameterField
                    key={each.name}
                    parameter={each}
                    value={values[each.name] ?? ''}
                    onChange={value => form.change(`p.${each.name}`, value)}
                  />
                ))}
              </div>
            </section>
          )}
          <Tabs
            label={`About ${name}`}
            chosen={read('tab') || 'graph'}
            onChoose={tab => set({ tab: tab === 'graph' ? undefined : tab }, { replace: true })}
            tabs={[
              {
                id: 'graph',
                name: 'Graph',
                content: () =>
                  steps.length > 0 ? (
                    <GraphView steps={steps} chosen="" onChoose={() => {}} />
                  ) : (
                    <NothingToDraw of={found.data.object} namespace={namespace} />
                  ),
              },
              {
                id: 'runs',
                name: 'Past runs',
                count: runs.data?.total.count,
                content: () => <RunTable runs={runs.data?.items} />,
              },
              {
                id: 'yaml',
                name: 'YAML',
                content: () => <ManifestEditor yaml={found.data.yaml} namespace={runNamespace} file={`${name}.yaml`} />,
              },
              // No Workflow refers to a CronWorkflow: it would be a copy of what is inside.
              ...(schedule
                ? []
                : [
                    {
                      id: 'manifest',
                      name: 'Manifest of a run',
                      content: () => <Yaml text={manifestOf(kind, name, runNamespace, parameters, values)} />,
                    },
                  ]),
            ]}
          />
        </>
      )}
      {isSubmitting && (
        <SubmitDialog
          kind={kind}
          namespace={runNamespace}
          name={name}
          values={values}
          cli={cli}
          onClose={() => setSubmitting(false)}
        />
      )}
    </Page>
  )
}

function NothingToDraw({ of, namespace }: { of: TemplateManifest; namespace: string }): ReactElement {
  const origin = referredTo(of)
  if (!origin) return <Empty icon="templates" title="It has no templates, so there is nothing to draw" />
  const { kind, name } = origin
  return (
    <Empty icon="templates" title={`It is made of the ${kind} ${name}`}>
      <p>Its steps are drawn there.</p>
      <Link className="button" href={href(templatePath(kind, kind.startsWith('Cluster') ? '' : namespace, name))}>
        Open {name}
      </Link>
    </Empty>
  )
}

/** A moment after the next start another one is next. Browsers keep no longer time than some weeks. */
const untilNext = (nextAt: number | undefined) =>
  nextAt !== undefined && Math.min(3_600_000, Math.max(0, nextAt - Date.now()) + 1500)

function ScheduleFacts({ schedule: { times, state, lastAt, next, trouble } }: { schedule: Schedule }): ReactElement {
  return (
    <span className="facts">
      <Status value={trouble !== undefined ? 'failed' : state === 'active' ? 'healthy' : 'suspended'} word={state} />
      <span>
        starts at <code>{times.join(', ')}</code>
      </span>
      <span>
        {lastAt === undefined ? (
          'never started yet'
        ) : (
          <>
            last <Time at={lastAt} />
          </>
        )}
      </span>
      {next && (
        <span>
          next <Time at={next.at} /> ({next.wall})
        </span>
      )}
      {trouble !== undefined && <span className="message">{trouble}</span>}
    </span>
  )
}

/** Long enough for a word: browsers take only so many changes of the address. */
const TYPING_MS = 500

/** What is typed, and soon after in the address, so that a filled form can be sent to somebody. */
function useForm() {
  const { params, set } = useAddress()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const keep = () => {
    if (Object.entries(typed).some(([name, value]) => params.get(name) !== value))
      set(typed, { replace: true, keepsEmpty: true })
  }
  useEffect(() => {
    const timer = setTimeout(keep, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return {
    given: (name: string) => typed[name] ?? params.get(name),
    change: (name: string, value: string) => setTyped(before => ({ ...before, [name]: value })),
    keep,
  }
}

function ParameterField({
  parameter,
  value,
  onChange,
}: {
  parameter: ParameterSpec
  value: string
  onChange(value: string): void
}): ReactElement {
  const rows = Math.min(12, Math.max(value.split('\n').length, Math.ceil(value.length / 80)))
  return (
    <label className="field">
      <span>{parameter.name}</span>
      {parameter.enum ? (
        <select value={value} onChange={event => onChange(event.target.value)}>
          {parameter.enum.map(each => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <textarea rows={rows} value={value} spellCheck={false} onChange={event => onChange(event.target.value)} />
      )}
      {parameter.description !== undefined && <span className="faint">{parameter.description}</span>}
    </label>
  )
}

interface SubmitDialogProps {
  kind: string
  namespace: string
  name: string
  values: Readonly<Record<string, string>>
  cli: string
  onClose(): void
}

function SubmitDialog({ kind, namespace, name, values, cli, onClose }: SubmitDialogProps): ReactElement {
  const [, navigate] = useLocation()
  return (
    <Confirm
      title={`Submit ${name}`}
      verb="Submit"
      cli={cli}
      onConfirm={async () => {
        const made = await post<{ metadata: { name: string } }>('/actions/submit', {
          kind,
          namespace,
          name,
          parameters: values,
        })
        say('Submitted')
        navigate(runHref({ namespace, name: made.metadata.name }))
      }}
      onClose={onClose}
    >
      <p>
        A new run starts in <strong>{namespace}</strong>
        {Object.keys(values).length > 0 ? ' with these parameters:' : '.'}
      </p>
      <dl className="parameters">
        {Object.entries(values).map(([each, value]) => (
          <div key={each}>
            <dt>
              <code>{each}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </Confirm>
  )
}

function manifestOf(
  kind: string,
  name: string,
  namespace: string,
  parameters: readonly ParameterSpec[],
  values: Readonly<Record<string, string>>,
): string {
  const given = parameters.map(
    each => `      - name: ${each.name}\n        value: ${JSON.stringify(values[each.name] ?? '')}`,
  )
  return [
    'apiVersion: argoproj.io/v1alpha1',
    'kind: Workflow',
    'metadata:',
    `  generateName: ${name}-`,
    `  namespace: ${namespace}`,
    'spec:',
    '  workflowTemplateRef:',
    `    name: ${name}`,
    ...(kind === 'ClusterWorkflowTemplate' ? ['    clusterScope: true'] : []),
    ...(given.length > 0 ? ['  arguments:', '    parameters:', ...given] : []),
    '',
  ].join('\n')
}
