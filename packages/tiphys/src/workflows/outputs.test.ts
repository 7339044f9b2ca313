import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { kindRef, LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { WorkflowProcesses } from './processes.ts'
import { nodeNamed, type RunObject, WORKFLOW } from './scene.ts'

const POD = kindRef('v1', 'Pod')
const obstacle = whyNoNamespaces()
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

describe.skipIf(obstacle)(`what steps leave${obstacle}`, () => {
  let scene: WorkflowProcesses
  const asked: { key: string | undefined; secret: string | undefined }[] = []
  const receiver = createServer((request, response) => {
    asked.push({ key: request.headers['idempotency-key'] as string | undefined, secret: request.headers.authorization })
    response.writeHead(request.url === '/bad' ? 500 : 200).end(JSON.stringify({ said: request.method }))
  })
  beforeAll(async () => {
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    scene = await WorkflowProcesses.start({ access: { outbound: { allow: LOOPBACK_RANGES } } })
  })
  afterAll(async () => {
    receiver.close()
    await scene?.close()
  })

  const run = async (
    name: string,
    template: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<RunObject> => {
    await scene.create({
      ...WORKFLOW,
      metadata: { name },
      spec: { entrypoint: 'main', templates: [{ name: 'main', ...template }], ...more },
    })
    return scene.untilOver(name)
  }
  const shell = (script: string, more: Record<string, unknown> = {}) => ({
    container: { image: 'alpine', command: ['sh', '-c', script] },
    ...more,
  })

  it('is kept of a step that prints without end as far as there is room, and the step ends as usual', async () => {
    const path = { outputs: { parameters: [{ name: 'last', valueFrom: { path: '/last' } }] } }
    const over = await run(
      'loud',
      shell('yes 0123456789012345678901234567890123456789 | head -c 100000000; echo fine >/last', path),
    )
    expect(nodeNamed(over, 'loud')).toMatchObject({
      phase: 'Succeeded',
      outputs: { parameters: [{ name: 'last', value: 'fine' }] },
    })
  })

  it('is an error when a file is larger than an output may be, or is not there', async () => {
    const big = await run(
      'big-output',
      shell('head -c 300000 /dev/zero | tr "\\0" x >/big', {
        outputs: { parameters: [{ name: 'big', valueFrom: { path: '/big' } }] },
      }),
    )
    expect(nodeNamed(big, 'big-output')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('more than 262144 bytes') as string,
    })
    const raw = { name: 'first', path: '/first', raw: { data: 'x' } }
    const away = { name: 'away', path: '/away', http: { url: 'http://nowhere.invalid/x' } }
    const input = await run('no-input', shell('true', { inputs: { artifacts: [raw, away] } }))
    expect(input.status?.phase).toBe('Error')
    expect(input.status?.message).toContain('nowhere.invalid')
    const none = await run('no-output', shell('true', { outputs: { artifacts: [{ name: 'none', path: '/none' }] } }))
    expect(nodeNamed(none, 'no-output')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('none') as string,
    })
  })

  it('comes as the termination message where an image has no shell, and is refused when that may be cut', async () => {
    const template = (script: string) =>
      shell(script, {
        metadata: { annotations: { 'tiphys.dev/outputs': 'termination-message' } },
        outputs: { parameters: [{ name: 'x', valueFrom: { path: '/tmp/message' } }] },
      })
    const fine = await run('message', template('echo short >/tmp/message'))
    expect(nodeNamed(fine, 'message').outputs?.parameters).toMatchObject([{ name: 'x', value: 'short' }])
    const long = await run('long-message', template('head -c 5000 /dev/zero | tr "\\0" x >/tmp/message'))
    expect(nodeNamed(long, 'long-message')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('4096 bytes or more') as string,
    })
  })

  it('of an http template is the answer, judged by its condition', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    await scene.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'caller' } })
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'token' },
      stringData: { value: 'let me in' },
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
      subjects: [{ kind: 'ServiceAccount', name: 'caller', namespace: 'default' }],
    })
    const headers = [{ name: 'Authorization', valueFrom: { secretKeyRef: { name: 'token', key: 'value' } } }]
    const good = await run(
      'call',
      {
        http: {
          url,
          method: 'PUT',
          body: 'x',
          headers,
          successCondition: 'response.statusCode == 200 && response.body contains "PUT"',
        },
      },
      { serviceAccountName: 'caller' },
    )
    expect(nodeNamed(good, 'call')).toMatchObject({ type: 'HTTP', phase: 'Succeeded' })
    expect(asked).toEqual([{ key: expect.stringMatching(/^[0-9a-f]{64}$/) as string, secret: 'let me in' }])
    expect(nodeNamed(await run('call-bad', { http: { url: `${url}/bad` } }), 'call-bad').phase).toBe('Failed')
    const metadata = await run('call-metadata', { http: { url: 'http://169.254.169.254/latest' } })
    expect(nodeNamed(metadata, 'call-metadata')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('not a public address') as string,
    })
    const secretless = await run('call-secretless', { http: { url, headers } })
    expect(nodeNamed(secretless, 'call-secretless').message).toContain('cannot get resource "secrets"')
  })

  it('comes from a server whose certificate nobody vouches for, where the template allows it', async () => {
    const [, server = ''] = /server: (\S+)/.exec(await readFile(scene.cluster.kubeconfig, 'utf8')) ?? []
    const http = { url: `${server}/livez` }
    const refused = await run('strict', { http })
    expect(nodeNamed(refused, 'strict')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('certificate') as string,
    })
    const trusted = await run('trusting', { http: { ...http, insecureSkipVerify: true } })
    expect(nodeNamed(trusted, 'trusting')).toMatchObject({ phase: 'Succeeded', outputs: { result: 'ok' } })
  })

  it('may be a folder with pipes in it and names of any kind, and is no pipe', async () => {
    const fill = "mkdir -p /out/deep; mkfifo /out/deep/pipe; echo one >'/out/deep/a\\x2d b'; mkfifo /pipe"
    const artifacts = [{ name: 'out', path: '/out' }]
    const pipe = { name: 'pipe', path: '/pipe' }
    const step = (name: string, from?: string) => ({
      name,
      template: name,
      ...(from !== undefined && { arguments: { artifacts: [{ name: 'out', from }] } }),
    })
    const templates = [
      {
        name: 'steps',
        steps: [[step('full')], [step('read', '{{steps.full.outputs.artifacts.out}}')], [step('bad')]],
      },
      { name: 'full', ...shell(fill, { outputs: { artifacts } }) },
      { name: 'read', ...shell('cd /out; find . -type f; cat deep/*', { inputs: { artifacts } }) },
      { name: 'bad', ...shell(fill, { outputs: { artifacts: [pipe] } }) },
    ]
    await scene.create({ ...WORKFLOW, metadata: { name: 'odd' }, spec: { entrypoint: 'steps', templates } })
    const over = await scene.untilOver('odd')
    expect(await scene.logOf(over, nodeNamed(over, 'read').id)).toBe('./deep/a\\x2d b\none\n')
    expect(nodeNamed(over, 'bad')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('/pipe could not be read: it is neither a file nor a folder') as string,
    })
  })

  it('reaches a step where nobody may be root, and is its own', async () => {
    const mine = 'id -u; cat /in/raw; echo more >>/in/raw && tail -n 1 /in/raw'
    const own = { runAsUser: 1234, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
    const template = {
      inputs: { artifacts: [{ name: 'raw', path: '/in/raw', raw: { data: 'data\n' } }] },
      container: { image: 'alpine', command: ['sh', '-c', mine], securityContext: own },
    }
    const over = await run('modest', template, { securityContext: { runAsNonRoot: true } })
    expect(nodeNamed(over, 'modest')).toMatchObject({ phase: 'Succeeded' })
    expect(await scene.logOf(over, nodeNamed(over, 'modest').id)).toBe('1234\ndata\nmore\n')
    const labelSelector = 'workflows.argoproj.io/workflow=modest'
    const { items } = await scene.client.list({ ...POD, namespace: 'default', labelSelector })
    const [pod] = items
    expect(pod?.spec?.initContainers).toMatchObject([{ securityContext: own }])
  })

  it('may come from git, and goes into a folder of the step', async () => {
    const prepare =
      'git init -q /tmp/repo && cd /tmp/repo && git config user.email a@b && git config user.name a && echo content >file && git add . && git commit -qm first && git daemon --base-path=/tmp --export-all --reuseaddr --port=9418 & sleep infinity'
    await scene.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'git-server', labels: { app: 'git' } },
      spec: { containers: [{ name: 'main', image: 'alpine', command: ['sh', '-c', prepare] }] },
    })
    const pod = await scene.cluster.untilPod(
      'git-server',
      ({ status }) => status?.podIP !== undefined && status.phase === 'Running',
    )
    const artifacts = [{ name: 'code', path: '/src', git: { repo: `git://${pod.status?.podIP ?? ''}/repo` } }]
    const template = {
      ...shell('cat /src/file'),
      inputs: { artifacts },
      retryStrategy: { limit: 5, backoff: { duration: '1s' } },
    }
    const over = await run('from-git', template)
    expect(over.status?.phase).toBe('Succeeded')
  })
})
