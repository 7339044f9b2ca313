import type { Env } from '@tiphys/env'
import { type Client, isAlreadyExists, isForbidden, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import { waitUntilEstablished } from '../manifests/wait-until-established.ts'

const DEFINITION = kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** Defines the kinds that the cluster does not have. What it has is used as it is: it may be newer than ours, and other
 *  controllers rely on it. Resolves with what could not be done, in words. */
export async function installDefinitions(
  definitions: readonly KubeObject[],
  { client, env, signal }: { client: Client; env: Env; signal?: AbortSignal },
): Promise<{ installed: string[]; problems: string[] }> {
  const installed: KubeObject[] = []
  const problems: string[] = []
  await Promise.all(
    definitions.map(async definition => {
      const name = definition.metadata.name ?? ''
      try {
        await client.get({ ...DEFINITION, name }, { metadataOnly: true })
      } catch (thrown) {
        if (isForbidden(thrown)) return
        if (!isNotFound(thrown)) throw thrown
        const created = await client.create(definition, { fieldManager: 'tiphys' }).catch(thrown => {
          if (isAlreadyExists(thrown)) return undefined
          if (!isForbidden(thrown)) throw thrown
          problems.push(
            `the CustomResourceDefinition ${name} is missing and may not be created: ask an administrator to`,
          )
          return undefined
        })
        if (created) installed.push(created)
      }
    }),
  )
  const place = { file: '', line: 0, lineOf: () => 0 }
  const applied = installed.map(object => ({ object, manifest: { object, ...place }, outcome: 'created' as const }))
  const late = await waitUntilEstablished(applied, { client, env, ...(signal && { signal }) })
  return {
    installed: installed.map(({ metadata }) => metadata.name ?? ''),
    problems: [...problems, ...late.map(({ message }) => message)],
  }
}
