import type { Journal } from '@tiphys/journal'
import { decodeRecord, type RunRecord, type StepRecord } from '@tiphys/journal/records'

/** What the journal of records knows of a run whose end is not in it. */
export interface RunNote {
  /** Where the run is under way; undefined where that could not be found out. */
  cluster: string | undefined
  /** As it was recorded when it began. */
  run: RunRecord
  steps: ReadonlyMap<string, StepRecord | 'ended'>
}

/** The key of the record that a run is under way, which that of its end ends: what is left was never recorded to its end, however
 *  long ago it began. */
export const runKey = (uid: string, cluster: string | undefined): string => `run ${uid} ${cluster ?? ''}`

/** The same of a step. */
export const stepKey = (uid: string, step: string): string => `step ${uid} ${step}`

/** The runs that are under way as far as the journal knows, by uid. */
export async function readRunNotes(records: Pick<Journal, 'read'>): Promise<Map<string, RunNote>> {
  const runs = new Map<string, { cluster: string; data: Buffer }>()
  const steps = new Map<string, Map<string, Buffer | 'ended'>>()
  for await (const { key, data, deleted } of records.read(1)) {
    const [, kind, uid = '', rest = ''] = /^(run|step) (\S+) (.*)$/s.exec(key ?? '') ?? []
    // A part of what was read at once would hold all of it.
    if (kind === 'step') stepsOf(steps, uid).set(rest, deleted ? 'ended' : Buffer.from(data))
    else if (kind === 'run' && deleted) runs.delete(uid)
    else if (kind === 'run') runs.set(uid, { cluster: rest, data: Buffer.from(data) })
  }
  const notes = new Map<string, RunNote>()
  for (const [uid, { cluster, data }] of runs) {
    const run = decodeRecord(data)
    if (run.kind !== 'run') continue
    const known = [...(steps.get(uid) ?? [])].flatMap(([id, step]): [string, StepRecord | 'ended'][] => {
      const record = step === 'ended' ? step : decodeRecord(step)
      return record === 'ended' || record.kind === 'step' ? [[id, record]] : []
    })
    notes.set(uid, { cluster: cluster === '' ? undefined : cluster, run, steps: new Map(known) })
  }
  return notes
}

function stepsOf<V>(all: Map<string, Map<string, V>>, uid: string): Map<string, V> {
  const known = all.get(uid)
  if (known) return known
  const steps = new Map<string, V>()
  all.set(uid, steps)
  return steps
}
