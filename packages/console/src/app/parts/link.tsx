import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'
import { eventPath, href, type ObjectName, objectPath, runHref } from '../url.ts'

export function EventLink({ id, children }: { id: string; children?: ReactNode }): ReactElement {
  return (
    <Link href={href(eventPath(id))} className="mono">
      {children ?? id.slice(0, 8)}
    </Link>
  )
}

export function RunLink({
  run,
  children,
}: {
  run: { namespace: string; name: string; uid?: string }
  children?: ReactNode
}): ReactElement {
  return <Link href={runHref(run)}>{children ?? run.name}</Link>
}

/** The same without the link, where what it stands in leads elsewhere. */
export function ObjectLabel({ object }: { object: ObjectName }): ReactElement {
  return (
    <span title={`${object.kind} ${object.namespace ?? ''}/${object.name}`}>
      <span className="kind">{object.kind}</span>
      <span className="name">
        {object.namespace ? `${object.namespace}/` : ''}
        {object.name}
      </span>
    </span>
  )
}

export function ObjectLink({
  object,
  withNamespace = true,
}: {
  object: ObjectName
  withNamespace?: boolean
}): ReactElement {
  return (
    <Link href={href(objectPath(object))} title={`${object.kind} ${object.namespace ?? ''}/${object.name}`}>
      <span className="kind">{object.kind}</span>
      <span className="name">
        {withNamespace && object.namespace ? `${object.namespace}/` : ''}
        {object.name}
      </span>
    </Link>
  )
}
