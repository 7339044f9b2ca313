import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller, ConsoleOptions } from '@tiphys/console'
import { type Env, TerminalFailure } from '@tiphys/env'
import type { BusReport } from '@tiphys/events'
import type { Client } from '@tiphys/kube'
import { type Flags, listOf, textOf } from '../command.ts'
import { writePrivateFile } from '../private-file.ts'
import { packageVersion } from '../version.ts'
import type { DataFolder } from './data-folder.ts'
import type { Engines } from './engines.ts'
import { programPath } from './programs.ts'

const USUAL_PORT = 2746
const TOKEN_BYTES = 24

export interface ConsoleChoice {
  env: Env
  engines: Engines
  /** As who the person in front of this machine acts. */
  client: Client
  user: string
  /** The cluster as somebody else, who has signed in with a token of the cluster. */
  clientFor(caller: Caller): Client
  /** Where the token is kept, so that who is signed in stays so; undefined for one that goes with the process. */
  folder: DataFolder | undefined
  /** The port that was asked for; undefined for the usual one or the next. */
  port: number | undefined
  /** `console-host`, `console-auth`, `allowed-host`, `trusted-proxy` and its headers. */
  flags: Flags
  say: (line: string) => void
}

/** Starts the console for the person who started this instance: it has the address with the token, and their rights. */
export async function startOwnConsole(choice: ConsoleChoice): Promise<{ url: string; close(): Promise<void> }> {
  const { env, engines, client, user, folder, port, flags, say } = choice
  const host = textOf(flags, 'console-host')
  const isShared = textOf(flags, 'console-auth') === 'cluster'
  const token = await tokenOf(env, folder)
  const { startConsole } = await import('@tiphys/console')
  const started = await startConsole({
    env,
    archive: await engines.archive(),
    recorder: engines.recorder,
    assets: programPath('console'),
    authentication: isShared
      ? { mode: 'cluster', reviewer: client }
      : { mode: 'local', token, caller: { user, groups: [] } },
    ...proxyOf(flags),
    // Cookies that outlive a restart, whoever they were given to.
    secret: token,
    clientFor: isShared ? caller => choice.clientFor(caller) : () => client,
    ...(host !== undefined && { host }),
    allowedHosts: [...(host === undefined ? [] : [host]), ...listOf(flags, 'allowed-host')],
    version: packageVersion(),
    runControl: engines.workflowControl,
    dispatch: engines.dispatchEvent,
    openArtifact: (namespace, key) => engines.openArtifact(namespace, key),
    fire: async ({ namespace, source, entry, payload, who }) => ({
      id: await engines.events.fire({ namespace, source, entry, data: payload, who }),
    }),
    workshop: {
      rehearse: async (sensor, event) => {
        const { rehearse } = await import('@tiphys/events')
        return rehearse(sensor, event, { env, scripts: engines.scripts })
      },
      lint: async (text, context) => {
        const { lintText } = await import('../manifests/manifest-text.ts')
        return lintText(text, context)
      },
      nextStart: async (cron, now) => {
        const { nextStart } = await import('@tiphys/workflows')
        return nextStart(cron, now)
      },
      buses: () => engines.events.buses().map(reported),
      metrics: () => engines.metrics(),
    },
    port: port ?? USUAL_PORT,
  })
  if (port !== undefined && port !== 0 && started.port !== port) {
    await started.close()
    throw new TerminalFailure('cli-port-unavailable', {
      what: `port ${port} cannot be used`,
      why: 'it is taken',
      todo: 'Choose another with --console-port, or --console-port 0 for any free one',
    })
  }
  if (port === undefined && started.port !== USUAL_PORT)
    say(`port ${USUAL_PORT} is taken: the console uses ${started.port}`)
  return started
}

function proxyOf(flags: Flags): Pick<ConsoleOptions, 'trustedProxy'> {
  const from = listOf(flags, 'trusted-proxy')
  if (from.length === 0) return {}
  const [userHeader, groupsHeader] = [textOf(flags, 'proxy-user-header'), textOf(flags, 'proxy-groups-header')]
  return {
    trustedProxy: {
      from,
      ...(userHeader !== undefined && { userHeader }),
      ...(groupsHeader !== undefined && { groupsHeader }),
    },
  }
}

const reported = ({ namespace, name, trouble, health, head }: BusReport) => ({
  namespace,
  name,
  ...(head !== undefined && { head }),
  ...(trouble !== undefined && { trouble }),
  ...(health && { state: health.state }),
  ...(health && 'events' in health && { events: health.events, bytes: health.bytes }),
  ...(health && 'slowest' in health && { slowest: health.slowest }),
})

async function tokenOf(env: Env, folder: DataFolder | undefined): Promise<string> {
  const fresh = Buffer.from(env.random.bytes(TOKEN_BYTES)).toString('base64url')
  if (!folder) return fresh
  const path = join(folder.path, 'console-token')
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (/^[\w-]{32,}$/.test(kept)) return kept
  await writePrivateFile(path, `${fresh}\n`)
  return fresh
}
