import { whole } from '../database/checksum.ts'
import type { RecordRow } from '../database/rows.ts'
import { type About, type BatchEnd, BatchRows } from './batch-rows.ts'
import { addEvent } from './event-rows.ts'
import type { Decoded } from './incoming.ts'
import type { Ledger } from './ledger.ts'
import { addAudit, addHealth, addWrite } from './object-rows.ts'
import { addDecision, addDelivery } from './outcome-rows.ts'
import { addLog, addRun, addStep, withNewOutput } from './run-rows.ts'
import { docOf } from './searchable.ts'
import { KIND_NUMBERS } from './vocabulary.ts'

/** What some records of a batch add to the tables and change in them. Applying records needs no database: everything they touch is
 *  in the ledger. */
export class Projection {
  readonly rows: BatchRows
  readonly records: RecordRow[] = []

  constructor(ledger: Ledger, end: BatchEnd) {
    this.rows = new BatchRows(ledger, end)
  }

  apply(read: Decoded): void {
    const { record } = read
    const { ledger, register, texts } = this.rows
    const trace = record.trace === '' ? undefined : register.trace(record.trace)
    // An event that is recorded twice is one event: after a crash its source publishes it again.
    if (record.kind === 'event' && ledger.events.get(trace?.id ?? 0)) return
    const decoded = record.kind === 'log' ? withNewOutput(ledger, read, record) : read
    if (!decoded) return
    const id = ++ledger.last.record
    const about = aboutOf(this.rows, decoded, id, trace?.id)
    const { pack, start, size } = texts.add(decoded.text, id)
    this.records.push({
      id,
      kind: KIND_NUMBERS[record.kind],
      at: whole(record.at),
      trace: trace?.id ?? null,
      run: about.run ?? null,
      object: about.object ?? null,
      scope: about.scope ?? null,
      pack,
      start,
      size,
      sum: 0,
    })
    this.rows.end.docs.add(id, docOf(decoded, about.isFirst))
  }
}

function aboutOf(batch: BatchRows, decoded: Decoded, id: number, trace: number | undefined): About {
  const { record } = decoded
  switch (record.kind) {
    case 'event':
      return addEvent(batch, record, decoded, id, trace as number)
    case 'decision':
      return addDecision(batch, record, id)
    case 'delivery':
      return addDelivery(batch, record, id)
    case 'run':
      return addRun(batch, record, id, trace)
    case 'step':
      return addStep(batch, record, id, trace)
    case 'log':
      return addLog(batch, record, decoded.content, id, trace)
    case 'write':
      return addWrite(batch, record, id, trace)
    case 'health':
      return addHealth(batch, record, id, trace)
    case 'audit':
      return addAudit(batch, record, id)
    default:
      return {}
  }
}
