import type { Clock } from '@tiphys/env'
import { formatYaml, type KubeObject, UnknownKindFailure } from '@tiphys/kube'
import type { ClusterList, Permission } from '../../api/answers.ts'
import { inWords } from '../access.ts'
import { notFound } from '../http-failure.ts'
import { type Call, type Route, route } from '../route.ts'
import { namespaceQuery } from './list-query.ts'
import type { Workshop } from './workshop.ts'

const ARGO = 'argoproj.io/v1alpha1'
const OWN = 'tiphys.dev/v1alpha1'

/** What each list of the cluster's own objects holds: kinds with their resources. */
const LISTS = {
  templates: [
    [ARGO, 'WorkflowTemplate', 'workflowtemplates'],
    [ARGO, 'ClusterWorkflowTemplate', 'clusterworkflowtemplates'],
    [ARGO, 'CronWorkflow', 'cronworkflows'],
  ],
  pipeline: [
    [ARGO, 'EventBus', 'eventbus'],
    [ARGO, 'EventSource', 'eventsources'],
    [ARGO, 'Sensor', 'sensors'],
  ],
  replays: [
    [OWN, 'Replay', 'replays'],
    [OWN, 'Retry', 'retries'],
    [OWN, 'Discard', 'discards'],
  ],
  operators: [[OWN, 'Operator', 'operators']],
} as const

type ListName = keyof typeof LISTS

/** What the page hints at before somebody tries: verb, group and resource of everything that can be done here. */
const ACTIONS: readonly (Omit<Permission, 'namespace'> & { action: string; did: string })[] = [
  { action: 'replay', did: 'Replay events', verb: 'create', group: 'tiphys.dev', resource: 'replays' },
  { action: 'cancel', did: 'Cancel a replay', verb: 'delete', group: 'tiphys.dev', resource: 'replays' },
  { action: 'retry-parked', did: 'Retry parked deliveries', verb: 'create', group: 'tiphys.dev', resource: 'retries' },
  { action: 'discard', did: 'Discard parked deliveries', verb: 'create', group: 'tiphys.dev', resource: 'discards' },
  {
    action: 'workflow',
    did: 'Stop, suspend and resume runs',
    verb: 'patch',
    group: 'argoproj.io',
    resource: 'workflows',
  },
  { action: 'rerun', did: 'Retry runs', verb: 'update', group: 'argoproj.io', resource: 'workflows' },
  { action: 'submit', did: 'Submit and resubmit runs', verb: 'create', group: 'argoproj.io', resource: 'workflows' },
  { action: 'import', did: 'Import traces', verb: 'create', group: 'tiphys.dev', resource: 'traces' },
  { action: 'fire', did: 'Send test events', verb: 'update', group: 'argoproj.io', resource: 'eventsources' },
]
const READS: readonly (Omit<Permission, 'namespace'> & { action: string; did: string })[] = [
  { action: 'runs', did: 'See runs, steps and logs', verb: 'list', group: 'argoproj.io', resource: 'workflows' },
  {
    action: 'sources',
    did: 'See events without an object',
    verb: 'list',
    group: 'argoproj.io',
    resource: 'eventsources',
  },
  { action: 'sensors', did: 'See sensors', verb: 'list', group: 'argoproj.io', resource: 'sensors' },
  { action: 'templates', did: 'See templates', verb: 'list', group: 'argoproj.io', resource: 'workflowtemplates' },
]

export const clusterRoutes = (workshop: Workshop | undefined, clock: Clock): readonly Route[] => [
  ...(Object.keys(LISTS) as ListName[]).map(name =>
    route({
      method: 'GET',
      path: `/${name}`,
      summary: `The objects behind the page ${name}, from the cluster.`,
      answer: 'The objects without managedFields, and for kinds that could not be listed the reason.',
      query: namespaceQuery,
      run: call => listOf(call, name),
    }),
  ),
  ...(Object.keys(LISTS) as ListName[]).map(name =>
    route({
      method: 'GET',
      path: `/${name}/:kind/:namespace/:name`,
      summary: `One of the objects behind the page ${name}.`,
      answer: 'The object and its YAML; of a CronWorkflow when it starts next.',
      async run({ client, params: { kind = '', namespace = '', name: its = '' } }) {
        const known = LISTS[name].find(([, each]) => each === kind)
        if (!known) throw notFound(`page for the kind ${kind}`)
        const found = await client.get<KubeObject>({
          apiVersion: known[0],
          kind,
          name: its,
          ...(namespace !== '-' && { namespace }),
        })
        const nextAt = kind === 'CronWorkflow' ? await workshop?.nextStart?.(found, clock.now()) : undefined
        return { object: tidy(found), yaml: formatYaml(tidy(found)), ...(nextAt !== undefined && { nextAt }) }
      },
    }),
  ),
  route({
    method: 'GET',
    path: '/access',
    summary: 'What may I do?',
    answer: 'Every action and read with the cluster’s answer: allowed, denied or unknown.',
    query: namespaceQuery,
    async run({ caller, may, query }) {
      const ask = async ({ action, did, ...what }: (typeof ACTIONS)[number]) => {
        const permission = { ...what, ...(query.ns !== undefined && query.ns !== '' && { namespace: query.ns }) }
        return { action, did, permission, words: inWords(permission), ...(await may(permission)) }
      }
      const [actions, reads] = await Promise.all([Promise.all(ACTIONS.map(ask)), Promise.all(READS.map(ask))])
      return { user: caller.user, groups: caller.groups, actions, reads }
    },
  }),
]

async function listOf({ client, query }: Call<{ ns?: string }, object>, name: ListName): Promise<ClusterList> {
  const problems: { kind: string; why: string }[] = []
  const lists = await Promise.all(
    LISTS[name].map(async ([apiVersion, kind]) => {
      const namespace =
        query.ns === undefined || query.ns === '' || kind.startsWith('Cluster') ? {} : { namespace: query.ns }
      try {
        return (await client.listAll<KubeObject>({ apiVersion, kind, ...namespace })).items
      } catch (error) {
        // One kind that is missing or forbidden does not hide the others.
        const isMissing = error instanceof UnknownKindFailure
        problems.push({
          kind,
          why: isMissing ? 'not installed' : error instanceof Error ? error.message : String(error),
        })
        return []
      }
    }),
  )
  return { items: lists.flat().map(tidy), problems }
}

/** Without what only machines read. */
function tidy(found: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = found.metadata
  return { ...found, metadata }
}
