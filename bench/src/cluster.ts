import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, connect, type KubeObject } from '@tiphys/kube'
import { toolPath } from '../../conformance/tools.mjs'
import type { Figure } from './figure.ts'
import { kubeApiserver } from './kube-apiserver.ts'
import type { LoadGenerator } from './load-generator.ts'
import { usageOf } from './process-tree.ts'
import { Program } from './server-process.ts'
import { median } from './statistics.ts'

export interface ClusterBench {
  load: LoadGenerator
  /** The `tiphys` command. */
  command: string
  scratch: string
  rounds: number
  /** How many simulated pods become ready. */
  pods: number
  /** How often a Deployment, and a bare process, are started in a round. */
  starts: number
  /** How long a cluster rests before and while it is watched doing nothing. */
  restMs: number
  say: (line: string) => void
}

export interface ClusterRound {
  deploymentMs: number
  bareStartMs: number
  readyMs: number
  createdMs: number
  idleMegabytes: number
  /** In hundredths of a core. */
  idlePercent: number
  peerMegabytes?: number
}

export async function measureCluster(bench: ClusterBench, compared: boolean): Promise<ClusterRound[]> {
  const rounds: ClusterRound[] = []
  for (let number = 1; number <= bench.rounds; number++) {
    bench.say(`round ${number} of ${bench.rounds}`)
    const processes = await measureProcesses(bench)
    const createdMs = await measureSimulated(bench, ['--api-only'])
    const readyMs = await measureSimulated(bench, ['--nodes', '10', '--runtime', 'simulated'])
    const peerMegabytes = compared ? { peerMegabytes: await measurePeer(bench) } : {}
    rounds.push({ ...processes, readyMs, createdMs, ...peerMegabytes })
  }
  return rounds
}

/** What the rounds say about each promise. */
export function clusterFigures(rounds: readonly ClusterRound[], { pods }: Pick<ClusterBench, 'pods'>): Figure[] {
  const each = (of: keyof ClusterRound) => rounds.map(round => round[of] as number)
  const count = pods.toLocaleString('en')
  const isCompared = rounds.every(({ peerMegabytes }) => peerMegabytes !== undefined)
  return [
    {
      what: 'a one-pod Deployment, created → ready, against the bare start of its process in such namespaces',
      unit: 'ms',
      better: 'less',
      share: 10,
      ours: each('deploymentMs'),
      peers: each('bareStartMs'),
    },
    {
      what: `${count} simulated pods, created → ready, against creating ${count} pods`,
      unit: 'ms',
      better: 'less',
      share: 5,
      ours: each('readyMs'),
      peers: each('createdMs'),
    },
    {
      what: 'resident memory when idle, against kube-apiserver + etcd + kube-controller-manager',
      unit: 'MB',
      better: 'less',
      share: 0.4,
      ours: each('idleMegabytes'),
      ...(isCompared ? { peers: each('peerMegabytes') } : {}),
    },
    { what: 'processor when idle', unit: '% of a core', better: 'less', limit: 1, ours: each('idlePercent') },
  ]
}

interface RunningCluster {
  client: Client
  kubeconfig: string
  pid: number
}

/** Starts `tiphys cluster`, waits for its nodes, and ends it. */
export async function withCluster<T>(
  { command, scratch }: Pick<ClusterBench, 'command' | 'scratch'>,
  flags: readonly string[],
  work: (cluster: RunningCluster) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(scratch, 'cluster-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const places = ['--port', '0', '--data', join(directory, 'data'), '--kubeconfig-out', kubeconfig]
  const program = new Program(command, ['cluster', ...places, ...flags])
  try {
    await until(program, () => isThere(kubeconfig))
    const client = await connect({ kubeconfig })
    if (!flags.includes('--api-only')) await until(program, () => areNodesReady(client))
    const result = await work({ client, kubeconfig, pid: program.pid })
    await client.close()
    return result
  } finally {
    await program.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function until(program: Program, isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) {
    program.requireRunning()
    await pause(20)
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

async function areNodesReady(client: Client): Promise<boolean> {
  const { items } = await client.list({ apiVersion: 'v1', kind: 'Node' })
  return items.length > 0 && items.every(isReady)
}

async function measureProcesses(bench: ClusterBench) {
  return withCluster(bench, [], async ({ client, pid }) => {
    await pause(bench.restMs)
    const before = await usageOf(pid)
    await pause(bench.restMs)
    const after = await usageOf(pid)
    const idlePercent = ((after.cpuSeconds - before.cpuSeconds) / bench.restMs) * 1000 * 100
    // The first one also waits for what is loaded on first use.
    await deploymentReady(client, 'warm-up')
    // In turns, so that what else the machine does meets both alike.
    const deployments: number[] = []
    const bareStarts: number[] = []
    for (let number = 0; number < bench.starts; number++) {
      deployments.push(await deploymentReady(client, `web-${number}`))
      bareStarts.push(await bareStart())
    }
    return {
      idleMegabytes: after.residentBytes / 1e6,
      idlePercent,
      deploymentMs: median(deployments),
      bareStartMs: median(bareStarts),
    }
  })
}

/** Milliseconds from the request that creates a Deployment of one pod until it is available. */
async function deploymentReady(client: Client, name: string): Promise<number> {
  const labels = { app: name }
  const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '1000000'] }]
  const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } }
  const kind = { apiVersion: 'apps/v1', kind: 'Deployment' }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  const watching = new AbortController()
  const selection = { ...kind, namespace: 'default', fieldSelector: `metadata.name=${name}` }
  const ready = (async () => {
    for await (const { object } of client.watch(selection, { signal: watching.signal })) {
      const { availableReplicas } = (object as { status?: { availableReplicas?: number } }).status ?? {}
      if (availableReplicas === 1) return performance.now()
    }
    throw new Error('the watch ended before the Deployment was available')
  })()
  const begin = performance.now()
  await client.create({ ...kind, metadata: { namespace: 'default', name }, spec })
  const end = await ready
  watching.abort()
  await client.delete({ ...kind, namespace: 'default', name })
  return end - begin
}

/** What there is to do without Tiphys: namespaces, a copy-on-write view of the root, the process. */
const BARE = `set -e
place=/dev/shm; [ -d $place ] || place=/mnt
mount -t tmpfs tmpfs $place; cd $place; mkdir upper work root
mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work overlay root
mount -t proc proc root/proc
exec chroot root sh -c 'echo up; exec sleep 1000000'`

export async function bareStart(): Promise<number> {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const flags = [...asRoot, '--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
  const begin = performance.now()
  const child = spawn('unshare', [...flags, 'sh', '-c', BARE], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error('this machine does not allow the namespaces')
    }),
  ])
  const elapsed = performance.now() - begin
  child.kill('SIGKILL')
  return elapsed
}

/** Milliseconds to create pods, and where there are nodes until the last of them is ready. */
async function measureSimulated(bench: ClusterBench, flags: readonly string[]): Promise<number> {
  return withCluster(bench, ['--memory', ...flags], async ({ client, kubeconfig }) => {
    const user = `${kubeconfig}.user`
    await bench.load.setUp(kubeconfig, user)
    const hasNodes = !flags.includes('--api-only')
    const watching = new AbortController()
    const ready = hasNodes ? readyPods(client, bench.pods, watching.signal) : undefined
    const begin = performance.now()
    const { seconds } = await bench.load.create({ kubeconfig: user, count: bench.pods, first: 0, resource: 'pods' })
    const elapsed = ready ? (await ready) - begin : seconds * 1000
    watching.abort()
    return elapsed
  })
}

/** Resolves, with the time, when so many pods are ready. */
async function readyPods(client: Client, count: number, signal: AbortSignal): Promise<number> {
  const ready = new Set<string>()
  for await (const event of client.watch({ apiVersion: 'v1', kind: 'Pod' }, { signal })) {
    if (event.type === 'MODIFIED' && isReady(event.object)) ready.add(event.object.metadata.uid ?? '')
    if (ready.size === count) return performance.now()
  }
  throw new Error('the watch ended before all pods were ready')
}

const isReady = ({ status }: KubeObject): boolean =>
  (status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions?.some(
    condition => condition.type === 'Ready' && condition.status === 'True',
  ) ?? false

/** Megabytes of the real control plane, as idle as ours. */
async function measurePeer({ scratch, restMs }: ClusterBench): Promise<number> {
  const directory = await mkdtemp(join(scratch, 'peer-'))
  await mkdir(directory, { recursive: true })
  const launch = await kubeApiserver('fsync').launch(directory)
  const server = launch.start()
  let manager: Program | undefined
  try {
    const certificate = join(directory, 'apiserver.crt')
    while (!(await isThere(certificate))) await pause(50)
    const client = await connect({ kubeconfig: launch.kubeconfig })
    while (!(await client.serverVersion().catch(() => undefined))) await pause(50)
    manager = new Program(toolPath('kube-controller-manager'), [
      `--kubeconfig=${launch.kubeconfig}`,
      `--service-account-private-key-file=${join(directory, 'service-accounts.pem')}`,
      `--root-ca-file=${join(directory, 'apiserver.crt')}`,
      '--leader-elect=false',
      '--secure-port=0',
    ])
    // As long as our side has rested when its memory is read.
    await pause(2 * restMs)
    const bytes = (await server.residentBytes()) + (await manager.residentBytes())
    await client.close()
    return bytes / 1e6
  } finally {
    await manager?.stop()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
