import type { RunDetail, StepDetail } from '@tiphys/archive'
import { delay, logNote, systemClock, TerminalFailure } from '@tiphys/env'
import { stepsByOwner } from '@tiphys/journal/records'
import { readNote } from '@tiphys/workflows/log-notes'
import { bold, cutTo, cyan, dim, type Output } from '../terminal.ts'
import type { History } from './instance.ts'
import { hasEnded } from './run-tree.ts'

const LOOK_EVERY_MS = 250
const LINES_AT_ONCE = 10_000
const LOOKS_PER_QUESTION = 8

export interface LogPrint {
  history: History
  /** The run's uid. */
  run: string
  /** The id, the name or the displayed name of a step, and all that is below it; all, when it is left out. */
  step?: string
  /** Goes on until the run has ended, or is gone. */
  follow: boolean
  isGone?: () => Promise<boolean>
  out: Output
  /** An object for every line. */
  json?: boolean
  signal: AbortSignal
}

/** What is known of a line beside its text. */
interface Origin {
  container: string
  /** Of the run: 1, and one more with each time that it was retried. */
  attempt: number
  /** The engine says it, not the step. */
  isNote: boolean
}

/** Prints what the steps of a run have written, each line behind the step's name where there are several. Resolves with
 *  the run as it was in the end. */
export async function printLogs({
  history,
  run,
  step,
  follow,
  isGone,
  out,
  json = false,
  signal,
}: LogPrint): Promise<RunDetail | undefined> {
  const shown = new Map<string, Shown>()
  for (let looks = 1; ; looks++) {
    // Asked before the lines are read, too. A run that is deleted does not end.
    const isLast = signal.aborted || (looks % LOOKS_PER_QUESTION === 0 && (await isGone?.()) === true)
    await history.caughtUp()
    const detail = await history.run({ uid: run })
    if (!detail && (!follow || isLast)) return undefined
    if (!detail) {
      // Nobody has begun with it yet.
      await delay(systemClock, LOOK_EVERY_MS, signal).catch(() => {})
      continue
    }
    // Read before the lines: what is written until the end is there then.
    const isOver = hasEnded(detail.phase)
    const steps = step === undefined ? detail.steps.items : stepsMeant(detail.steps.items, step)
    if (step !== undefined && steps.length === 0 && (!follow || isOver)) throw noStep(detail, step)
    const others = steps.filter(({ type }) => type !== 'Pod').length
    // Others may follow the first, and what it writes is to look like what they write.
    const isAlone = steps.length - others <= 1 && (isOver || others === 0)
    for (const item of steps)
      for (const { container, lines } of item.logs)
        await printNew({
          history,
          run,
          item,
          container,
          // The last line may go on while the step does.
          upTo: follow && !isOver && !hasEnded(item.phase) ? lines : Number.POSITIVE_INFINITY,
          shown,
          print(line, origin) {
            const text = origin.isNote ? dim(out, line) : line
            out.print(json ? asJson(item, line, origin) : isAlone ? text : named(out, item, text))
          },
        })
    if (!follow || isOver || isLast) return detail
    await delay(systemClock, LOOK_EVERY_MS, signal).catch(() => {}) // Interrupted: the next look is the last.
  }
}

/** A line may be as long as a file, and push away all that stands above it. */
const LONGEST_LAST_LINE = 1000

/** What the step that made the run fail wrote last. */
export function printCulprit(out: Output, { culprit, steps }: RunDetail): void {
  if (!culprit || culprit.lastLines.length === 0) return
  const step = steps.items.find(({ step }) => step === culprit.step)
  out.print('')
  out.print(bold(out, `the last lines of ${step?.displayName ?? step?.name ?? culprit.step}`))
  for (const line of culprit.lastLines) out.print(`  ${cutTo(line, LONGEST_LAST_LINE)}`)
}

/** How far a log was printed, and which attempt that was of. */
interface Shown {
  lines: number
  attempt: number
  /** Pieces that are known to be lost. */
  missing: number
}

const missingNote = (count: number) =>
  logNote(
    `${count === 1 ? 'a piece' : `${count} pieces`} of this log had been removed before the archive came to read it`,
  )

async function printNew(of: {
  history: History
  run: string
  item: StepDetail
  container: string
  upTo: number
  shown: Map<string, Shown>
  print: (line: string, origin: Origin) => void
}): Promise<void> {
  const { history, run, item, container, upTo, shown, print } = of
  const key = `${item.step} ${container}`
  for (;;) {
    const before = shown.get(key) ?? { lines: 0, attempt: 1, missing: 0 }
    const [from, most] = [before.lines + 1, Math.min(LINES_AT_ONCE, upTo - before.lines)]
    if (most <= 0) return
    const part = await history.log({ run, step: item.step, container }, { from, lines: most })
    if (!part) return
    let { attempt } = before
    const { missing } = part
    if (missing > before.missing) print(missingNote(missing), { container, attempt, isNote: true })
    for (const line of part.lines) {
      const note = readNote(line)
      attempt = note?.attempt ?? attempt
      print(line, { container, attempt, isNote: note !== undefined })
    }
    shown.set(key, { lines: before.lines + part.lines.length, attempt, missing })
    if (part.lines.length < LINES_AT_ONCE) return
  }
}

const named = (out: Output, { displayName, name }: StepDetail, line: string) =>
  `${cyan(out, `${displayName ?? name} |`)} ${line}`

const asJson = ({ displayName, name }: StepDetail, line: string, { container, attempt, isNote }: Origin) =>
  JSON.stringify({ step: displayName ?? name, container, attempt, line, ...(isNote && { isNote }) })

/** What is called so, or the rounds of the loop that is, with all that belongs to it: the attempts of what was tried several times are
 *  steps of their own. */
function stepsMeant(items: readonly StepDetail[], wanted: string): readonly StepDetail[] {
  const called = items.filter(({ step, name, displayName, pod }) => [step, name, displayName, pod].includes(wanted))
  const rounds = items.filter(({ displayName }) => displayName?.startsWith(`${wanted}(`))
  const below = stepsByOwner(items, ({ step, parent, children }) => ({ id: step, parent, children }))
  const meant = new Set(called.length > 0 ? called : rounds)
  for (const { step } of meant) for (const item of below.get(step) ?? []) meant.add(item)
  return items.filter(item => meant.has(item))
}

function noStep({ run, steps }: RunDetail, step: string): TerminalFailure {
  const names = [
    ...new Set(steps.items.filter(({ type }) => type === 'Pod').map(({ displayName, name }) => displayName ?? name)),
  ]
  return new TerminalFailure('cli-not-found', {
    what: `the run ${run.name} has no step ${step}`,
    todo: names.length === 0 ? 'It has none yet' : `It has ${names.join(', ')}`,
  })
}
