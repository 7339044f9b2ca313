import { type EventItem, type Row, replaySelection, type Selection } from '@tiphys/archive'
import type { Json, Recorder } from '@tiphys/journal/records'
import type { Client, KubeObject } from '@tiphys/kube'
import type { ObjectName, ReplayPreview } from '../../api/answers.ts'
import { anything, boolean, list, map, number, object, oneOf, optional, text } from '../../api/schema.ts'
import { audited } from '../audit.ts'
import type { Caller } from '../caller.ts'
import { badRequest, HttpFailure } from '../http-failure.ts'
import { type Call, type Route, route } from '../route.ts'
import { writtenMember } from '../written-member.ts'
import { within } from './list-query.ts'

const ARGO = 'argoproj.io'
const OWN = 'tiphys.dev'
const WORKFLOW = { apiVersion: `${ARGO}/v1alpha1`, kind: 'Workflow' }
/** As many ids as one object takes. */
const MOST_IDS = 10_000
/** A query has no more than 4096 characters. */
const IDS_AT_ONCE = 100
const SAMPLE = 10
const LARGEST_IMPORT = 64 * 2 ** 20
const IMPORTED = { apiVersion: `${OWN}/v1alpha1`, kind: 'Trace', name: '' }

const NO_ENGINE = 'no workflow engine runs beside this console'

/** What acts on Workflows beyond a field of their spec. Equal by structure to what the workflow engine offers. */
export interface RunControl {
  submitFrom(
    client: Client,
    from: { kind: string; namespace: string; name: string },
    options: { parameters?: Record<string, string>; entrypoint?: string },
  ): Promise<KubeObject>
  retry(
    client: Client,
    ref: { namespace: string; name: string },
    options?: { nodeFieldSelector?: string; restartSuccessful?: boolean; parameters?: Record<string, string> },
  ): Promise<KubeObject>
  resubmit(
    client: Client,
    ref: { namespace: string; name: string },
    options: { parameters?: Record<string, string>; memoized?: boolean },
  ): Promise<KubeObject>
  resume(
    client: Client,
    ref: { namespace: string; name: string },
    options?: { nodeFieldSelector?: string; outputs?: Record<string, string>; mustWait?: boolean },
  ): Promise<KubeObject>
}

/** Puts an event on a bus as if its source had made it. */
export type Fire = (event: {
  namespace: string
  source: string
  entry: string
  /** JSON, with its numbers as they were written. */
  payload: string
  /** Who wants it, for the record. */
  who: string
}) => Promise<{ id: string }>

export interface ActionOptions {
  recorder: Recorder
  runControl?: RunControl
  fire?: Fire
}

const NAME = text('', { maxLength: 253 })
const IDS = list(text('', { pattern: '^[0-9a-f]{32}$' }), { maxItems: MOST_IDS })
const RATE = optional(number('How many in a second.', { type: 'integer', minimum: 1, maximum: 10_000 }))
const MODE = oneOf(['all', 'no-run', 'failed'], 'Which of them: all, those that started no run, those that failed.')
const REPLAY = object({
  query: optional(text('Which events, in the query language.', { maxLength: 4000 })),
  ns: optional(NAME),
  events: optional(IDS),
  mode: MODE,
})
const PARKED = {
  namespace: NAME,
  sensor: NAME,
  trigger: optional(NAME),
  events: optional(IDS),
  eventBusName: optional(NAME),
}

export function actionRoutes({ recorder, runControl, fire }: ActionOptions): readonly Route[] {
  const parkedAction = (
    kind: 'Retry' | 'Discard',
    resource: string,
    call: Call<object, ParkedBody>,
  ): Promise<KubeObject> => {
    const { namespace, ...spec } = call.body
    const did = kind === 'Retry' ? 'retry' : 'discard'
    const target = { apiVersion: `${ARGO}/v1alpha1`, kind: 'Sensor', namespace, name: spec.sensor }
    return audited(recorder, call.caller, { did, target, ...onlyTrace(spec.events) }, async () => {
      await call.demand({ verb: 'create', group: OWN, resource, namespace })
      return call.client.create<KubeObject>(ownObject(kind, namespace, spec, call.caller))
    })
  }

  return [
    route({
      method: 'POST',
      path: '/actions/replay/preview',
      summary: 'What a replay would do.',
      answer: 'How many events, a sample of them, and what they set off when they were new.',
      body: REPLAY,
      run: async call => preview(await replayed(call)),
    }),
    route({
      method: 'POST',
      path: '/actions/replay',
      summary: 'Sends events of the past again, as new ones that name the original.',
      answer: 'The Replay objects that were made: one for each bus and 10,000 events.',
      body: object({
        query: optional(text('', { maxLength: 4000 })),
        ns: optional(NAME),
        events: optional(IDS),
        mode: MODE,
        rate: RATE,
        sensor: optional(NAME),
        trigger: optional(NAME),
      }),
      async run(call) {
        const { events, isCut } = await replayed(call)
        if (isCut) throw badRequest(`more than ${MOST_IDS} events match`, 'Narrow the query, for example with age:<1h')
        if (events.length === 0) throw badRequest('no event matches, so there is nothing to replay')
        const { rate = 10, sensor, trigger } = call.body
        const more = { rate, ...(sensor !== undefined && { sensor }), ...(trigger !== undefined && { trigger }) }
        const made: ObjectName[] = []
        for (const [key, items] of byBus(events)) {
          const [namespace, eventBusName] = JSON.parse(key) as [string, string]
          const spec = { eventBusName, events: items.map(({ id }) => id), mode: 'Run', ...more }
          const target = items.length === 1 ? { event: items[0]?.id ?? '' } : replayTarget(namespace)
          const deed = { did: 'replay' as const, target, ...onlyTrace(spec.events) }
          const create = async () => {
            await call.demand({ verb: 'create', group: OWN, resource: 'replays', namespace })
            return call.client.create<KubeObject>(ownObject('Replay', namespace, spec, call.caller))
          }
          const { metadata } = await audited(recorder, call.caller, deed, create)
          made.push({ namespace, name: metadata.name ?? '' })
        }
        return { objects: made, count: events.length }
      },
    }),
    route({
      method: 'POST',
      path: '/actions/cancel',
      summary: 'Cancels a Replay, Retry or Discard by deleting it.',
      answer: 'Nothing.',
      body: object({ kind: oneOf(['Replay', 'Retry', 'Discard']), namespace: NAME, name: NAME }),
      async run({ body: { kind, namespace, name }, caller, client, demand }) {
        const target = { apiVersion: `${OWN}/v1alpha1`, kind, namespace, name }
        const resource = kind === 'Replay' ? 'replays' : kind === 'Retry' ? 'retries' : 'discards'
        await audited(recorder, caller, { did: 'delete', target }, async () => {
          await demand({ verb: 'delete', group: OWN, resource, namespace, name })
          await client.delete(target)
        })
        return {}
      },
    }),
    route({
      method: 'POST',
      path: '/actions/retry',
      summary: 'Tries parked deliveries again, each with the key it had.',
      answer: 'The Retry object.',
      body: object({ ...PARKED, rate: RATE }),
      run: call => parkedAction('Retry', 'retries', call),
    }),
    route({
      method: 'POST',
      path: '/actions/discard',
      summary: 'Ends parked deliveries without an effect.',
      answer: 'The Discard object.',
      body: object({ ...PARKED, reason: text('Kept in the record.', { maxLength: 1000, pattern: '\\S' }) }),
      run: call => parkedAction('Discard', 'discards', call),
    }),
    route({
      method: 'POST',
      path: '/actions/fire',
      summary: 'Puts an event on the bus as if its source had made it.',
      answer: 'The id of the event. Numbers of the payload keep the digits that were sent.',
      body: object({ namespace: NAME, source: NAME, entry: NAME, payload: map(anything()) }),
      async run({ body, written, caller, demand }) {
        if (!fire) throw unavailable('test events cannot be sent', 'no event engine runs beside this console')
        const { namespace, source: name } = body
        const target = { apiVersion: `${ARGO}/v1alpha1`, kind: 'EventSource', namespace, name }
        return audited(recorder, caller, { did: 'fire', target }, async () => {
          await demand({ verb: 'update', group: ARGO, resource: 'eventsources', namespace, name })
          const payload = writtenMember(body as Readonly<Record<string, Json>>, 'payload', written)
          return fire({ ...body, payload, who: caller.user })
        })
      },
    }),
    route({
      method: 'POST',
      path: '/actions/import',
      summary: 'Takes a trace that was exported elsewhere into the archive; what is there already is left alone.',
      answer: 'How many records were taken and how many were there, and the events among them.',
      body: object({ lines: text('JSON lines, as /events/ID/export gives them.') }),
      maxBytes: LARGEST_IMPORT,
      async admits({ caller, demand }) {
        await demand({ verb: 'create', group: OWN, resource: 'traces' }).catch(refusal =>
          audited(recorder, caller, { did: 'import', target: IMPORTED }, () => Promise.reject(refusal)),
        )
      },
      async run({ archive, body, caller }) {
        const lines = body.lines.split('\n').filter(line => line.trim() !== '')
        const events = eventsOf(lines)
        const target = events[0] === undefined ? IMPORTED : { event: events[0] }
        const deed = { did: 'import', target, ...onlyTrace(events) } as const
        return audited(recorder, caller, deed, async () => ({ ...(await archive.import(lines)), events }))
      },
    }),
    route({
      method: 'POST',
      path: '/actions/submit',
      summary: 'Starts a run from a template.',
      answer: 'The Workflow.',
      body: object({
        kind: oneOf(['WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow']),
        namespace: NAME,
        name: NAME,
        parameters: map(text()),
        entrypoint: optional(NAME),
      }),
      async run({ body: { kind, namespace, name, parameters, entrypoint }, caller, client, demand }) {
        const target = { apiVersion: WORKFLOW.apiVersion, kind, namespace, name }
        return audited(recorder, caller, { did: 'submit', target }, async () => {
          await demand({ verb: 'create', group: ARGO, resource: 'workflows', namespace })
          if (kind === 'CronWorkflow') {
            if (!runControl) throw unavailable('a CronWorkflow cannot be submitted', NO_ENGINE)
            return runControl.submitFrom(client, target, {
              parameters,
              ...(entrypoint !== undefined && { entrypoint }),
            })
          }
          const given = Object.entries(parameters).map(([each, value]) => ({ name: each, value }))
          const clusterScope = kind === 'ClusterWorkflowTemplate' ? { clusterScope: true } : {}
          return client.create<KubeObject>({
            ...WORKFLOW,
            metadata: { generateName: `${name}-`, namespace },
            spec: {
              workflowTemplateRef: { name, ...clusterScope },
              ...(given.length > 0 && { arguments: { parameters: given } }),
              ...(entrypoint !== undefined && { entrypoint }),
            },
          })
        })
      },
    }),
    route({
      method: 'POST',
      path: '/actions/run',
      summary: 'Stops, terminates, suspends, resumes, retries or resubmits runs.',
      answer: 'For each run what came of it.',
      body: object({
        action: oneOf(['stop', 'terminate', 'suspend', 'resume', 'retry', 'resubmit', 'delete']),
        runs: list(object({ namespace: NAME, name: NAME }), { maxItems: 1000 }),
        restartSuccessful: optional(boolean('Also steps that succeeded.')),
        nodeFieldSelector: optional(text('', { maxLength: 1000 })),
        parameters: optional(map(text('Of a resumed step: the outputs that it waits for.'))),
      }),
      async run(call) {
        const results = []
        for (const ref of call.body.runs)
          results.push({ ...ref, ...(await act(call, ref, { recorder, ...(runControl && { runControl }) })) })
        // One alone is answered as itself, so that a refusal is a refusal.
        const [only] = results
        if (results.length === 1 && only?.error) throw only.error
        return results.map(({ error, ...result }) => ({ ...result, ...(error && { problem: error.message }) }))
      },
    }),
  ]
}

/** The ids of the events in an export; what is no export is refused before anything is taken. */
function eventsOf(lines: readonly string[]): readonly string[] {
  const events = new Set<string>()
  for (const [i, line] of lines.entries()) {
    const record = recordOf(line)
    if (!record) throw badRequest(`line ${i + 1} is no record of an export`, 'Choose a file that Export has made')
    if (record.kind === 'event' && typeof record.trace === 'string') events.add(record.trace)
  }
  if (lines.length === 0) throw badRequest('the file is empty', 'Choose a file that Export has made')
  return [...events]
}

function recordOf(line: string): { kind?: unknown; trace?: unknown } | undefined {
  try {
    const { record } = JSON.parse(line) as { record?: { kind?: unknown; trace?: unknown } | null }
    return typeof record === 'object' && record !== null ? record : undefined
  } catch {
    return undefined // said by the caller, with the line
  }
}

interface ParkedBody {
  namespace: string
  sensor: string
  trigger?: string
  events?: readonly string[]
  eventBusName?: string
  reason?: string
}

interface RunBody {
  action: 'stop' | 'terminate' | 'suspend' | 'resume' | 'retry' | 'resubmit' | 'delete'
  restartSuccessful?: boolean
  nodeFieldSelector?: string
  parameters?: Readonly<Record<string, string>>
}

const VERBS: Readonly<Record<RunBody['action'], string>> = {
  stop: 'patch',
  terminate: 'patch',
  suspend: 'patch',
  resume: 'update',
  retry: 'update',
  resubmit: 'create',
  delete: 'delete',
}

async function act(
  { body, caller, client, demand }: Call<object, RunBody>,
  ref: { namespace: string; name: string },
  { recorder, runControl }: Pick<ActionOptions, 'recorder' | 'runControl'>,
): Promise<{ made?: string; error?: Error }> {
  const target = { ...WORKFLOW, ...ref }
  const { action } = body
  try {
    return await audited(recorder, caller, { did: action, target }, async () => {
      await demand({
        verb: VERBS[action],
        group: ARGO,
        resource: 'workflows',
        namespace: ref.namespace,
        ...(action !== 'resubmit' && { name: ref.name }),
      })
      const { metadata } = await change(client, ref, body, runControl)
      return metadata.name !== undefined && metadata.name !== ref.name ? { made: metadata.name } : {}
    })
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

async function change(
  client: Client,
  ref: { namespace: string; name: string },
  body: RunBody,
  control: RunControl | undefined,
): Promise<KubeObject> {
  const patch = (spec: object) => client.patch<KubeObject>({ ...WORKFLOW, ...ref }, { type: 'merge', patch: { spec } })
  const { action, nodeFieldSelector, restartSuccessful } = body
  const selected = nodeFieldSelector === undefined ? {} : { nodeFieldSelector }
  const parameters = body.parameters ? { parameters: { ...body.parameters } } : {}
  switch (action) {
    case 'stop':
      return patch({ shutdown: 'Stop' })
    case 'terminate':
      return patch({ shutdown: 'Terminate' })
    case 'suspend':
      return patch({ suspend: true })
    case 'delete':
      await client.delete({ ...WORKFLOW, ...ref })
      return { ...WORKFLOW, metadata: { ...ref } }
    case 'resume':
      if (control)
        return control.resume(client, ref, {
          mustWait: true,
          ...selected,
          ...(body.parameters && { outputs: { ...body.parameters } }),
        })
      return patch({ suspend: null })
    case 'retry':
      if (!control) throw unavailable('runs cannot be retried', NO_ENGINE)
      return control.retry(client, ref, {
        ...selected,
        ...(restartSuccessful !== undefined && { restartSuccessful }),
        ...parameters,
      })
    case 'resubmit':
      if (!control) throw unavailable('runs cannot be resubmitted', NO_ENGINE)
      return control.resubmit(client, ref, parameters)
  }
}

const unavailable = (what: string, why: string) =>
  new HttpFailure('console-action-unavailable', { status: 501, what, why })

interface Replayed {
  events: readonly Row<EventItem>[]
  isCut: boolean
}

/** The events that are meant, as the caller may see them; of a query those that `tiphys replay` would take. */
async function replayed({
  archive,
  body,
  scope,
}: Call<
  object,
  { query?: string; ns?: string; events?: readonly string[]; mode: 'all' | 'no-run' | 'failed' }
>): Promise<Replayed> {
  const visible = within(await scope(body.ns))
  const mode = body.mode === 'no-run' ? 'without-run' : body.mode
  if (body.events) {
    const ids = [...new Set(body.events)]
    const events: Row<EventItem>[] = []
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const query = `id:${ids.slice(at, at + IDS_AT_ONCE).join(',')}`
      events.push(...(await sendable(archive, replaySelection({ query, ...visible }, mode))).events)
    }
    // In the order in which they happened, whatever the order in which they were chosen.
    return { events: events.sort((a, b) => a.at - b.at), isCut: false }
  }
  if (body.query === undefined) throw badRequest('neither a query nor events are given')
  return sendable(archive, replaySelection({ query: body.query, ...visible }, mode))
}

/** The oldest of the events that somebody chose, as many as one replay takes; without those that their own source ended, which were on no bus. */
async function sendable(archive: Call['archive'], selection: Selection): Promise<Replayed> {
  const events: Row<EventItem>[] = []
  let after: string | undefined
  do {
    const page = await archive.events(selection, {
      limit: 1000,
      order: 'oldest',
      ...(after !== undefined && { after }),
    })
    events.push(...page.items.filter(({ bus }) => bus !== undefined))
    after = page.next
  } while (after !== undefined && events.length <= MOST_IDS)
  return { events, isCut: events.length > MOST_IDS }
}

function preview({ events, isCut }: Replayed): ReplayPreview {
  const sources = new Map<string, number>()
  for (const { source } of events) {
    const name = `${source.namespace}/${source.name}`
    sources.set(name, (sources.get(name) ?? 0) + 1)
  }
  return {
    count: Math.min(events.length, MOST_IDS),
    isCut,
    sample: events.slice(0, SAMPLE),
    sources: [...sources].map(([name, count]) => ({ name, count })),
    runs: events.reduce((sum, { runs }) => sum + runs, 0),
  }
}

function byBus(events: readonly EventItem[]): Map<string, EventItem[]> {
  const groups = new Map<string, EventItem[]>()
  for (const event of events) {
    // Records name a bus with its namespace.
    const bus = event.bus?.split('/').at(-1) ?? 'default'
    const key = JSON.stringify([event.source.namespace, bus])
    const group = groups.get(key)
    if (group) group.push(event)
    else groups.set(key, [event])
  }
  return groups
}

/** It says who wants it: that is what the engine's own audit records name. */
function ownObject(kind: string, namespace: string, spec: object, { user }: Caller): KubeObject {
  const generateName = `console-${kind.toLowerCase()}-`
  const annotations = { [`${OWN}/made-by`]: user }
  return { apiVersion: `${OWN}/v1alpha1`, kind, metadata: { generateName, namespace, annotations }, spec }
}

const replayTarget = (namespace: string) => ({ apiVersion: `${OWN}/v1alpha1`, kind: 'Replay', namespace, name: '' })

const onlyTrace = (events: readonly string[] | undefined) =>
  events?.length === 1 && events[0] !== undefined ? { trace: events[0] } : {}
