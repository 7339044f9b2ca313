import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { openForReading, openForWriting, type Pipes } from './output-pipes.ts'
import { quote, TOOL_ENV } from './shell.ts'
import type { ExitAnswer } from './supervisor-protocol.ts'

/** A program that a start script leads to. */
export interface SupervisedProcess {
  readonly stdout: Socket
  /** Nothing comes out of it when the program has a terminal. */
  readonly stderr: Socket
  readonly stdin: Socket | undefined
  /** The program's own number, in the supervisor's eyes. Rejects with why the program cannot be run. */
  readonly launched: Promise<number>
  readonly exited: Promise<ExitAnswer>
}

export interface SuperviseRequest {
  /** What goes before the shell that runs the script. */
  enter: readonly string[]
  /** Runs with the program's standard streams, says its own number and `ok` on descriptor 3, and becomes the program. */
  script: string
  arguments: readonly string[]
  stdin: boolean
  /** In a process of its own, which the shell waits for to tell how it ended: the first one of a new process namespace. (What
   *  `unshare --fork` tells of SIGKILL is wrong.) */
  isForked?: boolean
}

/** Says the number that the shell has in the supervisor's eyes, wherever it is. */
export const SAY_PID = 'read -r pid rest </proc/self/stat; echo "$pid" >&3'

export async function supervise(pipes: Pipes, request: SuperviseRequest): Promise<SupervisedProcess> {
  const out = await pipes.take()
  const err = await pipes.take()
  const into = request.stdin ? await pipes.take() : undefined
  const stdout = openForReading(out)
  const stderr = openForReading(err)
  const stdin = into === undefined ? undefined : openForWriting(into)
  // Broken pipes end the streams; what matters is how the program ends.
  for (const stream of [stdout, stderr, stdin]) stream?.on('error', () => {})
  recycle(pipes, stdout, out)
  recycle(pipes, stderr, err)

  const redirect = `exec <${quote(into ?? '/dev/null')} >${quote(out)} 2>${quote(err)}`
  const script = `${redirect}\n${request.script}`
  const whole = request.isForked ? `(\n${script}\n)\nexit $?` : script
  const [program = '/bin/sh', ...rest] = [...request.enter, '/bin/sh', '-c', whole, 'sh']
  let child: ChildProcess
  try {
    child = spawn(program, [...rest, ...request.arguments], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: TOOL_ENV,
      detached: true,
    })
  } catch (thrown) {
    for (const stream of [stdout, stderr, stdin]) stream?.destroy()
    if (into !== undefined) pipes.discard(into)
    throw (thrown as NodeJS.ErrnoException).code === 'E2BIG' ? new Error(TOO_LONG) : thrown
  }
  const exited = exitOf(child).then(exit => {
    stdin?.destroy()
    if (into !== undefined) pipes.discard(into)
    return exit
  })
  const launched = launchOf(child, exited)
  launched.catch(() => {
    stdout.destroy()
    stderr.destroy()
  })
  return { stdout, stderr, stdin, launched, exited }
}

/** After its end nobody has the pipe open for writing; when reading stopped earlier somebody may. */
function recycle(pipes: Pipes, stream: Socket, path: string): void {
  let hasEnded = false
  stream.once('end', () => {
    hasEnded = true
  })
  stream.once('close', () => (hasEnded ? pipes.giveBack(path) : pipes.discard(path)))
}

function exitOf(child: ChildProcess): Promise<ExitAnswer> {
  return new Promise(resolve => {
    child.once('error', () => resolve({ exitCode: 128 }))
    child.once('exit', (code, signalName) => {
      if (signalName === null) return resolve({ exitCode: code ?? 128 })
      resolve({ exitCode: 128 + constants.signals[signalName] })
    })
  })
}

/** What Linux takes; the shells that start a container get all of it at once. */
const TOO_LONG =
  'argument list too long: no argument and no variable of the environment may have more than 128 KiB, hand larger values on as files'

/** The descriptor stays open in the programs that wait for the container: `ok` is the end of a good report. */
async function launchOf(child: ChildProcess, exited: Promise<ExitAnswer>): Promise<number> {
  const report = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.once('error', reject)
    const descriptor = child.stdio[3] as Socket
    descriptor.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('\nok\n')) resolve(text)
    })
    descriptor.once('close', () => resolve(text))
  })
  const [, pid, rest] = /^(\d*)\n([^]*)$/.exec(report) ?? []
  if (rest?.endsWith('ok\n')) return Number(pid)
  const { exitCode } = await exited
  throw new Error((rest ?? report).trim() || `it ended with exit code ${exitCode}`)
}

/** The programs that a program has started itself. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended.
    return []
  }
}

export function sendSignal(pid: number, signal: string): void {
  const number = (constants.signals as Record<string, number>)[signal] ?? Number(signal)
  try {
    if (pid > 0 && Number.isInteger(number)) process.kill(pid, number)
  } catch {
    // It has ended, which is all that a signal could do.
  }
}
