import { readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Pod } from '@tiphys/kube/kinds'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { noKubectl } from '../kubectl-process.ts'
import { isRoot, whyMissing, whyNoNamespaces } from '../machine.ts'
import { isReady, TestCluster } from '../test-cluster.ts'

const obstacle = noKubectl || whyNoNamespaces() || whyMissing('bash', 'head')

const pod = (name: string, container: string, more = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  ${more}
  containers:
    - name: main
      ${container}`

const waiting = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting
const terminated = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.terminated
const lastEnd = ({ status }: Pod) => status?.containerStatuses?.[0]?.lastState?.terminated

/** The machine may be busy with other tests. */
vi.setConfig({ testTimeout: 90_000 })

describe.skipIf(obstacle)(`a pod that cannot work says why${obstacle}`, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await TestCluster.start()
    await cluster.apply(pod('healthy', 'image: busybox\n      command: [sleep, infinity]'))
    await cluster.kubectl('label', 'pod', 'healthy', 'app=healthy')
    await cluster.untilPod('healthy', isReady)
  })
  // Whatever the others do, it is as it was.
  afterAll(async () => {
    try {
      expect((await cluster.untilPod('healthy', isReady)).status?.containerStatuses?.[0]?.restartCount).toBe(0)
    } finally {
      await cluster?.close()
    }
  })

  it('a program that is not on this machine, with what to install', async () => {
    await cluster.apply(pod('absent', 'image: ghcr.io/acme/tool:1\n      command: [acme-tool]', 'restartPolicy: Never'))
    const found = await cluster.untilPod('absent', each => waiting(each)?.reason === 'ErrImageNeverPull')
    const message =
      'image "ghcr.io/acme/tool:1" is not pulled here, and its command acme-tool is not on this machine: install what has acme-tool'
    expect(waiting(found)?.message).toBe(message)
    expect((await cluster.untilEvent('absent', 'ErrImageNeverPull')).message).toBe(message)
  })

  it('an image that nobody knows: a run waits, a server is simulated and says so', async () => {
    await cluster.apply(pod('unknown-run', 'image: ghcr.io/acme/run:1', 'restartPolicy: Never'))
    const run = await cluster.untilPod('unknown-run', each => waiting(each)?.reason === 'ErrImageNeverPull')
    expect(waiting(run)?.message).toContain('give the container a command')
    await cluster.apply(pod('unknown-server', 'image: ghcr.io/acme/server:1'))
    const server = await cluster.untilPod('unknown-server', isReady)
    expect(server.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'tiphys.dev/simulated',
        status: 'True',
        message: expect.stringContaining('acme'),
      }),
    )
  })

  it('a command that cannot be started', async () => {
    await cluster.apply(pod('impossible', 'image: busybox\n      command: [/tmp/nope]', 'restartPolicy: Never'))
    const found = await cluster.untilPod('impossible', ({ status }) => status?.phase === 'Failed')
    expect(terminated(found)).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: 'exec: "/tmp/nope": stat /tmp/nope: no such file or directory',
    })
    await cluster.untilEvent('impossible', 'Failed', '/tmp/nope')
  })

  it('a crash loop: the end of the last run, growing waits and an Event', async () => {
    await cluster.apply(
      pod(
        'crashing',
        'image: busybox\n      terminationMessagePolicy: FallbackToLogsOnError\n      command: [sh, -c, "echo it is broken; exit 3"]',
      ),
    )
    const found = await cluster.untilPod('crashing', each => waiting(each)?.reason === 'CrashLoopBackOff')
    expect(waiting(found)?.message).toMatch(/^back-off 10s restarting failed container=main pod=crashing_default\(/)
    expect(lastEnd(found)).toMatchObject({ exitCode: 3, reason: 'Error', message: 'it is broken\n' })
    await cluster.untilEvent(
      'crashing',
      'BackOff',
      'Back-off restarting failed container main in pod crashing_default(',
    )
  })

  it('a pod that does not hear: killed when its time is up', async () => {
    const script = "trap '' TERM; echo deaf; while :; do sleep 1000; done"
    await cluster.apply(
      pod(
        'deaf',
        `image: busybox\n      command: [sh, -c, ${JSON.stringify(script)}]`,
        'terminationGracePeriodSeconds: 1',
      ),
    )
    await cluster.untilPod('deaf', isReady)
    await cluster.kubectl('delete', 'pod', 'deaf', '--timeout=20s')
  })

  it('more memory than it may use', async () => {
    const hog = 'image: busybox\n      command: [bash, -c, "x=$(head -c 300m /dev/zero | tr \\"\\\\0\\" x)"]'
    await cluster.apply(pod('hog', `${hog}\n      resources: { limits: { memory: 40Mi } }`, 'restartPolicy: Never'))
    const found = await cluster.untilPod('hog', ({ status }) => status?.phase === 'Failed')
    expect(terminated(found)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it('a volume that does not exist', async () => {
    const mount = 'image: busybox\n      volumeMounts: [{ name: it, mountPath: /it }]'
    await cluster.apply(pod('no-map', mount, 'volumes: [{ name: it, configMap: { name: nowhere } }]'))
    await cluster.untilEvent('no-map', 'FailedMount', 'configmap "nowhere" not found')
    expect(waiting(await cluster.untilPod('no-map', each => waiting(each) !== undefined))?.reason).toBe(
      'ContainerCreating',
    )
    await cluster.apply(
      pod('no-claim', mount, 'volumes: [{ name: it, persistentVolumeClaim: { claimName: nowhere } }]'),
    )
    await cluster.untilEvent('no-claim', 'FailedScheduling', 'persistentvolumeclaim "nowhere" not found')
    // It comes to run as soon as what it lacks is there.
    await cluster.kubectl('create', 'configmap', 'nowhere')
    await cluster.untilPod('no-map', each => waiting(each)?.reason !== 'ContainerCreating')
  })

  it('a node port that is taken', async () => {
    const server = createServer()
    const port = await new Promise<number>(resolve => {
      const listen = (candidate: number) => {
        server.once('error', () => listen(candidate + 1))
        server.listen(candidate, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      }
      listen(31_000)
    })
    await cluster.apply(`
apiVersion: v1
kind: Service
metadata: { name: taken }
spec:
  type: NodePort
  selector: { app: healthy }
  ports: [{ port: 80, nodePort: ${port} }]`)
    expect((await cluster.untilEvent('taken', 'NodePortTaken')).message).toContain(String(port))
    server.close()
  })

  it('a gigabyte of output: bounded in memory and on disk, and others are served meanwhile', async () => {
    const memory = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${cluster.process.pid}/status`, 'utf8'))?.[1]) * 1024
    const before = memory()
    let peak = 0
    const print = 'yes $(printf %01000d 0) | head -c 1G; echo; echo end'
    await cluster.apply(
      pod('loud', `image: busybox\n      command: [sh, -c, ${JSON.stringify(print)}]`, 'restartPolicy: Never'),
    )
    let isDone = false
    const done = cluster
      .untilPod('loud', ({ status }) => status?.phase === 'Succeeded')
      .finally(() => {
        isDone = true
      })
    // Awaited when nobody needs to be asked any more.
    done.catch(() => {})
    let answers = 0
    while (!isDone) {
      expect(await cluster.run('healthy', 'echo', 'here')).toBe('here\n')
      peak = Math.max(peak, memory())
      answers++
    }
    await done
    expect(answers).toBeGreaterThan(3)
    expect(await cluster.kubectl('logs', 'loud', '--tail=1')).toBe('end\n')
    expect(peak - before).toBeLessThan(150 * 2 ** 20)
    expect(await sizeOf(join(cluster.folder, '.tiphys/logs'))).toBeLessThan(80 * 2 ** 20)
  }, 90_000)
})

const noOwnMounts = isRoot ? '' : ' (skipped: only root can mount a small disk)'

describe.skipIf(obstacle || noOwnMounts)(`a disk that is full${obstacle || noOwnMounts}`, () => {
  let cluster: TestCluster
  afterAll(() => cluster?.close())

  it('costs the pod that fills it, and nobody else', async () => {
    const mount = 'mkdir disk && mount -t tmpfs -o size=64m tmpfs disk && exec "$@"'
    const prefix = ['unshare', '--mount', 'sh', '-c', mount, 'sh']
    cluster = await TestCluster.start(['--data', 'disk'], { prefix })
    const scratch = 'volumes: [{ name: scratch, emptyDir: {} }]'
    const fill = 'image: busybox\n      command: [sh, -c, "cat /dev/zero >/scratch/zeroes; sleep infinity"]'
    const mounts = 'volumeMounts: [{ name: scratch, mountPath: /scratch }]'
    await cluster.apply(pod('beside', 'image: busybox\n      command: [sleep, infinity]'))
    await cluster.apply(pod('filler', `${fill}\n      ${mounts}`, `restartPolicy: Never\n  ${scratch}`))
    const { status } = await cluster.untilPod('filler', each => each.status?.phase === 'Failed')
    expect(status).toMatchObject({ reason: 'Evicted', message: expect.stringContaining('low on resource') })
    await cluster.untilEvent('filler', 'Evicted', 'ephemeral-storage')
    expect((await cluster.untilPod('beside', isReady)).status?.containerStatuses?.[0]?.restartCount).toBe(0)
    await cluster.apply(pod('after', 'image: busybox\n      command: [echo, written]', 'restartPolicy: Never'))
    await cluster.untilPod('after', each => each.status?.phase === 'Succeeded')
    expect(await cluster.kubectl('logs', 'after')).toBe('written\n')
  }, 60_000)
})

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder, { recursive: true })).map(async name => (await stat(join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
