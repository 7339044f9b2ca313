import { useSyncExternalStore } from 'react'
import { preference } from './preference.ts'

export type TimeMode = 'relative' | 'local' | 'utc'

export const timeMode = preference<TimeMode>('time', 'relative', ['relative', 'local', 'utc'])

const AHEAD_MS = 5000

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

export function formatTime(at: number, mode: TimeMode, now: number): string {
  if (mode === 'relative') {
    // A clock that is a little ahead of ours is no reason to speak of the future.
    if (at - now > AHEAD_MS) return `in ${formatDuration(at - now, 1)}`
    return now - at < 1000 ? 'just now' : `${formatDuration(now - at, 1)} ago`
  }
  const date = new Date(at)
  const isSameDay = new Date(now).toDateString() === date.toDateString()
  if (mode === 'utc') {
    const iso = date.toISOString()
    const isUtcDay = iso.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
    return iso.slice(isUtcDay ? 11 : 5).replace('T', ' ')
  }
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`
  return isSameDay ? time : `${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time}`
}

/** The same where an age says nothing: as a clock shows it, to the second. */
export function clockTime(at: number): string {
  return formatTime(at, timeMode.get() === 'utc' ? 'utc' : 'local', Date.now()).replace(/\.\d+/, '')
}

/** Everything that is known of a moment, for the one who hovers. */
export function describeTime(at: number, now: number): string {
  return `${new Date(at).toISOString()}\n${new Date(at).toLocaleString()}\n${formatDuration(Math.abs(now - at), 2)} ${at > now ? 'ahead' : 'ago'}`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** `340 ms`, `4.2 s`, `3 m 20 s`; nothing takes no time. */
export function formatDuration(ms: number, parts = 2): string {
  if (ms < 1) return '< 1 ms'
  const whole = Math.round(ms)
  if (whole < 1000) return `${whole} ms`
  if (whole < 10_000 && parts > 1) return `${(whole / 1000).toFixed(1)} s`
  const words: string[] = []
  let left = whole
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size)
    if (count === 0 && words.length === 0) continue
    if (count > 0) words.push(`${count} ${unit}`)
    left -= count * size
    if (words.length >= parts) break
  }
  return words.join(' ')
}

/** How long something took. Of times in whole seconds that are the same it is only known that it was less than one. */
export function formatSpan(from: number, to: number): string {
  return from === to && from % 1000 === 0 ? '< 1 s' : formatDuration(Math.max(0, to - from))
}

const tickers = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

timeMode.onChange(() => {
  for (const tick of tickers) tick()
})

/** The same function always: with a new one React would subscribe anew after every render. */
function onTick(listener: () => void): () => void {
  tickers.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const tick of tickers) tick()
  }, 1000)
  return () => {
    tickers.delete(listener)
    if (tickers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A moment in words, rendered anew when the words change: most of those in a list do not from one second to the next. */
export function useTimeText(at: number): string {
  return useSyncExternalStore(onTick, () => formatTime(at, timeMode.get(), now))
}

const never = () => () => {}

/** The time, once a second, for everything that shows an age; the time of now for what is over. */
export const useNow = (isTicking = true): number => useSyncExternalStore(isTicking ? onTick : never, () => now)
