import { readFile, rm } from 'node:fs/promises'
import { TerminalFailure } from '@tiphys/env'
import { writePrivateFile } from '../private-file.ts'
import type { DataFolder } from './data-folder.ts'

/** What other commands need to find and to speak with the instance that uses a data folder. */
export interface ServerFile {
  command: 'up' | 'run'
  pid: number
  version: string
  /** Where it takes calls, see `control-server.ts`. */
  url: string
  /** What a caller has to show. Whoever can read the file owns the folder. */
  token: string
  /** How the cluster is reached. */
  kubeconfig: string
  context?: string
  /** It runs only workflows that carry this id. */
  instanceId?: string
  /** The console's address, with what logs in. */
  console?: string
  /** The manifests it was started with. */
  manifests: readonly string[]
}

export async function writeServerFile({ server }: DataFolder, file: ServerFile): Promise<void> {
  await writePrivateFile(server, `${JSON.stringify(file)}\n`)
}

export async function removeServerFile({ server }: DataFolder): Promise<void> {
  const file = await readServerFile(server)
  if (file?.pid === process.pid) await rm(server, { force: true })
}

/** Who runs on a folder. */
export interface FoundInstance {
  running?: ServerFile
  /** It is there, but does not answer: it has too much to do, or was halted. */
  silent?: ServerFile
}

/** Finds nobody where there is only what somebody left who was killed. */
export async function findInstance({ server }: DataFolder, patienceMs = PATIENCE_MS): Promise<FoundInstance> {
  const file = await readServerFile(server)
  if (!file || !isAlive(file.pid)) return {}
  switch (await ping(file, patienceMs)) {
    case 'answers':
      return { running: file }
    case 'is silent':
      return { silent: file }
    case 'is not there':
      return {}
  }
}

export async function refuseSecondInstance(folder: DataFolder): Promise<void> {
  const { running, silent } = await findInstance(folder)
  if (silent) throw silentInstance(folder, silent)
  if (!running) return
  throw new TerminalFailure('cli-already-running', {
    what: `tiphys ${running.command} uses ${folder.path} already (process ${running.pid})`,
    todo: 'Use that one, stop it, or choose another folder with --data',
  })
}

export function silentInstance({ path }: DataFolder, { command, pid }: ServerFile): TerminalFailure {
  return new TerminalFailure('cli-instance-silent', {
    what: `tiphys ${command} runs on ${path} (process ${pid}) and does not answer`,
    why: 'it has too much to do, or was halted',
    todo: `Try again in a while; if it stays like that, end it with kill ${pid}, or kill -9 ${pid}, and start it again: nothing is lost`,
  })
}

async function readServerFile(path: string): Promise<ServerFile | undefined> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as Partial<ServerFile>
    const isWhole = typeof file.pid === 'number' && typeof file.url === 'string' && typeof file.token === 'string'
    return isWhole ? (file as ServerFile) : undefined
  } catch {
    return undefined // None, or one that is no use: a new instance writes it anew.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const PATIENCE_MS = 5000

/** Process ids come back: only who knows the token is the one. */
async function ping({ url, token }: ServerFile, patienceMs: number): Promise<'answers' | 'is silent' | 'is not there'> {
  try {
    const answer = await fetch(`${url}/v1/call/ping`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '[]',
      signal: AbortSignal.timeout(patienceMs),
    })
    return answer.ok ? 'answers' : 'is not there'
  } catch (thrown) {
    return (thrown as Error).name === 'TimeoutError' ? 'is silent' : 'is not there'
  }
}
