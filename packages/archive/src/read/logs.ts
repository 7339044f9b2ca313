import type { LogPart, Scope } from '../archive.ts'
import type { LogRow, RunRow } from '../database/rows.ts'
import { type Source, within } from './source.ts'

const [USUAL_LINES, MOST_LINES] = [1000, 50_000]

/** Lines of a container's output. A line may lie in several chunks; the numbers of the line ends before a chunk tell which are
 *  needed. */
export async function readLog(
  source: Source,
  { run, step, container }: { run: string; step: string; container: string },
  {
    scope,
    from = 1,
    lines = USUAL_LINES,
    tail = false,
  }: { scope?: Scope; from?: number; lines?: number; tail?: boolean } = {},
): Promise<LogPart | undefined> {
  const allowed = within('scope', scope)
  const row = await source.one<RunRow>(`SELECT * FROM runs WHERE uid = ? AND ${allowed.text}`, [run, ...allowed.values])
  if (!row) return undefined
  const chunks = await source.database.all<LogRow>(
    'SELECT * FROM logs WHERE run = ? AND step = ? AND container = ? ORDER BY number',
    [row.id, step, container],
  )
  const last = chunks.at(-1)
  if (!last) return undefined
  const ends = last.before + last.ends
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
  const missing = chunks.filter(({ pack }) => pack === null).length
  const total = ends + ((await hasOpenEnd(source, chunks)) ? 1 : 0)
  const count = Math.min(MOST_LINES, Math.max(0, Math.floor(lines)))
  const first = tail ? Math.max(1, total - count + 1) : Math.max(1, Math.floor(from))
  const upTo = first + count - 1
  // The line after n ends begins in the chunk that has the n-th end; the text of a line ends with its own.
  const needed = chunks.filter(({ before, ends: inside }) => before + inside >= first - 1 && before < upTo)
  const texts = await contentsOf(source, needed)
  const skipped = needed[0]?.before ?? 0
  const all = Buffer.concat(texts).toString().split('\n')
  if (all.at(-1) === '') all.pop()
  const begin = first - 1 - skipped
  return { from: first, lines: all.slice(begin, begin + count).map(withoutReturn), total, bytes, missing }
}

/** Whether the newest line has not ended yet. */
async function hasOpenEnd(source: Source, chunks: readonly LogRow[]): Promise<boolean> {
  const last = chunks.findLast(({ pack, bytes }) => pack !== null && bytes > 0)
  if (!last) return false
  const [content] = await contentsOf(source, [last])
  return content !== undefined && content.at(-1) !== 10
}

function contentsOf(source: Source, chunks: readonly LogRow[]): Promise<Buffer[]> {
  return source.contents(
    chunks.flatMap(({ pack, start, bytes }) => (pack === null || start === null ? [] : [{ pack, start, size: bytes }])),
  )
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
