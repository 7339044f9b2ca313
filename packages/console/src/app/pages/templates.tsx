import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { get } from '../request.ts'
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
  const items = templates.data?.items ?? []
  return (
    <Page
      title="Templates"
      sub={templates.data && <span>{items.length} in the cluster</span>}
      cli={['kubectl get workflowtemplates,clusterworkflowtemplates,cronworkflows -A']}
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
                <th scope="col">Made</th>
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
                  <td data-label="made">
                    {item.metadata.creationTimestamp ? <Time at={Date.parse(item.metadata.creationTimestamp)} /> : '–'}
                  </td>
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
