/** The candidate that a mistyped word most likely meant, whatever the case of its letters; undefined when none is near: by default when a third of
 *  its letters or more would have to change, and more than two. */
export function nearest(
  word: string,
  candidates: readonly string[],
  tolerance = Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (!best || distance < best.distance) best = { candidate, distance }
  }
  return best && best.distance <= tolerance ? best.candidate : undefined
}

/** Insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
