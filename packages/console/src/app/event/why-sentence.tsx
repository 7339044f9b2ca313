import type { Trace } from '@tiphys/archive'
import { filterText } from '@tiphys/journal/filter-text'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import { EventLink } from '../parts/link.tsx'

type Decision = Trace['decisions'][number]

/** What a decision names when a filter of the dependency made it. */
const FILTERS = {
  exprs: 'of the filter on expressions',
  data: 'of the filter on its data',
  context: 'of the filter on its context',
  time: 'of the time at which it came',
  script: 'of what the script says',
  filters: 'of the filters',
} as const
export type FilterKind = keyof typeof FILTERS

export const isFilter = (by: string | undefined): by is FilterKind => by !== undefined && Object.hasOwn(FILTERS, by)

/** Whether the source itself decided, before there was anything on the bus. */
export const isOfSource = ({ by }: Pick<Decision, 'by'>): boolean => by === 'filter.expression'

/** In a sentence: what became of the event here, and what decided it. */
export function WhySentence({
  state,
  decisions,
  message,
}: {
  state: string
  decisions: readonly Decision[]
  message: string | undefined
}): ReactElement {
  return <p className="why-sentence">{sentenceOf(state, decisions, message)}</p>
}

function sentenceOf(state: string, decisions: readonly Decision[], message: string | undefined): ReactNode {
  const last = decisions.at(-1)
  const told = message === undefined ? '' : `: ${message}`
  if (last && isOfSource(last))
    return last.verdict === 'failed' ? (
      `The filter of the event source could not be carried out, and the event was not published${told}.`
    ) : (
      <>The event source did not publish the event, as its own filter says{reasonOf(last)}.</>
    )
  switch (state) {
    case 'filtered':
      return <>The sensor turned the event away{last && reasonOf(last)}.</>
    case 'superseded':
      if (last?.verdict === 'reset')
        return 'It waited for other events until the time that the trigger’s conditionsReset names, and was forgotten then.'
      return (
        <>
          A newer event about the same thing took its place{last?.by !== undefined && ': '}
          {last?.by !== undefined && <EventLink id={last.by} />}.
        </>
      )
    case 'waiting':
      if (last?.verdict === 'passed' || last?.verdict === 'joined')
        return 'The sensor let the event through, and its delivery waits for its turn.'
      return `The sensor waits for other events before it acts${last?.message === undefined ? '' : `: ${last.message}`}.`
    case 'parked':
      return `The delivery was given up and waits for a person${told}.`
    case 'failed':
      if (last?.verdict === 'failed' && last.by === 'transform')
        return `The transformation of the event could not be carried out, and the event ended there${told}.`
      if (last?.verdict === 'failed') return `A filter could not be carried out, and the event ended there${told}.`
      return `It failed${told}.`
    case 'running':
      return 'The delivery is under way.'
    case 'discarded':
      return 'A person gave the delivery up.'
    case 'ran':
      return 'The sensor let the event through, and the trigger’s action was accepted.'
    default:
      return 'Nobody has looked at it yet.'
  }
}

const MOST_INPUTS = 2

/** The filter that said no, or the kind of it where no more was recorded. */
function reasonOf({ by, filters = [], inputs = [] }: Decision): ReactNode {
  const refusing = filters.filter(({ passed }) => passed === false)
  const [first] = refusing
  // A script is longer than a sentence.
  if (first && refusing.length === 1 && first.by !== 'script') {
    const read = inputs.filter(({ path }) => first.paths?.includes(path)).slice(0, MOST_INPUTS)
    return (
      <>
        : <code>{filterText(first)}</code> is false
        {read.map(({ path, value }, i) => (
          <Fragment key={path}>
            {i === 0 ? ', with ' : ' and '}
            <code>{`${path} = ${value === undefined ? 'nothing' : JSON.stringify(value)}`}</code>
          </Fragment>
        ))}
      </>
    )
  }
  if (by === undefined) return ''
  return ` because ${isFilter(by) ? FILTERS[by] : `of ${by}`}`
}
