import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { asError, isFolder, makeFolder, TerminalFailure } from '@tiphys/env'
import { writePrivateFile } from '../private-file.ts'
import { packageVersion } from '../version.ts'

/** How the folder is laid out. A newer Tiphys that lays it out in another way counts on. */
const LAYOUT = 1

/** Where everything of one instance is kept. */
export interface DataFolder {
  readonly path: string
  readonly kubeconfig: string
  readonly server: string
  readonly records: string
  readonly logs: string
  readonly artifacts: string
  readonly archive: string
  readonly inFlight: string
  /** The journal of a bus. */
  bus(name: string): string
}

export function dataFolder(path: string): DataFolder {
  const folder = resolve(path)
  return {
    path: folder,
    kubeconfig: join(folder, 'kubeconfig'),
    server: join(folder, 'server.json'),
    records: join(folder, 'records'),
    // The nodes keep their containers' logs in `logs`.
    logs: join(folder, 'run-logs'),
    artifacts: join(folder, 'artifacts'),
    archive: join(folder, 'archive.db'),
    inFlight: join(folder, 'in-flight'),
    bus: name => join(folder, 'buses', name),
  }
}

/** Makes the folder as `openDataFolder` does, and notes how it is laid out. */
export async function prepareDataFolder({ path }: DataFolder): Promise<void> {
  const { version } = openDataFolder(path)
  if (version === undefined)
    await writePrivateFile(layoutOf(path), `${JSON.stringify({ layout: LAYOUT, version: packageVersion() })}\n`)
}

/** Makes the folder, for its owner alone, or checks that this user and this version can use what is there. */
export function openDataFolder(path: string): Layout {
  try {
    makeFolder(path, 0o700)
  } catch (thrown) {
    throw new TerminalFailure('cli-data-inaccessible', {
      what: `the data folder ${path} cannot be made`,
      why: whyNotMade(asError(thrown)),
      todo: 'Choose another with --data, where this user may write',
      cause: thrown,
    })
  }
  mustBeAllowed(path, constants.R_OK | constants.W_OK | constants.X_OK)
  return mustBeKnown(path)
}

/** For who only reads: throws when there is something that this user may not read, or this version does not know. */
export function checkDataFolder({ path }: DataFolder): void {
  if (!existsSync(path)) return
  if (!isFolder(path))
    throw new TerminalFailure('cli-data-inaccessible', {
      what: `${path} is no folder, and everything is kept in one`,
      todo: 'Name it with --data',
    })
  mustBeAllowed(path, constants.R_OK | constants.X_OK)
  mustBeKnown(path)
}

function whyNotMade(error: NodeJS.ErrnoException): string {
  const { code, path = '', message } = error
  if (code === 'EEXIST') return `${path} is no folder`
  // What is above it is there, or it would be the one that is complained of.
  if (code === 'ENOENT' && isFolder(dirname(path))) return `${dirname(path)} takes no folders`
  return message
}

function mustBeAllowed(path: string, mode: number): void {
  try {
    accessSync(path, mode)
  } catch (thrown) {
    const { uid } = statSync(path)
    const isAnothers = uid !== process.getuid?.()
    const owner = isAnothers ? ` of ${uid === 0 ? 'root' : `the user ${uid}`}` : ''
    throw new TerminalFailure('cli-data-inaccessible', {
      what: `the data folder ${path}${owner} cannot be used`,
      why: asError(thrown).message,
      todo: `${isAnothers ? 'Run tiphys as that user' : 'Make it writable'}, or choose another with --data`,
      cause: thrown,
    })
  }
}

interface Layout {
  layout?: number
  version?: string
}

const layoutOf = (path: string) => join(path, 'layout.json')

function mustBeKnown(path: string): Layout {
  const found = readLayout(path)
  if ((found.layout ?? LAYOUT) <= LAYOUT) return found
  throw new TerminalFailure('cli-data-newer', {
    what: `the data folder ${path} was made by a newer Tiphys${found.version === undefined ? '' : ` (${found.version})`}`,
    todo: `Use that version or a later one, or choose another folder with --data`,
  })
}

/** A folder of `tiphys cluster` has none; what is damaged is written anew, as it says no more than a number. */
function readLayout(path: string): Layout {
  try {
    const { layout, version } = JSON.parse(readFileSync(layoutOf(path), 'utf8')) as Record<string, unknown>
    return { ...(typeof layout === 'number' && { layout }), ...(typeof version === 'string' && { version }) }
  } catch {
    return {}
  }
}
