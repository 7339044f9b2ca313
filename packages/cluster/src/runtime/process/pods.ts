import type { Duplex } from 'node:stream'
import { isNamed } from './image-programs.ts'
import type { SupervisedProcess } from './supervised-process.ts'
import type { ExecRequest, SandboxAnswer, SandboxRequest, StartRequest, UsageAnswer } from './supervisor-protocol.ts'

/** What a supervisor does for pods, with namespaces or without. */
export interface Pods {
  createSandbox(request: SandboxRequest): Promise<SandboxAnswer>
  removeSandbox(name: string): Promise<void>
  start(request: StartRequest): Promise<PodsProcess>
  dial(sandbox: string, port: number, host: string | undefined): Promise<Duplex>
}

export interface PodsProcess {
  readonly supervised: SupervisedProcess
  signal(name: string): Promise<void>
  /** A path that leads to the program's terminal. */
  terminal(): Promise<string | undefined>
  usage(): Promise<UsageAnswer | undefined>
  exec(request: ExecRequest): Promise<PodsProcess>
}

export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** A container's environment: what every container has, then its own. */
export function environmentOf(
  { env, tty, programs = [] }: Pick<StartRequest, 'env' | 'tty' | 'programs'>,
  { hostname, home, programs: folder }: { hostname: string; home: string; programs: string },
): Map<string, string> {
  const base: [string, string][] = [['PATH', DEFAULT_PATH], ['HOSTNAME', hostname], ...termOf(tty)]
  const all = new Map<string, string>([...base, ...env])
  if (!all.has('HOME')) all.set('HOME', home)
  if (programs.some(isNamed)) all.set('PATH', `${all.get('PATH')}:${folder}`)
  return all
}

const termOf = (tty: boolean): [string, string][] => (tty ? [['TERM', 'xterm']] : [])
