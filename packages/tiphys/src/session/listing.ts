import { UsageFailure } from '../arguments.ts'
import { type Flags, textOf } from '../command.ts'
import { formatDuration } from './activity.ts'

const MOST_ROWS = 1000

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
