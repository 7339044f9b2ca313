import { useQuery } from '@tanstack/react-query'
import type { RunGroup } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { useChanges } from '../live/use-live.ts'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { PhaseBar } from '../parts/phase-bar.tsx'
import { Time } from '../parts/time.tsx'
import { get } from '../request.ts'
import { scheduleOf } from '../template/schedule.ts'
import type { TemplateManifest } from '../template/template.ts'
import { parametersOf } from '../template/template.ts'
import { href, templatePath, useAddress } from '../url.ts'

export default function Templates(): ReactElement {
  const ns = useAddress().get('ns')
  const templates = useQuery({
    queryKey: ['templates', ns],
    queryFn: ({ signal }) =>
      get<{ items: readonly TemplateManifest[]; problems: readonly { kind: string; why: string }[] }>(
        '/templates',
        { ns },
        signal,
      ),
  })
  const groups = useQuery({
    queryKey: ['run-groups', 'template', '', ns],
    queryFn: ({ signal }) => get<readonly RunGroup[]>('/run-groups', { by: 'template', ns }, signal),
  })
  useChanges([['run-groups']])
  const items = templates.data?.items ?? []
  return (
    <Page
      title="Templates"
      sub={templates.data && <span>{items.length} in the cluster</span>}
      cli={[`kubectl get workflowtemplates,clusterworkflowtemplates,cronworkflows ${ns === '' ? '-A' : `-n ${ns}`}`]}
    >
      {templates.error && <Problem error={templates.error} />}
      {!templates.data && !templates.error && <Skeleton />}
      {templates.data && items.length === 0 && (
        <Empty icon="templates" isOfNamespace title="No templates">
          <p>
            A WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow in the cluster appears here, with a form to
            start it.
          </p>
          <pre>
            <code>kubectl apply -f template.yaml</code>
          </pre>
        </Empty>
      )}
      {items.length > 0 && (
        <div className="scroll-area">
          <table className="plain stacks">
            <caption className="hidden">Templates</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Entry</th>
                <th scope="col">Parameters</th>
                <th scope="col">Schedule</th>
                <th scope="col">Runs</th>
                <th scope="col">Last run</th>
              </tr>
            </thead>
            <tbody>
              {items.map(item => (
                <tr key={`${item.kind}/${item.metadata.namespace}/${item.metadata.name}`}>
                  <th scope="row">
                    <Link href={href(templatePath(item.kind, item.metadata.namespace ?? '', item.metadata.name))}>
                      <span className="kind">{item.kind}</span>
                      <span className="name">
                        {item.metadata.namespace ? `${item.metadata.namespace}/` : ''}
                        {item.metadata.name}
                      </span>
                    </Link>
                  </th>
                  <td data-label="entry">{item.spec?.entrypoint ?? item.spec?.workflowSpec?.entrypoint ?? '–'}</td>
                  <td data-label="parameters">
                    {parametersOf(item)
                      .map(({ name }) => name)
                      .join(', ') || <span className="faint">none</span>}
                  </td>
                  <td data-label="schedule">
                    <ScheduleWords of={item} />
                  </td>
                  <PastRuns groups={groups.data} of={item} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {templates.data?.problems.map(({ kind, why }) => (
        <p key={kind} className="faint">
          {kind}: {why}
        </p>
      ))}
    </Page>
  )
}

function ScheduleWords({ of }: { of: TemplateManifest }): ReactElement {
  const schedule = scheduleOf(of)
  if (!schedule) return <span className="faint">–</span>
  return (
    <>
      <code>{schedule.times.join(', ')}</code>
      {schedule.state !== 'active' && <span className="tag">{schedule.state}</span>}
    </>
  )
}

/** What became of the runs that were started from it; those of a template of the whole cluster are in many namespaces. */
function PastRuns({ groups, of }: { groups: readonly RunGroup[] | undefined; of: TemplateManifest }): ReactElement {
  const { namespace, name } = of.metadata
  const own = (groups ?? []).filter(
    group => group.key === `${of.kind}/${name}` && (namespace === undefined || group.namespace === namespace),
  )
  const byPhase: Record<string, number> = {}
  for (const group of own)
    for (const [phase, count] of Object.entries(group.byPhase)) byPhase[phase] = (byPhase[phase] ?? 0) + count
  const total = own.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <td data-label="runs">
        {total > 0 ? <PhaseBar byPhase={byPhase} total={total} /> : <span className="faint">{groups && 'none'}</span>}
      </td>
      <td data-label="last run">
        {total > 0 ? <Time at={Math.max(...own.map(({ lastAt }) => lastAt))} /> : <span className="faint">–</span>}
      </td>
    </>
  )
}
