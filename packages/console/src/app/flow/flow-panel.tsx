import type { Flow, FlowNode } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { counted } from '../count.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { href, pipelinePath, templatePath } from '../url.ts'
import { healthOf, rateInWords } from './flow-layout.ts'

interface FlowPanelProps {
  node: FlowNode
  flow: Flow
  onClose(): void
}

/** What is known of one node of the flow, and where to look next. */
export function FlowPanel({ node, flow, onClose }: FlowPanelProps): ReactElement {
  const health = healthOf(node, flow.edges)
  const incoming = flow.edges.filter(({ to }) => to === node.id)
  const outgoing = flow.edges.filter(({ from }) => from === node.id)
  const nameOf = (id: string) => flow.nodes.find(each => each.id === id)?.name ?? id
  return (
    <Dialog title={node.name} onClose={onClose} isPanel>
      <p className="facts">
        <Status value={health} word={health === 'warning' ? 'runs of it failed' : health} />
        <span className="faint">
          {node.column} in {node.namespace || 'the cluster'}
        </span>
      </p>
      {node.condition && (
        <p className="message">
          {node.condition.condition} is {node.condition.status}: {node.condition.reason}
          {node.condition.message ? `. ${node.condition.message}` : ''}
        </p>
      )}
      <dl className="facts-list">
        <div>
          <dt>Waiting</dt>
          <dd>{node.backlog.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Parked</dt>
          <dd>{node.parked > 0 ? <Link href={parkedOf(node)}>{node.parked.toLocaleString('en')}</Link> : 0}</dd>
        </div>
        <div>
          <dt>Last seen</dt>
          <dd>{node.lastAt > 0 ? <Time at={node.lastAt} /> : 'never'}</dd>
        </div>
      </dl>
      {[
        { title: 'Comes from', edges: incoming, other: 'from' as const },
        { title: 'Goes to', edges: outgoing, other: 'to' as const },
      ].map(
        ({ title, edges, other }) =>
          edges.length > 0 && (
            <section key={title}>
              <h3>{title}</h3>
              <ul className="relation-list">
                {edges.map(edge => (
                  <li key={edge[other]}>
                    <Link href={href('/events', { q: edge.query })}>{nameOf(edge[other])}</Link>
                    <span className="faint">
                      {counted(edge.count, 'event')}, {rateInWords(edge.rate)}
                      {edge.errors > 0 ? `, ${edge.errors} failed` : ''}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
      <Link href={pageOf(node)} className="button primary">
        Open its page
      </Link>
    </Dialog>
  )
}

/** What is parked there, wherever the objects are that it is about. */
const parkedOf = ({ column, namespace, name }: FlowNode): string =>
  href('/parked', { q: `${column === 'trigger' ? 'trigger' : 'sensor'}:${namespace}/${name}`, ns: undefined })

function pageOf({ column, namespace, name }: FlowNode): string {
  switch (column) {
    case 'source':
      return href(pipelinePath('EventSource', namespace, name.split('/')[0] ?? name))
    case 'bus':
      return href(pipelinePath('EventBus', namespace, name))
    case 'sensor':
      return href(pipelinePath('Sensor', namespace, name))
    case 'trigger':
      return href(pipelinePath('Sensor', namespace, name.split('/')[0] ?? name))
    case 'template': {
      const [kind = '', its] = name.split('/')
      // Without a kind it is a template inside of Workflows, which has no page: its runs have.
      if (its === undefined) return href('/runs', { q: `template:${name}`, ns: namespace })
      return href(templatePath(kind, kind.startsWith('Cluster') ? '' : namespace, its))
    }
    case 'kind':
      return href('/objects', { q: `kind:${name}` })
  }
}
