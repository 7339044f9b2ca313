import type { Flow } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { Time } from '../parts/time.tsx'
import { href } from '../url.ts'
import { rateInWords } from './flow-layout.ts'

/** The flow graph as a table. */
export function FlowTable({ flow }: { flow: Flow }): ReactElement {
  const nameOf = (id: string) => {
    const node = flow.nodes.find(each => each.id === id)
    return node ? `${node.column} ${node.namespace ? `${node.namespace}/` : ''}${node.name}` : id
  }
  return (
    <div className="scroll-area">
      <table className="plain stacks">
        <caption className="hidden">Flow between sources, buses, sensors, triggers, templates and kinds</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" className="number">
              Count
            </th>
            <th scope="col" className="number">
              Rate
            </th>
            <th scope="col" className="number">
              Failed
            </th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {flow.edges.map(edge => (
            <tr key={`${edge.from}→${edge.to}`}>
              <th scope="row">{nameOf(edge.from)}</th>
              <td data-label="to">
                <Link href={href('/events', { q: edge.query })}>{nameOf(edge.to)}</Link>
              </td>
              <td className="number" data-label="count">
                {edge.count.toLocaleString('en')}
              </td>
              <td className="number" data-label="rate">
                {rateInWords(edge.rate)}
              </td>
              <td className="number" data-label="failed">
                {edge.errors > 0 ? `${edge.errors} (${Math.round(edge.errorShare * 100)} %)` : '–'}
              </td>
              <td data-label="last">
                <Time at={edge.lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
