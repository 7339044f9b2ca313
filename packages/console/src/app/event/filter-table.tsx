import type { Trace } from '@tiphys/archive'
import { filterText } from '@tiphys/journal/filter-text'
import type { ReactElement } from 'react'
import { Status } from '../parts/status.tsx'

type Decision = Trace['decisions'][number]
type Input = NonNullable<Decision['inputs']>[number]

/** Every filter as it read then: what it said, and of what. What no filter names comes after them. */
export function FilterTable({ decision }: { decision: Decision }): ReactElement {
  const { filters = [], inputs = [] } = decision
  const named = new Set(filters.flatMap(({ paths = [] }) => paths))
  const others = inputs.filter(({ path }) => !named.has(path))
  return (
    <>
      <table className="inputs filters">
        <caption className="hidden">Filters</caption>
        <thead className="hidden">
          <tr>
            <th scope="col">said</th>
            <th scope="col">filter</th>
            <th scope="col">read</th>
          </tr>
        </thead>
        <tbody>
          {filters.map((filter, i) => (
            <tr key={i} className={filter.passed === false ? 'refused' : undefined}>
              <td>{said(decision, i)}</td>
              <th scope="row">
                <code>{filterText(filter)}</code>
              </th>
              <td>
                {inputs
                  .filter(({ path }) => filter.paths?.includes(path))
                  .map(input => (
                    <InputText key={input.path} input={input} />
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {others.length > 0 && <InputTable inputs={others} />}
    </>
  )
}

/** What a decision was made from, where no filter was recorded with it. */
export function InputTable({ inputs, result }: { inputs: readonly Input[]; result?: boolean }): ReactElement {
  return (
    <table className="inputs">
      <caption className="hidden">Inputs of the decision</caption>
      <tbody>
        {inputs.map(({ path, value }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>
              <code>{valueText(value)}</code>
            </td>
          </tr>
        ))}
        {result !== undefined && (
          <tr className="verdict-row">
            <th scope="row">result</th>
            <td>
              <code>{String(result)}</code>
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function said({ filters = [], verdict, by }: Decision, i: number): ReactElement {
  const filter = filters[i]
  if (filter?.passed !== undefined) return <Status value={String(filter.passed)} />
  // The first without an answer is the one that could not be carried out; those behind it were not asked.
  const isSame = (each: typeof filter) => each?.passed === undefined && (each?.by === by || each?.by === 'expression')
  const isBroken = verdict === 'failed' && filters.findIndex(isSame) === i
  return isBroken ? <Status value="failed" word="no answer" /> : <Status value="skipped" word="not asked" />
}

function InputText({ input: { path, value } }: { input: Input }): ReactElement {
  return (
    <span className="input">
      <code className="faint">{path}</code> {value === undefined ? 'is not there' : <code>{valueText(value)}</code>}
    </span>
  )
}

const valueText = (value: unknown): string => (value === undefined ? '(not there)' : JSON.stringify(value))
