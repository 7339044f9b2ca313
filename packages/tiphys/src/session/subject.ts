import type { ObjectHistory, RunDetail } from '@tiphys/archive'
import { TerminalFailure } from '@tiphys/env'
import { objectName, runName } from './activity.ts'
import type { History } from './instance.ts'

/** What a person named on the command line. */
export type Subject =
  | { type: 'event'; id: string }
  | { type: 'object'; kind: string; namespace: string | undefined; name: string }
  | { type: 'run'; namespace: string | undefined; name: string }

const EVENT_ID = /^[0-9a-f]{32}$/
const BEGINNING = /^[0-9a-f]{4,31}$/
const RUN_WORD = /^(?:run|workflow|wf|workflow\.argoproj\.io)$/i

/** `4be0…` is an event, `Deployment/web` and `Deployment/shop/web` an object, everything else the name of a run. */
export function parseSubject(text: string, namespace: string | undefined): Subject {
  if (EVENT_ID.test(text)) return { type: 'event', id: text }
  const parts = text.split('/')
  const [first = '', second = '', third] = parts
  const isKind = /^[A-Z]/.test(first) || first.includes('.')
  if (parts.length === 1) return { type: 'run', namespace, name: first }
  if (RUN_WORD.test(first))
    return third === undefined
      ? { type: 'run', namespace, name: second }
      : { type: 'run', namespace: second, name: third }
  if (!isKind && parts.length === 2) return { type: 'run', namespace: first, name: second }
  return third === undefined
    ? { type: 'object', kind: first, namespace, name: second }
    : { type: 'object', kind: first, namespace: second, name: third }
}

/** `deployment/web`: what would be a run `web` of the namespace `deployment`, where runs are not meant. */
export function parseObject(
  text: string,
  namespace: string | undefined,
): Extract<Subject, { type: 'object' }> | undefined {
  const [kind = '', second = '', third, ...more] = text.split('/')
  if (second === '' || more.length > 0 || RUN_WORD.test(kind)) return undefined
  return third === undefined
    ? { type: 'object', kind, namespace, name: second }
    : { type: 'object', kind, namespace: second, name: third }
}

/** It is an id, or may be the beginning of one. */
export const mayBeEventId = (text: string): boolean => EVENT_ID.test(text) || BEGINNING.test(text)

/** The event whose id is given, or the only one whose id begins so; undefined where it is no beginning of one. */
export async function findEventId(history: Pick<History, 'events'>, text: string): Promise<string | undefined> {
  if (EVENT_ID.test(text)) return text
  if (!BEGINNING.test(text)) return undefined
  const { items } = await history.events({ query: `id:${text}*` }, { limit: 2 })
  if (items.length < 2) return items[0]?.id
  throw new TerminalFailure('cli-ambiguous', {
    what: `the ids of several events begin with ${text}`,
    todo: `Give more of it: ${items.map(({ id }) => id).join(', ')} …`,
  })
}

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
  const like = await runsBeginning(history, name)
  throw new TerminalFailure('cli-not-found', {
    what: `there is no run ${namespace === undefined ? name : `${namespace}/${name}`}`,
    todo: `tiphys runs lists them${like.length === 0 ? '' : `; the newest that begin so: ${like.join(', ')}`}`,
  })
}

/** Names of runs are long and end in something random. */
export async function runsBeginning(history: History, name: string): Promise<string[]> {
  if (!/^[\w.-]+$/.test(name)) return []
  const { items } = await history.runs({ query: `name:${name}*` }, { limit: 3 })
  return items.map(({ run }) => runName(run))
}

/** The object of that kind and name; the one that changed last, where a namespace is not given. */
export async function findObject(
  history: History,
  { kind, namespace, name }: Extract<Subject, { type: 'object' }>,
): Promise<ObjectHistory> {
  const place = namespace === undefined ? '' : `${namespace}/`
  const { items } = await history.objects({ query: `object:${kind}/${place}${name}` }, { limit: 1 })
  const known = items[0] ?? (await objectOfKind(history, { kind, namespace, name }))
  const object = known && (await history.object(known.object))
  if (object) return object
  const like = await objectsLike(history, kind, name)
  throw new TerminalFailure('cli-not-found', {
    what: `nothing is recorded of ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    todo: `Check kind and name: kinds are written as in manifests (Deployment/web)${like}`,
  })
}

/** Of a kind people know the short name, of an object another namespace. */
async function objectsLike(history: History, kind: string, name: string): Promise<string> {
  for (const [query, what] of [
    [`name:${quoted(name)}`, 'of that name there are'],
    [`kind:${quoted(kind)}`, 'the newest of that kind'],
  ] as const) {
    const { items } = await history.objects({ query }, { limit: 3 })
    if (items.length > 0) return `; ${what}: ${items.map(({ object }) => objectName(object)).join(', ')}`
  }
  return ''
}

/** Of kubectl people know kinds in small letters. */
async function objectOfKind(
  history: History,
  { kind, namespace, name }: Omit<Extract<Subject, { type: 'object' }>, 'type'>,
) {
  const place = namespace === undefined ? '' : ` ns:${quoted(namespace)}`
  const { items } = await history.objects({ query: `name:${quoted(name)}${place}` }, { limit: 100 })
  return items.find(({ object }) => object.kind.toLowerCase() === kind.toLowerCase())
}

const quoted = (text: string) => (/^[\w.-]+$/.test(text) ? text : JSON.stringify(text))
