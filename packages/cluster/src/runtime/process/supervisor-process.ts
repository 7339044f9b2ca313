import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Log } from '@tiphys/env'
import { type Accept, type Multiplexer, multiplex } from './multiplexer.ts'

export interface SupervisorProcess {
  readonly link: Multiplexer
  /** Of a process in the supervisor's namespaces, in the eyes of this one, once it answers. */
  readonly pid: number
  /** Resolves when it has ended, with what it said last. */
  readonly ended: Promise<string>
  /** The supervisor's descriptor of the machine's network namespace. */
  readonly machineNetwork: number | undefined
  close(): Promise<void>
}

export interface SupervisorProcessOptions {
  program: string
  mode: 'isolated' | 'plain'
  isRoot: boolean
  log: Log
  accept: Accept
}

/** What starts a program in mount, network and process namespaces of its own, which end with this process in whatever way
 *  it ends: the kernel kills `unshare` when the thread that started it ends, and with it the namespace's first process. */
export function isolation(isRoot: boolean): string[] {
  const asRoot = isRoot ? [] : ['--user', '--map-root-user']
  const namespaces = ['--mount', '--net', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']
  return ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...asRoot, ...namespaces]
}

/** The namespace's first process must collect what its processes leave behind, which a shell does and Node does not. */
const FIRST_PROCESS = ['/bin/sh', '-c', '"$@"; exit $?', 'sh']

export function startSupervisor({ program, mode, isRoot, log, accept }: SupervisorProcessOptions): SupervisorProcess {
  const node = [process.execPath, '--max-semi-space-size=1', program]
  const [command = '', ...rest] = mode === 'plain' ? node : [...isolation(isRoot), ...FIRST_PROCESS, ...node]
  const machineNetwork = mode === 'isolated' && isRoot ? openSync('/proc/self/ns/net', 'r') : undefined
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', machineNetwork ?? 'ignore'],
    env: { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' },
    // An interrupt from the keyboard is for this process, which ends its pods in good order.
    detached: true,
  })
  if (machineNetwork !== undefined) closeSync(machineNetwork)
  const ended = endOf(child, log)
  const control = child.stdio[3] as Socket
  const link = multiplex(control, 'client', accept)
  return {
    link,
    pid: child.pid ?? 0,
    ended,
    machineNetwork: machineNetwork === undefined ? undefined : 4,
    async close() {
      link.close()
      await ended
    },
  }
}

function endOf(child: ChildProcess, log: Log): Promise<string> {
  let lastWords = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = `${lastWords}${text}`.slice(-2000)
    log.warn('the supervisor of the containers says something', { text: text.trim() })
  })
  return new Promise(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('close', (code, signal) => resolve(lastWords.trim() || `it ended with ${signal ?? `exit code ${code}`}`))
  })
}
