import type { Clock } from '@tiphys/env'
import { formatYaml, type KubeObject, parseYaml, YamlFailure } from '@tiphys/kube'
import { object, optional, text } from '../../api/schema.ts'
import type { BusReport, Figures, LintFinding, Rehearsal } from '../../api/workshop.ts'
import { isAllowed } from '../access.ts'
import { figuresOf } from '../figures.ts'
import { badRequest, HttpFailure, notFound } from '../http-failure.ts'
import { type Call, type Route, route } from '../route.ts'
import { within } from './list-query.ts'

/** What the engines know beside what is recorded: to try things out without doing them. Left out where no engine runs beside
 *  the console. */
export interface Workshop {
  /** What a Sensor would make of an event. Does nothing else. */
  rehearse(
    sensor: KubeObject,
    event: { id: string; source: string; subject: string; type: string; time: string; data: string },
  ): Promise<Rehearsal>
  /** What is wrong with manifests; `context` is what is there beside them. */
  lint(manifests: string, context: readonly KubeObject[]): Promise<readonly LintFinding[]>
  buses(): readonly BusReport[]
  /** When a CronWorkflow starts its next run; undefined of one that starts none, or whose schedules cannot be read. */
  nextStart?(cron: KubeObject, now: number): Promise<number | undefined>
  /** What the engines count, as Prometheus reads it. */
  metrics?(): string
}

const ARGO = 'argoproj.io/v1alpha1'
const SENSOR = { apiVersion: ARGO, kind: 'Sensor' }
const RBAC = 'rbac.authorization.k8s.io/v1'
/** What manifests refer to. */
const CONTEXT: readonly (readonly [apiVersion: string, kind: string])[] = [
  ...['EventBus', 'EventSource', 'Sensor', 'WorkflowTemplate', 'ClusterWorkflowTemplate'].map(
    kind => [ARGO, kind] as const,
  ),
  ['v1', 'ServiceAccount'],
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map(kind => [RBAC, kind] as const),
]
const LONGEST_MANIFEST = 512 * 1024
const NAME = text('', { maxLength: 253 })
const MANIFEST = text('As YAML or JSON.', { maxLength: LONGEST_MANIFEST })

export function workshopRoutes(workshop: Workshop | undefined, clock: Clock): readonly Route[] {
  const needed = (what: string): Workshop => {
    if (workshop) return workshop
    const why = 'no engine runs beside this console'
    throw new HttpFailure('console-action-unavailable', { status: 501, what, why })
  }
  return [
    route({
      method: 'POST',
      path: '/rehearsals',
      summary: 'What a Sensor would make of an event, without doing it.',
      answer: 'For every dependency its filters with inputs and verdicts, for every trigger what it would send.',
      body: object({
        namespace: NAME,
        sensor: optional(NAME),
        manifest: optional(MANIFEST),
        event: optional(text('The id of an event in the archive.', { pattern: '^[0-9a-f]{32}$' })),
        source: optional(text('`SOURCE/ENTRY`, of an event that somebody made up.', { maxLength: 600 })),
        payload: optional(text('Its payload: JSON.', { maxLength: LONGEST_MANIFEST })),
      }),
      async run(call) {
        const { rehearse } = needed('nothing can be tried out')
        const { triggers, ...rest } = await rehearse(await sensorOf(call), await eventOf(call, clock))
        const written = triggers.map(({ sends, ...trigger }) => ({
          ...trigger,
          ...(sends !== undefined && { sends: formatYaml(sends) }),
        }))
        return { ...rest, triggers: written }
      },
    }),
    route({
      method: 'POST',
      path: '/lint',
      summary: 'What is wrong with manifests, without applying them.',
      answer: 'The findings with their lines.',
      body: object({ namespace: NAME, manifest: MANIFEST }),
      async run({ body: { namespace, manifest }, client, may, demand }) {
        const { lint } = needed('manifests cannot be checked')
        const templates = { verb: 'get', group: 'argoproj.io', resource: 'workflowtemplates', namespace }
        if ((await may(templates)).answer !== 'allowed') await demand({ ...templates, resource: 'sensors' })
        const lists = await Promise.all(
          CONTEXT.map(async ([apiVersion, kind]) => {
            const where = kind.startsWith('Cluster') || namespace === '' ? {} : { namespace }
            // What the caller may not see, or the cluster does not have, is no context.
            return await client.listAll<KubeObject>({ apiVersion, kind, ...where }).catch(() => undefined)
          }),
        )
        const context = lists.flatMap((list, i) => {
          const [apiVersion = '', kind = ''] = CONTEXT[i] ?? []
          return (list?.items ?? []).map(item => ({ ...item, apiVersion, kind }))
        })
        const findings = await lint(manifest, context)
        return findings.map(({ line, message, severity }) => ({ line, message, severity }))
      },
    }),
    route({
      method: 'GET',
      path: '/buses',
      summary: 'The buses as the event engine has them open.',
      answer: 'Each with how much it holds; only of namespaces whose EventBuses the caller may list.',
      async run({ may }) {
        if (!workshop) return []
        return visible(workshop.buses(), () => 'eventbus', may)
      },
    }),
    route({
      method: 'GET',
      path: '/figures',
      summary: 'What the event engine has counted since it started: sources, sensors and buses.',
      answer: 'Each with its figures; only of what the caller may list.',
      run: ({ may }) => visibleFigures(workshop, may),
    }),
  ]
}

const RESOURCES: Readonly<Record<Figures['kind'], string>> = {
  EventSource: 'eventsources',
  Sensor: 'sensors',
  EventBus: 'eventbus',
}

/** What the engine has counted of what the caller may list. */
export async function visibleFigures(workshop: Workshop | undefined, may: Call['may']): Promise<readonly Figures[]> {
  const known = workshop?.metrics ? figuresOf(workshop.metrics()) : []
  return visible(known, ({ kind }) => RESOURCES[kind], may)
}

/** Those of namespaces in which the caller may list such a thing; asked once for each. */
async function visible<T extends { namespace: string }>(
  known: readonly T[],
  resourceOf: (each: T) => string,
  may: Call['may'],
): Promise<readonly T[]> {
  const verdicts = new Map<string, boolean>()
  const shown: T[] = []
  for (const each of known) {
    const [resource, { namespace }] = [resourceOf(each), each]
    const key = `${resource}/${namespace}`
    const isShown =
      verdicts.get(key) ??
      isAllowed(await may({ verb: 'list', group: 'argoproj.io', resource, namespace }), 'what you may see')
    verdicts.set(key, isShown)
    if (isShown) shown.push(each)
  }
  return shown
}

interface RehearsalBody {
  namespace: string
  sensor?: string
  manifest?: string
  event?: string
  source?: string
  payload?: string
}

/** The Sensor as the caller may read it, or the one that they wrote. */
async function sensorOf({ body, client, demand }: Call<object, RehearsalBody>): Promise<KubeObject> {
  const { namespace, sensor = '', manifest } = body
  // Its programs run here: not for whoever has nothing to do with sensors.
  await demand({ verb: 'get', group: 'argoproj.io', resource: 'sensors', namespace })
  if (manifest === undefined) return client.get<KubeObject>({ ...SENSOR, namespace, name: sensor })
  const written = await read(manifest)
  if (written.kind !== 'Sensor') throw badRequest('the manifest is no Sensor')
  // The uid decides names that are generated: those of the Sensor that is there, when there is one.
  const present = await client.get<KubeObject>({ ...SENSOR, namespace, name: sensor }).catch(() => undefined)
  const uid = present?.metadata.uid
  return { ...written, metadata: { ...written.metadata, namespace, ...(uid !== undefined && { uid }) } }
}

async function read(manifest: string): Promise<KubeObject> {
  let value: unknown
  try {
    value = (await parseYaml(manifest)).value
  } catch (thrown) {
    if (!(thrown instanceof YamlFailure)) throw thrown
    throw badRequest(`the manifest cannot be read: ${thrown.message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('the manifest is no object')
  return { metadata: {}, ...value } as KubeObject
}

async function eventOf({ archive, body, scope }: Call<object, RehearsalBody>, clock: Clock) {
  const { event: id, source = '', payload } = body
  if (id === undefined) {
    const [name = '', subject = ''] = source.split('/')
    if (payload === undefined || name === '' || subject === '')
      throw badRequest('neither an event nor a source and a payload are given')
    const time = new Date(clock.now()).toISOString()
    return { id: '0'.repeat(32), source: name, subject, type: '', time, data: payload }
  }
  const event = await archive.event(id, { ...within(await scope()), maxBytes: 0 })
  const data = event && (await archive.payload(id, within(await scope())))
  if (!event || !data) throw notFound(`payload of the event ${id}`)
  return {
    id,
    source: event.source.name,
    subject: event.source.part,
    type: event.type,
    time: new Date(event.at).toISOString(),
    data: payload ?? data.toString(),
  }
}
