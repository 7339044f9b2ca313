import { parseAge, parseSize, TerminalFailure } from '@tiphys/env'
import type { Scope } from '../archive.ts'
import { VERDICT_NUMBERS } from '../ingest/vocabulary.ts'
import type { FieldTerm, Value } from './query.ts'
import { reachOf } from './scope-condition.ts'
import { and, type Dialect, FALSE, isChosen, isFound, isOneOf, matches, or, type Sql, sql, TRUE } from './sql.ts'

export type List = 'events' | 'runs' | 'objects' | 'writes' | 'parked' | 'health' | 'audit'

export interface FieldContext {
  dialect: Dialect
  now: number
  /** Whether the field is all that was asked for. */
  isAlone?: boolean
  /** What whoever asks may see: a row is not found by a run of it that they may not. */
  scope?: Scope
}

/** What a field of a list means. */
export interface Field {
  /** For completion and help. */
  readonly about: string
  /** Where completion finds its values. */
  readonly values?: readonly string[] | { readonly part: string } | { readonly object: 'kind' | 'namespace' | 'name' }
  readonly condition: (value: Value, context: FieldContext) => Sql
  /** Where many are asked for together: conditions of which one must hold. */
  readonly conditions?: (values: readonly Value[], context: FieldContext) => readonly Sql[]
}

type Fields = Readonly<Record<string, Field>>

/** Of a quoted value the stars are stars. */
function like(context: FieldContext, column: string, value: Value): Sql {
  return value.isQuoted ? sql(`${column} = ?`, value.text) : matches(context.dialect, column, value.text)
}

const text = (about: string, column: string, values?: Field['values']): Field => ({
  about,
  ...(values ? { values } : {}),
  condition: (value, context) => like(context, column, only('=', value)),
})

/** A text whose column has an index. */
const indexedText = (about: string, column: string): Field => ({
  about,
  condition: (value, context) =>
    isExact(only('=', value)) ? isChosen(column, [value.text]) : like(context, column, value),
})

const isExact = ({ text: wanted, isQuoted }: Value): boolean => isQuoted || !wanted.includes('*')

/** A name of a part: `name`, `namespace/name`, `name/part` as lists show it, or `namespace/name/part`. */
const part = (about: string, type: string, where: (ids: Sql, context: FieldContext) => Sql): Field => ({
  about,
  values: { part: type },
  condition: (value, context) => {
    const { text: written, isQuoted } = only('=', value)
    const segments = type === 'template' ? [written] : written.split('/')
    const readings = READINGS[segments.length - 1]?.filter(names => HAVE_PARTS.has(type) || names.at(-1) !== 'part')
    if (!readings) return FALSE
    const isCalled = (names: readonly string[], texts = segments) =>
      and(texts.map((one, i) => like(context, names[i] as string, { ...value, text: one })))
    // A template's name has its kind in front: `WorkflowTemplate/reconcile`.
    const isOfKind = type === 'template' && !isQuoted && !written.includes('/')
    const any = or([
      ...readings.map(names => isCalled(names)),
      ...(isOfKind ? [isCalled(['name'], [`*/${written}`])] : []),
    ])
    return where(sql(`SELECT id FROM parts WHERE type = '${type}' AND (${any.text})`, ...any.values), context)
  },
})

/** What a name of one, two or three segments may mean. */
const READINGS = [
  [['name']],
  [
    ['namespace', 'name'],
    ['name', 'part'],
  ],
  [['namespace', 'name', 'part']],
] as const
const HAVE_PARTS: ReadonlySet<string> = new Set(['source', 'trigger'])

const within = (column: string) => (ids: Sql) => isFound(column, ids)
/** Of a column without an index. */
const among =
  (column: string) =>
  (ids: Sql): Sql => ({
    ...sql(`${column} IN (${ids.text})`, ...ids.values),
    choice: { column: '', values: [], found: [ids] },
  })

/** `Kind/namespace/name`, `Kind/name` or `name`; `Kind` may have its group: `Deployment.apps`. */
const object = (about: string, column: string): Field => ({
  about,
  condition: (value, context) => {
    const segments = only('=', value).text.split('/')
    const [kind, namespace, name] =
      segments.length === 1
        ? [undefined, undefined, segments[0]]
        : segments.length === 2
          ? [segments[0], undefined, segments[1]]
          : segments
    if (segments.length > 3) return FALSE
    const conditions = [
      kind === undefined || kind === '*' ? TRUE : kindIs(context, 'kind', { ...value, text: kind }),
      namespace === undefined || namespace === '*' ? TRUE : like(context, 'namespace', { ...value, text: namespace }),
      name === undefined || name === '*' ? TRUE : like(context, 'name', { ...value, text: name }),
    ]
    const all = and(conditions)
    return isFound(column, sql(`SELECT id FROM objects WHERE ${all.text}`, ...all.values))
  },
})

function kindIs(context: FieldContext, column: string, value: Value): Sql {
  if (value.text.includes('.') || value.isQuoted) return like(context, column, value)
  return or([like(context, column, value), like(context, column, { ...value, text: `${value.text}.*` })])
}

const objectPart = (about: string, of: 'kind' | 'namespace' | 'name', column: string): Field => ({
  about,
  values: { object: of },
  condition: (value, context) => {
    const condition = of === 'kind' ? kindIs(context, 'kind', only('=', value)) : like(context, of, only('=', value))
    return isFound(column, sql(`SELECT id FROM objects WHERE ${condition.text}`, ...condition.values))
  },
})

/** The namespace of what a row is about. */
const scopeNamespace = (column: string): Field => ({
  about: 'the namespace',
  values: { object: 'namespace' },
  condition: (value, context) => {
    const condition = like(context, 'namespace', only('=', value))
    return isFound(column, sql(`SELECT id FROM scopes WHERE ${condition.text}`, ...condition.values))
  },
})

const oneOf = (
  about: string,
  column: string,
  values: readonly string[],
  { number, isIndexed = false }: { number?: Readonly<Record<string, number>>; isIndexed?: boolean } = {},
): Field => ({
  about,
  values,
  condition: value => {
    const found = values.filter(known => isLike(only('=', value), known))
    if (found.length === 0) throw unknownValue(value.text, values)
    if (found.length === values.length) return TRUE
    const wanted = found.map(name => number?.[name] ?? name)
    return isIndexed ? isChosen(column, wanted) : isOneOf(column, wanted)
  },
})

function isLike({ text: wanted, isQuoted }: Value, known: string): boolean {
  const small = wanted.toLowerCase()
  if (isQuoted || !small.includes('*')) return small === known.toLowerCase()
  const pieces = small.split('*').map(piece => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`).test(known.toLowerCase())
}

/** What is new is found among the newest rows; when it is not, there is little of it, and SQLite must be told to use the index. */
const notBefore = ({ dialect, isAlone }: FieldContext, condition: Sql, from: number): Sql => ({
  ...(dialect === 'sqlite' && isAlone ? sql(`likelihood(${condition.text}, 0.0001)`, ...condition.values) : condition),
  times: { from },
})
/** What is old lies behind what is new. */
const notAfter = (condition: Sql, before: number): Sql => ({ ...condition, times: { before } })

/** Of a column of whole numbers, which databases compare with whole numbers of their own size alone. */
function compared(column: string, comparison: Value['comparison'], wanted: number): Sql {
  if (comparison === '=' && !Number.isInteger(wanted)) return FALSE
  const edge = comparison === '>' || comparison === '<=' ? Math.floor(wanted) : Math.ceil(wanted)
  return sql(`${column} ${comparison} ?`, inBounds(edge))
}

const inBounds = (edge: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, edge))

const age = (column: string): Field => ({
  about: 'how long ago: age:<1h, age:>2d',
  condition: (value, context) => {
    // Times have no parts of milliseconds.
    const edge = inBounds(context.now - Math.round(durationOf(value)))
    const isOlder = value.comparison.startsWith('>')
    const orEqual = value.comparison.endsWith('=') || value.comparison === '='
    return isOlder
      ? notAfter(sql(`${column} ${orEqual ? '<=' : '<'} ?`, edge), edge + 1)
      : notBefore(context, sql(`${column} ${orEqual ? '>=' : '>'} ?`, edge), edge)
  },
})

const time = (about: string, column: string, comparison: '>=' | '<'): Field => ({
  about,
  condition: (value, context) => {
    const at = timeOf(only('=', value).text)
    if (at === undefined) throw invalidValue(value.text, 'a time is written 2026-01-31 or 2026-01-31T12:00:00Z')
    const condition = sql(`${column} ${comparison} ?`, at)
    return comparison === '<' ? notAfter(condition, at) : notBefore(context, condition, at)
  },
})

/** A day, or a moment of it: of UTC, as times are shown, unless it says otherwise. */
const TIME = /^(\d{4}(?:-\d\d(?:-\d\d)?)?)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

function timeOf(text: string): number | undefined {
  const [, day = '', moment, zone] = TIME.exec(text) ?? []
  const midnight = Date.parse(day)
  // What Date.parse takes for another day, as the 30th of February, is none.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined
  const at = moment === undefined ? midnight : Date.parse(zone === undefined ? `${text}Z` : text)
  return Number.isNaN(at) ? undefined : at
}

const number = (about: string, column: string, read: (value: Value) => number = numberOf): Field => ({
  about,
  condition: value => compared(column, value.comparison, read(value)),
})

const trace = (about: string, column: string): Field => {
  const isCalled = (condition: Sql) =>
    isFound(column, sql(`SELECT id FROM traces WHERE ${condition.text}`, ...condition.values), { isRare: true })
  const condition: Field['condition'] = (value, context) => isCalled(like(context, 'trace', only('=', value)))
  return {
    about,
    condition,
    conditions(values, context) {
      const exact = values.filter(value => isExact(only('=', value))).map(value => value.text)
      const others = values.filter(value => !isExact(value)).map(value => condition(value, context))
      return exact.length === 0 ? others : [isCalled(isOneOf('trace', exact)), ...others]
    },
  }
}

const PHASES = ['Pending', 'Running', 'Suspended', 'Succeeded', 'Failed', 'Error', 'Skipped', 'Omitted']
/** Asked for each row by itself: of `EXISTS` PostgreSQL makes a join with all there ever was. */
const hasAny = (rows: string): string => `(${rows} LIMIT 1) IS NOT NULL`
const outcomeOf = (ids: Sql): Sql => ({
  ...sql(hasAny(`SELECT 1 FROM outcomes o WHERE o.trace = e.trace AND o.trigger_part IN (${ids.text})`), ...ids.values),
  choice: { column: '', values: [], found: [ids] },
})
const sensorIds = (ids: Sql) =>
  sql(
    `SELECT t.id FROM parts t JOIN parts s ON s.type = 'sensor' AND s.namespace = t.namespace AND s.name = t.name
      WHERE t.type = 'trigger' AND s.id IN (${ids.text})`,
    ...ids.values,
  )
/** By name or uid. */
const runsCalled = (value: Value, context: FieldContext): Sql => {
  const called = or([like(context, 'name', only('=', value)), like(context, 'uid', value)])
  const seen = and([called, ...reachOf('scope', context.scope)])
  return sql(`SELECT id FROM runs WHERE ${seen.text}`, ...seen.values)
}
/** Of the events that led to such a run: the one that it is traced by, and those that its trigger waited for beside it. */
const tracesOfRuns = (value: Value, context: FieldContext): Sql => {
  const runs = runsCalled(value, context)
  return sql(
    `SELECT trace FROM runs WHERE trace IS NOT NULL AND id IN (${runs.text})
      UNION SELECT o.trace FROM runs s JOIN outcomes o ON o.action = s.action WHERE s.id IN (${runs.text})`,
    ...runs.values,
    ...runs.values,
  )
}
/** Of the runs that such an event led to: those that are traced by it, and those whose trigger waited for it beside others. */
const runsOfEvents = (value: Value, context: FieldContext): Sql => {
  const called = like(context, 'trace', only('=', value))
  const traces = `SELECT id FROM traces WHERE ${called.text}`
  return sql(
    `SELECT id FROM runs WHERE trace IN (${traces})
      UNION SELECT s.id FROM outcomes mine JOIN outcomes o ON o.action = mine.action JOIN runs s ON s.trace = o.trace AND s.action = mine.action
      WHERE mine.action IS NOT NULL AND mine.trace IN (${traces})`,
    ...called.values,
    ...called.values,
  )
}
const hasRun = (condition: Sql, { scope }: FieldContext): Sql => {
  const seen = and([condition, ...reachOf('r.scope', scope)])
  return sql(hasAny(`SELECT 1 FROM runs r WHERE r.trace = e.trace AND (${seen.text})`), ...seen.values)
}
const runField = (about: string, condition: (value: Value, context: FieldContext) => Sql): Field => ({
  about,
  condition: (value, context) => hasRun(condition(only('=', value), context), context),
})

/** Of events (`e`). `data.PATH` and `label` read the payload and are dealt with in `payload-filter.ts`. */
export const EVENT_FIELDS: Fields = {
  status: oneOf('what came of it', 'e.verdict', Object.keys(VERDICT_NUMBERS), {
    number: VERDICT_NUMBERS,
    isIndexed: true,
  }),
  source: part('the EventSource: name, name/entry, or namespace/name/entry', 'source', within('e.source')),
  bus: part('the EventBus', 'bus', among('e.bus')),
  type: {
    about: 'the type of source, or what happened to the object: ADD, UPDATE, DELETE',
    condition: (value, context) =>
      or([
        like(context, 'e.type', only('=', value)),
        like(context, 'e.change', { ...value, text: value.text.toUpperCase() }),
      ]),
  },
  object: object('the object it is about: Kind/namespace/name', 'e.object'),
  kind: objectPart('the kind of its object', 'kind', 'e.object'),
  ns: scopeNamespace('e.scope'),
  name: objectPart('the name of its object', 'name', 'e.object'),
  sensor: part('a Sensor that has looked at it', 'sensor', ids => outcomeOf(sensorIds(ids))),
  trigger: part('a trigger that has looked at it: sensor/trigger, or namespace/sensor/trigger', 'trigger', outcomeOf),
  run: {
    about: 'a run that it started',
    condition: (value, context) => isFound('e.trace', tracesOfRuns(value, context)),
  },
  template: part('the template of a run that it started', 'template', (ids, context) =>
    hasRun(sql(`r.template IN (${ids.text})`, ...ids.values), context),
  ),
  phase: runField('the phase of a run that it started', oneOf('', 'r.phase', PHASES).condition),
  id: trace('its id', 'e.trace'),
  replayof: trace('the event that it repeats', 'e.replay_of'),
  key: text('events with one key are handled in order', 'e.key'),
  runs: number('how many runs it started', 'e.runs'),
  size: number('bytes of its payload', 'e.bytes', sizeOf),
  age: age('e.at'),
  since: time('not before this time', 'e.at', '>='),
  until: time('before this time', 'e.at', '<'),
}

/** Of runs (`r`). */
const RUN_FIELDS: Fields = {
  status: oneOf('its phase', 'r.phase', PHASES, { isIndexed: true }),
  phase: oneOf('its phase', 'r.phase', PHASES, { isIndexed: true }),
  ns: scopeNamespace('r.scope'),
  name: indexedText('its name', 'r.name'),
  run: { about: 'its name or uid', condition: (value, context) => isFound('r.id', runsCalled(value, context)) },
  template: part('what it was made from', 'template', within('r.template')),
  trigger: part('the trigger that started it', 'trigger', among('r.trigger_part')),
  sensor: part('the Sensor that started it', 'sensor', ids => among('r.trigger_part')(sensorIds(ids))),
  object: object('what the event that started it was about', 'r.object'),
  kind: objectPart('the kind of that object', 'kind', 'r.object'),
  event: {
    about: 'an event that led to it',
    condition: (value, context) => isFound('r.id', runsOfEvents(value, context)),
  },
  fingerprint: indexedText('the error, without what varies in it', 'r.fingerprint'),
  duration: number('how long it took: duration:>30s', '(r.finished_at - r.started_at)', durationOf),
  attempt: number('how often it was begun: attempt:>1', 'r.attempt'),
  age: age('r.at'),
  since: time('not before this time', 'r.at', '>='),
  until: time('before this time', 'r.at', '<'),
}

/** Of objects (`b`). */
const OBJECT_FIELDS: Fields = {
  object: object('Kind/namespace/name', 'b.id'),
  kind: objectPart('the kind', 'kind', 'b.id'),
  ns: text('the namespace', 'b.namespace', { object: 'namespace' }),
  name: text('the name', 'b.name', { object: 'name' }),
  uid: text('the uid', 'b.uid'),
  deleted: oneOf('whether it is gone', "(CASE WHEN b.is_deleted = 1 THEN 'yes' ELSE 'no' END)", ['yes', 'no']),
  condition: {
    about: 'a condition that is not as it should be, by its type or reason',
    condition: (value, context) => {
      const inner = or([like(context, 'c.condition', only('=', value)), like(context, 'c.reason', value)])
      return sql(
        `EXISTS (SELECT 1 FROM conditions c WHERE c.object = b.id AND c.status <> 'True' AND (${inner.text}))`,
        ...inner.values,
      )
    },
  },
  age: age('b.last_at'),
}

/** Of writes (`w`). */
const WRITE_FIELDS: Fields = {
  object: object('what was written: Kind/namespace/name', 'w.object'),
  kind: objectPart('the kind', 'kind', 'w.object'),
  ns: scopeNamespace('w.scope'),
  name: objectPart('the name', 'name', 'w.object'),
  verb: oneOf('how', 'w.verb', ['create', 'update', 'patch', 'apply', 'delete']),
  outcome: oneOf('what came of it', 'w.outcome', ['created', 'changed', 'unchanged', 'deleted']),
  as: text('who the request was sent as', 'w.actor'),
  event: trace('the event it began with', 'w.trace'),
  run: {
    about: 'the run that wrote it',
    condition: (value, context) => among('w.run')(runsCalled(value, context)),
  },
  age: age('w.at'),
  since: time('not before this time', 'w.at', '>='),
  until: time('before this time', 'w.at', '<'),
}

/** Of deliveries that were given up (`o`). */
const PARKED_FIELDS: Fields = {
  trigger: part('the trigger: sensor/trigger, or namespace/sensor/trigger', 'trigger', among('o.trigger_part')),
  sensor: part('the Sensor', 'sensor', ids => among('o.trigger_part')(sensorIds(ids))),
  object: object('what the event was about', 'o.object'),
  kind: objectPart('the kind of that object', 'kind', 'o.object'),
  ns: scopeNamespace('o.scope'),
  action: text("the action's key", 'o.action'),
  event: trace('one of its events', 'o.trace'),
  reason: text('why', 'o.reason'),
  fingerprint: text('the error, without what varies in it', 'o.fingerprint'),
  age: age('o.at'),
}

/** Of conditions (`c`). */
const HEALTH_FIELDS: Fields = {
  object: object('Kind/namespace/name', 'c.object'),
  kind: objectPart('the kind', 'kind', 'c.object'),
  ns: scopeNamespace('c.scope'),
  name: objectPart('the name', 'name', 'c.object'),
  condition: text('the type of the condition', 'c.condition'),
  status: oneOf('True, False or Unknown', 'c.status', ['True', 'False', 'Unknown']),
  reason: text('the reason', 'c.reason'),
  age: age('c.at'),
}

/** Of what people did (`a`). */
const AUDIT_FIELDS: Fields = {
  who: text('who did it', 'a.who'),
  did: text('what: replay, retry, discard, …', 'a.did'),
  outcome: oneOf('whether it was allowed', 'a.outcome', ['allowed', 'refused']),
  target: text('what it was done to: Kind/namespace/name, event/ID, action/KEY', 'a.target'),
  age: age('a.at'),
  since: time('not before this time', 'a.at', '>='),
  until: time('before this time', 'a.at', '<'),
}

export const FIELDS: Readonly<Record<List, Fields>> = {
  events: EVENT_FIELDS,
  runs: RUN_FIELDS,
  objects: OBJECT_FIELDS,
  writes: WRITE_FIELDS,
  parked: PARKED_FIELDS,
  health: HEALTH_FIELDS,
  audit: AUDIT_FIELDS,
}

/** Other words for the same. */
const ALIASES: Readonly<Record<string, string>> = {
  namespace: 'ns',
  verdict: 'status',
  after: 'since',
  before: 'until',
  trace: 'id',
}

export function fieldOf(list: List, term: Pick<FieldTerm, 'field'>): Field | undefined {
  const name = term.field.toLowerCase()
  const known = FIELDS[list]
  if (Object.hasOwn(known, name)) return known[name]
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
  return alias !== undefined && Object.hasOwn(known, alias) ? known[alias] : undefined
}

function durationOf({ text: written }: Value): number {
  const ms = parseAge(written)
  if (ms === undefined) throw invalidValue(written, 'a duration is written 90s, 15m, 1h30m, 2d or 1w')
  return ms
}

function numberOf({ text: written }: Value): number {
  if (written === '' || !Number.isFinite(Number(written))) throw invalidValue(written, 'a number is needed')
  return Number(written)
}

function sizeOf({ text: written }: Value): number {
  const bytes = parseSize(written)
  if (bytes === undefined) throw invalidValue(written, 'a size is written 500, 10k or 1M')
  return bytes
}

function only(comparison: '=', value: Value): Value {
  if (value.comparison !== comparison)
    throw invalidValue(`${value.comparison}${value.text}`, 'this field cannot be compared by size')
  return value
}

/** Wrapped by `compile`, which knows field and place. */
export class InvalidValue extends TerminalFailure {}

function invalidValue(value: string, why: string): InvalidValue {
  return new InvalidValue('query-invalid', { what: JSON.stringify(value), why })
}

function unknownValue(value: string, known: readonly string[]): InvalidValue {
  return invalidValue(value, `it is none of ${known.join(', ')}`)
}
