import type { ObjectHistory, RunDetail } from '@tiphys/archive'
import { TerminalFailure } from '@tiphys/env'
import type { History } from './instance.ts'

/** What a person named on the command line. */
export type Subject =
  | { type: 'event'; id: string }
  | { type: 'object'; kind: string; namespace: string | undefined; name: string }
  | { type: 'run'; namespace: string | undefined; name: string }

const EVENT_ID = /^[0-9a-f]{32}$/

/** `4be0…` is an event, `Deployment/web` and `Deployment/shop/web` an object, everything else the name of a run. */
export function parseSubject(text: string, namespace: string | undefined): Subject {
  if (EVENT_ID.test(text)) return { type: 'event', id: text }
  const parts = text.split('/')
  const [first = '', second = '', third] = parts
  const isKind = /^[A-Z]/.test(first) || first.includes('.')
  if (parts.length === 1) return { type: 'run', namespace, name: first }
  if (/^(run|workflow|wf)$/i.test(first) || first === 'Workflow.argoproj.io')
    return third === undefined
      ? { type: 'run', namespace, name: second }
      : { type: 'run', namespace: second, name: third }
  if (!isKind && parts.length === 2) return { type: 'run', namespace: first, name: second }
  return third === undefined
    ? { type: 'object', kind: first, namespace, name: second }
    : { type: 'object', kind: first, namespace: second, name: third }
}

export const isEventId = (text: string): boolean => EVENT_ID.test(text)

/** The run of that name; the newest, where there were several. */
export async function findRun(history: History, subject: Extract<Subject, { type: 'run' }>): Promise<RunDetail> {
  const { namespace, name } = subject
  if (namespace !== undefined) {
    const run = await history.run({ namespace, name })
    if (run) return run
  } else {
    const { items } = await history.runs({ query: `name:${quoted(name)}` }, { limit: 1 })
    const run = items[0] && (await history.run({ uid: items[0].run.uid }))
    if (run) return run
  }
  throw new TerminalFailure('cli-not-found', {
    what: `there is no run ${namespace === undefined ? name : `${namespace}/${name}`}`,
    todo: 'tiphys runs lists them',
  })
}

/** The object of that kind and name; the one that changed last, where a namespace is not given. */
export async function findObject(
  history: History,
  { kind, namespace, name }: Extract<Subject, { type: 'object' }>,
): Promise<ObjectHistory> {
  const place = namespace === undefined ? '' : `${namespace}/`
  const { items } = await history.objects({ query: `object:${kind}/${place}${name}` }, { limit: 1 })
  const object = items[0] && (await history.object(items[0].object))
  if (object) return object
  throw new TerminalFailure('cli-not-found', {
    what: `nothing is recorded of ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    todo: 'Check kind and name: kinds are written as in manifests (Deployment/web)',
  })
}

const quoted = (text: string) => (/^[\w.-]+$/.test(text) ? text : JSON.stringify(text))
