import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { asError, TerminalFailure } from '@tiphys/env'
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

/** Makes the folder, for its owner alone, or checks that this version can use what is there. */
export async function prepareDataFolder({ path }: DataFolder): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw new TerminalFailure('cli-data-inaccessible', {
      what: `the data folder ${path} cannot be made`,
      why: asError(thrown).message,
      todo: 'Make the folder above it writable for this user, or choose another with --data',
      cause: thrown,
    })
  }
  const file = join(path, 'layout.json')
  const { layout = LAYOUT, version } = await readLayout(file)
  if (layout > LAYOUT)
    throw new TerminalFailure('cli-data-newer', {
      what: `the data folder ${path} was made by a newer Tiphys${version === undefined ? '' : ` (${version})`}`,
      todo: `Use that version or a later one, or choose another folder with --data`,
    })
  if (version === undefined)
    await writePrivateFile(file, `${JSON.stringify({ layout: LAYOUT, version: packageVersion() })}\n`)
}

async function readLayout(file: string): Promise<{ layout?: number; version?: string }> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { layout?: number; version?: string }
  } catch {
    return {} // A folder of `tiphys cluster` has none; what is damaged is written anew, as it says no more than a number.
  }
}
