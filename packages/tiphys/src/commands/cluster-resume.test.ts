import { afterEach, describe, expect, it, vi } from 'vitest'
import { noKubectl } from '../kubectl-process.ts'
import {
  commandLine,
  controlGroupsOf,
  familyOf,
  holdNamespaces,
  ownNamespaces,
  processes,
  tracesOnMachine,
  whyMissing,
  whyNoNamespaces,
} from '../machine.ts'
import { isReady, TestCluster } from '../test-cluster.ts'

const obstacle = noKubectl || whyNoNamespaces() || whyMissing('ip')

const pod = (name: string, restartPolicy: string, script: string, more = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  restartPolicy: ${restartPolicy}
  terminationGracePeriodSeconds: 20
  containers:
    - name: main
      image: busybox
      command: [sh, -c, ${JSON.stringify(script)}]
      ${more}
---`

const SERVERS = Array.from({ length: 4 }, (_, index) => pod(`server-${index}`, 'Always', 'exec sleep 7654321')).join('')

const KEEPER = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: kept }
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Mi } }
---
apiVersion: v1
kind: Pod
metadata: { name: keeper }
spec:
  containers:
    - name: main
      image: busybox
      command: [sh, -c, 'echo run >>/kept/runs; echo run >>/own/runs; echo "runs: $(wc -l </kept/runs) $(wc -l </own/runs)"; exec sleep 7654321']
      volumeMounts: [{ name: kept, mountPath: /kept }, { name: own, mountPath: /own }]
  volumes:
    - { name: kept, persistentVolumeClaim: { claimName: kept } }
    - { name: own, emptyDir: {} }
---`

/** Several clusters one after the other, on a machine that may be busy. */
vi.setConfig({ testTimeout: 90_000 })

let cluster: TestCluster

describe.skipIf(obstacle)(`tiphys cluster${obstacle}`, () => {
  afterEach(() => cluster?.close())

  /** Ends tiphys and waits until nothing is left of what it ran. */
  async function end(signal: NodeJS.Signals) {
    const { pid } = cluster.process
    const family = familyOf(pid)
    const namespaces = new Set(family.flatMap(ownNamespaces))
    const letGo = holdNamespaces(family)
    const ended = await cluster.signal(signal)
    const isInside = (id: number) => ownNamespaces(id).some(namespace => namespaces.has(namespace))
    // Who is in the family no more, because it has ended or was taken over, may still be in its namespaces.
    const isGone = () => family.every(id => commandLine(id) === '') && !processes().some(isInside)
    await vi.waitUntil(isGone, { timeout: 10_000, interval: 50 }).finally(letGo)
    return { ...ended, pid, hadNamespaces: namespaces.size > 0 }
  }

  it('killed while pods run: leaves nothing, and goes on from its data', async () => {
    const traces = tracesOnMachine()
    cluster = await TestCluster.start()
    const run = pod('run', 'Never', 'exec sleep 7654321') + pod('retry', 'OnFailure', 'exec sleep 7654321')
    await cluster.apply(SERVERS + KEEPER + run + pod('done', 'Never', 'echo done'))
    const names = ['server-0', 'server-1', 'server-2', 'server-3', 'keeper', 'run', 'retry']
    await Promise.all(names.map(name => cluster.untilPod(name, isReady)))
    await cluster.untilPod('done', ({ status }) => status?.phase === 'Succeeded')
    // A container runs before it has said anything.
    await expect.poll(() => cluster.kubectl('logs', 'keeper')).toBe('runs: 1 1\n')

    const { pid, hadNamespaces } = await end('SIGKILL')
    expect(hadNamespaces).toBe(true)
    expect(tracesOnMachine()).toEqual(traces)

    await cluster.start()
    expect(controlGroupsOf(pid)).toEqual([])
    for (const name of ['server-0', 'keeper']) {
      const { status } = await cluster.untilPod(name, each => isReady(each) && restartsOf(each) === 1)
      expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' })
    }
    for (const name of ['run', 'retry']) {
      const { status } = await cluster.untilPod(name, each => each.status?.phase === 'Failed')
      expect(status).toMatchObject({ reason: 'NodeLost', message: expect.stringMatching(/\w+ \w+ \w+/) })
    }
    await expect.poll(() => cluster.kubectl('logs', 'keeper')).toBe('runs: 2 2\n')
    expect(await cluster.kubectl('logs', 'keeper', '--previous')).toBe('runs: 1 1\n')
    expect(await cluster.kubectl('logs', 'done')).toBe('done\n')
    expect((await cluster.untilPod('done', () => true)).status?.phase).toBe('Succeeded')

    // Told to end, it leaves not even control groups.
    const ended = await end('SIGTERM')
    expect(ended.code).toBe(0)
    expect(tracesOnMachine()).toEqual(traces)
    expect(controlGroupsOf(ended.pid)).toEqual([])
  })

  it('whose supervisor is killed: its node says that nothing can run, and why', async () => {
    cluster = await TestCluster.start()
    await cluster.apply(pod('server', 'Always', 'exec sleep 7654321'))
    await cluster.untilPod('server', isReady)
    const supervisor = familyOf(cluster.process.pid).find(id => commandLine(id).includes('supervisor.js')) as number
    process.kill(supervisor, 'SIGKILL')
    const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].message}'
    await cluster.kubectl('wait', 'node', 'node-1', '--for', 'condition=Ready=false', '--timeout=60s')
    expect(await cluster.kubectl('get', 'node', 'node-1', '-o', ready)).toMatch(
      /^container runtime is down: the supervisor of the containers has ended/,
    )
    expect(cluster.process.err).toContain('restart Tiphys')
    // The API goes on, and a new start runs pods again.
    await cluster.signal('SIGTERM')
    await cluster.start()
    await cluster.untilPod('server', isReady)
  })

  it('killed while pods start, again and again: leaves nothing, and they run in the end', async () => {
    const traces = tracesOnMachine()
    cluster = await TestCluster.start()
    await cluster.apply(SERVERS)
    await cluster.untilPod('server-3', ({ spec }) => spec?.nodeName !== undefined)
    await end('SIGKILL')
    await cluster.start()
    await Promise.race(
      [0, 1, 2, 3].map(index =>
        cluster.untilPod(
          `server-${index}`,
          ({ status }) => status?.containerStatuses?.[0]?.state?.running !== undefined,
        ),
      ),
    )
    await end('SIGKILL')
    expect(tracesOnMachine()).toEqual(traces)
    await cluster.start()
    await Promise.all([0, 1, 2, 3].map(index => cluster.untilPod(`server-${index}`, isReady)))
  })

  it('killed while pods end: leaves nothing, and they are gone in the end', async () => {
    cluster = await TestCluster.start()
    const deaf = pod('deaf', 'Always', "trap '' TERM; echo deaf; while :; do sleep 7654321; done")
    await cluster.apply(deaf + pod('quick', 'Always', 'exec sleep 7654321'))
    await Promise.all(['deaf', 'quick'].map(name => cluster.untilPod(name, isReady)))
    await cluster.kubectl('delete', 'pod', 'deaf', 'quick', '--wait=false')
    await cluster.untilEvent('deaf', 'Killing')
    await end('SIGKILL')
    await cluster.start()
    await cluster.kubectl('wait', '--for=delete', 'pod', '--all', '--timeout=10s')
  })
})

const restartsOf = ({ status }: Parameters<typeof isReady>[0]) => status?.containerStatuses?.[0]?.restartCount
