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

/** The instance that runs on a folder; undefined when there is none, or only what one left that was killed. */
export async function findInstance({ server }: DataFolder): Promise<ServerFile | undefined> {
  const file = await readServerFile(server)
  return file && isAlive(file.pid) && (await answers(file)) ? file : undefined
}

export async function refuseSecondInstance(folder: DataFolder): Promise<void> {
  const running = await findInstance(folder)
  if (!running) return
  throw new TerminalFailure('cli-already-running', {
    what: `tiphys ${running.command} uses ${folder.path} already (process ${running.pid})`,
    todo: 'Use that one, stop it, or choose another folder with --data',
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

const PATIENCE_MS = 2000

/** Process ids come back: only who knows the token is the one. */
async function answers({ url, token }: ServerFile): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/v1/call/ping`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '[]',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return answer.ok
  } catch {
    return false // Nobody listens there.
  }
}
