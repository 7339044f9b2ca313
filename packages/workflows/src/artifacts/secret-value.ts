import { type Client, kindRef } from '@tiphys/kube'
import type { KeyRef } from '../spec/workflow.ts'
import { refusedArtifact } from './artifact-failures.ts'

/** What a Secret has under a key, read with the rights of whom the client acts for. */
export async function secretValue(client: Client, namespace: string, { name, key }: KeyRef): Promise<string> {
  const { data = {} } = await client.get({ ...kindRef('v1', 'Secret'), namespace, name })
  const value = Object.hasOwn(data, key) ? data[key] : undefined
  if (value === undefined) throw refusedArtifact(`The Secret ${name} has no key ${key}`)
  return Buffer.from(value, 'base64').toString()
}
