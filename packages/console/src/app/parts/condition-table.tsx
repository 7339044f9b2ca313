import type { HealthItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { copy } from '../clipboard.ts'
import { accountOf, type PipelineManifest } from '../pipeline-manifest.ts'
import { href, objectPath, pipelinePath } from '../url.ts'
import { Icon } from './icon.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

interface ConditionTableProps {
  conditions: readonly HealthItem[]
  withObject?: boolean
  /** As the cluster has them: whom to grant what is missing. */
  manifests?: readonly PipelineManifest[]
}

const PIPELINE = new Set(['EventSource', 'Sensor', 'EventBus'])

export function ConditionTable({ conditions, withObject = false, manifests = [] }: ConditionTableProps): ReactElement {
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
            const manifest = manifests.find(
              ({ kind, metadata }) =>
                kind === object.kind && metadata.name === object.name && metadata.namespace === object.namespace,
            )
            const remedy = item.status === 'True' ? undefined : remedyOf(item, manifest && accountOf(manifest))
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
                        <code>
                          {remedy.split(/(\s+)/).map((word, i) => (
                            <span key={i} className={i % 2 === 0 ? 'word' : undefined}>
                              {word}
                            </span>
                          ))}
                        </code>
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

/** What would help, to be applied: a rule that grants what is missing. `account` is NAMESPACE:NAME of the ServiceAccount that
 *  the object acts as, which a watch that is refused does not name. */
export function remedyOf(
  { message = '', object }: Pick<HealthItem, 'message' | 'object'>,
  account = `${object.namespace ?? 'default'}:default`,
): string | undefined {
  const denied = /User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?:.*namespace "([^"]+)")?/.exec(
    message,
  )
  if (denied) {
    const [, user = '', verb = '', resource = '', group = '', namespace = object.namespace ?? 'default'] = denied
    const [, home, name] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? []
    return grant({
      name: `${object.name}-${resource.replaceAll('/', '-')}-${verb}`,
      rule: `--verb=${verb} --resource=${resource}${group === '' ? '' : `.${group}`}`,
      subject: name === undefined ? `--user=${user}` : `--serviceaccount=${home}:${name}`,
      namespace: /at the cluster scope/.test(message) ? undefined : namespace,
    })
  }
  const unwatched = /Not allowed to \w+ (\S+) in (?:all namespaces|namespace (\S+)): grant the verbs/.exec(message)
  if (unwatched) {
    const [, resource = '', namespace] = unwatched
    return grant({
      name: `${object.name}-${resource.split('.')[0]}-watch`,
      rule: `--verb=get,list,watch --resource=${resource}`,
      subject: `--serviceaccount=${account}`,
      namespace,
    })
  }
  if (/CustomResourceDefinition|does not know the kind/.test(message))
    return 'kubectl apply -f CRD.yaml   # the definition of the kind that is named in the message'
  return undefined
}

interface Grant {
  name: string
  rule: string
  subject: string
  /** Undefined for all of them. */
  namespace: string | undefined
}

const grant = ({ name, rule, subject, namespace }: Grant): string =>
  namespace === undefined
    ? `kubectl create clusterrole ${name} ${rule}
kubectl create clusterrolebinding ${name} --clusterrole=${name} ${subject}`
    : `kubectl create role ${name} -n ${namespace} ${rule}
kubectl create rolebinding ${name} -n ${namespace} --role=${name} ${subject}`
