import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ApiServer, createApiServer, type Identity, type Listening, openDurableStorage } from '@tiphys/apiserver'
import { createLog, type Env, formatJson, formatPretty, systemClock, systemRandom, TerminalFailure } from '@tiphys/env'
import { kubeconfigFor, writeKubeconfig } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import type { Invocation, RunCommand } from '../command.ts'

const DEFAULT_PORT = 6443
const PORTS_TRIED = 100

/** `tiphys cluster`: the embedded cluster alone, until it is interrupted. */
export const run: RunCommand = async invocation => {
  const { flags, terminal, interrupted } = invocation
  const env = environment(invocation)
  const data = resolve(typeof flags.data === 'string' ? flags.data : '.tiphys')
  const kubeconfigPath = resolve(
    typeof flags['kubeconfig-out'] === 'string' ? flags['kubeconfig-out'] : join(data, 'kubeconfig'),
  )
  const server =
    flags.memory === true ? await createApiServer({ env, namespaceDefaults: true }) : await durableServer(env, data)
  try {
    const listening = await listenOnFreePort(
      server,
      portOf(flags.port),
      flags.port === undefined ? line => terminal.err(line) : undefined,
    )
    await writeAdminKubeconfig(server, listening, kubeconfigPath)
    if (flags.json === true)
      terminal.out(JSON.stringify({ url: listening.url, kubeconfig: kubeconfigPath, pid: process.pid }))
    else {
      terminal.out(`API         ${listening.url}`)
      terminal.out(`kubeconfig  ${kubeconfigPath}`)
      terminal.out('tiphys is ready')
    }
    await new Promise<void>(done => {
      if (interrupted.aborted) done()
      interrupted.addEventListener('abort', () => done(), { once: true })
    })
    return 0
  } finally {
    await server.close()
  }
}

function environment({ flags, terminal }: Invocation): Env {
  const format = terminal.isInteractive
    ? (line: Parameters<typeof formatJson>[0]) => formatPretty(line, terminal.colour)
    : formatJson
  const log = createLog({
    now: () => systemClock.now(),
    level: flags.verbose === true ? 'debug' : 'info',
    write: line => terminal.err(format(line)),
  })
  return { clock: systemClock, random: systemRandom, log }
}

function portOf(flag: string | true | undefined): number {
  if (flag === undefined) return DEFAULT_PORT
  const port = Number(flag)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageFailure(`--port cannot be ${JSON.stringify(flag)}`, 'It is a number from 0 to 65535')
  return port
}

/** A port that somebody asked for is taken or refused; the usual one gives way to the next free one, which is said. */
async function listenOnFreePort(
  server: ApiServer,
  port: number,
  say: ((line: string) => void) | undefined,
): Promise<Listening> {
  for (let tried = port; ; tried++) {
    try {
      const listening = await server.listen({ port: tried })
      if (tried !== port) say?.(`port ${port} is taken: using ${tried}`)
      return listening
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && say !== undefined && tried < port + PORTS_TRIED) continue
      if (code === 'EADDRINUSE') {
        throw new TerminalFailure('cli-port-taken', {
          what: `port ${port} is taken`,
          todo: 'Choose another with --port, or --port 0 for any free one',
          cause: thrown,
        })
      }
      throw thrown
    }
  }
}

async function durableServer(env: Env, data: string): Promise<ApiServer> {
  const storage = await openDurableStorage({ directory: join(data, 'cluster'), env })
  const identityPath = join(data, 'identity.json')
  const identity = await readIdentity(identityPath)
  const server = await createApiServer({ env, storage, namespaceDefaults: true, ...(identity ? { identity } : {}) })
  if (!identity) await writeKubeconfig(identityPath, JSON.stringify(server.identity))
  return server
}

async function readIdentity(path: string): Promise<Identity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Identity
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TerminalFailure('cli-identity-unreadable', {
      what: `the keys of this cluster in ${path} cannot be read`,
      why: (thrown as Error).message,
      todo: 'Restore the file from a backup, or remove it: certificates and tokens given out before then stop working',
      cause: thrown,
    })
  }
}

async function writeAdminKubeconfig(server: ApiServer, { url }: Listening, path: string): Promise<void> {
  const { certificate, key } = server.issueClientCertificate({ name: 'tiphys-admin', groups: ['system:masters'] })
  const text = kubeconfigFor({
    name: 'tiphys',
    server: url,
    ca: server.caCertificate,
    user: { cert: certificate, key },
  })
  await writeKubeconfig(path, text)
}
