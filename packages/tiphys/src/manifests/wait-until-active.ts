import { delay } from '@tiphys/env'
import { isNotFound, type KubeObject } from '@tiphys/kube'
import type { Applied, ApplyOptions } from './apply-manifests.ts'
import { groupKind } from './apply-order.ts'
import { type Condition, conditionsOf } from './condition.ts'
import { type FileNote, nameOf } from './manifest.ts'

const LOOK_EVERY_MS = 50
const PATIENCE_MS = 10_000
const LISTENING = ['argoproj.io/EventSource', 'argoproj.io/Sensor']

/** Resolves when every source and sensor listens or says why it does not. */
export async function waitUntilActive(
  applied: readonly Applied[],
  { client, env, signal }: Pick<ApplyOptions, 'client' | 'env' | 'signal'>,
): Promise<FileNote[]> {
  const until = env.clock.monotonic() + PATIENCE_MS
  const notes: FileNote[] = []
  for (const { manifest, object } of applied.filter(({ object }) => LISTENING.includes(groupKind(object)))) {
    const { apiVersion, kind, metadata } = object
    const ref = {
      apiVersion,
      kind,
      name: metadata.name ?? '',
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    }
    const note = (message: string) =>
      notes.push({ file: manifest.file, line: manifest.line, message: `${nameOf(object)} ${message}` })
    for (;;) {
      const seen = await client.get(ref).catch(thrown => {
        if (isNotFound(thrown)) return undefined
        throw thrown
      })
      if (!seen) break
      const state = stateOf(seen)
      if (state.is === 'active') break
      if (state.is === 'refused') {
        const words = state.why.message ?? state.why.reason ?? state.why.type
        note(
          state.why.type === UNKNOWN_FIELDS ? `works, with something to look at: ${words}` : `does not work: ${words}`,
        )
        break
      }
      if (env.clock.monotonic() > until) {
        note('is not active yet; what happens until it is may be missed')
        break
      }
      await delay(env.clock, LOOK_EVERY_MS, signal)
    }
  }
  return notes
}

/** A Sensor is applied before its sources, which are to miss nothing; that it says so is no news. */
const NOT_YET = 'SourceMissing'

/** It is about what has no effect; the rest of the manifest has. */
const UNKNOWN_FIELDS = 'FieldsKnown'

type State = { is: 'active' } | { is: 'waiting' } | { is: 'refused'; why: Condition }

/** Conditions speak of the manifest as it was when they were written. */
export function stateOf(object: KubeObject): State {
  const { observedGeneration } = (object.status ?? {}) as { observedGeneration?: number }
  const conditions = conditionsOf(object)
  const isCurrent = observedGeneration === undefined || observedGeneration >= (object.metadata.generation ?? 0)
  const deployed = conditions.find(({ type }) => type === 'Deployed')
  if (!deployed || !isCurrent || deployed.status === 'Unknown') return { is: 'waiting' }
  const troubles = conditions.filter(({ status, reason }) => status === 'False' && reason !== NOT_YET)
  const refused = troubles.find(({ type }) => type !== UNKNOWN_FIELDS) ?? troubles[0]
  return refused ? { is: 'refused', why: refused } : { is: 'active' }
}
