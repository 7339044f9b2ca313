import { encodeRecord } from '@tiphys/journal/records'
import type { Migration } from '../database/migrations.ts'
import { SCHEMA_VERSION } from '../database/migrations.ts'
import type { Incoming } from '../ingest/incoming.ts'
import { recordStream } from './record-stream.ts'

const RECORDS_IN_A_BATCH = 25

/** What there is to follow: enough for a second thread to be at work. */
export const FOLLOWED = { seed: 11, events: 900 }

/** The same batches each time. */
export function crashBatches(count: number): Incoming[][] {
  const batches: Incoming[][] = []
  let batch: Incoming[] = []
  for (const { record, content } of recordStream({ seed: 5, events: count * RECORDS_IN_A_BATCH })) {
    batch.push({ text: Buffer.from(encodeRecord(record)), ...(content ? { content } : {}) })
    if (batch.length < RECORDS_IN_A_BATCH) continue
    batches.push(batch)
    batch = []
    if (batches.length === count) break
  }
  return batches
}

/** A schema that may come after the present one. */
export const NEXT_MIGRATION: Migration = {
  version: SCHEMA_VERSION + 1,
  statements: [
    'ALTER TABLE events ADD COLUMN weight INT',
    'UPDATE events SET weight = bytes * 2',
    'CREATE INDEX events_weight ON events (weight)',
    'CREATE TABLE extras (id INT PRIMARY KEY, content BYTES)',
    'INSERT INTO extras (id) SELECT id FROM events',
    'DROP INDEX runs_at',
  ],
}
