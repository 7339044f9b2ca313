import type { KubeObject, ObjectRef, OwnerReference } from '@tiphys/kube'
import { number, object, text } from '../../api/schema.ts'
import { badRequest, notFound } from '../http-failure.ts'
import { type Call, type Route, route } from '../route.ts'
import { listQuery, NS, pageOf, selectionOf, selectionQuery, within } from './list-query.ts'
import { historyOf } from './placeless.ts'
import { manifestOf } from './runs.ts'

export const objectRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/kinds',
    summary: 'The kinds that Tiphys has seen or written.',
    answer: 'The kinds, with the number of objects.',
    query: selectionQuery,
    run: async call => call.archive.kinds(await selectionOf(call)),
  }),
  route({
    method: 'GET',
    path: '/objects',
    summary: 'Objects that Tiphys has seen or written.',
    answer: 'A page of objects.',
    query: listQuery,
    run: async call => call.archive.objects(await selectionOf(call), pageOf(call.query)),
  }),
  route({
    method: 'GET',
    path: '/objects/:gvk/:namespace/:name',
    summary: 'What happened to an object: who wrote what, because of which event.',
    answer: 'The history from the archive, and the object as the cluster has it now.',
    async run(call) {
      const reference = objectOf(call.params)
      const scope = within(await call.scope())
      const [history, present] = await Promise.all([
        call.archive.object(reference, { ...scope, limit: 100 }),
        manifestOf(call.client, reference),
      ])
      if (!history && 'missing' in present) throw notFound(`${reference.kind} ${reference.name}`)
      const [owners, owned] =
        'object' in present
          ? await Promise.all([ownersOf(call.client, present.object), ownedBy(call.client, present.object)])
          : [[], []]
      return { reference, ...(history && { history: historyOf(history) }), present, owners, owned }
    },
  }),
  route({
    method: 'GET',
    path: '/writes/:write',
    summary: 'A write with all that it changed.',
    answer: 'The write.',
    async run({ archive, params: { write = '' }, scope }) {
      const found = /^\d{1,15}$/.test(write) ? await archive.write(Number(write), within(await scope())) : undefined
      if (!found) throw notFound(`write ${write}`)
      return found
    },
  }),
  route({
    method: 'GET',
    path: '/search',
    summary: 'Full text over names, payloads, messages and logs.',
    answer: 'A page of what was found.',
    query: object({
      text: text('Words; word* for beginnings; "words in order".', { maxLength: 400 }),
      ns: NS,
      limit: number('How many rows.', { type: 'integer', minimum: 1, maximum: 100 }),
    }),
    run: async ({ archive, query, scope }) =>
      archive.search(query.text, within(await scope(query.ns)), { limit: query.limit }),
  }),
]

/** `Deployment.v1.apps`, `Pod.v1`; the namespace of what has none is `-`. */
export function objectOf({ gvk = '', namespace = '', name = '' }: Readonly<Record<string, string>>): {
  apiVersion: string
  kind: string
  namespace?: string
  name: string
} {
  const [kind = '', version = '', ...group] = gvk.split('.')
  if (kind === '' || version === '') throw badRequest(`${gvk} is no kind`, 'Write it as Deployment.v1.apps or Pod.v1')
  return {
    apiVersion: group.length === 0 ? version : `${group.join('.')}/${version}`,
    kind,
    ...(namespace !== '-' && { namespace }),
    name,
  }
}

const HIGHEST = 8

/** Who owns it, and who owns that, nearest first. */
async function ownersOf(client: Call['client'], of: KubeObject): Promise<ObjectRef[]> {
  const owners: ObjectRef[] = []
  let present: KubeObject | undefined = of
  while (present && owners.length < HIGHEST) {
    const references: readonly OwnerReference[] = present.metadata.ownerReferences ?? []
    const owner: OwnerReference | undefined = references.find(({ controller }) => controller) ?? references[0]
    if (!owner) break
    const { apiVersion, kind, name } = owner
    const namespace: string | undefined = present.metadata.namespace
    const ref: ObjectRef = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) }
    owners.push(ref)
    // Who may not read the owner still sees its name.
    present = await client.get<KubeObject>(ref, { metadataOnly: true }).catch(() => undefined)
  }
  return owners
}

type Kind = readonly [apiVersion: string, kind: string]
const POD: Kind = ['v1', 'Pod']
const WORKFLOW: Kind = ['argoproj.io/v1alpha1', 'Workflow']
/** What each kind makes: only there is looked for what it owns. */
const MADE: Readonly<Record<string, readonly Kind[]>> = {
  Deployment: [['apps/v1', 'ReplicaSet']],
  ReplicaSet: [POD],
  StatefulSet: [POD],
  DaemonSet: [POD],
  Job: [POD],
  CronJob: [['batch/v1', 'Job']],
  Workflow: [POD],
  CronWorkflow: [WORKFLOW],
}
/** What operators make for the objects that they are asked with. */
const USUAL: readonly Kind[] = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['batch/v1', 'Job'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  WORKFLOW,
]
const BUILT_IN = /^(?:v1|(?:apps|batch|rbac\.authorization\.k8s\.io|networking\.k8s\.io)\/v\d+)$/
const MOST_LISTED = 500
const MOST_OWNED = 30

/** What it owns itself, as far as the caller may list it. */
async function ownedBy(client: Call['client'], { apiVersion, kind, metadata }: KubeObject): Promise<ObjectRef[]> {
  const { uid, namespace } = metadata
  const kinds = MADE[kind] ?? (BUILT_IN.test(apiVersion) ? [] : USUAL)
  if (namespace === undefined) return []
  const lists = kinds.map(async ([version, each]) => {
    // Who may not list them, or has no such kind, sees none.
    const found = await client
      .list({ apiVersion: version, kind: each, namespace }, { limit: MOST_LISTED, metadataOnly: true })
      .catch(() => ({ items: [] as KubeObject[] }))
    return found.items
      .filter(item => item.metadata.ownerReferences?.some(owner => owner.uid === uid))
      .map(item => ({ apiVersion: version, kind: each, namespace, name: item.metadata.name ?? '' }))
  })
  return (await Promise.all(lists)).flat().slice(0, MOST_OWNED)
}
