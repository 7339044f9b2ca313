import type { RunDetail, StepDetail } from '@tiphys/archive'
import { delay, systemClock, TerminalFailure } from '@tiphys/env'
import { cyan, type Output } from '../terminal.ts'
import type { History } from './instance.ts'
import { hasEnded } from './run-tree.ts'

const LOOK_EVERY_MS = 250
const LINES_AT_ONCE = 1000

export interface LogPrint {
  history: History
  /** The run's uid. */
  run: string
  /** The id, the name or the displayed name of a step; all, when it is left out. */
  step?: string
  /** Goes on until the run has ended. */
  follow: boolean
  out: Output
  signal: AbortSignal
}

/** Prints what the steps of a run have written, each line behind the step's name where there are several. Resolves with
 *  the run as it was in the end. */
export async function printLogs({ history, run, step, follow, out, signal }: LogPrint): Promise<RunDetail | undefined> {
  const shown = new Map<string, number>()
  for (;;) {
    await history.caughtUp()
    const detail = await history.run({ uid: run })
    if (!detail && (!follow || signal.aborted)) return undefined
    if (!detail) {
      // Nobody has begun with it yet.
      await delay(systemClock, LOOK_EVERY_MS, signal).catch(() => {})
      continue
    }
    // Read before the lines: what is written until the end is there then.
    const isOver = hasEnded(detail.phase)
    const steps = detail.steps.items.filter(item => isMeant(item, step))
    if (step !== undefined && steps.length === 0 && (!follow || isOver)) throw noStep(detail, step)
    const isAlone = step !== undefined || detail.steps.items.filter(({ type }) => type === 'Pod').length <= 1
    for (const item of steps)
      for (const { container } of item.logs)
        await printNew({
          history,
          run,
          item,
          container,
          shown,
          print: line => out.print(isAlone ? line : named(out, item, line)),
        })
    if (!follow || isOver || signal.aborted) return detail
    await delay(systemClock, LOOK_EVERY_MS, signal).catch(() => {}) // Interrupted: the next look is the last.
  }
}

async function printNew(of: {
  history: History
  run: string
  item: StepDetail
  container: string
  shown: Map<string, number>
  print: (line: string) => void
}): Promise<void> {
  const { history, run, item, container, shown, print } = of
  const key = `${item.step} ${container}`
  for (;;) {
    const from = (shown.get(key) ?? 0) + 1
    const part = await history.log({ run, step: item.step, container }, { from, lines: LINES_AT_ONCE })
    if (!part || part.lines.length === 0) return
    for (const line of part.lines) print(line)
    shown.set(key, part.from + part.lines.length - 1)
    if (part.lines.length < LINES_AT_ONCE) return
  }
}

const named = (out: Output, { displayName, name }: StepDetail, line: string) =>
  `${cyan(out, `${displayName ?? name} |`)} ${line}`

const isMeant = ({ step: id, name, displayName, pod }: StepDetail, wanted: string | undefined) =>
  wanted === undefined || [id, name, displayName, pod].includes(wanted)

function noStep({ run, steps }: RunDetail, step: string): TerminalFailure {
  const names = [
    ...new Set(steps.items.filter(({ type }) => type === 'Pod').map(({ displayName, name }) => displayName ?? name)),
  ]
  return new TerminalFailure('cli-not-found', {
    what: `the run ${run.name} has no step ${step}`,
    todo: names.length === 0 ? 'It has none yet' : `It has ${names.join(', ')}`,
  })
}
