import { asError, type Env } from '@tiphys/env'
import { type Client, createWorkQueue, isAlreadyExists, isConflict, isNotFound } from '@tiphys/kube'
import { API_VERSION, WORKFLOW } from '../engine/engine-context.ts'
import { isPassing } from '../engine/passing-trouble.ts'
import type { ServedObjects } from '../engine/served-objects.ts'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import type { CronWorkflow, CronWorkflowStatus, Workflow } from '../spec/workflow.ts'
import { type CronPlan, type CronPlanInput, planCron, refusedStatus, timeText } from './cron-plan.ts'

export interface CronDriverOptions {
  env: Env
  client: Client
  cronWorkflows: ServedObjects<CronWorkflow>
  workflows: ServedObjects<Workflow>
  instanceId: string | undefined
}

/** Makes Workflows when their time has come, once for each time: their names are made from it. */
export interface CronDriver {
  /** From now on; the Workflows have been listed. */
  begin(): void
  isIdle(): boolean
  stop(): Promise<void>
}

export function createCronDriver(options: CronDriverOptions): CronDriver {
  const { env, client, cronWorkflows, workflows, instanceId } = options
  /** By uid: the last time that was decided about. */
  const considered = new Map<string, number>()
  /** By uid: how it was when it was looked at last, and since when it has been so. */
  const forms = new Map<string, CronForm>()

  const queue = createWorkQueue<string>({
    env,
    concurrency: 4,
    process: async key => {
      const wakeAt = await drive(key)
      if (wakeAt !== undefined) queue.add(key, { delayMs: Math.max(0, wakeAt - env.clock.now()) })
    },
    onError(key, error, { attempt }) {
      if (attempt > 2) env.log.warn('a CronWorkflow could not be served', { cronWorkflow: key, error, attempt })
    },
  })
  queue.pause()
  let isSynced = false

  const drive = async (key: string): Promise<number | undefined> => {
    const [namespace = '', name = ''] = key.split('/')
    const cron = cronWorkflows.get(name, namespace)
    if (!cron || cron.metadata.deletionTimestamp !== undefined) return undefined
    if (cron.metadata.labels?.[LABEL.instanceId] !== instanceId) return undefined
    const { uid = '' } = cron.metadata
    const runs = workflows.having(cronKeyOf, key)
    const at = considered.get(uid)
    const now = env.clock.now()
    const form = formOf(cron, forms.get(uid), now)
    forms.set(uid, form)
    const { changed } = form
    const plan = planCron({ cron, runs, now, ...(at !== undefined && { considered: at }), ...(changed && { changed }) })
    await Promise.all(plan.terminate.map(run => terminate(run)))
    const started = plan.start && (await start(cron, plan.start).catch(thrown => tellRefusal(cron, plan, thrown)))
    // A time for which a run was made counts as such when that is stored; until then it is looked at again.
    if (plan.considered !== undefined && !started) considered.set(uid, plan.considered)
    await store(cron, plan, started)
    if (plan.considered !== undefined) considered.set(uid, plan.considered)
    await Promise.all(plan.remove.map(run => remove(run)))
    return plan.wakeAt
  }

  const forget = (uid: string) => {
    considered.delete(uid)
    forms.delete(uid)
  }

  const terminate = async ({ metadata: { namespace = '', name = '' } }: Workflow) => {
    const patch = { spec: { shutdown: 'Terminate' } }
    await client.patch({ ...WORKFLOW, namespace, name }, { type: 'merge', patch }).catch(unless(isNotFound))
  }

  const remove = async ({ metadata: { namespace = '', name = '', uid = '' } }: Workflow) => {
    const options = { preconditions: { uid }, propagationPolicy: 'Background' as const }
    // It may be another by now.
    await client.delete({ ...WORKFLOW, namespace, name }, options).catch(unless(isNotFound, isConflict))
  }

  const start = async (cron: CronWorkflow, { name, time }: NonNullable<CronPlan['start']>): Promise<Workflow> => {
    const workflow = workflowOf(cron, name, time, instanceId)
    try {
      return await client.create(workflow)
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown
      return client.get({ ...WORKFLOW, namespace: cron.metadata.namespace ?? '', name })
    }
  }

  /** Why a run could not be made is for whoever looks at the CronWorkflow. It is tried again. */
  const tellRefusal = async (cron: CronWorkflow, plan: CronPlan, thrown: unknown): Promise<never> => {
    const status = isPassing(thrown) ? undefined : refusedStatus(cron, plan, asError(thrown).message)
    if (status) await client.update({ ...cron, status }).catch(unless(isNotFound, isConflict))
    throw thrown
  }

  const store = async (cron: CronWorkflow, plan: CronPlan, started: Workflow | undefined) => {
    const { labels = {}, annotations = {} } = cron.metadata
    const { skipped = annotations[ANNOTATION.skippedTime] } = plan
    const isLabelled = !plan.isStopped || labels[LABEL.cronWorkflowCompleted] === 'true'
    if (!plan.status && isLabelled && skipped === annotations[ANNOTATION.skippedTime]) return
    const status = plan.status && started ? withActive(plan.status, started) : (plan.status ?? cron.status ?? {})
    const metadata = {
      ...cron.metadata,
      ...(plan.isStopped && { labels: { ...labels, [LABEL.cronWorkflowCompleted]: 'true' } }),
      ...(skipped !== undefined && { annotations: { ...annotations, [ANNOTATION.skippedTime]: skipped } }),
    }
    await client.update({ ...cron, metadata, status }).catch(unless(isNotFound))
  }

  return {
    begin() {
      cronWorkflows.subscribe(({ type, object: { metadata } }) => {
        if (type === 'deleted') forget(metadata.uid ?? '')
        queue.add(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`)
      })
      workflows.subscribe(({ object }) => {
        for (const key of cronKeyOf(object)) queue.add(key)
      })
      cronWorkflows.whenSynced().then(
        () => {
          isSynced = true
          queue.resume()
        },
        (thrown: unknown) => env.log.debug('CronWorkflows are not served', { error: asError(thrown) }),
      )
    },
    isIdle() {
      const { waiting, processing } = queue.metrics()
      return !isSynced || waiting.fresh + waiting.backlog + processing === 0
    },
    stop: async () => {
      await queue.shutdown()
    },
  }
}

interface CronForm {
  schedules: string
  isSuspended: boolean
  changed?: CronPlanInput['changed']
}

function formOf({ spec }: CronWorkflow, before: CronForm | undefined, at: number): CronForm {
  const { schedules = [], schedule = '', timezone = '', suspend } = spec
  const form: CronForm = {
    schedules: JSON.stringify([schedules, schedule, timezone]),
    isSuspended: suspend === true,
  }
  if (before === undefined) return form
  if (before.schedules !== form.schedules) return { ...form, changed: { at, what: 'schedules' } }
  if (before.isSuspended && !form.isSuspended) return { ...form, changed: { at, what: 'resumed' } }
  return before.changed ? { ...form, changed: before.changed } : form
}

/** The CronWorkflow that a Workflow was made by. */
const cronKeyOf = ({ metadata: { namespace = '', labels = {} } }: Workflow): readonly string[] => {
  const name = labels[LABEL.cronWorkflow]
  return name === undefined ? [] : [`${namespace}/${name}`]
}

function withActive(status: CronWorkflowStatus, { apiVersion, kind, metadata: { name, namespace, uid } }: Workflow) {
  const active = status.active ?? []
  if (active.some(entry => entry.uid === uid)) return status
  return { ...status, active: [...active, { apiVersion, kind, name, namespace, uid }] }
}

/** What a CronWorkflow makes; also by hand, for no particular time. */
export function workflowOf(cron: CronWorkflow, name: string, time: number, instanceId: string | undefined): Workflow {
  const { workflowMetadata = {}, workflowSpec } = cron.spec
  const { name: cronName = '', namespace = '', uid = '' } = cron.metadata
  return {
    apiVersion: API_VERSION,
    kind: 'Workflow',
    metadata: {
      name,
      namespace,
      labels: {
        ...workflowMetadata.labels,
        [LABEL.cronWorkflow]: cronName,
        ...(instanceId !== undefined && { [LABEL.instanceId]: instanceId }),
      },
      annotations: { ...workflowMetadata.annotations, [ANNOTATION.scheduledTime]: timeText(time) },
      ...(workflowMetadata.finalizers && { finalizers: workflowMetadata.finalizers }),
      ownerReferences: [
        {
          apiVersion: API_VERSION,
          kind: 'CronWorkflow',
          name: cronName,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: workflowSpec,
  }
}

const unless =
  (...areFine: ((thrown: unknown) => boolean)[]) =>
  (thrown: unknown): void => {
    if (!areFine.some(isFine => isFine(thrown))) throw thrown
  }
