import { useQueryClient } from '@tanstack/react-query'
import type { StepDetail } from '@tiphys/archive'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import { type RunAction, resumeLine, runLine } from '../command-line.ts'
import { counted } from '../count.ts'
import { post } from '../request.ts'
import type { SuppliedOutput } from '../run/planned.ts'
import { runHref } from '../url.ts'
import { Confirm } from './dialog.tsx'
import { Status } from './status.tsx'

interface RunDialogProps {
  action: RunAction
  runs: readonly { namespace: string; name: string }[]
  /** Of the one run, to say what runs again. */
  steps?: readonly StepDetail[]
  /** Only this step, and what comes after it. */
  step?: StepDetail | undefined
  /** What that step wants to be given when it is resumed. */
  inputs?: readonly SuppliedOutput[]
  onClose(): void
}

const WORDS: Readonly<Record<RunAction, readonly [verb: string, what: string]>> = {
  stop: ['Stop', 'Running steps are ended; exit handlers still run.'],
  terminate: ['Terminate', 'Everything is ended at once; exit handlers do not run.'],
  suspend: ['Suspend', 'Running steps go on; no new step starts.'],
  resume: ['Resume', 'Steps start again where they waited.'],
  retry: [
    'Retry',
    'Failed steps, and what comes after them, run again in the same run. Succeeded ones stay as they are.',
  ],
  resubmit: ['Resubmit', 'A new run of the same workflow starts from the beginning.'],
  delete: ['Delete', 'The Workflow is removed from the cluster. Its history stays in the archive.'],
}
const MANY = 100
const GROUPS = new Set(['DAG', 'Steps', 'StepGroup', 'TaskGroup', 'Retry'])
const isLeftOut = ({ phase }: StepDetail) => phase === 'Omitted' || phase === 'Pending'
const isFailed = ({ phase }: StepDetail) => phase === 'Failed' || phase === 'Error'

export function RunDialog({ action, runs, steps = [], step, inputs = [], onClose }: RunDialogProps): ReactElement {
  const [all, setAll] = useState(false)
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({})
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const [verb] = WORDS[action]
  const what = whatOf(action, step, all)
  const count = runs.length
  const values = Object.fromEntries(inputs.map(input => [input.name, given[input.name] ?? valueOf(input) ?? '']))
  const isResumed = action === 'resume' && step !== undefined
  const again = action === 'retry' ? againOf(steps, step, all) : []
  const only = runs.length === 1 ? runs[0] : undefined
  // From the root: its node has the run's name for an id.
  const root = all && only ? only.name : undefined
  const confirm = async () => {
    const results = await post<readonly { name: string; made?: string; problem?: string }[]>('/actions/run', {
      action,
      runs: runs.map(({ namespace, name }) => ({ namespace, name })),
      ...(action === 'retry' && root !== undefined && { nodeFieldSelector: `id=${root}`, restartSuccessful: true }),
      ...(isResumed && { nodeFieldSelector: `id=${step.step}`, ...(inputs.length > 0 && { parameters: values }) }),
      ...(action === 'retry' && step && { nodeFieldSelector: `id=${step.step}`, restartSuccessful: true }),
    })
    await client.invalidateQueries()
    const failed = results.filter(({ problem }) => problem !== undefined)
    // It stays to be read: a message that fades would be all there is.
    if (failed.length > 0) throw new Error(refusals(verb, count, failed))
    say(`${verb}: done`)
    const made = results[0]?.made
    if (only && made !== undefined) navigate(runHref({ namespace: only.namespace, name: made }))
  }
  const isDestructive = action === 'terminate' || action === 'delete'
  return (
    <Confirm
      title={only ? `${verb} ${only.name}` : `${verb} ${count} runs`}
      verb={only ? verb : `${verb} ${count} runs`}
      isDangerous={isDestructive || action === 'stop'}
      typed={isDestructive && only ? only.name : count > MANY ? `${action} ${count}` : undefined}
      cli={
        only && isResumed
          ? resumeLine(only, step.displayName ?? step.name, values)
          : [
              ...runs
                .slice(0, 3)
                .map(run => runLine(action, run, action === 'retry' ? (step?.step ?? root) : undefined)),
              ...(count > 3 ? [`# and ${count - 3} more`] : []),
            ].join('\n')
      }
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{what}</p>
      {isResumed && inputs.length > 0 && (
        <div className="form" role="group" aria-label="What the step waits for">
          {inputs.map(input => (
            <label key={input.name} className="field">
              <span>{input.name}</span>
              {input.enum ? (
                <select
                  value={values[input.name]}
                  onChange={event => setGiven({ ...given, [input.name]: event.target.value })}
                >
                  {input.enum.map(each => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
              ) : (
                <input
                  type="text"
                  value={values[input.name]}
                  spellCheck={false}
                  onChange={event => setGiven({ ...given, [input.name]: event.target.value })}
                />
              )}
              {input.description !== undefined && <span className="faint">{input.description}</span>}
            </label>
          ))}
        </div>
      )}
      {action === 'retry' && only && !step && (
        <fieldset className="choices-row">
          <legend>From where</legend>
          <label className="check">
            <input type="radio" name="from" checked={!all} onChange={() => setAll(false)} />
            From the failure
          </label>
          <label className="check">
            <input type="radio" name="from" checked={all} onChange={() => setAll(true)} />
            All steps
          </label>
        </fieldset>
      )}
      {again.length > 0 && (
        <>
          <p>
            <strong>{counted(again.length, 'step')}</strong> {again.length === 1 ? 'runs' : 'run'} again:
          </p>
          <ul className="sample" tabIndex={0}>
            {again.slice(0, 12).map(each => (
              <li key={each.step}>
                <Status value={each.phase} compact />
                <span>{each.displayName ?? each.name}</span>
              </li>
            ))}
            {again.length > 12 && <li className="faint">and {again.length - 12} more</li>}
          </ul>
        </>
      )}
      {count > 1 && (
        <ul className="sample" tabIndex={0}>
          {runs.slice(0, 10).map(run => (
            <li key={`${run.namespace}/${run.name}`}>
              {run.namespace}/{run.name}
            </li>
          ))}
          {count > 10 && <li className="faint">and {count - 10} more</li>}
        </ul>
      )}
    </Confirm>
  )
}

/** What happens, in a sentence: as it is with what was chosen. */
export function whatOf(action: RunAction, step: StepDetail | undefined, all: boolean): string {
  const name = step?.displayName ?? step?.name
  if (action === 'resume' && step) return `The step ${name} goes on, and what comes after it.`
  if (action === 'retry' && step)
    return `The step ${name}, and what comes after it, runs again in the same run, also where it had succeeded.`
  if (action === 'retry' && all) return 'All steps run again in the same run, also those that succeeded.'
  return WORDS[action][1]
}

const MOST_TOLD = 3
/** Which of many it was not done to, and why. */
function refusals(verb: string, count: number, failed: readonly { name: string; problem?: string }[]): string {
  const told = failed.slice(0, MOST_TOLD).map(({ name, problem = '' }) => `${name}: ${problem}`)
  const more = failed.length - told.length
  return `${verb}: ${failed.length} of ${count} failed. ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

/** The steps that run again: those that failed, or the one that was chosen, and all that come after. */
export function againOf(
  steps: readonly StepDetail[],
  step: StepDetail | undefined,
  all: boolean,
): readonly StepDetail[] {
  if (all) return steps.filter(each => !GROUPS.has(each.type))
  const byId = new Map(steps.map(each => [each.step, each]))
  const again = new Set<string>()
  const add = (id: string) => {
    const found = byId.get(id)
    if (!found || again.has(id)) return
    again.add(id)
    for (const child of found.children ?? []) add(child)
  }
  // Groups that failed only because of what is in them are opened again, not run.
  const failed = steps.filter(each => isFailed(each) && !GROUPS.has(each.type))
  for (const each of step ? [step] : [...failed, ...steps.filter(isLeftOut)]) add(each.step)
  return steps.filter(each => again.has(each.step) && !GROUPS.has(each.type))
}

/** Where nobody has said anything: what the template says, or the first that is allowed. */
const valueOf = (input: SuppliedOutput): string | undefined =>
  input.valueFrom?.default ?? input.default ?? input.enum?.[0]
