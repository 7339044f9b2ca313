/** What an object's own status says, as Kubernetes' objects say it. */
export interface ObjectState {
  /** `status.phase` or `status.state`. */
  phase?: string
  conditions: readonly ObjectCondition[]
  /** What is to be known beside: a controller that lags, a deletion that waits. */
  notes: readonly string[]
  /** When something happens to it by itself, and what. */
  wakesUp?: { at: number; why: string } | undefined
}

export interface ObjectCondition {
  type: string
  status: string
  reason?: string
  message?: string
  since?: number
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Reads the state of an object from the cluster. Never throws: a status can be anything. */
export function stateOf(object: Fields): ObjectState {
  const [metadata, spec, status] = [fieldsOf(object.metadata), fieldsOf(object.spec), fieldsOf(object.status)]
  const phase = textOf(status.phase) ?? textOf(status.state)
  const conditions = Array.isArray(status.conditions) ? status.conditions.map(fieldsOf).flatMap(conditionOf) : []
  const wakesUp = wakeUpOf(spec, status)
  return {
    ...(phase !== undefined && { phase }),
    conditions,
    notes: notesOf(metadata, status),
    ...(wakesUp && { wakesUp }),
  }
}

function conditionOf(given: Fields): readonly ObjectCondition[] {
  const { type, status, reason, message, lastTransitionTime } = given
  if (typeof type !== 'string' || typeof status !== 'string') return []
  const since = Date.parse(textOf(lastTransitionTime) ?? '')
  return [
    {
      type,
      status,
      ...(textOf(reason) !== undefined && { reason: textOf(reason) as string }),
      ...(textOf(message) !== undefined && { message: textOf(message) as string }),
      ...(Number.isFinite(since) && { since }),
    },
  ]
}

function notesOf({ generation, deletionTimestamp, finalizers }: Fields, { observedGeneration }: Fields): string[] {
  const notes: string[] = []
  if (typeof generation === 'number' && typeof observedGeneration === 'number' && observedGeneration < generation)
    notes.push(`Its controller has seen generation ${observedGeneration} of ${generation}.`)
  const waiting = Array.isArray(finalizers) ? finalizers.filter(each => typeof each === 'string') : []
  if (textOf(deletionTimestamp) !== undefined)
    notes.push(
      waiting.length > 0 ? `It is being deleted, and waits for ${waiting.join(', ')}.` : 'It is being deleted.',
    )
  return notes
}

/** Workflows, Jobs and Pods have a deadline while they run, and a time to live afterwards. */
function wakeUpOf(spec: Fields, status: Fields): ObjectState['wakesUp'] {
  const time = (value: unknown) => Date.parse(textOf(value) ?? '')
  const ended = time(status.finishedAt ?? status.completionTime)
  if (Number.isFinite(ended)) {
    const seconds = fieldsOf(spec.ttlStrategy).secondsAfterCompletion ?? spec.ttlSecondsAfterFinished
    return typeof seconds === 'number' ? { at: ended + seconds * 1000, why: 'it is deleted' } : undefined
  }
  const started = time(status.startedAt ?? status.startTime)
  const { activeDeadlineSeconds: seconds } = spec
  if (typeof seconds !== 'number' || !Number.isFinite(started)) return undefined
  return { at: started + seconds * 1000, why: 'its deadline ends it' }
}
