import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { bold, createTerminal, dim, green, type Output, red, type Terminal } from './terminal.ts'

/** What Node's runner tells of a test that ended. */
interface Outcome {
  name: string
  nesting: number
  file?: string
  skip?: string | boolean
  todo?: string | boolean
  details: { duration_ms: number; type?: string; error?: Error }
}

export type TestEvent =
  | { type: 'test:pass' | 'test:fail'; data: Outcome }
  | { type: 'test:start'; data: { name: string; nesting: number } }
  | { type: 'test:stdout' | 'test:stderr'; data: { message: string } }
  | { type: 'test:plan' | 'test:diagnostic' | 'test:enqueue' | 'test:dequeue' | 'test:complete'; data?: unknown }

/** How `tiphys test` tells what came of tests, also to a file: a line each, why it failed, and the sum. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const { out } = createTerminal(process, process.env)
  // Whoever reads may have seen enough (`tiphys test | head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(1)
  })
  yield* reportTests(events, out, { now: () => performance.now(), folder: process.cwd() })
}

export async function* reportTests(
  events: AsyncIterable<TestEvent>,
  out: Terminal['out'],
  { now, folder }: { now: () => number; folder: string },
): AsyncGenerator<string> {
  const begin = now()
  const sums = { passed: 0, failed: 0, skipped: 0 }
  /** Suites that are not told of yet, as no test of theirs has ended. */
  let suites: { name: string; nesting: number }[] = []
  let file: string | undefined
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
    else if (event.type === 'test:start')
      suites = [...suites.filter(({ nesting }) => nesting < event.data.nesting), event.data]
    else if (event.type === 'test:pass' || event.type === 'test:fail') {
      const outcome = event.data
      const isSuite = outcome.details.type === 'suite'
      // A suite fails because of its tests, and those have been told of; or all by itself.
      if (isSuite && (event.type === 'test:pass' || isOfChildren(outcome))) continue
      if (outcome.file !== undefined && outcome.file !== file) {
        if (file !== undefined) yield '\n'
        file = outcome.file
        yield `${bold(out, relative(folder, pathOf(file)))}\n`
      }
      const above = suites.filter(({ nesting }) => nesting < outcome.nesting)
      for (const { name, nesting } of above) yield `${indentation(nesting)}${name}\n`
      suites = []
      sums[kindOf(event)]++
      yield `${indentation(outcome.nesting)}${describe(event, out)}\n`
      if (event.type === 'test:fail') yield `${explain(outcome, folder, out)}\n`
    }
  }
  yield `\n${summary(sums, out)}  ${dim(out, milliseconds(now() - begin))}\n`
}

type Ended = Extract<TestEvent, { data: Outcome }>

const isOfChildren = ({ details: { error } }: Outcome) =>
  (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed'

const indentation = (nesting: number) => '  '.repeat(nesting + 1)

function kindOf({ type, data: { skip, todo } }: Ended): 'passed' | 'failed' | 'skipped' {
  if (skip !== undefined || todo !== undefined) return 'skipped'
  return type === 'test:fail' ? 'failed' : 'passed'
}

function describe(event: Ended, out: Output): string {
  const { name, skip, todo, details } = event.data
  const time = dim(out, milliseconds(details.duration_ms))
  switch (kindOf(event)) {
    case 'passed':
      return `${green(out, '✔')} ${name}  ${time}`
    case 'failed':
      return `${red(out, `✖ ${name}`)}  ${time}`
    case 'skipped': {
      const why = [skip, todo].find(given => typeof given === 'string' && given !== '')
      return dim(out, `- ${name}  (${why ?? (skip === undefined ? 'to be done' : 'skipped')})`)
    }
  }
}

/** The message, and the places in the files of whoever wrote the test. */
function explain({ nesting, details: { error } }: Outcome, folder: string, out: Output): string {
  const thrown: unknown = error?.cause ?? error
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : inspect(thrown)
  const [words, places] = apart(text.split('\n'))
  const shown = [
    ...words.map(line => line.replace(/^\w*Error(?: \[\w+\])?: /, '')),
    ...places.flatMap(line => placeIn(line, folder)).map(place => dim(out, `at ${place}`)),
  ]
  return shown.map(line => `${indentation(nesting + 1)}${line}`.trimEnd()).join('\n')
}

/** A stack begins with the message, which may have several lines. */
function apart(lines: readonly string[]): [string[], string[]] {
  const isPlace = (line: string) => /^ +at /.test(line)
  const words = lines.filter(line => !isPlace(line))
  while (words.at(-1)?.trim() === '') words.pop()
  return [words, lines.filter(isPlace)]
}

/** `greeting.test.ts:18:10`; nothing of Node's own, nor of ours. */
function placeIn(line: string, folder: string): string[] {
  const [, place = ''] = /\(?((?:file:|\/)[^()]*:\d+:\d+)\)?$/.exec(line) ?? []
  if (place === '') return []
  const short = relative(folder, pathOf(place))
  return short.startsWith('..') || short.includes('node_modules') ? [] : [short]
}

const pathOf = (place: string) => (place.startsWith('file:') ? fileURLToPath(place) : place)

function summary({ passed, failed, skipped }: Record<'passed' | 'failed' | 'skipped', number>, out: Output): string {
  return [
    failed > 0 ? red(out, `${failed} failed`) : '',
    passed > 0 || failed === 0 ? `${passed} passed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

const milliseconds = (ms: number) => `${Math.round(ms)} ms`
