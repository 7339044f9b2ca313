type Operation = { tag: 'equal' | 'replace' | 'delete' | 'insert'; from: [number, number]; to: [number, number] }
type Match = { a: number; b: number; size: number }

/** The unified diff of two texts as Python's and Go's difflib make it, hunk headers included, file headers left out. */
export function unifiedDiff(before: string, after: string, context: number): string {
  const a = splitLines(before)
  const b = splitLines(after)
  const lines: string[] = []
  for (const group of groupOperations(operations(a, b), context)) {
    const first = group[0]
    const last = group.at(-1)
    if (first === undefined || last === undefined) continue
    lines.push(`@@ -${range(first.from[0], last.from[1])} +${range(first.to[0], last.to[1])} @@\n`)
    for (const { tag, from, to } of group) {
      if (tag === 'equal') for (const line of a.slice(...from)) lines.push(` ${line}`)
      if (tag === 'replace' || tag === 'delete') for (const line of a.slice(...from)) lines.push(`-${line}`)
      if (tag === 'replace' || tag === 'insert') for (const line of b.slice(...to)) lines.push(`+${line}`)
    }
  }
  return lines.join('')
}

// Go's SplitLines ends the last line too.
const splitLines = (text: string) => text.split('\n').map(line => `${line}\n`)

function range(start: number, stop: number): string {
  const length = stop - start
  if (length === 1) return String(start + 1)
  return `${length === 0 ? start : start + 1},${length}`
}

function operations(a: string[], b: string[]): Operation[] {
  const result: Operation[] = []
  let i = 0
  let j = 0
  for (const match of [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < match.a && j < match.b) result.push({ tag: 'replace', from: [i, match.a], to: [j, match.b] })
    else if (i < match.a) result.push({ tag: 'delete', from: [i, match.a], to: [j, match.b] })
    else if (j < match.b) result.push({ tag: 'insert', from: [i, match.a], to: [j, match.b] })
    i = match.a + match.size
    j = match.b + match.size
    if (match.size > 0) result.push({ tag: 'equal', from: [match.a, i], to: [match.b, j] })
  }
  return result
}

// Lines that fill more than one in a hundred of a long text say little about where the texts meet.
const LONG_TEXT = 200

function positionsOf(lines: string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>()
  for (const [i, line] of lines.entries()) {
    const known = positions.get(line)
    if (known === undefined) positions.set(line, [i])
    else known.push(i)
  }
  if (lines.length < LONG_TEXT) return positions
  const limit = Math.floor(lines.length / 100) + 1
  for (const [line, found] of positions) if (found.length > limit) positions.delete(line)
  return positions
}

function matchingBlocks(a: string[], b: string[]): Match[] {
  const positions = positionsOf(b)
  const blocks: Match[] = []
  const find = (aLow: number, aHigh: number, bLow: number, bHigh: number): void => {
    const match = longestMatch(a, b, positions, aLow, aHigh, bLow, bHigh)
    if (match.size === 0) return
    if (aLow < match.a && bLow < match.b) find(aLow, match.a, bLow, match.b)
    blocks.push(match)
    if (match.a + match.size < aHigh && match.b + match.size < bHigh) {
      find(match.a + match.size, aHigh, match.b + match.size, bHigh)
    }
  }
  find(0, a.length, 0, b.length)
  return joinAdjacent(blocks)
}

function joinAdjacent(blocks: Match[]): Match[] {
  const joined: Match[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (last !== undefined && last.a + last.size === block.a && last.b + last.size === block.b) last.size += block.size
    else joined.push({ ...block })
  }
  return joined
}

function longestMatch(
  a: string[],
  b: string[],
  positions: Map<string, number[]>,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): Match {
  let best: Match = { a: aLow, b: bLow, size: 0 }
  let lengths = new Map<number, number>()
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>()
    for (const j of positions.get(a[i] ?? '') ?? []) {
      if (j < bLow) continue
      if (j >= bHigh) break
      const size = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, size)
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
    }
    lengths = next
  }
  while (best.a > aLow && best.b > bLow && a[best.a - 1] === b[best.b - 1]) {
    best = { a: best.a - 1, b: best.b - 1, size: best.size + 1 }
  }
  while (best.a + best.size < aHigh && best.b + best.size < bHigh && a[best.a + best.size] === b[best.b + best.size]) {
    best.size += 1
  }
  return best
}

/** Cuts long equal parts down to `context` lines and starts a new group where more lie between two changes. */
function groupOperations(all: Operation[], context: number): Operation[][] {
  const operations = all.length === 0 ? [{ tag: 'equal', from: [0, 1], to: [0, 1] } as Operation] : [...all]
  const first = operations[0]
  if (first?.tag === 'equal') {
    operations[0] = {
      tag: 'equal',
      from: [Math.max(first.from[0], first.from[1] - context), first.from[1]],
      to: [Math.max(first.to[0], first.to[1] - context), first.to[1]],
    }
  }
  const last = operations.at(-1)
  if (last?.tag === 'equal') {
    operations[operations.length - 1] = {
      tag: 'equal',
      from: [last.from[0], Math.min(last.from[1], last.from[0] + context)],
      to: [last.to[0], Math.min(last.to[1], last.to[0] + context)],
    }
  }
  const groups: Operation[][] = []
  let group: Operation[] = []
  for (const operation of operations) {
    let { from, to } = operation
    if (operation.tag === 'equal' && from[1] - from[0] > 2 * context) {
      group.push({
        tag: 'equal',
        from: [from[0], Math.min(from[1], from[0] + context)],
        to: [to[0], Math.min(to[1], to[0] + context)],
      })
      groups.push(group)
      group = []
      from = [Math.max(from[0], from[1] - context), from[1]]
      to = [Math.max(to[0], to[1] - context), to[1]]
    }
    group.push({ tag: operation.tag, from, to })
  }
  if (group.length > 0 && !(group.length === 1 && group[0]?.tag === 'equal')) groups.push(group)
  return groups
}
