import { asError, Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'
import { type Json, MASKED, type Recorder, type Secrets } from '@tiphys/journal/records'
import type { Bus } from '../bus/bus.ts'
import type { Event } from '../event.ts'
import type { Action } from '../sensor/action.ts'
import type { TriggerOutcome } from '../triggers/trigger.ts'

export const UNTOLD =
  'it failed; what it says is not told, for it may quote the secrets of the event (a dry run tells it)'

/** A failure in words that may go into records, logs and the status of an object: programs quote what they cannot do with. */
export function tellable(
  message: string,
  { object, data }: Pick<Event, 'object' | 'data'>,
  secretsIn: Recorder['secretsIn'],
): string {
  if (IS_ABSENT.test(message)) return message
  return object?.kind === 'Secret' || secretsIn(data) ? UNTOLD : message
}

const IS_ABSENT = /^\w+ filter error \(path '[^']*' does not exist\)$/

/** What nobody may read of the events of an action; undefined when that is nothing. */
export async function secretsOf(
  { events }: Action,
  bus: Pick<Bus, 'find'>,
  secretsIn: Recorder['secretsIn'],
): Promise<Secrets | undefined> {
  const found: Secrets[] = []
  for (const { id, data, hides } of Object.values(events)) {
    const secrets = hides ? await hiddenBefore(id, bus, secretsIn) : secretsIn(data)
    if (secrets) found.push(secrets)
  }
  if (found.length === 0) return undefined
  return {
    redact: text => found.reduce((left, secrets) => secrets.redact(left), text),
    areIn: value => found.some(secrets => secrets.areIn(value)),
  }
}

/** Of an event that was transformed only the bus knows what it was before. */
async function hiddenBefore(id: string, bus: Pick<Bus, 'find'>, secretsIn: Recorder['secretsIn']): Promise<Secrets> {
  const event = await bus.find(id).catch(() => undefined) // A bus that does not answer leaves it untold, too.
  return (event && secretsIn(event.data)) ?? { redact: () => UNTOLD, areIn: () => true }
}

/** The failure without them: it is tried again, or not, as it would have been. */
export function withoutSecrets(thrown: unknown, { redact }: Secrets): Error {
  const error = asError(thrown)
  const what = redact(error.message)
  if (error instanceof RetryableFailure) return new RetryableFailure(error.code, { what })
  if (error instanceof TerminalFailure) return new TerminalFailure(error.code, { what })
  return error instanceof Failure ? new Failure(error.code, { what }) : new Error(what)
}

/** What was done, without them. */
export function outcomeWithout(outcome: TriggerOutcome, { redact, areIn }: Secrets): TriggerOutcome {
  const hidden = (value: Json | undefined) => value !== undefined && areIn(value)
  const written = outcome.written?.map(({ diff, ...one }) => ({
    ...one,
    ...(diff && {
      diff: diff.map(change => ({
        ...change,
        ...(hidden(change.from) && { from: MASKED }),
        ...(hidden(change.to) && { to: MASKED }),
      })),
    }),
  }))
  return { ...outcome, summary: redact(outcome.summary), ...(written && { written }) }
}
