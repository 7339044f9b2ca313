import { Component, lazy, type ReactElement, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useSession } from './access.tsx'
import { Problem, Skeleton } from './parts/page.tsx'
import { onSignedOut, RequestFailure } from './request.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

const Overview = lazy(() => import('./pages/overview.tsx'))
const Events = lazy(() => import('./pages/events.tsx'))
const Event = lazy(() => import('./pages/event.tsx'))
const Runs = lazy(() => import('./pages/runs.tsx'))
const Run = lazy(() => import('./pages/run.tsx'))
const Objects = lazy(() => import('./pages/objects.tsx'))
const ObjectPage = lazy(() => import('./pages/object.tsx'))
const Health = lazy(() => import('./pages/health.tsx'))
const Pipeline = lazy(() => import('./pages/pipeline.tsx'))
const Parked = lazy(() => import('./pages/parked.tsx'))
const Templates = lazy(() => import('./pages/templates.tsx'))
const Template = lazy(() => import('./pages/template.tsx'))
const Operators = lazy(() => import('./pages/operators.tsx'))
const Replay = lazy(() => import('./pages/replay.tsx'))
const Audit = lazy(() => import('./pages/audit.tsx'))
const Access = lazy(() => import('./pages/access.tsx'))
const Search = lazy(() => import('./pages/search.tsx'))
const NotFound = lazy(() => import('./pages/not-found.tsx'))

export function App({ signInProblem }: { signInProblem: string | undefined }): ReactElement {
  const session = useSession()
  const [isSignedOut, setSignedOut] = useState(false)
  const [path] = useLocation()
  useEffect(() => onSignedOut(() => setSignedOut(true)), [])
  const isUnknown = session.error instanceof RequestFailure && session.error.status === 401
  if (isSignedOut || isUnknown || signInProblem !== undefined) return <SignIn problem={signInProblem} />
  return (
    <Shell session={session.data}>
      <Border key={path}>
        <Suspense fallback={<Skeleton rows={10} />}>
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
        </Suspense>
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
