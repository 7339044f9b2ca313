import { untilQuiet } from '@tiphys/env'
import { createCaches, createWorkQueue, kindRef, writeThroughClient } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { createPodArtifacts } from '../artifacts/pod-artifacts.ts'
import { EVENT_BINDING } from '../control/event-dispatch.ts'
import { type CronDriver, createCronDriver } from '../cron/cron-driver.ts'
import { runHttp } from '../http/http-task.ts'
import { createLockTable } from '../locks/lock-table.ts'
import { createStepPods, type StepPods } from '../outputs/step-pods.ts'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import { runResource } from '../resources/resource-task.ts'
import { createActionDoer, type RunTask } from './action-doer.ts'
import { createCapacity } from './capacity.ts'
import { createDisruptionBudgets } from './disruption-budget.ts'
import {
  CLUSTER_WORKFLOW_TEMPLATE,
  CRON_WORKFLOW,
  POD,
  WORKFLOW,
  WORKFLOW_TEMPLATE,
  type WorkflowEngineOptions,
} from './engine-context.ts'
import { createEngineMetrics } from './engine-metrics.ts'
import { reportEventBindings } from './event-bindings.ts'
import { KeptLogs } from './kept-logs.ts'
import { restoreLocks } from './lock-restoration.ts'
import { createManifestMetrics } from './manifest-metrics.ts'
import { rememberWrites } from './own-writes.ts'
import { createPodMaker } from './pod-maker.ts'
import { createRunDriver, minorDelayMs, workflowKeyOf } from './run-driver.ts'
import { createRunHistory } from './run-history.ts'
import { referenceOf, runOf, traceOf } from './run-records.ts'
import { createRunStarts } from './run-starts.ts'
import { serveObjects } from './served-objects.ts'
import { createStatusKeeper } from './status-keeper.ts'

/** Runs the Workflows of a cluster until it is stopped. Everything it has to remember is in the cluster, but for what of it is
 *  recorded: an engine that was killed is replaced by the next one, which goes on where the first one was. Only one may run at a time. */
export interface WorkflowEngine {
  /** Resolves when the first lists are in. */
  ready(): Promise<void>
  /** Resolves when there is nothing to do now: steps may run, and time may be waited for. */
  settled(): Promise<void>
  isIdle(): boolean
  /** As Prometheus reads it. */
  metrics(): string
  /** Begins nothing new, and ends what is being done. Steps go on in their pods. */
  stop(): Promise<void>
}

/** Runs that are driven at the same time; each waits for the API most of its time. */
const CONCURRENCY = 32
const RETRY = { initialMs: 100, maxMs: 60_000 }

export async function startWorkflows(options: WorkflowEngineOptions): Promise<WorkflowEngine> {
  const { env, recorder, logs, artifacts, namespaces, instanceId } = options
  const caches = createCaches(options.client, { env })
  const client = writeThroughClient(options.client, caches)
  // What schedules and people do to a run is news to whoever drives it.
  const own = rememberWrites(client)
  const workflows = serveObjects(caches, WORKFLOW, { namespaces })
  const templates = serveObjects(caches, WORKFLOW_TEMPLATE, { namespaces })
  const clusterTemplates = serveObjects(caches, CLUSTER_WORKFLOW_TEMPLATE)
  const cronWorkflows = serveObjects(caches, CRON_WORKFLOW, { namespaces })
  const pods = serveObjects(caches, POD, { namespaces, labelSelector: LABEL.workflow })
  const namespaceObjects = serveObjects(caches, kindRef('v1', 'Namespace'))
  const bindings = serveObjects(caches, EVENT_BINDING, { namespaces })
  const served = [workflows, templates, clusterTemplates, cronWorkflows, pods, namespaceObjects, bindings]
  reportEventBindings(bindings, recorder, env)
  const metrics = createEngineMetrics(env)
  const manifestMetrics = createManifestMetrics({
    env,
    onProblem: (workflow, message) =>
      recorder.record({
        kind: 'health',
        trace: traceOf(workflow),
        object: referenceOf(workflow),
        condition: 'MetricsError',
        status: 'True',
        reason: 'Invalid',
        message,
      }),
  })

  const wake = (key: string) => void queue.add(key)
  const wakeRun = ({ metadata }: { metadata: { namespace?: string; name?: string } }) =>
    wake(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`)

  const statuses = createStatusKeeper(artifacts)
  const keptLogs = new KeptLogs(recorder)
  const stepPods = createStepPods({
    env,
    client,
    logs,
    artifacts: createPodArtifacts({
      options,
      client,
      store: artifacts,
      statuses,
      workflowOf: pod => workflows.get(pod.metadata.labels?.[LABEL.workflow] ?? '', pod.metadata.namespace),
    }),
    onChange: pod => workflowKeyOf(pod).forEach(wake),
    onLog({ metadata: { uid = '', namespace, labels = {}, annotations = {}, ownerReferences = [] } }, container) {
      const workflow = workflows.get(labels[LABEL.workflow] ?? '', namespace)
      // The name may have been taken anew.
      if (!workflow || ownerReferences.every(owner => owner.uid !== workflow.metadata.uid)) return () => {}
      const log = {
        trace: traceOf(workflow),
        run: runOf(workflow),
        step: annotations[ANNOTATION.nodeId] ?? '',
        container,
        pod: uid,
      }
      return (chunk, offset) => {
        recorder.record({ kind: 'log', ...log, chunk, offset })
        keptLogs.note(uid)
      }
    },
  })
  const locks = createLockTable({ client, onFree: wake })
  const capacity = createCapacity(workflows, namespaceObjects, options.parallelism)
  const starts = createRunStarts({
    clock: env.clock,
    behind: () => queue.metrics().waiting.fresh + stepPods.unread,
    wake: key => queue.add(key, { workClass: 'backlog' }),
  })
  const runTask: RunTask = (run, action, signal) =>
    action.do === 'runHttp' ? runHttp(options, run, action, signal) : runResource(options, run, action, signal)
  const doer = createActionDoer({
    env,
    client,
    pods: createPodMaker(options, own.client),
    locks,
    podOf: (namespace, name) => pods.get(name, namespace),
    runTask,
    onTaskEnd: wakeRun,
  })
  const history = createRunHistory({ env, client, recorder, records: options.records })
  const driver = createRunDriver({
    env,
    client: own.client,
    caches,
    history,
    workflows,
    pods,
    templates,
    clusterTemplates,
    stepPods,
    keptLogs,
    statuses,
    doer,
    locks,
    budgets: createDisruptionBudgets(client),
    capacity,
    starts,
    instanceId,
    defaults: options.defaults,
    wake,
    onPlan: (workflow, planned) => manifestMetrics.note(workflow, planned),
    onEnd(workflow) {
      metrics.ended(workflow)
      for (const waiting of capacity.waiting()) wakeRun(waiting)
    },
  })
  const queue = createWorkQueue<string>({
    env,
    concurrency: CONCURRENCY,
    backoff: RETRY,
    async process(key, { signal }) {
      if (signal.aborted) return
      metrics.reconciled()
      const at = await driver.drive(key)
      if (at !== undefined) queue.add(key, { delayMs: Math.max(0, at - env.clock.now()) })
    },
    onError(key, error, { attempt, inMs }) {
      metrics.failed()
      if (attempt > 2) env.log.warn('a workflow could not be brought forward', { workflow: key, error, attempt, inMs })
    },
  })
  queue.pause()

  workflows.subscribe(change => {
    if (change.type === 'deleted') driver.noteDeletion(change.object)
    else if (own.isEcho(change.object)) return
    // Those that are under way come first: a run that is over needs no more room.
    const workClass = change.type === 'added' ? 'backlog' : 'fresh'
    const { namespace = '', name = '' } = change.object.metadata
    queue.add(`${namespace}/${name}`, { workClass })
  })
  let isReady = false
  let isStopped = false
  const seePod = (pod: Pod) => {
    if (pod.metadata.labels?.[LABEL.instanceId] !== instanceId) return
    stepPods.see(pod)
    starts.see(pod)
  }
  pods.subscribe(change => {
    if (change.type === 'deleted') {
      stepPods.forget(change.object.metadata.uid ?? '')
      starts.forget(change.object.metadata.uid ?? '')
    } else {
      if (isReady) seePod(change.object)
      if (own.isEcho(change.object)) return
    }
    const mayWait = change.type === 'updated' || (change.type === 'added' && !change.initial)
    const delayMs = mayWait && canWait(change.object, stepPods) ? minorDelayMs(driver.runs) : 0
    for (const key of workflowKeyOf(change.object)) queue.add(key, { delayMs })
  })

  const cron: CronDriver = createCronDriver({ env, client, cronWorkflows, workflows, instanceId })
  const synced = Promise.all([workflows, templates, pods].map(objects => objects.whenSynced()))
  const ready = history.learn(synced).then(() => {
    isReady = true
    if (isStopped) return
    // Whose log it is only the Workflow tells, and pods may be listed before it.
    for (const pod of pods.list()) seePod(pod)
    for (const workflow of workflows.list())
      if (workflow.metadata.labels?.[LABEL.instanceId] === instanceId) restoreLocks(workflow, locks, driver)
    const isThere = ({ namespace, name, uid }: { namespace: string; name: string; uid: string }) =>
      workflows.get(name, namespace)?.metadata.uid === uid
    for (const note of history.missing(isThere)) {
      driver.noteMissing(note)
      wakeRun({ metadata: note.run.run })
    }
    queue.resume()
    cron.begin()
  })
  // Whoever waits for it is told; nobody has to.
  ready.catch(() => {})

  const isIdle = () => {
    const { waiting, processing } = queue.metrics()
    return (
      isReady &&
      waiting.fresh + waiting.backlog + processing + starts.waiting + doer.tasks + stepPods.reading + keptLogs.size ===
        0 &&
      cron.isIdle()
    )
  }
  return {
    ready: () => ready,
    isIdle,
    async settled() {
      await ready
      await untilQuiet(async () => {
        if (keptLogs.size > 0) await recorder.settled()
        return isIdle()
      }, QUIET_TURNS)
    },
    metrics: () => metrics.text({ workflows: workflows.list(), queue: queue.metrics() }) + manifestMetrics.text(),
    async stop() {
      isStopped = true
      await cron.stop()
      await queue.shutdown()
      starts.stop()
      await stepPods.stop()
      for (const objects of served) objects.release()
      caches.stop()
    },
  }
}

/** Nothing but that it is there, or its place, is known of the pod yet, or what it left is being read: what follows is about to be
 *  told. */
function canWait(pod: Pod, stepPods: StepPods): boolean {
  const { metadata, status, spec } = pod
  if (metadata.deletionTimestamp !== undefined) return false
  const isBeginning =
    status?.phase === 'Pending' &&
    status.containerStatuses === undefined &&
    (spec?.nodeName !== undefined || status.conditions === undefined)
  return isBeginning || stepPods.isBeingRead(pod)
}

/** A change reaches whoever watches in a few turns of the event loop. */
const QUIET_TURNS = 4
