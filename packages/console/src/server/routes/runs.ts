import { formatYaml, isNotFound, type KubeObject } from '@tiphys/kube'
import type { Manifest } from '../../api/answers.ts'
import { boolean, number, object, oneOf, optional, text } from '../../api/schema.ts'
import { sendDownload } from '../download.ts'
import { notFound } from '../http-failure.ts'
import { withoutSecretValues } from '../masked-secret.ts'
import { type Call, type Route, route } from '../route.ts'
import { listQuery, NS, pageOf, Q, selectionOf, within } from './list-query.ts'

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' }
const LOG_LINES = 5000
const UID = optional(text('Of the run, when several had the name; else the newest.', { maxLength: 253 }))
const uidQuery = object({ uid: UID })

export const runRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/runs',
    summary: 'Runs, newest first.',
    answer: 'A page of runs, with its cursors and the number of all.',
    query: listQuery,
    run: async call => call.archive.runs(await selectionOf(call), pageOf(call.query)),
  }),
  route({
    method: 'GET',
    path: '/run-groups',
    summary: 'Runs counted by what they have in common.',
    answer: 'The groups, the one with the newest run first.',
    query: object({
      by: oneOf(['template', 'object', 'fingerprint', 'phase'], 'What they have in common.'),
      q: Q,
      ns: NS,
    }),
    run: async call => call.archive.runGroups(call.query.by, await selectionOf(call)),
  }),
  route({
    method: 'GET',
    path: '/runs/:namespace/:name',
    summary: 'A run with its steps, writes, and the step to look at first.',
    answer: 'The run.',
    query: uidQuery,
    run: call => runOf(call),
  }),
  route({
    method: 'GET',
    path: '/runs/:namespace/:name/manifest',
    summary: 'The Workflow as the cluster has it now.',
    answer: 'Its YAML, or the reason why there is none.',
    run: async ({ client, params: { namespace = '', name = '' } }) =>
      manifestOf(client, { ...WORKFLOW, namespace, name }),
  }),
  route({
    method: 'GET',
    path: '/runs/:namespace/:name/logs/:step/:container',
    summary: 'Lines of a container’s output.',
    answer: 'The lines, the number of the first, and how many there are.',
    query: object({
      uid: UID,
      from: optional(number('First line, counted from 1.', { type: 'integer', minimum: 1 })),
      lines: optional(number('How many.', { type: 'integer', minimum: 1, maximum: 50_000 })),
      tail: optional(boolean('The last ones.')),
    }),
    async run(call) {
      const { step = '', container = '' } = call.params
      const { from, lines, tail } = call.query
      // Whoever names the uid is spared the run itself, which is large: the scope holds for its output alone, too.
      const run = call.query.uid ?? (await runOf(call)).run.uid
      const part = await call.archive.log(
        { run, step, container },
        {
          ...within(await call.scope()),
          lines: lines ?? LOG_LINES,
          ...(from !== undefined && { from }),
          ...(tail !== undefined && { tail }),
        },
      )
      if (!part) throw notFound(`output of the container ${container} in the step ${step}`)
      return part
    },
  }),
  route({
    method: 'GET',
    path: '/runs/:namespace/:name/logs/:step/:container/file',
    summary: 'A container’s output, whole.',
    answer: 'The output as a file.',
    isFile: true,
    query: uidQuery,
    async run(call) {
      const { run } = await runOf(call)
      const { step = '', container = '' } = call.params
      const scope = within(await call.scope())
      const first = await call.archive.log({ run: run.uid, step, container }, { ...scope, lines: LOG_LINES })
      if (!first) throw notFound(`output of the container ${container} in the step ${step}`)
      const read = (from: number) =>
        call.archive.log({ run: run.uid, step, container }, { ...scope, from, lines: LOG_LINES })
      sendDownload(call.response, `${run.name}-${step}-${container}.log`, linesFrom(first, read))
    },
  }),
  route({
    method: 'GET',
    path: '/pod-events/:namespace/:pod',
    summary: 'What the cluster says about a pod.',
    answer: 'The Events about the pod, oldest first; empty when they are gone.',
    async run({ client, demand, params: { namespace = '', pod = '' } }) {
      await demand({ verb: 'list', group: '', resource: 'events', namespace })
      const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`
      const { items } = await client.list<ClusterEvent>({ apiVersion: 'v1', kind: 'Event', namespace, fieldSelector })
      return items.map(({ lastTimestamp, eventTime, metadata, type, reason, message, count }) => {
        const at = Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '')
        return {
          ...(Number.isFinite(at) && { at }),
          ...(type && { type }),
          ...(reason && { reason }),
          ...(message && { message }),
          count: count ?? 1,
        }
      })
    },
  }),
]

interface ClusterEvent extends KubeObject {
  lastTimestamp?: string | null
  eventTime?: string | null
  type?: string
  reason?: string
  message?: string
  count?: number
}

/** The run that a path names, or its uid, if the caller may see it. */
export async function runOf({ archive, params, query, scope }: Call<{ uid?: string }, object>) {
  const { namespace = '', name = '' } = params
  const found = await archive.run(
    query.uid === undefined ? { namespace, name } : { uid: query.uid },
    within(await scope()),
  )
  if (!found) throw notFound(`run ${namespace}/${name}`)
  return found
}

/** The object's YAML as the caller may read it, without what only machines read and without the values of a Secret. */
export async function manifestOf(
  client: Call['client'],
  ref: { apiVersion: string; kind: string; namespace?: string; name: string },
): Promise<Manifest> {
  try {
    const found = withoutSecretValues(await client.get<KubeObject>(ref))
    const { managedFields: _, ...metadata } = found.metadata
    return { yaml: formatYaml({ ...found, metadata }), object: found }
  } catch (error) {
    if (isNotFound(error)) return { missing: 'The cluster no longer has it. What the archive knows of it is shown.' }
    return { missing: error instanceof Error ? error.message : String(error) }
  }
}

interface Part {
  from: number
  lines: readonly string[]
  total: number
}

async function* linesFrom(first: Part, read: (from: number) => Promise<Part | undefined>): AsyncIterable<string> {
  let part: Part | undefined = first
  while (part && part.lines.length > 0) {
    yield `${part.lines.join('\n')}\n`
    const next: number = part.from + part.lines.length
    part = next > part.total ? undefined : await read(next)
  }
}
