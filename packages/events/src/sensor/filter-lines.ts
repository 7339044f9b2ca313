import type { FilterVerdict } from '@tiphys/journal/records'
import type { EventContext } from '../event.ts'
import type { DataFilter, DependencyFilter, FilterName, FilterVerdicts } from './filter.ts'

type Line = Omit<FilterVerdict, 'passed' | 'by'> & { by: FilterName }

const [MOST_LINES, LONGEST_LINE] = [20, 300]
/** They are the same for every event. */
const written = new WeakMap<DependencyFilter, readonly Line[]>()

/** The filters as the manifest writes them, each with what it said; of very many the first. */
export function filterLines(filter: DependencyFilter, verdicts: FilterVerdicts): readonly FilterVerdict[] {
  const lines = linesFor(filter)
  let by: string | undefined
  let index = 0
  return lines.map(line => {
    index = line.by === by ? index + 1 : 0
    by = line.by
    const passed = verdicts[line.by]?.[index]
    return passed === undefined ? line : { ...line, passed }
  })
}

/** The fields that the filters of one kind look at, in the order of the filters. */
export function filterPaths(filter: DependencyFilter, by: FilterName): readonly string[] {
  return linesFor(filter).flatMap(line => (line.by === by ? (line.paths ?? []) : []))
}

const CONTEXT = 'context.'

/** What a path of a filter on the context leads to. */
export const contextName = (path: string): keyof EventContext => path.slice(CONTEXT.length) as keyof EventContext

function linesFor(filter: DependencyFilter): readonly Line[] {
  const lines = written.get(filter) ?? linesOf(filter)
  written.set(filter, lines)
  return lines
}

function linesOf({ exprs = [], data = [], context, time, script }: DependencyFilter): readonly Line[] {
  const compared = Object.entries(context ?? {}).filter(([, wanted]) => wanted !== '')
  const lines: Line[] = [
    ...exprs.map(
      ({ expr, fields = [] }) => ({ by: 'exprs', says: expr, paths: fields.map(({ path }) => path) }) as const,
    ),
    ...data.map(one => ({ by: 'data', says: comparison(one), paths: [one.path] }) as const),
    ...(context
      ? [
          {
            by: 'context',
            says: compared.map(([name, wanted]) => `${name} = ${wanted}`).join(', '),
            paths: compared.map(([name]) => CONTEXT + name),
          } as const,
        ]
      : []),
    ...(time
      ? [
          {
            by: 'time',
            says: `${time.start} – ${time.stop} ${time.timezone || 'UTC'}`,
            paths: [`${CONTEXT}time`],
          } as const,
        ]
      : []),
    ...(script ? [{ by: 'script', says: script.trim() } as const] : []),
  ]
  return lines.slice(0, MOST_LINES).map(line => ({ ...line, says: shortened(String(line.says)) }))
}

const comparison = ({ comparator = '', value = [], template = '' }: DataFilter): string =>
  `${comparator || '='} ${value.join(' or ')}${template === '' ? '' : ` after ${template}`}`

const shortened = (text: string): string => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text)
