import type { ReactElement } from 'react'
import type { Difference } from '../event/diff.ts'

const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1))

/** Fields that changed, as they were and as they are. */
export function DifferenceTable({
  changes,
  label = 'Changes',
}: {
  changes: readonly Difference[]
  label?: string
}): ReactElement {
  return (
    <table className="differences">
      <caption className="hidden">{label}</caption>
      <thead className="hidden">
        <tr>
          <th>Field</th>
          <th>Before and after</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(change => (
          <tr key={change.path}>
            <th scope="row">
              <code>{change.path || 'the whole object'}</code>
            </th>
            <td>
              {'from' in change && (
                <del>
                  <span className="hidden">before </span>
                  {show(change.from)}
                </del>
              )}
              {'to' in change && (
                <ins>
                  <span className="hidden">after </span>
                  {show(change.to)}
                </ins>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
