import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { TerminalFailure } from '@tiphys/env'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where an engine may listen: what the environment names, else the usual places, the user's own engine before the
 *  machine's. */
export function engineSocketCandidates(environment: Environment, home = homedir()): string[] {
  const named = environment.DOCKER_HOST ?? environment.CONTAINER_HOST
  if (named !== undefined && named !== '') return named.startsWith('unix://') ? [named.slice('unix://'.length)] : []
  const { XDG_RUNTIME_DIR: runtime } = environment
  return [
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock'), join(runtime, 'podman/podman.sock')]),
    join(home, '.docker/run/docker.sock'),
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
  ]
}

/** The first candidate that is a socket. Throws when there is none, and says what to do. */
export function findEngineSocket(environment: Environment): string {
  const candidates = engineSocketCandidates(environment)
  const found = candidates.find(isSocket)
  if (found !== undefined) return found
  const looked =
    candidates.length > 0 ? `looked for ${candidates.join(', ')}` : 'DOCKER_HOST does not name a Unix socket'
  throw new TerminalFailure('docker-engine-missing', {
    what: 'no container engine is running',
    why: looked,
    todo: 'Start Docker, or `podman system service --time 0`; DOCKER_HOST names another socket',
  })
}

function isSocket(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false
}
