import { formatLabelSelector, type KubeObject, type LabelSelectorObject, labelSelectorFrom } from '@tiphys/kube'
import { valueAnswer } from '../handlers/answer.ts'
import { writeRequest } from '../handlers/create.ts'
import { objectOf, readBodyAs } from '../handlers/read-object.ts'
import { jsonCopy } from '../json-value.ts'
import { deleteObject } from '../registry/delete-object.ts'

import { updateObject } from '../registry/update-object.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { deleteOptions, writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { JsonObject } from '../schema/schema.ts'
import { badRequest, conflict, StatusError } from '../status-error.ts'

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }

const bodyObject = async (context: RequestContext, kind: string): Promise<JsonObject> =>
  objectOf(kind, await readBodyAs(context, { kind, version: 'v1', isCustom: false }))

/** Assigns a pod to a node. */
export async function serveBinding(context: RequestContext): Promise<ApiResponse> {
  const { info } = context
  const options = writeOptions(context.request, 'CreateOptions')
  const binding = (await bodyObject(context, 'Binding')) as {
    target?: { kind?: string; name?: string }
    metadata?: { annotations?: Record<string, string> }
  }
  const node = binding.target?.name ?? ''
  if (node === '') throw badRequest('binding target name is required')
  await updateObject({ ...writeRequest(context, options), name: info.name, subresource: 'binding' }, current => {
    const {
      metadata,
      spec = {},
      status = {},
    } = current as KubeObject & {
      spec?: { nodeName?: string }
      status?: { conditions?: { type: string }[] }
    }
    const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, info.name, why)
    if (metadata.deletionTimestamp !== undefined)
      throw refuse(`pod ${info.name} is being deleted, cannot be assigned to a host`)
    if (spec.nodeName) throw refuse(`pod ${info.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`)
    const annotations = { ...metadata.annotations, ...binding.metadata?.annotations }
    const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
    const since = new Date(context.env.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: since }
    const pod: KubeObject = {
      ...current,
      metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
      spec: { ...spec, nodeName: node },
      status: { ...status, conditions: [...others, scheduled] },
    }
    return { object: pod, isTracked: true }
  })
  return valueAnswer(201, { ...SUCCESS, code: 201 })
}

interface DisruptionBudget extends KubeObject {
  spec: { selector?: LabelSelectorObject }
  status?: { disruptionsAllowed?: number; observedGeneration?: number }
}

/** Deletes a pod if its disruption budget allows it. */
export async function serveEviction(context: RequestContext): Promise<ApiResponse> {
  const { info, resource, registry, user, warnings } = context
  const eviction = await bodyObject(context, 'Eviction')
  const options = deleteOptions(
    context.request.query,
    (eviction.deleteOptions ?? undefined) as Record<string, unknown> | undefined,
  )
  const pod = resource.collection.get(`${info.namespace}/${info.name}`)
  if (pod && isRunning(pod.object)) await spendBudget(context, pod.object, options.dryRun)
  await deleteObject({
    registry,
    resource,
    namespace: info.namespace,
    name: info.name,
    user,
    fieldManager: '',
    dryRun: options.dryRun,
    warnings,
    options,
  })
  return valueAnswer(201, { ...SUCCESS, code: 201 })
}

function isRunning(pod: KubeObject): boolean {
  const { phase } = (pod.status ?? {}) as { phase?: string }
  return (
    phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending' && pod.metadata.deletionTimestamp === undefined
  )
}

async function spendBudget(context: RequestContext, pod: KubeObject, dryRun: boolean): Promise<void> {
  const { registry, info } = context
  const budgets = registry.resources.find('policy', 'v1', 'poddisruptionbudgets')
  if (!budgets) return
  const matching = [...budgets.collection.values(info.namespace)].filter(({ object }) =>
    labelSelectorFrom((object as DisruptionBudget).spec.selector).matches(pod.metadata.labels ?? {}),
  )
  if (matching.length > 1)
    throw new StatusError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  const budget = matching[0]
  if (!budget) return
  const { status } = budget.object as DisruptionBudget
  const allowed = status?.disruptionsAllowed ?? 0
  if (allowed <= 0) {
    const message = `The disruption budget ${budget.object.metadata.name} needs ${formatLabelSelector(labelSelectorFrom((budget.object as DisruptionBudget).spec.selector))} pods and has 0 disruptions left`
    throw new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message }],
    })
  }
  const write = {
    ...writeRequest({ ...context, resource: budgets }, { ...writeOptions(context.request, 'CreateOptions'), dryRun }),
    name: budget.object.metadata.name as string,
    subresource: 'status',
  }
  await updateObject(write, current => {
    const object = jsonCopy(current) as DisruptionBudget
    object.status = { ...object.status, disruptionsAllowed: (object.status?.disruptionsAllowed ?? 0) - 1 }
    return { object }
  })
}
