import type { StepDetail } from '@tiphys/archive'
import { type ReactElement, useState } from 'react'
import { Status } from '../parts/status.tsx'
import { Spent } from '../parts/time.tsx'
import { stateOf } from './step-state.ts'
import { timesOf } from './step-times.ts'

interface StepTableProps {
  steps: readonly StepDetail[]
  chosen: string
  isOver: boolean
  onChoose(step: string): void
}

const AT_FIRST = 200

/** The steps as a table: the graph and the timeline for whoever reads with other means. */
export function StepTable({ steps, chosen, isOver, onChoose }: StepTableProps): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const isFailed = ({ phase }: StepDetail) => phase === 'Failed' || phase === 'Error'
  // Those that failed are never behind "more".
  const shown = isWhole ? steps : steps.filter((step, i) => i < AT_FIRST || isFailed(step) || step.step === chosen)
  return (
    <div className="scroll-area">
      <table className="plain stacks">
        <caption className="hidden">Steps of the run</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Status</th>
            <th scope="col">Type</th>
            <th scope="col" className="number">
              Attempt
            </th>
            <th scope="col">Waited</th>
            <th scope="col">Ran</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(step => (
            <tr key={step.step} aria-current={step.step === chosen ? 'true' : undefined}>
              <th scope="row">
                <button type="button" className="link-button" onClick={() => onChoose(step.step)}>
                  {step.displayName ?? step.name}
                </button>
              </th>
              <td>
                <Status value={stateOf(step)} />
              </td>
              <td data-label="type">{step.type}</td>
              <td className="number" data-label="attempt">
                {step.attempt}
              </td>
              <td data-label="waited">
                <Spent span={timesOf(step, isOver).waited} />
              </td>
              <td data-label="ran">
                <Spent span={timesOf(step, isOver).ran} />
              </td>
              <td className="message-cell">{step.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < steps.length && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show all {steps.length} steps
        </button>
      )}
    </div>
  )
}
