import { INTERRUPTED } from './command.ts'
import { whenParentIsGone } from './parent.ts'
import { reportError, runProgram } from './program.ts'
import { createTerminal } from './terminal.ts'

const argv = process.argv.slice(2)
const terminal = createTerminal(process, process.env)

process.on('uncaughtException', error => {
  reportError(error, terminal, argv)
  process.exit(1)
})
// Where the shell writes next, no lines of ours may stand.
process.on('exit', () => terminal.pin(() => []).remove())

// A signal can come twice, from the terminal and from npm: the second must not cut short what the first began.
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort())
// Whoever reads our output may have seen enough (`tiphys events | head`): what is open is closed, and nothing has failed.
let hasReader = true
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  hasReader = false
  interruption.abort()
})
// npm starts us through a shell that dies of a signal and keeps it to itself: then it was meant for us.
if (['npx', 'start'].includes(process.env.npm_lifecycle_event ?? '')) whenParentIsGone(() => interruption.abort())

// The timers of Tiphys do not keep a process alive; a command that waits for one is not done.
const working = setInterval(() => {}, 2 ** 30)
const code = await runProgram(argv, terminal, interruption.signal)
clearInterval(working)
process.exitCode = hasReader ? code : 0
// What it waited for would keep the process.
if (code === INTERRUPTED || !hasReader) process.exit()
