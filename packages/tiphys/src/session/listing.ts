import type { Page } from '@tiphys/archive'
import { UsageFailure } from '../arguments.ts'
import { type Flags, type Invocation, textOf } from '../command.ts'
import { formatDuration } from './activity.ts'

const MOST_ROWS = 1000

/** What the command line asks for, in the language of queries. */
export const queryOf = ({ operands, flags }: Pick<Invocation, 'operands' | 'flags'>): string => {
  const namespace = textOf(flags, 'namespace')
  return [...(namespace === undefined ? [] : [`ns:${namespace}`]), ...operands].join(' ')
}

/** How many rows `--limit` asks for. */
export function limitOf(flags: Flags, usual: number): number {
  const text = textOf(flags, 'limit')
  if (text === undefined) return usual
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_ROWS)
    throw new UsageFailure(`--limit cannot be ${JSON.stringify(text)}`, `It is a number from 1 to ${MOST_ROWS}`)
  return limit
}

export const timeAgo = (at: number, now: number): string => {
  const seconds = Math.max(0, Math.floor((now - at) / 1000))
  return seconds < 60 ? `${seconds}s` : formatDuration(seconds * 1000)
}

type End = Pick<Page<unknown>, 'total' | 'next' | 'partial'>

/** What stands in place of rows when there are none: a search that has not looked at everything says so. */
export function noRows(none: string, { partial }: End): string {
  if (!partial) return none
  return `Nothing was found back to ${timeOf(partial.backTo)}, and older ones were not looked at. ${NARROW}`
}

/** What stands below rows when there are more. */
export function moreRows({ total, next, partial }: End, limit: number): string | undefined {
  if (partial) return `looked back to ${timeOf(partial.backTo)}. ${NARROW}`
  if (next === undefined) return undefined
  const way = limit < MOST_ROWS ? '--limit shows more' : 'add until:TIME for older ones'
  return `${total.exact ? '' : 'at least '}${total.count} in all; ${way}`
}

const NARROW = 'Add until:TIME to look further back, or status:, source: or object:, which find all of theirs'
const timeOf = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
