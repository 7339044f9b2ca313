import { Component, type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useSession } from './access.tsx'
import { lazyPage } from './lazy-page.ts'
import { Problem } from './parts/page.tsx'
import { onSignedOut, RequestFailure } from './request.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

const Overview = lazyPage(() => import('./pages/overview.tsx'))
const Events = lazyPage(() => import('./pages/events.tsx'))
const Event = lazyPage(() => import('./pages/event.tsx'))
const Runs = lazyPage(() => import('./pages/runs.tsx'))
const Run = lazyPage(() => import('./pages/run.tsx'))
const Objects = lazyPage(() => import('./pages/objects.tsx'))
const ObjectPage = lazyPage(() => import('./pages/object.tsx'))
const Health = lazyPage(() => import('./pages/health.tsx'))
const Pipeline = lazyPage(() => import('./pages/pipeline.tsx'))
const Parked = lazyPage(() => import('./pages/parked.tsx'))
const Templates = lazyPage(() => import('./pages/templates.tsx'))
const Template = lazyPage(() => import('./pages/template.tsx'))
const Operators = lazyPage(() => import('./pages/operators.tsx'))
const Replay = lazyPage(() => import('./pages/replay.tsx'))
const Audit = lazyPage(() => import('./pages/audit.tsx'))
const Access = lazyPage(() => import('./pages/access.tsx'))
const Search = lazyPage(() => import('./pages/search.tsx'))
const NotFound = lazyPage(() => import('./pages/not-found.tsx'))

/** After what the first page itself needs. */
const AHEAD_MS = 400
/** The order in which they are loaded ahead: where people go first. */
const PAGES = [
  Run,
  Event,
  Events,
  Runs,
  Overview,
  Objects,
  ObjectPage,
  Health,
  Pipeline,
  Parked,
  Templates,
  Template,
  Operators,
  Replay,
  Audit,
  Access,
  Search,
  NotFound,
]

/** When the page has nothing to do; not in the middle of a scroll. */
const whenIdle = () =>
  new Promise<void>(resolve => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => resolve())
    else setTimeout(resolve, AHEAD_MS)
  })

/** What is a click away is there when it is clicked. */
async function loadAhead(): Promise<void> {
  try {
    for (const page of PAGES) {
      await whenIdle()
      await page.preload()
    }
  } catch {
    // The server is away; a page that is opened then says so.
  }
}

export function App({ signInProblem }: { signInProblem: string | undefined }): ReactElement {
  const session = useSession()
  const [isSignedOut, setSignedOut] = useState(false)
  const [path] = useLocation()
  useEffect(() => onSignedOut(() => setSignedOut(true)), [])
  const isKnown = session.data !== undefined
  useEffect(() => {
    if (!isKnown) return
    const timer = setTimeout(() => void loadAhead(), AHEAD_MS)
    return () => clearTimeout(timer)
  }, [isKnown])
  const isUnknown = session.error instanceof RequestFailure && session.error.status === 401
  if (isSignedOut || isUnknown || signInProblem !== undefined) return <SignIn problem={signInProblem} />
  return (
    <Shell session={session.data}>
      <Border key={path}>
        <Switch>
          <Route path="/" component={Overview} />
          <Route path="/events" component={Events} />
          <Route path="/events/:id">{({ id }) => <Event key={id} id={id} />}</Route>
          <Route path="/runs" component={Runs} />
          <Route path="/runs/:namespace/:name">
            {({ namespace, name }) => <Run key={`${namespace}/${name}`} namespace={namespace} name={name} />}
          </Route>
          <Route path="/objects" component={Objects} />
          <Route path="/objects/:gvk/:namespace/:name">
            {params => <ObjectPage key={`${params.gvk}/${params.namespace}/${params.name}`} {...params} />}
          </Route>
          <Route path="/health" component={Health} />
          <Route path="/health/:kind/:namespace/:name">
            {params => <Pipeline key={`${params.kind}/${params.namespace}/${params.name}`} {...params} />}
          </Route>
          <Route path="/parked" component={Parked} />
          <Route path="/templates" component={Templates} />
          <Route path="/templates/:kind/:namespace/:name">
            {params => <Template key={`${params.kind}/${params.namespace}/${params.name}`} {...params} />}
          </Route>
          <Route path="/operators" component={Operators} />
          <Route path="/replay" component={Replay} />
          <Route path="/audit" component={Audit} />
          <Route path="/access" component={Access} />
          <Route path="/search" component={Search} />
          <Route path="/index.html">
            <Redirect to="/" />
          </Route>
          <Route component={NotFound} />
        </Switch>
      </Border>
    </Shell>
  )
}

/** A page that breaks is one page: it says so, and the rest stays usable. */
class Border extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {}

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <div className="page">
        <h1 tabIndex={-1}>This page broke</h1>
        <Problem error={error} onRetry={() => location.reload()} />
      </div>
    )
  }
}
