import { asError } from '@tiphys/env'
import { type Client, isAlreadyExists, isNotFound } from '@tiphys/kube'
import type { Pod, Volume } from '@tiphys/kube/kinds'
import { neverHadNode } from '../outputs/pod-outcome.ts'
import type { CreatePod, ObservedPod } from '../plan/plan.ts'
import { ANNOTATION, LABEL, OUTCOME_FINALIZER } from '../pods/labels.ts'
import { withoutShell } from '../pods/main-containers.ts'
import { missingShell } from '../pods/missing-shell.ts'
import { PodRefusal } from '../pods/pod-failures.ts'
import { stepPod } from '../pods/step-pod.ts'
import type { Workflow, WorkflowSpec } from '../spec/workflow.ts'
import type { WorkflowEngineOptions } from './engine-context.ts'
import { POD } from './engine-context.ts'
import { isBeyondQuota, isPassing } from './passing-trouble.ts'

export interface PodMaker {
  /** Makes a step's pod, unless it is there already. Returns what planning is to see when it cannot be made, or not yet; throws
   *  when trying again at once may help. */
  make(workflow: Workflow, spec: WorkflowSpec, action: CreatePod): Promise<ObservedPod | undefined>
}

const DEFAULT_ARTIFACT_IMAGE = 'alpine/git:2.47.2'

export function createPodMaker(options: WorkflowEngineOptions, client: Client): PodMaker {
  const { env, instanceId, entrypoints, artifactImage = DEFAULT_ARTIFACT_IMAGE } = options
  /** Nodes whose image has no shell, by the Workflow's uid and their own id, until their pod is made. After a restart it is found
   *  out again. */
  const plain = new Set<string>()
  return {
    async make(workflow, spec, action) {
      const key = `${workflow.metadata.uid ?? ''}/${action.nodeId}`
      const nonce = Buffer.from(env.random.bytes(12)).toString('hex')
      const name = action.podName
      try {
        const pod = await stepPod({
          workflow,
          spec: { ...spec, ...action.shared, volumes: action.volumes as NonNullable<WorkflowSpec['volumes']> },
          node: { id: action.nodeId, name: action.nodeName },
          podName: name,
          template: plain.has(key) ? withoutShell(action.template) : action.template,
          wantsResult: action.needsResult,
          claims: [] as Volume[],
          ...(action.deadline !== undefined && { deadlineSeconds: Math.max(1, Math.ceil(action.deadline)) }),
          nonce,
          ...(instanceId !== undefined && { instanceId }),
          ...(entrypoints && { entrypoints }),
          artifactImage,
        })
        await client.create<Pod>(pod)
        plain.delete(key)
        return undefined
      } catch (thrown) {
        if (isAlreadyExists(thrown)) return takeExisting(client, workflow, action, () => plain.add(key))
        if (thrown instanceof PodRefusal) return refused(name, thrown.message)
        if (isPassing(thrown)) throw thrown
        const { message } = asError(thrown)
        return isBeyondQuota(thrown) ? { name, phase: 'Pending', isUnstarted: true, message } : refused(name, message)
      }
    },
  }
}

/** A pod of that name is there: made before a crash, left from a run that is retried, or somebody else's. */
async function takeExisting(
  client: Client,
  workflow: Workflow,
  action: CreatePod,
  onMissingShell: () => void,
): Promise<ObservedPod | undefined> {
  const { namespace = '', uid } = workflow.metadata
  const name = action.podName
  try {
    const pod = await client.get({ ...POD, namespace, name })
    const { labels = {}, annotations = {}, ownerReferences = [] } = pod.metadata
    const isOurs = ownerReferences.some(owner => owner.uid === uid) && annotations[ANNOTATION.nodeId] === action.nodeId
    if (isOfNamesake(pod, workflow)) {
      await letGo(client, pod)
      throw new Error(`the pod ${name} of a deleted workflow of this name is being removed`)
    }
    if (!isOurs) return refused(name, `a pod ${name} exists already, and it is not of this workflow`)
    if (labels[LABEL.completed] !== 'true') {
      const isBare = missingShell(pod)?.way === 'plain'
      const isDeleted = pod.metadata.deletionTimestamp !== undefined && neverHadNode(pod)
      if (!isBare && !isDeleted) return undefined
      if (isBare) onMissingShell()
      await letGo(client, pod)
    }
    await client.delete(
      { ...POD, namespace, name },
      { preconditions: { uid: pod.metadata.uid ?? '' }, gracePeriodSeconds: 0 },
    )
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown
  }
  // It was of an attempt before a retry, could not be started, or somebody deleted it before; when it is gone the name is free.
  throw new Error(`the pod ${name} of the last attempt is being removed`)
}

/** It was made for a Workflow that had this name before: that one is gone, and its pods follow it. */
const isOfNamesake = (
  { metadata: { ownerReferences = [] } }: Pod,
  { kind, metadata: { name, uid } }: Workflow,
): boolean => ownerReferences.some(owner => owner.kind === kind && owner.name === name && owner.uid !== uid)

async function letGo(client: Client, { metadata: { namespace = '', name = '', finalizers = [] } }: Pod): Promise<void> {
  if (!finalizers.includes(OUTCOME_FINALIZER)) return
  const metadata = { '$deleteFromPrimitiveList/finalizers': [OUTCOME_FINALIZER] }
  await client.patch({ ...POD, namespace, name }, { type: 'strategic', patch: { metadata } })
}

const refused = (name: string, message: string): ObservedPod => ({ name, phase: 'Error', outcome: { message } })
