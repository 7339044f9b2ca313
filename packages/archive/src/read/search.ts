import type { StepRecord, TraceRecord } from '@tiphys/journal/records'
import type { Hit, Page, PageRequest, Row, Scope } from '../archive.ts'
import type { RecordRow, StepRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { queryInvalid } from '../failures.ts'
import { KIND_NAMES, KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { matchText } from '../query/full-text.ts'
import { parseQuery } from '../query/parse.ts'
import type { TextTerm } from '../query/query.ts'
import { isOneOf } from '../query/sql.ts'
import { type WordMatch, wordMatch } from '../query/word-match.ts'
import { whyNotSought, wordsOf } from '../words.ts'
import { readHits, withWholeWords } from './hits.ts'
import { cursorOf } from './list.ts'
import { logTexts, payloadTexts } from './record-texts.ts'
import { maybe, type Source, within } from './source.ts'

const EXCERPT = 160

export async function search(
  source: Source,
  text: string,
  { scope, types }: { scope?: Scope; types?: readonly Hit['type'][] } = {},
  page: PageRequest = {},
): Promise<Page<Hit>> {
  const terms = termsOf(text)
  const match = matchText(source.database.dialect, terms)
  if (match === undefined) {
    if (text.trim() === '') return { items: [], total: { count: 0, exact: true } }
    throw queryInvalid(text, 0, whyNotSought(text) ?? '')
  }
  const limit = Math.min(1000, Math.max(1, Math.floor(page.limit ?? 50)))
  const isDescending = page.order !== 'oldest'
  const after = cursorOf(page.after)
  const kinds = types?.map(type => KIND_NUMBERS[type])
  const conditions = [...(scope ? [within('t.scope', scope)] : []), ...(kinds ? [isOneOf('t.kind', kinds)] : [])]
  const found = await withWholeWords(source, match)
  const hits = await readHits(source, found, { conditions, beyond: after, isDescending })
  const rows = await hits.next(limit + 1)
  const end = hits.isWhole || rows.length > limit ? undefined : hits.end
  const shown = rows.slice(0, limit)
  const items = await hitsOf(source, shown, terms)
  const hasMore = rows.length > limit
  const last = hasMore ? shown.at(-1)?.id : end
  const [edge] = end === undefined ? [] : await source.byId<RecordRow>(tables.RECORDS, [end])
  return {
    items,
    ...maybe('next', last === undefined ? undefined : String(last)),
    ...maybe('previous', shown[0] && String(shown[0].id)),
    total: { count: items.length, exact: last === undefined && after === undefined },
    ...(edge ? { partial: { scanned: shown.length, backTo: edge.at } } : {}),
  }
}

/** Everything that a person types is text here, such as a line of a log: of `a:b`, `--b` and a quote that does not end there are the words. */
function termsOf(text: string): TextTerm[] {
  const words = text.replaceAll(/:|(?<=^|\s)-+/g, ' ')
  const texts = (of: string) => parseQuery(of).terms.filter(term => term.field === undefined)
  const terms = hasWholeQuotes(words) ? texts(words) : texts(words.replaceAll('"', ' '))
  return terms.filter(term => wordsOf(term.text).length > 0)
}

/** Whether each quote has an end; what a backslash stands before does not end one. */
const hasWholeQuotes = (text: string): boolean => !text.replaceAll(/"(?:[^"\\]|\\[^])*"/g, '').includes('"')

async function hitsOf(source: Source, rows: readonly RecordRow[], terms: readonly TextTerm[]): Promise<Row<Hit>[]> {
  const words = terms.flatMap(({ text }) => wordsOf(text))
  const matches = terms.map(term => wordMatch(matchText('sqlite', [term]) ?? ''))
  const records = await source.records<TraceRecord>(rows)
  const payloads = await payloadTexts(source, rows)
  const logs = await logTexts(source, rows)
  const objects = await source.objects(rows.map(({ object }) => object))
  const stepName = await stepNames(source, rows, records)
  return rows.flatMap((row, i) => {
    const record = records[i] as TraceRecord
    const type = (KIND_NAMES[row.kind] ?? 'event') as Hit['type']
    const log = logs.get(row.id)
    const found = log && findLine(log.text, matches)
    // Of long output the index may only know that it has the words, not that they stand side by side.
    if (log && !found && !isFoundIn(log.text, matches)) return []
    const text = found?.text ?? log?.text ?? JSON.stringify(payloads.get(row.id) ?? textOf(record))
    return {
      cursor: String(row.id),
      type,
      at: record.at,
      trace: record.trace,
      title: titleOf(record, stepName(row.run, 'step' in record ? record.step : undefined)),
      excerpt: excerptOf(text, words),
      ...(record.kind === 'event' ? { event: record.trace } : {}),
      ...('run' in record && record.run ? { run: record.run } : {}),
      ...('step' in record && record.step !== undefined ? { step: record.step } : {}),
      ...(record.kind === 'log' ? { container: record.container } : {}),
      ...maybe('line', log && found ? log.before + found.line : undefined),
      ...maybe('object', objects(row.object)),
    }
  })
}

/** What a person calls the steps whose logs these are; a log knows only their ids. */
async function stepNames(
  source: Source,
  rows: readonly RecordRow[],
  records: readonly TraceRecord[],
): Promise<(run: number | null, step: string | undefined) => string | undefined> {
  const wanted = new Map<string, readonly [run: number, step: string]>()
  for (const [i, { run }] of rows.entries()) {
    const record = records[i]
    if (record?.kind === 'log' && run !== null) wanted.set(`${run} ${record.step}`, [run, record.step])
  }
  const steps = await source.database.lookup<StepRow>(tables.STEPS, ['run', 'step'], [...wanted.values()])
  const lasts = await source.byId<RecordRow>(
    tables.RECORDS,
    steps.map(({ last }) => last),
  )
  const told = await source.records<StepRecord>(lasts)
  const names = new Map(lasts.map(({ run }, i) => [`${run} ${told[i]?.step}`, told[i]?.displayName ?? told[i]?.name]))
  return (run, step) => names.get(`${run} ${step}`)
}

/** The line with the most of what was asked for, counted from 1. */
function findLine(text: string, matches: readonly WordMatch[]): { line: number; text: string } | undefined {
  let best: { line: number; text: string; count: number } | undefined
  for (const [i, line] of text.split('\n').entries()) {
    const words = wordsOf(line)
    const count = matches.filter(isIn => isIn(words)).length
    if (count > (best?.count ?? 0)) best = { line: i + 1, text: line, count }
    if (best?.count === matches.length) break
  }
  return best
}

function isFoundIn(text: string, matches: readonly WordMatch[]): boolean {
  const words = wordsOf(text)
  return matches.every(isIn => isIn(words))
}

/** What a record says, without what every record has. */
function textOf(record: TraceRecord): unknown {
  const { v: _v, at: _at, kind: _kind, trace: _trace, ...rest } = record
  return rest
}

function excerptOf(text: string, words: readonly string[]): string {
  const small = text.toLowerCase()
  const places = words.map(word => small.indexOf(word)).filter(at => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const start = Math.max(0, at - EXCERPT / 4)
  const piece = text.slice(start, start + EXCERPT)
  return `${start > 0 ? '…' : ''}${piece}${start + EXCERPT < text.length ? '…' : ''}`
}

function titleOf(record: TraceRecord, stepName: string | undefined): string {
  switch (record.kind) {
    case 'event':
      return record.object
        ? `${record.object.kind}/${record.object.name}`
        : `${record.source.name}/${record.source.part}`
    case 'decision':
    case 'delivery':
      return `${record.trigger.name}/${record.trigger.part}`
    case 'run':
      return record.run.name
    case 'step':
      return `${record.run.name} ${record.displayName ?? record.name}`
    case 'log':
      return `${record.run.name} ${stepName ?? record.step} ${record.container}`
    case 'write':
    case 'health':
      return `${record.object.kind}/${record.object.name}`
    case 'audit':
      return `${record.who} ${record.did}`
    case 'gap':
      return 'gap'
  }
}
