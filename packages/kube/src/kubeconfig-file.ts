import { rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '@tiphys/env'
import { formatYaml } from './yaml-format.ts'

export interface KubeconfigContents {
  /** The name of the cluster, the user's prefix and the context. */
  name: string
  server: string
  /** The cluster's certificate authority, PEM. */
  ca?: string
  user: { name?: string } & ({ cert: string; key: string } | { token: string } | Record<string, never>)
  namespace?: string
}

/** A kubeconfig with one cluster, one user and one context, which is the current one. */
export function kubeconfigFor({ name, server, ca, user, namespace }: KubeconfigContents): string {
  const userName = user.name ?? `${name}-admin`
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }) } }],
    users: [{ name: userName, user: credentialOf(user) }],
    contexts: [{ name, context: { cluster: name, user: userName, ...(namespace !== undefined && { namespace }) } }],
    'current-context': name,
  })
}

/** Writes a kubeconfig that only its owner can read. The file is whole at every moment. */
export async function writeKubeconfig(file: string, text: string): Promise<void> {
  makeFolder(path.dirname(path.resolve(file)))
  const draft = `${file}.${process.pid}.tmp`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (thrown) {
    await rm(draft, { force: true })
    throw thrown
  }
}

function credentialOf(user: KubeconfigContents['user']) {
  if ('token' in user) return { token: user.token }
  if (!('cert' in user)) return {}
  return { 'client-certificate-data': base64(user.cert), 'client-key-data': base64(user.key) }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
