import type { HealthItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { copy } from '../clipboard.ts'
import { href, objectPath, pipelinePath } from '../url.ts'
import { Icon } from './icon.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

interface ConditionTableProps {
  conditions: readonly HealthItem[]
  withObject?: boolean
}

const PIPELINE = new Set(['EventSource', 'Sensor', 'EventBus'])

export function ConditionTable({ conditions, withObject = false }: ConditionTableProps): ReactElement {
  return (
    <div className="scroll-area">
      <table className="plain stacks">
        <caption className="hidden">Conditions</caption>
        <thead>
          <tr>
            {withObject && <th scope="col">Object</th>}
            <th scope="col">Condition</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(item => {
            const { object } = item
            const remedy = remedyOf(item)
            const to = PIPELINE.has(object.kind)
              ? pipelinePath(object.kind, object.namespace ?? '', object.name)
              : objectPath(object)
            return (
              <tr key={`${object.kind}/${object.namespace}/${object.name}/${item.condition}/${item.at}`}>
                {withObject && (
                  <th scope="row">
                    <Link href={href(to)}>
                      <span className="kind">{object.kind}</span>
                      <span className="name">
                        {object.namespace ? `${object.namespace}/` : ''}
                        {object.name}
                      </span>
                    </Link>
                  </th>
                )}
                <td>
                  <Status
                    value={item.status === 'True' ? 'true' : item.status === 'False' ? 'false' : 'unknown'}
                    word={`${item.condition} ${item.status}`}
                  />
                </td>
                <td>{item.reason}</td>
                <td className="message-cell">
                  {item.message}
                  {remedy !== undefined && (
                    <div className="remedy">
                      <pre tabIndex={0} aria-label="What would help">
                        <code>{remedy}</code>
                      </pre>
                      <button type="button" className="button small" onClick={() => void copy(remedy, 'Remedy copied')}>
                        <Icon name="copy" size={12} /> Copy this remedy
                      </button>
                    </div>
                  )}
                </td>
                <td>
                  <Time at={item.at} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** What would help, to be applied: a rule that grants what is missing. */
export function remedyOf({ message = '', object }: HealthItem): string | undefined {
  const denied = /User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?:.*namespace "([^"]+)")?/.exec(
    message,
  )
  if (denied) {
    const [, user = '', verb = '', resource = '', group = '', namespace = object.namespace ?? 'default'] = denied
    const [, home, account] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? []
    const subject = account === undefined ? `--user=${user}` : `--serviceaccount=${home}:${account}`
    const name = `${object.name}-${resource.replaceAll('/', '-')}-${verb}`
    const rule = `--verb=${verb} --resource=${resource}${group === '' ? '' : `.${group}`}`
    return /at the cluster scope/.test(message)
      ? `kubectl create clusterrole ${name} ${rule}
kubectl create clusterrolebinding ${name} --clusterrole=${name} ${subject}`
      : `kubectl create role ${name} -n ${namespace} ${rule}
kubectl create rolebinding ${name} -n ${namespace} --role=${name} ${subject}`
  }
  if (/CustomResourceDefinition|does not know the kind/.test(message))
    return 'kubectl apply -f CRD.yaml   # the definition of the kind that is named in the message'
  return undefined
}
