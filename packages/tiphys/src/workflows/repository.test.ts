import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { WorkflowProcesses } from './processes.ts'
import { nodeNamed, type RunObject, WORKFLOW } from './scene.ts'

const obstacle = whyNoNamespaces()
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

describe.skipIf(obstacle)(`an artifact repository${obstacle}`, () => {
  let scene: WorkflowProcesses
  const objects = new Map<string, Buffer>()
  /** As much of S3 as objects need; its signatures have tests of their own. */
  const bucket = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://bucket')
    void buffer(request).then(content => {
      if (request.method === 'PUT') objects.set(pathname, content)
      const found = objects.get(pathname)
      if (!found) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
      else response.end(request.method === 'PUT' ? '' : found)
    })
  })
  beforeAll(async () => {
    await new Promise<void>(resolve => bucket.listen(0, '127.0.0.1', resolve))
    scene = await WorkflowProcesses.start({ access: { outbound: { allow: LOOPBACK_RANGES } } })
    const place = {
      endpoint: `127.0.0.1:${(bucket.address() as AddressInfo).port}`,
      insecure: true,
      bucket: 'things',
      accessKeySecret: { name: 'bucket', key: 'access' },
      secretKeySecret: { name: 'bucket', key: 'secret' },
    }
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bucket' },
      stringData: { access: 'a', secret: 's' },
    })
    await scene.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'artifact-repositories',
        annotations: { 'workflows.argoproj.io/default-artifact-repository': 'usual' },
      },
      data: {
        usual: JSON.stringify({ s3: place }),
        other: JSON.stringify({ s3: { ...place, bucket: 'others', keyFormat: 'made-by/{{workflow.name}}' } }),
        archiving: JSON.stringify({ archiveLogs: true, s3: { ...place, bucket: 'archive' } }),
        far: JSON.stringify({ gcs: { bucket: 'x' } }),
      },
    })
    await scene.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    })
    await scene.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    })
  })
  afterAll(async () => {
    bucket.close()
    await scene?.close()
  })

  const shell = (name: string, script: string, more: Record<string, unknown>) => ({
    name,
    container: { image: 'alpine', command: ['sh', '-c', script] },
    ...more,
  })
  const run = async (name: string, more: Record<string, unknown>) => {
    await scene.create({
      ...WORKFLOW,
      metadata: { name },
      spec: {
        entrypoint: 'main',
        templates: [
          {
            name: 'main',
            steps: [
              [{ name: 'make', template: 'make' }],
              [
                {
                  name: 'take',
                  template: 'take',
                  arguments: { artifacts: [{ name: 'in', from: '{{steps.make.outputs.artifacts.out}}' }] },
                },
              ],
            ],
          },
          shell('make', 'echo precious >/tmp/out; echo said', {
            outputs: { artifacts: [{ name: 'out', path: '/tmp/out' }] },
          }),
          shell('take', 'cat /tmp/in', { inputs: { artifacts: [{ name: 'in', path: '/tmp/in' }] } }),
        ],
        ...more,
      },
    })
    return scene.untilOver(name)
  }

  const troublesOf = ({ status }: RunObject) =>
    Object.values(status?.nodes ?? {}).flatMap(({ type, message }) => (type === 'Pod' ? (message ?? []) : []))

  it('of the namespace has the artifacts of its runs, and the logs that are to be archived', async () => {
    const over = await run('usual', { archiveLogs: true })
    expect(troublesOf(over)).toEqual([])
    const make = nodeNamed(over, 'make')
    expect(make.outputs?.artifacts).toMatchObject([
      {
        name: 'out',
        s3: { bucket: 'things', key: expect.stringMatching(/^usual\/usual-make-\d+\/out.tgz$/) as string },
      },
      { name: 'main-logs', s3: { bucket: 'things', key: expect.stringMatching(/\/main.log$/) as string } },
    ])
    expect(await scene.logOf(over, nodeNamed(over, 'take').id)).toBe('precious\n')
    const [packed, log] = ((make.outputs?.artifacts ?? []) as { s3: { key: string } }[]).map(({ s3 }) =>
      objects.get(`/things/${s3.key}`),
    )
    expect(gunzipSync(packed ?? '').includes('precious')).toBe(true)
    expect(log?.toString()).toBe('said\n')
  })

  it('is another one where the run says so, and an error in words where it cannot be', async () => {
    const over = await run('chosen', { artifactRepositoryRef: { key: 'other' } })
    expect(troublesOf(over)).toEqual([])
    expect([...objects.keys()]).toContain('/others/made-by/chosen/out.tgz')
    const far = await run('far', { artifactRepositoryRef: { key: 'far' } })
    expect(nodeNamed(far, 'make').message).toContain('gcs is not supported')
    const none = await run('none', { artifactRepositoryRef: { key: 'none' } })
    expect(nodeNamed(none, 'make').message).toContain(
      'The ConfigMap artifact-repositories has no artifact repository none',
    )
  })

  it('that archives logs archives those of every step, whatever its Workflow says', async () => {
    const over = await run('archived', { artifactRepositoryRef: { key: 'archiving' }, archiveLogs: false })
    expect(troublesOf(over)).toEqual([])
    const artifacts = (nodeNamed(over, 'take').outputs?.artifacts ?? []) as { name: string; s3: { key: string } }[]
    expect(artifacts).toMatchObject([{ name: 'main-logs', s3: { bucket: 'archive' } }])
    expect(objects.get(`/archive/${artifacts[0]?.s3.key}`)?.toString()).toBe('precious\n')
  })
})
