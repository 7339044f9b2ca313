import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { get } from '../request.ts'
import { href, useAddress } from '../url.ts'

interface OperatorManifest {
  metadata: { namespace?: string; name: string }
  status?: { conditions?: readonly { type: string; status: string; reason?: string }[] }
}

export default function Operators(): ReactElement {
  const ns = useAddress().get('ns')
  const operators = useQuery({
    queryKey: ['operators', ns],
    queryFn: ({ signal }) => get<{ items: readonly OperatorManifest[] }>('/operators', { ns }, signal),
  })
  return (
    <Page title="Operators" cli={['kubectl get operators.tiphys.dev -A']}>
      {operators.error && <Problem error={operators.error} />}
      {!operators.data && !operators.error && <Skeleton />}
      {operators.data?.items.length === 0 && (
        <Empty icon="operators" isOfNamespace title="No typed operators">
          <p>
            Operators written as one typed TypeScript file appear here with their instances by state, reconcile rate and
            parked keys. They come with the <code>Operator</code> kind, which this cluster does not have. Operators made
            of EventSources, Sensors and Workflows are on the Overview.
          </p>
          <Link href={href('/')} className="button">
            Open the Overview
          </Link>
        </Empty>
      )}
      {operators.data && operators.data.items.length > 0 && (
        <table className="plain">
          <caption className="hidden">Operators</caption>
          <tbody>
            {operators.data.items.map(({ metadata, status }) => {
              const ready = status?.conditions?.find(({ type }) => type === 'Ready')
              return (
                <tr key={`${metadata.namespace}/${metadata.name}`}>
                  <th scope="row">
                    {metadata.namespace}/{metadata.name}
                  </th>
                  <td>
                    {ready ? (
                      <Status
                        value={ready.status === 'True' ? 'healthy' : 'failed'}
                        word={ready.reason ?? ready.status}
                      />
                    ) : (
                      <Status value="pending" />
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Page>
  )
}
