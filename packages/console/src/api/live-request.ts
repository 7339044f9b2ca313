import { anyOf, number, object, oneOf, optional, text } from './schema.ts'

/** What can be followed. */
export const LIVE_SELECTION = {
  topic: oneOf(
    ['events', 'runs', 'changes'],
    'events and runs send rows; changes says that something a page shows has changed.',
  ),
  q: optional(text('Which of them, in the query language.', { maxLength: 4000 })),
  ns: optional(text('Of one namespace alone.', { maxLength: 253 })),
  cursor: optional(
    text(
      'Everything after it is sent, also what came while there was no connection; from now on, when it is left out.',
      {
        maxLength: 1000,
      },
    ),
  ),
}

export const LIVE_SUBSCRIPTION = object({
  id: number('Chosen by the one who asks; whatever is sent because of it has it.', { type: 'integer', minimum: 1 }),
  ...LIVE_SELECTION,
})

/** What is asked for over the WebSocket. */
export const LIVE_REQUEST = anyOf(
  object({ subscribe: LIVE_SUBSCRIPTION }),
  object({ unsubscribe: number('The id of a subscription.', { type: 'integer' }) }),
)
