/** Moments on a line from 0 to 1. Long stretches in which nothing happens are folded, so that what happens can be seen. */
export interface Scale {
  at(time: number): number
  /** The moment at a place: what `at` is the other way round. */
  timeAt(share: number): number
  /** Where time was folded away, and how much. */
  folds: readonly { at: number; ms: number }[]
  from: number
  to: number
}

/** An idle stretch longer than this share of the whole is folded… */
const FOLDED_FROM = 0.25
/** …and longer than this… */
const SHORTEST_FOLD_MS = 2000
/** …to this share of what is left. */
const FOLD = 0.04

export function scaleOf(spans: readonly { from: number; to: number }[], window?: { from: number; to: number }): Scale {
  const all = spans.length === 0 ? [{ from: 0, to: 1 }] : spans
  const from = window?.from ?? Math.min(...all.map(span => span.from))
  const to = Math.max(window?.to ?? Math.max(...all.map(span => span.to)), from + 1)
  const idle = window ? [] : idleOf(all, Math.max(SHORTEST_FOLD_MS, (to - from) * FOLDED_FROM))
  const idleMs = idle.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  const busy = Math.max(1, to - from - idleMs)
  const foldMs = (busy * FOLD) / Math.max(FOLD, 1 - FOLD * idle.length)
  const whole = busy + foldMs * idle.length

  const at = (time: number): number => {
    const clamped = Math.max(from, Math.min(to, time))
    let passed = clamped - from
    for (const gap of idle) {
      if (clamped >= gap.to) passed += foldMs - (gap.to - gap.from)
      else if (clamped > gap.from)
        passed += ((clamped - gap.from) / (gap.to - gap.from)) * foldMs - (clamped - gap.from)
    }
    return passed / whole
  }
  // Between these moments time passes evenly.
  const moments = [from, ...idle.flatMap(gap => [gap.from, gap.to]), to]
  const timeAt = (share: number): number => {
    const found = moments.findIndex((moment, index) => index > 0 && at(moment) >= share)
    const i = found < 0 ? moments.length - 1 : found
    const [a = from, b = to] = [moments[i - 1], moments[i]]
    const width = at(b) - at(a)
    return width === 0 ? a : a + ((share - at(a)) / width) * (b - a)
  }
  return { at, timeAt, from, to, folds: idle.map(gap => ({ at: at((gap.from + gap.to) / 2), ms: gap.to - gap.from })) }
}

function idleOf(spans: readonly { from: number; to: number }[], longerThan: number): { from: number; to: number }[] {
  const sorted = [...spans].sort((a, b) => a.from - b.from)
  const idle: { from: number; to: number }[] = []
  let busyUntil = sorted[0]?.to ?? 0
  for (const span of sorted) {
    if (span.from - busyUntil > longerThan) idle.push({ from: busyUntil, to: span.from })
    busyUntil = Math.max(busyUntil, span.to)
  }
  return idle
}
