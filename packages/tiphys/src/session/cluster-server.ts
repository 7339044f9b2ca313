import { readFile } from 'node:fs/promises'
import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type Identity,
  type OpeningJournal,
  openDurableStorage,
} from '@tiphys/apiserver'
import { asError, type Env, TerminalFailure } from '@tiphys/env'
import { kubeconfigFor } from '@tiphys/kube'
import { writePrivateFile } from '../private-file.ts'

/** Where a cluster is kept. */
export interface KeptCluster {
  journal: OpeningJournal
  identityFile: string
}

/** The API server of a cluster, in memory unless it is kept. */
export async function createServer(
  options: ApiServerOptions & { env: Env },
  kept: KeptCluster | undefined,
): Promise<ApiServer> {
  if (!kept) return await createApiServer(options)
  const { journal, identityFile } = kept
  const storage = await openDurableStorage({ journal, env: options.env })
  try {
    const identity = await readIdentity(identityFile)
    const keepIdentity = (made: Identity) => writePrivateFile(identityFile, JSON.stringify(made))
    return await createApiServer({ ...options, storage, keepIdentity, ...(identity ? { identity } : {}) })
  } catch (thrown) {
    await storage.close()
    throw thrown
  }
}

/** The keys of an earlier run; undefined in a new folder. */
async function readIdentity(path: string): Promise<Identity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Identity
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TerminalFailure('cli-identity-unreadable', {
      what: `the keys of this cluster in ${path} cannot be read`,
      why: asError(thrown).message,
      todo: 'Restore the file from a backup, or remove it: certificates and tokens given out before then stop working',
      cause: thrown,
    })
  }
}

export function adminKubeconfig(server: ApiServer, url: string): string {
  const { certificate, key } = server.issueClientCertificate({ name: 'tiphys-admin', groups: ['system:masters'] })
  return kubeconfigFor({ name: 'tiphys', server: url, ca: server.caCertificate, user: { cert: certificate, key } })
}
