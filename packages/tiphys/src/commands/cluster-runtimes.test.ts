import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { kindRef } from '@tiphys/kube'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { noKubectl } from '../kubectl-process.ts'
import { isRoot, whyMissing, whyNoNamespaces } from '../machine.ts'
import { isReady, TestCluster } from '../test-cluster.ts'
import { builtCommand, runTiphys } from '../tiphys-process.ts'

/** The machine may be busy with other tests. */
vi.setConfig({ testTimeout: 90_000 })

let cluster: TestCluster | undefined
let folder: string | undefined
afterEach(async () => {
  await cluster?.close()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  cluster = folder = undefined
})

describe.skipIf(noKubectl)(`simulated nodes${noKubectl}`, () => {
  it('a hundred of them share three hundred pods', async () => {
    cluster = await TestCluster.start(['--nodes', '100', '--runtime', 'simulated', '--memory'])
    expect(cluster.process.out).toContain('pods        are simulated: no program runs\n')
    await cluster.kubectl('create', 'deployment', 'many', '--image=acme/any', '--replicas=300')
    await cluster.kubectl('rollout', 'status', 'deployment/many')
    const { items } = await cluster.client.list({ ...kindRef('v1', 'Pod'), namespace: 'default' })
    expect(new Set(items.map(({ spec }) => spec?.nodeName)).size).toBe(100)
    expect(items.every(pod => pod.status?.conditions?.some(({ type }) => type === 'tiphys.dev/simulated'))).toBe(true)
    expect(await cluster.signal('SIGTERM')).toMatchObject({ code: 0 })
  })

  it('do what the annotation of a pod says', async () => {
    cluster = await TestCluster.start(['--runtime', 'simulated', '--memory'])
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata:
  name: actor
  annotations:
    tiphys.dev/simulate: '{ runFor: 100ms, exitCode: 3, failures: 1, log: "as told", message: "so it ends" }'
spec:
  restartPolicy: OnFailure
  containers: [{ name: main, image: acme/any }]`)
    const ended = await cluster.untilPod('actor', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1)
    expect(ended.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 3,
      message: 'so it ends',
    })
    expect(await cluster.kubectl('logs', 'actor', '--previous')).toBe('as told\n')
  })
})

describe.skipIf(noKubectl)(`a cluster without nodes${noKubectl}`, () => {
  it('leaves pods pending and says why', async () => {
    cluster = await TestCluster.start(['--nodes', '0', '--memory'])
    await cluster.kubectl('run', 'waiting', '--image=busybox')
    const { message } = await cluster.untilEvent('waiting', 'FailedScheduling')
    expect(message).toBe('no nodes available to schedule pods')
    expect((await cluster.untilPod('waiting', () => true)).status?.phase).toBe('Pending')
  })
})

describe('--runtime docker', () => {
  it('ends with what to do where no engine answers', async () => {
    const env = { DOCKER_HOST: 'unix:///nonexistent/engine.sock' }
    const args = ['cluster', '--runtime', 'docker', '--memory', '--port', '0', '--kubeconfig-out', '/dev/null']
    folder = await mkdtemp('/var/tmp/tiphys-docker-')
    const { code, out, err } = await runTiphys([...args.slice(0, -1), join(folder, 'kubeconfig')], { env })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^error: .*no container engine is running: .*Start Docker, or `podman system service --time 0`; DOCKER_HOST names another socket\n$/,
    )
  })
})

const noOtherUser =
  noKubectl ||
  whyNoNamespaces() ||
  whyMissing('setpriv', 'memcached', 'redis-server', 'nginx', 'psql', 'curl') ||
  (isRoot ? '' : ' (skipped: only root can be another user)')
describe.skipIf(noOtherUser)(`an ordinary user${noOtherUser}`, () => {
  it('runs pods with a network of their own, and hears what is missing', async () => {
    // Somebody else has to reach the command and the folder.
    folder = await mkdtemp('/var/tmp/tiphys-user-')
    const reachable = join(folder, 'tiphys')
    await cp(dirname(dirname(builtCommand)), reachable, {
      recursive: true,
      filter: path => !path.includes('node_modules'),
    })
    await mkdir(join(folder, 'home'))
    for (const path of [folder, join(folder, 'home')]) await chmod(path, 0o777)
    const prefix = [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      '--no-new-privs',
      '--bounding-set=-all',
    ]
    cluster = await TestCluster.start([], {
      prefix,
      command: join(reachable, 'bin/tiphys.js'),
      env: { HOME: join(folder, 'home') },
    })
    expect(cluster.process.err).toContain('note: all users of a container are one user of this machine')
    await cluster.apply(await readFile(new URL('testing/programs.yaml', import.meta.url), 'utf8'))
    await Promise.all([
      ...['memcached', 'redis', 'nginx'].map(name => cluster?.kubectl('rollout', 'status', `deployment/${name}`)),
      cluster.kubectl('rollout', 'status', 'statefulset/postgres'),
      cluster.untilPod('client', isReady),
    ])
    const script = `exec 3<>/dev/tcp/memcached/11211; printf "version\\r\\nquit\\r\\n" >&3; grep -o ^VERSION <&3
      redis-cli -h redis ping; PGPASSWORD=s3cret psql -h postgres -U postgres -Atc 'select 42'; curl -s nginx; id -u`
    expect(await cluster.run('client', 'bash', '-c', script)).toBe('VERSION\nPONG\n42\nhello from a ConfigMap\n0\n')
  })
})

describe.skipIf(noKubectl)(`without namespaces${noKubectl}`, () => {
  it('pods are plain processes, and the costs are told', async () => {
    cluster = await TestCluster.start([], {
      env: { PATH: '/nonexistent', DOCKER_HOST: 'unix:///nonexistent/engine.sock' },
    })
    const { err } = cluster.process
    expect(err).toMatch(/^note: containers are plain processes of this machine, because it allows no namespaces: /m)
    expect(err).toContain('note: pods share the network of this machine: two cannot listen on one port')
    await cluster.kubectl(
      'run',
      'plain',
      '--image=busybox',
      '--restart=Never',
      '--command',
      '--',
      'sh',
      '-c',
      'echo plain; exit 4',
    )
    const { status } = await cluster.untilPod('plain', each => each.status?.phase === 'Failed')
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 4, reason: 'Error' })
    expect(await cluster.kubectl('logs', 'plain')).toBe('plain\n')
    expect(await cluster.signal('SIGTERM')).toMatchObject({ code: 0 })
  })
})
