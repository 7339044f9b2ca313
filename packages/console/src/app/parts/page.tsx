import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { copy } from '../clipboard.ts'
import { RequestFailure } from '../request.ts'
import { placeLeft } from '../scroll-place.ts'
import { useAddress } from '../url.ts'
import { Icon, type IconName } from './icon.tsx'

interface PageProps {
  title: string
  /** What the browser calls it, where the title alone does not tell it from other pages. */
  name?: string
  /** What stands before the title: where this is. */
  crumb?: ReactNode
  sub?: ReactNode
  actions?: ReactNode
  /** The same on the command line. */
  cli?: readonly string[]
  /** The page has its own scrolling parts and fills the window. */
  isFull?: boolean
  children: ReactNode
}

let isFirst = true

/** What every page has: a heading that takes the focus after navigation, actions, and how to do the same in a terminal. */
export function Page(props: PageProps): ReactElement {
  const { title, name = title, crumb, sub, actions, cli = [], isFull = false, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${name} · Tiphys`
  }, [name])
  useEffect(() => {
    // The first page leaves the focus to the browser, and a list that is come back to takes it for its row.
    if (!isFirst && placeLeft().row === undefined) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <div className={isFull ? 'page full' : 'page'}>
      <header className="page-head">
        <div className="page-title">
          {crumb !== undefined && <div className="crumb">{crumb}</div>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {sub !== undefined && <div className="sub">{sub}</div>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
      {cli.length > 0 && <CommandLines lines={cli} />}
    </div>
  )
}

function CommandLines({ lines }: { lines: readonly string[] }): ReactElement {
  return (
    <footer className="cli" aria-label="The same on the command line">
      <Icon name="terminal" size={14} />
      {lines.map(line => (
        <button
          type="button"
          key={line}
          className="cli-line"
          title="Copy this command"
          onClick={() => void copy(line, 'Command copied')}
        >
          <code>{line}</code>
          <Icon name="copy" size={12} />
        </button>
      ))}
    </footer>
  )
}

interface EmptyProps {
  icon?: IconName
  title: string
  /** Only the namespace that is picked was looked at. */
  isOfNamespace?: boolean
  children?: ReactNode
}

/** Nothing is here: says why, and what to do next. */
export function Empty({ icon = 'search', title, isOfNamespace = false, children }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      <div className="empty-text">
        {children}
        {isOfNamespace && <OtherNamespaces />}
      </div>
    </div>
  )
}

function OtherNamespaces(): ReactElement | null {
  const { get, set } = useAddress()
  const ns = get('ns')
  if (ns === '') return null
  return (
    <>
      <p>Only the namespace {ns} was looked at.</p>
      <button type="button" className="button" onClick={() => set({ ns: '' })}>
        Look at all namespaces
      </button>
    </>
  )
}

export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }): ReactElement {
  const todo = error instanceof RequestFailure ? error.todo : undefined
  return (
    <div className="problem" role="alert">
      <strong>{error.message}</strong>
      {todo !== undefined && <span>{todo}</span>}
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Grey places where content will be. */
export function Skeleton({ rows = 8 }: { rows?: number }): ReactElement {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} style={{ width: `${92 - ((i * 17) % 40)}%` }} />
      ))}
    </div>
  )
}
