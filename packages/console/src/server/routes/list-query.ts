import type { PageRequest, Scope, Selection } from '@tiphys/archive'
import { number, object, oneOf, optional, type TypeOf, text } from '../../api/schema.ts'
import type { Call } from '../route.ts'

export const Q = optional(
  text('What to look for, in the query language: status:failed source:mem* age:<1h "text".', { maxLength: 4000 }),
)
export const NS = optional(text('Of one namespace alone.', { maxLength: 253 }))

const PAGE = {
  limit: optional(number('How many rows.', { type: 'integer', minimum: 1, maximum: 1000 })),
  after: optional(text('Continue behind the row with this cursor.')),
  before: optional(text('What comes before the row with this cursor.')),
  order: optional(oneOf(['newest', 'oldest'])),
  skip: optional(
    number(
      'Leave out so many rows first. When that is too far for one call, skipped in the answer says how many were.',
      { type: 'integer', minimum: 0 },
    ),
  ),
}

/** Which part of a list. */
export const pageQuery = object(PAGE)
/** What every list takes. */
export const listQuery = object({ q: Q, ns: NS, ...PAGE })

export const selectionQuery = object({ q: Q, ns: NS })
export const namespaceQuery = object({ ns: NS })

export async function selectionOf({ query, scope }: Call<{ q?: string; ns?: string }, object>): Promise<Selection> {
  return { ...(query.q !== undefined && query.q !== '' && { query: query.q }), ...within(await scope(query.ns)) }
}

export const within = (scope: Scope | undefined): { scope?: Scope } => (scope ? { scope } : {})

export function pageOf({ limit, after, before, order, skip }: TypeOf<typeof pageQuery>): PageRequest {
  return {
    ...(limit !== undefined && { limit }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(order !== undefined && { order }),
    ...(skip !== undefined && { skip }),
  }
}
