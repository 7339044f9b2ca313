import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { createLogStore, createRecorder } from '@tiphys/journal/records'
import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import { createFileArtifacts, plan, startWorkflows, type Workflow, workflowDefinitions } from '@tiphys/workflows'
import { bareStart, withCluster } from './cluster.ts'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export interface WorkflowsBench {
  /** The `tiphys` command. */
  command: string
  scratch: string
  rounds: number
  /** How many runs of three steps there are at once. */
  runs: number
  /** How often seven steps, and seven bare processes, are run in a round. */
  repeats: number
  say: (line: string) => void
}

export interface WorkflowsRound {
  sevenStepsMs: number
  sevenStartsMs: number
  /** Pods of runs in a second, and pods that are only created and given a status. */
  podsOfRuns: number
  podsAlone: number
  /** Microseconds that planning takes for a node. */
  planningLarge: number
  planningSmall: number
}

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' }
const DEFINITION = kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
const STEP = { name: 'step', container: { image: 'busybox', command: ['true'] } }
const CONNECTIONS = 32
const [LARGE, SMALL] = [1000, 10]
const [WARM_UP_TURNS, PLANNING_TURNS] = [5, 11]

export async function measureWorkflows(bench: WorkflowsBench): Promise<WorkflowsRound[]> {
  const rounds: WorkflowsRound[] = []
  for (let number = 1; number <= bench.rounds; number++) {
    bench.say(`round ${number} of ${bench.rounds}`)
    rounds.push({
      ...(await measureSevenSteps(bench)),
      podsOfRuns: await measureRuns(bench),
      podsAlone: await measurePods(bench),
      ...measurePlanning(),
    })
  }
  return rounds
}

/** What the rounds say about each promise. */
export function workflowFigures(rounds: readonly WorkflowsRound[], { runs }: Pick<WorkflowsBench, 'runs'>): Figure[] {
  const each = (of: keyof WorkflowsRound) => rounds.map(round => round[of])
  return [
    {
      what: 'seven steps in a row, against seven bare starts of a process in such namespaces',
      unit: 'ms',
      better: 'less',
      share: 6,
      ours: each('sevenStepsMs'),
      peers: each('sevenStartsMs'),
    },
    {
      what: `pods of ${runs.toLocaleString('en')} runs of three simulated steps, against creating as many pods and giving each a status`,
      unit: '/s',
      better: 'more',
      bar: 0.3,
      ours: each('podsOfRuns'),
      peers: each('podsAlone'),
    },
    {
      what: `planning one node of ${LARGE.toLocaleString('en')}, against one of ${SMALL}`,
      unit: 'ms',
      better: 'less',
      share: 2,
      ours: each('planningLarge').map(micros => micros / 1000),
      peers: each('planningSmall').map(micros => micros / 1000),
    },
  ]
}

/** An engine in this process, beside a cluster in another. */
async function withEngine<T>(
  bench: WorkflowsBench,
  flags: readonly string[],
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return withCluster(bench, flags, async ({ client, kubeconfig }) => {
    await Promise.all(workflowDefinitions.map(definition => client.create(definition)))
    await untilServed(client)
    const folder = `${kubeconfig}.engine`
    const engine = await startWorkflows({
      env: systemEnv,
      client,
      recorder: createRecorder({ append: async () => 0 }, { env: systemEnv }),
      logs: createLogStore({ place: { directory: join(folder, 'logs') }, env: systemEnv }),
      artifacts: createFileArtifacts({ directory: join(folder, 'artifacts') }),
    })
    await engine.ready()
    try {
      return await work(client)
    } finally {
      await engine.stop()
    }
  })
}

async function untilServed(client: Client): Promise<void> {
  const missing = new Set(workflowDefinitions.map(({ metadata }) => metadata.name))
  for await (const { type, object } of client.watch(DEFINITION)) {
    if (type === 'ERROR') continue
    const { status } = object as { status?: { conditions?: { type: string; status: string }[] | null } }
    if (status?.conditions?.some(is => is.type === 'Established' && is.status === 'True'))
      missing.delete(object.metadata.name)
    if (missing.size === 0) return
  }
}

async function measureSevenSteps(bench: WorkflowsBench) {
  return withEngine(bench, [], async client => {
    const steps = Array.from({ length: 7 }, (_, index) => [{ name: `s${index}`, template: 'step' }])
    const spec = { entrypoint: 'main', templates: [{ name: 'main', steps }, STEP] }
    // The first one also waits for what is loaded on first use.
    await timeOfRuns(client, ['warm-up'], spec)
    const [ours, bare]: [number[], number[]] = [[], []]
    // In turns, so that what else the machine does meets both alike.
    for (let number = 0; number < bench.repeats; number++) {
      ours.push(await timeOfRuns(client, [`seven-${number}`], spec))
      let starts = 0
      for (let start = 0; start < 7; start++) starts += await bareStart()
      bare.push(starts)
    }
    return { sevenStepsMs: median(ours), sevenStartsMs: median(bare) }
  })
}

function measureRuns(bench: WorkflowsBench): Promise<number> {
  return withEngine(bench, ['--memory', '--nodes', '20', '--runtime', 'simulated'], async client => {
    const steps = ['a', 'b', 'c'].map(name => [{ name, template: 'step' }])
    const spec = { entrypoint: 'main', templates: [{ name: 'main', steps }, STEP] }
    await timeOfRuns(client, ['warm-up'], spec)
    const names = Array.from({ length: bench.runs }, (_, index) => `run-${index}`)
    return (3 * bench.runs * 1000) / (await timeOfRuns(client, names, spec))
  })
}

/** Milliseconds from the first request until all runs are over. */
async function timeOfRuns(client: Client, names: readonly string[], spec: Record<string, unknown>): Promise<number> {
  const watching = new AbortController()
  const waiting = new Set(names)
  // Those that are over, and no other news of them: who measures must not be a load.
  const selection = { ...WORKFLOW, namespace: 'default', labelSelector: 'workflows.argoproj.io/completed=true' }
  const over = (async () => {
    for await (const { object } of client.watch(selection, { signal: watching.signal })) {
      waiting.delete((object as KubeObject).metadata.name ?? '')
      if (waiting.size === 0) return performance.now()
    }
    throw new Error('the watch ended before the runs were over')
  })()
  const begin = performance.now()
  await inTurns(names, name => client.create({ ...WORKFLOW, metadata: { namespace: 'default', name }, spec }))
  const end = await over
  watching.abort()
  return end - begin
}

/** Pods in a second that are created and given a status, and nothing else. */
function measurePods(bench: WorkflowsBench): Promise<number> {
  return withCluster(bench, ['--memory', '--api-only'], async ({ client }) => {
    const names = Array.from({ length: 3 * bench.runs }, (_, index) => `pod-${index}`)
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', ...STEP.container }] }
    const begin = performance.now()
    await inTurns(names, async name => {
      const pod = await client.create({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name }, spec })
      await client.update({ ...pod, status: { phase: 'Succeeded' } }, { subresource: 'status' })
    })
    return (names.length * 1000) / (performance.now() - begin)
  })
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** Both in turns and as many nodes of each, so that neither alone meets code that is new or a machine that is busy. */
function measurePlanning() {
  const [large, small]: [number[], number[]] = [[], []]
  const times = LARGE / SMALL
  const turn = () => {
    large.push(planningPerNode(LARGE))
    let sum = 0
    for (let number = 0; number < times; number++) sum += planningPerNode(SMALL)
    small.push(sum / times)
  }
  for (let number = 0; number < WARM_UP_TURNS; number++) turn()
  large.length = 0
  small.length = 0
  for (let number = 0; number < PLANNING_TURNS; number++) turn()
  return { planningLarge: median(large), planningSmall: median(small) }
}

/** Microseconds for a node of a dag that is planned from its start to its end, so that every plan finds news. */
function planningPerNode(count: number): number {
  const tasks = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, template: 'step' }))
  let workflow: Workflow = {
    ...WORKFLOW,
    metadata: { name: 'wide', namespace: 'default', uid: 'uid', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { entrypoint: 'main', templates: [{ name: 'main', dag: { tasks } }, STEP] },
  }
  let pods = {}
  const begin = performance.now()
  for (let turns = 0; turns < 10; turns++) {
    const { status, actions } = plan({
      workflow,
      templates: { get: () => undefined },
      observed: { pods },
      now: Date.UTC(2026, 0, 1),
    })
    workflow = { ...workflow, status }
    if (status.phase === 'Succeeded') break
    const ended = actions.flatMap(action =>
      action.do === 'createPod'
        ? [[action.nodeId, { name: action.podName, phase: 'Succeeded', outcome: { exitCode: 0 } }] as const]
        : [],
    )
    pods = { ...pods, ...Object.fromEntries(ended) }
  }
  if (workflow.status?.phase !== 'Succeeded') throw new Error('the plan does not come to an end')
  return ((performance.now() - begin) * 1000) / count
}
