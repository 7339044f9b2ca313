import type { KubeObject, ObjectRef, OwnerReference } from '@tiphys/kube'
import { number, object, text } from '../../api/schema.ts'
import { badRequest, notFound } from '../http-failure.ts'
import { type Call, type Route, route } from '../route.ts'
import { listQuery, pageOf, selectionOf, selectionQuery, within } from './list-query.ts'
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
      const owners = 'object' in present ? await ownersOf(call.client, present.object) : []
      return { reference, history, present, owners }
    },
  }),
  route({
    method: 'GET',
    path: '/writes/:id',
    summary: 'A write with all that it changed.',
    answer: 'The write.',
    async run({ archive, params: { id = '' }, scope }) {
      const found = await archive.write(Number(id), within(await scope()))
      if (!found) throw notFound(`write ${id}`)
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
      limit: number('', { minimum: 1, maximum: 100 }),
    }),
    run: async ({ archive, query, scope }) => archive.search(query.text, within(await scope()), { limit: query.limit }),
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
