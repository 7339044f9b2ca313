import type { RunItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { RunLink } from './link.tsx'
import { Empty, Skeleton } from './page.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

export function RunTable({ runs }: { runs: readonly RunItem[] | undefined }): ReactElement {
  if (!runs) return <Skeleton rows={6} />
  if (runs.length === 0) return <Empty icon="runs" title="No runs" />
  return (
    <div className="scroll-area">
      <table className="plain stacks">
        <caption className="hidden">Runs</caption>
        <tbody>
          {runs.map(({ run, phase, message, at }) => (
            <tr key={run.uid}>
              <td>
                <Status value={phase} />
              </td>
              <th scope="row">
                <RunLink run={run} />
              </th>
              <td className="message-cell">{message}</td>
              <td>
                <Time at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
