import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

type Changes = Readonly<Record<string, string | undefined>>

/** What the address says behind its question mark, and how to change it. Every state of a page that somebody could want to
 *  send to somebody else is there. */
export function useAddress(): {
  get(name: string): string
  /** What is empty is left out, unless an empty value says something. */
  set(changes: Changes, options?: { replace?: boolean; keepsEmpty?: boolean }): void
  params: URLSearchParams
} {
  const search = useSearch()
  const [path, navigate] = useLocation()
  return useMemo(() => {
    const params = new URLSearchParams(search)
    return {
      params,
      get: name => params.get(name) ?? '',
      set(changes, { replace = false, keepsEmpty = false } = {}) {
        // What is only shown otherwise is left where it was.
        navigate(withParams(path, params, changes, keepsEmpty), { replace, ...(replace && { state: history.state }) })
      },
    }
  }, [search, path, navigate])
}

function withParams(path: string, params: URLSearchParams, changes: Changes, keepsEmpty = false): string {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || (value === '' && !keepsEmpty)) next.delete(name)
    else next.set(name, value)
  }
  const search = next.toString()
  return search === '' ? path : `${path}?${search}`
}

/** A link to a page of ours; the namespace that was picked stays picked. */
export function href(path: string, params: Changes = {}): string {
  const ns = new URLSearchParams(location.search).get('ns')
  return withParams(path, new URLSearchParams(ns ? { ns } : {}), params)
}

export interface ObjectName {
  apiVersion: string
  kind: string
  namespace?: string | undefined
  name: string
}

export const eventPath = (id: string): string => `/events/${encodeURIComponent(id)}`
export const runPath = (run: { namespace: string; name: string }): string =>
  `/runs/${encodeURIComponent(run.namespace)}/${encodeURIComponent(run.name)}`
/** The page of a run: of that very one where its uid is known, else of the newest that has its name. */
export const runHref = (run: { namespace: string; name: string; uid?: string }, params: Changes = {}): string =>
  href(runPath(run), { uid: run.uid, ...params })
export function objectPath({ apiVersion, kind, namespace, name }: ObjectName): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const gvk = [kind, version, group].filter(part => part !== '').join('.')
  return `/objects/${encodeURIComponent(gvk)}/${encodeURIComponent(namespace || '-')}/${encodeURIComponent(name)}`
}
export const pipelinePath = (kind: string, namespace: string, name: string): string =>
  `/health/${encodeURIComponent(kind)}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
export const templatePath = (kind: string, namespace: string, name: string): string =>
  `/templates/${encodeURIComponent(kind)}/${encodeURIComponent(namespace || '-')}/${encodeURIComponent(name)}`
