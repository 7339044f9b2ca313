import { type Client, isNotFound, kindRef } from '@tiphys/kube'
import type { ConfigMap, Pod } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

const CONFIG_MAP = kindRef<ConfigMap>('v1', 'ConfigMap')
const POD = kindRef<Pod>('v1', 'Pod')
const GREETING = kindRef('example.com/v1', 'Greeting')

let folder: TiphysFolder
let client: Client
beforeEach(async () => {
  folder = await TiphysFolder.make()
  await folder.tiphys('init', 'op')
  await folder.start('cluster', '--port', '0', '--runtime', 'simulated')
  client = await folder.client()
})
afterEach(() => folder.remove())

const run = (...args: string[]) => folder.start('run', 'op', '--console-port', '0', ...args)
const greet = (name: string) => client.create({ ...GREETING, metadata: { name, namespace: 'default' }, spec: { name } })
const text = async (name: string) => {
  try {
    return (await client.get({ ...CONFIG_MAP, namespace: 'default', name })).data?.text
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}

describe('tiphys run', () => {
  it('serves the cluster that runs beside it, and makes up for the time in which it was killed', async () => {
    const first = await run()
    expect(first.out).toMatch(
      /^console .*\nAPI +https:.* \(v1\.36.*\)\nkubeconfig .*\nserves +all namespaces\nmanifests .*\ntiphys is ready\n$/,
    )
    await eventually('the sample', () => text('world'))
    await first.signal('SIGKILL')
    await greet('while-down')
    const second = await run()
    expect(await eventually('what was missed', () => text('while-down'))).toBe('Hello, while-down!')
    await greet('after')
    expect(await eventually('the next', () => text('after'))).toBe('Hello, after!')
    expect(await second.signal('SIGTERM')).toMatchObject({ code: 0 })
  })

  it('leaves definitions as they are', async () => {
    const definition = kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    const own = {
      ...definition,
      metadata: { name: 'eventbus.argoproj.io', labels: { from: 'elsewhere' } },
      spec: {
        group: 'argoproj.io',
        scope: 'Namespaced',
        names: { kind: 'EventBus', plural: 'eventbus' },
        versions: [
          {
            name: 'v1alpha1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    }
    const { metadata } = await client.create(own)
    await run()
    await eventually('the sample', () => text('world'))
    const found = (await client.get({ ...definition, name: 'eventbus.argoproj.io' })) as {
      metadata: { generation?: number; labels?: object }
    }
    expect(found.metadata).toMatchObject({
      labels: { from: 'elsewhere' },
      generation: (metadata as { generation?: number }).generation,
    })
  })

  describe('beside Argo', () => {
    const deploy = (name: string, image: string, args: string[]) =>
      client.create({
        ...kindRef('apps/v1', 'Deployment'),
        metadata: { name, namespace: 'default' },
        spec: {
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image, args }] } },
        },
      })

    it('refuses what Argo Workflows serves, unless an instance id or a namespace tells them apart', async () => {
      await deploy('workflow-controller', 'quay.io/argoproj/workflow-controller:v3.7.0', [])
      const { code, err } = await folder.tiphys('run', 'op')
      expect(code).toBe(1)
      expect(err).toMatch(
        /^error: Argo Workflows \(Deployment default\/workflow-controller\) serves all namespaces of this cluster: both would act/,
      )
      const running = await run('--instance-id', 'mine')
      await folder.write({
        'wait.yaml':
          'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: { name: wait }\nspec: { entrypoint: main, templates: [{ name: main, suspend: { duration: 0s } }] }\n',
      })
      // What is submitted to it, it runs, although others run what carries no id.
      expect(await folder.tiphys('submit', 'wait.yaml', '--watch')).toMatchObject({ code: 0 })
      expect(await running.signal('SIGTERM')).toMatchObject({ code: 0 })
      expect(await folder.tiphys('submit', 'wait.yaml', '--name', 'later')).toMatchObject({
        code: 0,
        err: 'note: nothing runs workflows there yet: it begins with tiphys run or tiphys up\n',
      })
    })

    it('refuses what Argo Events serves, also with an instance id, and takes another namespace', async () => {
      await deploy('controller-manager', 'quay.io/argoproj/argo-events:v1.9.11', [
        'controller',
        '--namespaced',
        '--managed-namespace=argo',
      ])
      const { code, err } = await folder.tiphys('run', 'op', '--instance-id', 'mine')
      expect(code).toBe(1)
      expect(err).toMatch(/serves the namespace argo of this cluster.*Serve another namespace with --namespace/)
      await run('--namespace', 'default')
      await eventually('the sample', () => text('world'))
    })
  })

  it('brings artifacts by the image that it is told to', async () => {
    await run('--artifact-image', 'registry.local/tools:1')
    await folder.write({
      'given.yaml': `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: given }
spec:
  entrypoint: main
  templates:
    - name: main
      inputs: { artifacts: [{ name: text, path: /tmp/text, raw: { data: hello } }] }
      container: { image: alpine, command: [cat, /tmp/text] }
`,
    })
    expect(await folder.tiphys('submit', 'given.yaml')).toMatchObject({ code: 0 })
    const labelSelector = 'workflows.argoproj.io/workflow=given'
    const pod = await eventually(
      'its pod',
      async () => (await client.list({ ...POD, namespace: 'default', labelSelector })).items[0],
    )
    expect(pod.spec?.initContainers?.map(({ image }) => image)).toEqual(['registry.local/tools:1'])
  })

  it('says what its user may not do', async () => {
    const kubeconfig = await folder.read('.tiphys/kubeconfig')
    // Somebody who may look at everything and do nothing.
    await folder.write({
      kc: kubeconfig.replace(/(\n\s*)client-certificate-data:/, '$1as: viewer$1client-certificate-data:'),
    })
    await client.create({
      ...kindRef('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'),
      metadata: { name: 'viewer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    const running = folder.begin('run', '--kubeconfig', 'kc', '--console-port', '0')
    const said = await eventually('the note', () => (running.err.includes('note:') ? running.err : undefined))
    expect(said).toMatch(/note: this user may not impersonate serviceaccounts, .*create pods/)
  })

  it('says so when no cluster answers', async () => {
    const { code, err } = await folder.tiphys('run', '--kubeconfig', 'nowhere')
    expect(code).toBe(1)
    expect(err).toMatch(/^error: .*nowhere/)
  })
})
