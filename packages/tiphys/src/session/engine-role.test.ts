import { systemEnv } from '@tiphys/env'
import { eventDefinitions } from '@tiphys/events'
import type { Client, KubeObject } from '@tiphys/kube'
import { readYaml } from '@tiphys/kube'
import { workflowDefinitions } from '@tiphys/workflows'
import { expect, it } from 'vitest'
import { starterFiles } from '../starter.ts'
import { createTestCluster } from '../testing.ts'
import { eventually } from '../tiphys-folder.ts'
import { installDefinitions } from './definitions.ts'
import { ENGINE_RULES, ENGINE_USER, installEngineRole } from './engine-role.ts'
import { startEngines } from './engines.ts'
import { missingRights } from './own-rights.ts'
import { createMemoryStore } from './store.ts'

/** What the scene below does not come to, and what does. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^list events$/, 'pods that do not start'],
  [/^list /, 'servers that do not stream lists'],
  [/^(get|create) pods\/exec$/, 'artifacts of steps'],
  [/^(create|delete) persistentvolumeclaims$/, 'volumes of a run'],
  [/^(create|delete) poddisruptionbudgets\.policy$/, 'the budget that a run asks for'],
  [/^get configmaps$/, 'parameters and locks'],
  [/^get secrets$/, 'headers of http templates, keys of artifact stores'],
  [/^(create|patch) events$/, 'failures that are told'],
  [/^get (workflows\.argoproj\.io|pods)$/, 'what is there already after a crash'],
  [/^delete pods$/, 'runs that are stopped, pods that are not kept'],
  [/^(create|patch|update) (cron)?workflows\.argoproj\.io$/, 'schedules, when their time comes'],
]

const asked = ENGINE_RULES.flatMap(({ apiGroups = [], resources = [], verbs = [] }) =>
  apiGroups.flatMap(group => resources.flatMap(resource => verbs.map(verb => right(verb, group, resource)))),
)

function right(verb: string, group: string, resource: string): string {
  const [name, subresource] = resource.split('/')
  return `${verb} ${name}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`
}

it('names no resource and no verb by a star, and no group of users', () => {
  expect(JSON.stringify(ENGINE_RULES)).not.toContain('*')
  expect(asked.filter(right => right.startsWith('impersonate'))).toEqual(['impersonate serviceaccounts'])
})

it('is all that the engines need, and every right of it is used', async () => {
  const cluster = await createTestCluster()
  const { client: administrator } = cluster
  await installDefinitions([...eventDefinitions, ...workflowDefinitions], { client: administrator, env: systemEnv })
  await installEngineRole(administrator)
  const used = new Set<string>()
  const refused: string[] = []
  const client = recorded(administrator.as({ user: ENGINE_USER }), used, refused)
  const store = createMemoryStore(systemEnv)
  const engines = await startEngines({ env: systemEnv, client, store })
  try {
    await engines.ready()
    for (const text of Object.values(starterFiles()).filter(
      text => text.includes('apiVersion:') && !text.includes('import '),
    ))
      for (const { value } of await readYaml(text)) await apply(administrator, value as KubeObject)
    for (const { value } of await readYaml(SCENE)) await apply(administrator, value as KubeObject)
    const phase = async (kind: string, apiVersion: string, name: string) => {
      const found = await administrator.get<KubeObject>({ apiVersion, kind, namespace: 'default', name })
      return (found.status as { phase?: string } | undefined)?.phase
    }
    for (const kind of ['Replay', 'Retry', 'Discard'])
      await eventually(kind, async () =>
        /Succeeded|Failed/.test((await phase(kind, 'tiphys.dev/v1alpha1', 'all')) ?? '') ? true : undefined,
      )
    await eventually('the run to be deleted', () => (used.has('delete workflows.argoproj.io') ? true : undefined))
  } finally {
    await engines.stop()
    await store.close()
    await cluster.close()
  }
  expect(refused).toEqual([])
  const unused = asked.filter(right => !used.has(right) && right !== 'impersonate serviceaccounts')
  expect(unused.filter(right => !ELSEWHERE.some(([pattern]) => pattern.test(right)))).toEqual([])
})

it('tells whoever lacks a part of it which', async () => {
  const cluster = await createTestCluster({ nodes: 0 })
  expect(await missingRights(cluster.client, ENGINE_RULES, undefined)).toEqual([])
  const nobody = cluster.client.as({ user: 'nobody' })
  const rules = [
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] },
  ]
  expect(await missingRights(nobody, rules, ['default'])).toEqual(['get pods', 'get pods/log', 'list deployments.apps'])
  await cluster.close()
})

async function apply(client: Client, object: KubeObject): Promise<void> {
  const { namespaced } = await eventually(object.kind, () => client.resourceFor(object).catch(() => undefined))
  const metadata = namespaced ? { namespace: 'default', ...object.metadata } : object.metadata
  await client.apply({ ...object, metadata }, { fieldManager: 'test', force: true })
}

/** Notes every call that is made as the engine itself, and what the server refuses of it. */
function recorded(client: Client, used: Set<string>, refused: string[]): Client {
  const VERBS: Readonly<Record<string, string>> = {
    listAll: 'list',
    apply: 'patch',
    deleteCollection: 'deletecollection',
  }
  const note = async (verb: string, ref: { apiVersion: string; kind: string }, subresource?: string) => {
    const { group, resource } = await client.resourceFor(ref).catch(() => ({ group: '', resource: ref.kind }))
    used.add(right(VERBS[verb] ?? verb, group, subresource === undefined ? resource : `${resource}/${subresource}`))
  }
  const watched = <T>(task: Promise<T>) =>
    task.catch((thrown: Error) => {
      if ((thrown as { statusCode?: number }).statusCode === 403) refused.push(thrown.message)
      throw thrown
    })
  return new Proxy(client, {
    get(target, name: keyof Client) {
      const method = target[name] as (...args: unknown[]) => unknown
      if (['get', 'list', 'listAll', 'create', 'update', 'patch', 'apply', 'delete'].includes(name))
        return (ref: { apiVersion: string; kind: string }, ...rest: unknown[]) => {
          const options = rest.at(-1) as { subresource?: string } | undefined
          void note(name, ref, options?.subresource)
          return watched(method.call(target, ref, ...rest) as Promise<unknown>)
        }
      if (name === 'watch')
        return (ref: { apiVersion: string; kind: string }, ...rest: unknown[]) => {
          void note('watch', ref)
          return method.call(target, ref, ...rest)
        }
      if (name === 'logs')
        return (...args: unknown[]) => {
          used.add('get pods/log')
          return method.apply(target, args)
        }
      // Who acts as a ServiceAccount is the administrator here; that the engine may is what the test of `up` shows.
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

const SCENE = `
apiVersion: argoproj.io/v1alpha1
kind: ClusterWorkflowTemplate
metadata: { name: shared }
spec: { templates: [{ name: say, container: { image: alpine, command: [echo] } }] }
---
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: { name: mine }
spec:
  templates:
    - name: say
      # It prints something: nobody asks for the logs of silent pods.
      metadata: { annotations: { tiphys.dev/simulate: "log: said" } }
      container: { image: alpine, command: [echo] }
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: run }
spec:
  entrypoint: main
  ttlStrategy: { secondsAfterCompletion: 0 }
  podGC: { strategy: OnPodSuccess }
  templates:
    - name: main
      memoize: { key: one, cache: { configMap: { name: memo } } }
      steps:
        - - { name: a, templateRef: { name: shared, template: say, clusterScope: true } }
          - { name: b, templateRef: { name: mine, template: say } }
---
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: { name: often }
spec:
  schedules: ["* * * * *"]
  workflowSpec: { entrypoint: main, templates: [{ name: main, suspend: {} }] }
---
apiVersion: tiphys.dev/v1alpha1
kind: Replay
metadata: { name: all }
spec: { mode: Count }
---
apiVersion: tiphys.dev/v1alpha1
kind: Retry
metadata: { name: all }
spec: { sensor: greeting }
---
apiVersion: tiphys.dev/v1alpha1
kind: Discard
metadata: { name: all }
spec: { sensor: greeting, reason: a test }
`
