import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { type Client, kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestCluster, type TestCluster } from '../testing.ts'
import { applyManifests } from './apply-manifests.ts'
import { groupKind, stagesOf } from './apply-order.ts'
import { formatNote } from './manifest.ts'
import { readManifests } from './manifest-folder.ts'
import { createManifestSync, describeRemoval, type SyncReport } from './manifest-sync.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-manifests-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function write(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}
const read = (path = '.') => readManifests([join(folder, path)], folder)
const configMap = (name: string, data = 'a') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: ${data}\n`

describe('a folder of manifests', () => {
  it('is read whole, with the place of every document', async () => {
    await write({
      'a.yaml': `# a comment\n${configMap('one')}---\n${configMap('two')}---\n`,
      'deep/er/b.yml': configMap('three'),
      'c.json': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'four' } }),
      'list.yaml': `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: five\n`,
    })
    const { manifests, problems } = await read()
    expect(problems).toEqual([])
    expect(manifests.map(({ object, file, line }) => `${file}:${line} ${object.metadata.name}`)).toEqual([
      'a.yaml:2 one',
      'a.yaml:9 two',
      'c.json:1 four',
      'deep/er/b.yml:1 three',
      'list.yaml:4 five',
    ])
    expect(manifests[1]?.lineOf(['data', 'a'])).toBe(14)
    expect(manifests[4]?.lineOf(['metadata', 'name'])).toBe(7)
  })

  it('leaves out what is not meant', async () => {
    await write({
      '.hidden.yaml': 'nonsense',
      '.git/x.yaml': 'nonsense',
      'node_modules/p/x.yaml': 'nonsense',
      'package.json': '{"name":"x"}',
      'a.test.yaml': 'nonsense',
      'fixture.json': '{"some":"data"}',
      'chart/Chart.yaml': 'name: x',
      'chart/templates/x.yaml': '{{ nonsense }}',
      'README.md': 'words',
    })
    const { manifests, problems, notes } = await read()
    expect([manifests, problems]).toEqual([[], []])
    expect(notes.map(({ file }) => file)).toEqual(['chart/Chart.yaml', 'fixture.json'])
  })

  it('with a kustomization is what that names', async () => {
    await write({
      'kustomization.yaml': 'kind: Kustomization\nresources:\n- a.yaml\n- sub\n',
      'a.yaml': configMap('one'),
      'b.yaml': configMap('not-meant'),
      'sub/c.yaml': configMap('two'),
    })
    expect((await read()).manifests.map(({ object }) => object.metadata.name)).toEqual(['one', 'two'])
    await write({ 'kustomization.yaml': 'resources:\n- gone.yaml\nnamePrefix: x-\n' })
    expect((await read()).problems.map(formatNote)).toEqual([
      'kustomization.yaml:3: namePrefix is not understood here: run kustomize build and give tiphys what it prints',
      'kustomization.yaml:2: there is no gone.yaml',
    ])
  })

  it.each([
    ['a: [1,\nb: 2\n', /^bad\.yaml:\d: /],
    ['kind: ConfigMap\nmetadata: {name: x}\n', /^bad\.yaml:1: this is no Kubernetes object: it has no apiVersion$/],
    ['- 1\n', /^bad\.yaml:1: this is no Kubernetes object/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n', /^bad\.yaml:3: ConfigMap has no metadata\.name$/],
    [`${configMap('x')}kind: Pod\n`, /^bad\.yaml:7: key "kind" already set in map$/],
    [`${configMap('x')}---\n${configMap('x', 'b')}`, /^bad\.yaml:8: ConfigMap x is in bad\.yaml:1 already, and says/],
  ])('says what is wrong and where: %j', async (text, words) => {
    await write({ 'bad.yaml': text })
    const { problems } = await read()
    expect(problems.map(formatNote)).toEqual([expect.stringMatching(words)])
  })

  it('may say the same twice', async () => {
    await write({ 'a.yaml': configMap('one'), 'b.yaml': configMap('one') })
    const { manifests, problems } = await read()
    expect(problems).toEqual([])
    expect(manifests.map(({ file }) => file)).toEqual(['a.yaml'])
  })

  it('that is not there is named', async () => {
    await expect(read('nowhere')).rejects.toThrow(/nowhere cannot be read: there is no such file or folder/)
  })
})

describe('the order of application', () => {
  it('is that in which one needs the other', async () => {
    const kinds = [
      ['example.com/v1', 'Thing'],
      ['argoproj.io/v1alpha1', 'EventSource'],
      ['argoproj.io/v1alpha1', 'Sensor'],
      ['argoproj.io/v1alpha1', 'WorkflowTemplate'],
      ['argoproj.io/v1alpha1', 'EventBus'],
      ['v1', 'ConfigMap'],
      ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
      ['v1', 'ServiceAccount'],
      ['v1', 'Namespace'],
      ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ] as const
    const manifests = kinds.map(([apiVersion, kind]) => ({
      object: { apiVersion, kind, metadata: { name: 'x' } },
      file: 'x',
      line: 1,
      lineOf: () => 1,
    }))
    const stages = stagesOf(manifests)
    expect(stages.flatMap(stage => stage.manifests.map(({ object }) => groupKind(object).split('/')[1]))).toEqual([
      'CustomResourceDefinition',
      'Namespace',
      'ServiceAccount',
      'RoleBinding',
      'ConfigMap',
      'EventBus',
      'WorkflowTemplate',
      'Sensor',
      'EventSource',
      'Thing',
    ])
    expect(stages.map(({ wait }) => wait).filter(Boolean)).toEqual(['established', 'active'])
  })

  it('waits for sensors also where there are no sources', () => {
    const object = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Sensor', metadata: { name: 'x' } }
    const stages = stagesOf([{ object, file: 'x', line: 1, lineOf: () => 1 }])
    expect(stages.at(-2)?.wait ?? stages.at(-1)?.wait).toBe('active')
  })
})

describe('applying', () => {
  let cluster: TestCluster
  let client: Client
  beforeEach(async () => {
    cluster = await createTestCluster({ nodes: 0 })
    client = cluster.client
  })
  afterEach(() => cluster.close())

  const options = () => ({ client, env: systemEnv, namespace: 'default' })
  const apply = async (more: { force?: boolean; dryRun?: boolean } = {}) =>
    await applyManifests((await read()).manifests, { ...options(), ...more })

  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, minimum: 1}}}
`
  const thing = (spec: string) => `apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: it\nspec:\n  ${spec}\n`

  it('defines a kind and uses it, and finds nothing to do the second time', async () => {
    await write({ 'a-thing.yaml': thing('size: 3'), 'z-definition.yaml': definition })
    expect((await apply()).applied.map(({ outcome }) => outcome)).toEqual(['created', 'created'])
    expect((await apply()).applied.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    await write({ 'a-thing.yaml': thing('size: 4') })
    expect((await apply()).applied.map(({ outcome }) => outcome)).toEqual(['unchanged', 'changed'])
  })

  it('names file, line and field of what the server refuses', async () => {
    await write({ 'thing.yaml': `---\n${thing('size: 0')}`, 'definition.yaml': definition })
    expect((await apply()).problems.map(formatNote)).toEqual([
      expect.stringMatching(/^thing\.yaml:7: Thing it: .*spec\.size.*greater than or equal to 1/),
    ])
    await write({ 'thing.yaml': thing('sise: 1') })
    expect((await apply()).problems.map(formatNote)).toEqual(['thing.yaml:6: Thing it: unknown field spec.sise'])
    await write({ 'thing.yaml': 'apiVersion: example.com/v1\nkind: Thimg\nmetadata: {name: x}\n' })
    expect((await apply({ dryRun: true })).problems.map(formatNote)).toEqual([
      expect.stringMatching(/^thing\.yaml:1: Thimg x: the server does not know the kind Thimg/),
    ])
  })

  it('does not take what somebody else has set, unless told to', async () => {
    await client.apply(
      { ...kindRef('v1', 'ConfigMap'), metadata: { name: 'one', namespace: 'default' }, data: { a: 'theirs' } },
      { fieldManager: 'somebody' },
    )
    await write({ 'a.yaml': configMap('one', 'ours') })
    expect((await apply()).problems.map(formatNote)).toEqual([
      expect.stringMatching(/^a\.yaml:1: ConfigMap one: .*"somebody".*take it over with --force$/),
    ])
    expect((await apply({ force: true })).applied.map(({ outcome }) => outcome)).toEqual(['changed'])
  })

  it('leaves what has no name of its own to tiphys submit', async () => {
    await write({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n' })
    const { applied, notes } = await apply()
    expect(applied).toEqual([])
    expect(notes.map(formatNote)).toEqual([
      expect.stringMatching(/^a\.yaml:1: ConfigMap has a generateName .*tiphys submit a\.yaml$/),
    ])
  })

  describe('again when files change', () => {
    const following = async (prune: boolean) => {
      const sync = createManifestSync({ ...options(), paths: [folder], prune })
      const outcomes: (SyncReport | Error)[] = []
      let arrived = () => {}
      await sync.sync()
      sync.follow(outcome => {
        outcomes.push(outcome)
        arrived()
      })
      const next = async () => {
        if (outcomes.length === 0) await new Promise<void>(resolve => (arrived = resolve))
        return outcomes.shift() as SyncReport
      }
      return { sync, next }
    }

    it('applies what changed, and survives a file that is broken for a while', async () => {
      await write({ 'a.yaml': configMap('one'), 'b.yaml': configMap('two') })
      const { sync, next } = await following(false)
      await write({ 'b.yaml': 'a: [' })
      expect(await next()).toMatchObject({ code: 'manifest-invalid' })
      await write({ 'b.yaml': configMap('two', 'changed') })
      const { applied } = await next()
      expect(applied.map(({ object, outcome }) => [object.metadata.name, outcome])).toEqual([['two', 'changed']])
      await sync.close()
    })

    it('notices every time that a file is replaced by another, as editors do it, also in a new folder', async () => {
      await write({ 'a.yaml': configMap('one') })
      const { sync, next } = await following(false)
      const replace = async (path: string, text: string) => {
        await write({ '.draft': text })
        await rename(join(folder, '.draft'), join(folder, path))
      }
      // The draft is a change too, which leads to nothing.
      const outcomes = async () => {
        for (;;) {
          const { applied } = await next()
          if (applied.length > 0) return applied.map(({ object, outcome }) => [object.metadata.name, outcome])
        }
      }
      await replace('a.yaml', configMap('one', 'second'))
      expect(await outcomes()).toEqual([['one', 'changed']])
      await replace('a.yaml', configMap('one', 'third'))
      expect(await outcomes()).toEqual([['one', 'changed']])
      await mkdir(join(folder, 'more'))
      await replace('more/b.yaml', configMap('two'))
      expect(await outcomes()).toEqual([['two', 'created']])
      await sync.close()
    })

    it('survives that the folder is removed, and goes on when it is there again', async () => {
      await write({ 'a.yaml': configMap('one'), 'more/b.yaml': configMap('two') })
      const { sync, next } = await following(false)
      await rm(folder, { recursive: true })
      const until = async (isMeant: (outcome: SyncReport | Error) => boolean) => {
        for (;;) {
          const outcome = await next()
          if (isMeant(outcome)) return outcome
        }
      }
      await until(outcome => outcome instanceof Error && outcome.message.includes('there is no such file or folder'))
      await write({ 'more/b.yaml': configMap('two', 'changed') })
      const { applied } = await until(outcome => 'applied' in outcome && outcome.applied.length > 0)
      expect(applied.map(({ object, outcome }) => [object.metadata.name, outcome])).toEqual([['two', 'changed']])
      await write({ 'more/b.yaml': configMap('two', 'changed again') })
      await until(outcome => 'applied' in outcome && outcome.applied.length > 0)
      await sync.close()
    })

    it.each([false, true])('says what becomes of an object whose manifest goes (prune: %s)', async prune => {
      await write({ 'a.yaml': configMap('one'), 'b.yaml': configMap('two') })
      const { sync, next } = await following(prune)
      await rm(join(folder, 'b.yaml'))
      const { removed } = await next()
      expect(removed.map(describeRemoval)).toEqual([
        expect.stringMatching(prune ? /^ConfigMap two is deleted/ : /^ConfigMap two stays.*--prune$/),
      ])
      const { items } = await client.list({ ...kindRef('v1', 'ConfigMap'), namespace: 'default' })
      expect(items.some(({ metadata }) => metadata.name === 'two')).toBe(!prune)
      await sync.close()
    })
  })
})
