import type { RunDetail } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { StatusMark } from '../parts/status.tsx'
import { formatSpan } from '../time.ts'
import { plainText } from './ansi.ts'

interface FailureBannerProps {
  run: RunDetail
  onChoose(step: string): void
}

/** The error above everything: which step, what it said, its last lines. */
export function FailureBanner({ run, onChoose }: FailureBannerProps): ReactElement {
  const step = run.steps.items.find(each => each.step === run.culprit?.step)
  const lines = run.culprit?.lastLines ?? []
  const took =
    step?.startedAt !== undefined && step.finishedAt !== undefined
      ? ` after ${formatSpan(step.startedAt, step.finishedAt)}`
      : ''
  const exit = step?.exitCode !== undefined ? ` with exit code ${step.exitCode}` : ''
  const link = step && (
    <button type="button" className="link-button" onClick={() => onChoose(step.step)}>
      {step.displayName ?? step.name}
    </button>
  )
  // What the run could do without is no alarm.
  if (run.phase === 'Succeeded')
    return (
      <p className="notice">
        The run succeeded, although its step {link} failed{step?.message === undefined ? exit : `: ${step.message}`}.
      </p>
    )
  return (
    <section className={lines.length > 0 ? 'banner' : 'banner silent'} aria-label="Failure">
      <div className="banner-head">
        <svg width="18" height="18" aria-hidden="true">
          <StatusMark value="failed" x={2} y={2} />
        </svg>
        <div>
          <h2>
            {step ? (
              <>
                Step {link} failed{exit}
                {took}
              </>
            ) : (
              'The run failed'
            )}
          </h2>
          <p className="banner-message">{step?.message ?? run.message ?? 'No message was given.'}</p>
        </div>
      </div>
      {lines.length > 0 && (
        <pre className="banner-log" tabIndex={0} aria-label="Last lines of output">
          <code>{lines.map(plainText).join('\n')}</code>
        </pre>
      )}
    </section>
  )
}
