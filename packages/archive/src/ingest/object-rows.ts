import type { AuditRecord, HealthRecord, WriteRecord } from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { ConditionRow, ObjectRow } from '../database/rows.ts'
import type { About, BatchRows } from './batch-rows.ts'
import { conditionKey, kindOf } from './ledger.ts'
import { runRow } from './run-rows.ts'

export function addWrite(batch: BatchRows, record: WriteRecord, id: number, trace: number | undefined): About {
  const object = batch.register.object({ ...record.object, uid: record.uid }, id, record.at)
  if (!object) return {}
  object.writes++
  object.last_verb = storable(record.verb)
  if (record.outcome === 'deleted') object.is_deleted = 1
  const run = record.run && runRow(batch, record.run, id, trace, record.at)
  batch.writes.push({
    id,
    at: whole(record.at),
    trace: trace ?? null,
    object: object.id,
    version: storable(record.resourceVersion),
    verb: storable(record.verb),
    outcome: storable(record.outcome),
    actor: storable(record.as),
    run: run?.id ?? null,
    scope: object.scope,
    sum: 0,
  })
  const from = run
    ? run.template
    : record.action === undefined
      ? undefined
      : batch.ledger.actions.get(storable(record.action))
  if (from !== undefined && from !== null && record.outcome !== 'unchanged')
    batch.tally.flow(
      from,
      batch.register.part('kind', { namespace: '', name: kindOf(record.object), part: '' }),
      object.scope,
      record.at,
      { count: 1 },
    )
  return { object: object.id, scope: object.scope, ...(run ? { run: run.id } : {}) }
}

export function addHealth(batch: BatchRows, record: HealthRecord, id: number, trace: number | undefined): About {
  const object = batch.register.object(record.object, id, record.at)
  if (!object) return {}
  const condition = storable(record.condition)
  const row: ConditionRow = {
    object: object.id,
    condition,
    status: storable(record.status),
    was: storable(record.was),
    reason: storable(record.reason),
    message: storable(record.message),
    at: whole(record.at),
    trace: trace ?? null,
    scope: object.scope,
    record: id,
    sum: 0,
  }
  const key = conditionKey(object.id, condition)
  const before = batch.ledger.conditions.get(key)
  // What was imported is no news.
  if (before && before.at > row.at) return { object: object.id, scope: object.scope }
  if (before) batch.conditions.delete(before)
  batch.ledger.conditions.set(key, row)
  batch.conditions.add(row)
  return { object: object.id, scope: object.scope }
}

export function addAudit(batch: BatchRows, record: AuditRecord, id: number): About {
  const { target } = record
  let scope: number | undefined
  let object: ObjectRow | undefined
  if ('event' in target) scope = batch.ledger.events.get(batch.register.trace(target.event).id)?.scope
  else if (!('action' in target)) {
    object = batch.register.object(target, id, record.at)
    scope = object?.scope
  }
  batch.audits.push({
    id,
    at: whole(record.at),
    who: storable(record.who),
    did: storable(record.did),
    outcome: storable(record.outcome),
    target: storable(targetName(target)),
    scope: scope ?? null,
    sum: 0,
  })
  return { ...(scope === undefined ? {} : { scope }), ...(object ? { object: object.id } : {}) }
}

function targetName(target: AuditRecord['target']): string {
  if ('event' in target) return `event/${target.event}`
  if ('action' in target) return `action/${target.action}`
  return [kindOf(target), target.namespace ?? '', target.name].join('/')
}
