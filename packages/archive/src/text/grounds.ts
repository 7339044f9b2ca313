import { filterText } from '@tiphys/journal/filter-text'
import type { FilterVerdict } from '@tiphys/journal/records'
import type { Decision } from '../archive.ts'
import { plain, shortened, told } from './words-of.ts'

type Grounds = Pick<Decision, 'filters' | 'inputs'>

/** What a decision was made from, a line each: every filter with what it read and said, and what no filter names. */
export function groundLines({ filters = [], inputs = [] }: Grounds): string[] {
  const named = new Set(filters.flatMap(({ paths = [] }) => paths))
  return [
    ...filters.map(filter => {
      const notes = [...readBy(filter, inputs), ...(filter.passed === undefined ? ['no answer'] : [])]
      const mark = filter.passed === undefined ? '·' : filter.passed ? '✔' : '✘'
      return `${mark} ${shortened(filterText(filter))}${notes.length > 0 ? `  (${notes.join(', ')})` : ''}`
    }),
    ...inputs.filter(({ path }) => !named.has(path)).map(inputText),
  ]
}

/** The filters that said no, as part of a sentence. */
export function refusals({ filters = [], inputs = [] }: Grounds): string[] {
  return filters
    .filter(({ passed }) => passed === false)
    .map(filter => {
      const read = readBy(filter, inputs)
      return `${shortened(filterText(filter))} is false${read.length > 0 ? `, with ${read.join(', ')}` : ''}`
    })
}

function readBy({ paths = [] }: FilterVerdict, inputs: NonNullable<Grounds['inputs']>): string[] {
  return inputs.filter(({ path }) => paths.includes(path)).map(inputText)
}

const inputText = ({ path, value }: { path: string; value?: unknown }): string => `${plain(path)} = ${told(value)}`
