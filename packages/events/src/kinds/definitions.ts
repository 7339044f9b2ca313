import type { KubeObject } from '@tiphys/kube'

/** What the objects of a kind look like, as CustomResourceDefinitions say it. */
type Schema = Readonly<Record<string, unknown>>

interface KindNames {
  group: string
  kind: string
  plural: string
  shortNames?: readonly string[]
}

interface Column {
  name: string
  type: 'string' | 'integer' | 'date'
  jsonPath: string
}

const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

function definition(names: KindNames, spec: Schema, status: Schema, columns: readonly Column[] = []): KubeObject {
  const { group, kind, plural, shortNames = [] } = names
  const metadata = { type: 'object' }
  const version = {
    name: 'v1alpha1',
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        required: ['metadata', 'spec'],
        properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata, spec, status },
      },
    },
    subresources: { status: {} },
    ...(columns.length > 0 && { additionalPrinterColumns: columns }),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
        ...(shortNames.length > 0 && { shortNames }),
      },
      versions: [version],
    },
  }
}

const ARGO = 'argoproj.io'
const OWN = 'tiphys.dev'

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more })
const count = (description: string, more: Schema = {}): Schema => ({
  type: 'integer',
  description,
  minimum: 0,
  ...more,
})
const fields = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

const EVENT_IDS: Schema = {
  type: 'array',
  description: 'The ids of the events; all of them, when it is left out.',
  maxItems: 10_000,
  items: { type: 'string', pattern: '^[0-9a-f]{32}$' },
}
const RATE = count('How many are sent in a second at most.', { minimum: 1, maximum: 10_000, default: 10 })
const BUS = text('The EventBus.', { default: 'default' })
const SENSOR = text('The Sensor whose deliveries are meant.', { minLength: 1 })
const TRIGGER = text('The trigger of the Sensor; every one, when it is left out.')

/** How far it is. */
const PROGRESS = fields({
  phase: text('Pending, Running, Succeeded or Failed.', { enum: ['Pending', 'Running', 'Succeeded', 'Failed'] }),
  total: count('How many there are.'),
  done: count('How many are done.'),
  refused: count('Of a Replay, how many cannot be sent; the message says why.'),
  message: text('What happened, in words.'),
  startedAt: text('When it began.', { format: 'date-time' }),
  finishedAt: text('When it ended.', { format: 'date-time' }),
  by: text('Who made the object.'),
})

const PROGRESS_COLUMNS: readonly Column[] = [
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Done', type: 'integer', jsonPath: '.status.done' },
  { name: 'Total', type: 'integer', jsonPath: '.status.total' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]

/** Sends events of the past again, as new events that name the original. */
const replay = definition(
  { group: OWN, kind: 'Replay', plural: 'replays' },
  fields({
    eventBusName: BUS,
    events: {
      ...EVENT_IDS,
      description:
        'The ids of the events, also of those that only the history has; all that the bus has, when it is left out.',
    },
    source: text('The EventSource whose events are meant; every one, when it is left out.'),
    entry: text('The entry of the EventSource.'),
    key: text('The key of the events, for example "Deployment.apps default/web".'),
    from: text('Events since this time.', { format: 'date-time' }),
    until: text('Events before this time.', { format: 'date-time' }),
    sensor: text('The Sensor that gets them; every one, when it is left out.'),
    trigger: TRIGGER,
    mode: text('Run sends them; Count only says how many there are.', { enum: ['Run', 'Count'], default: 'Run' }),
    rate: RATE,
  }),
  PROGRESS,
  PROGRESS_COLUMNS,
)

/** Tries parked deliveries again, each with the key it had. */
const retry = definition(
  { group: OWN, kind: 'Retry', plural: 'retries' },
  fields({ eventBusName: BUS, sensor: SENSOR, trigger: TRIGGER, events: EVENT_IDS, rate: RATE }, ['sensor']),
  PROGRESS,
  PROGRESS_COLUMNS,
)

/** Ends parked deliveries without an effect. */
const discard = definition(
  { group: OWN, kind: 'Discard', plural: 'discards' },
  fields(
    {
      eventBusName: BUS,
      sensor: SENSOR,
      trigger: TRIGGER,
      events: EVENT_IDS,
      reason: text('Why nothing is to be done; kept in the record.', { minLength: 1, maxLength: 1000 }),
    },
    ['sensor', 'reason'],
  ),
  PROGRESS,
  PROGRESS_COLUMNS,
)

/** The CustomResourceDefinitions of what this package runs. Upstream's kinds take anything, as theirs do: what nobody
 *  knows is reported by `unknownFields` instead of being dropped. */
export const eventDefinitions: readonly KubeObject[] = [
  definition({ group: ARGO, kind: 'EventBus', plural: 'eventbus', shortNames: ['eb'] }, ANYTHING, ANYTHING),
  definition({ group: ARGO, kind: 'EventSource', plural: 'eventsources', shortNames: ['es'] }, ANYTHING, ANYTHING),
  definition({ group: ARGO, kind: 'Sensor', plural: 'sensors', shortNames: ['sn'] }, ANYTHING, ANYTHING),
  replay,
  retry,
  discard,
]
