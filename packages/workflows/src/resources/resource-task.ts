import { asError, delay, TerminalFailure } from '@tiphys/env'
import { GIVEN } from '@tiphys/journal/records'
import { type Client, type JsonPatchOperation, type KubeObject, type ObjectRef, readYaml } from '@tiphys/kube'
import { type ArtifactReading, readArtifactText } from '../artifacts/artifact-source.ts'
import type { RunParts } from '../engine/action-doer.ts'
import { serviceAccountClient, type WorkflowEngineOptions } from '../engine/engine-context.ts'
import { isPassing, tryAgain } from '../engine/passing-trouble.ts'
import { givenTo, referenceOf, runOf, traceOf } from '../engine/run-records.ts'
import type { ObservedTask, RunResource } from '../plan/plan.ts'
import { ANNOTATION } from '../pods/labels.ts'
import type { ResourceTemplate } from '../spec/workflow.ts'
import { type Conditions, judge, parseConditions } from './conditions.ts'
import { type KubectlFlags, parseFlags } from './kubectl-flags.ts'
import { resourceOutputs } from './resource-outputs.ts'
import { find, generatedName, stepKey, type Written, write } from './resource-write.ts'

const VERBS = { create: 'create', apply: 'apply', replace: 'update', patch: 'patch', delete: 'delete' } as const
const WATCH_SECONDS = 300
const PAUSE_MS = 1000
/** A server that is being started anew is waited for; one that keeps failing is told of after a quarter of a minute. */
const MOST_TRIES = 8

/** Carries a resource template out, as the ServiceAccount of the run. Never rejects. */
export async function runResource(
  options: WorkflowEngineOptions,
  run: RunParts,
  action: RunResource,
  signal: AbortSignal,
): Promise<ObservedTask> {
  const { clock } = options.env
  const finished = () => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const abort = new AbortController()
  const timer =
    action.deadline === undefined
      ? undefined
      : clock.schedule(action.deadline - clock.now(), () =>
          abort.abort(new Error('Pod was active on the node longer than the specified deadline')),
        )
  const ended = AbortSignal.any([signal, abort.signal])
  try {
    const object = await carryOut(options, run, action, ended)
    const { parameters, missing } = resourceOutputs(action.template.outputs, object)
    return { phase: 'Succeeded', outcome: { finishedAt: finished(), parameters, missing } }
  } catch (thrown) {
    const why = ended.aborted ? asError(ended.reason) : asError(thrown)
    return { phase: 'Failed', outcome: { finishedAt: finished(), message: why.message, exitCode: 1 } }
  } finally {
    timer?.cancel()
  }
}

/** The object in the end; undefined when it is gone, as it was to be. */
async function carryOut(
  options: WorkflowEngineOptions,
  run: RunParts,
  action: RunResource,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { successCondition, failureCondition } = action.template.resource as ResourceTemplate
  const conditions = parseConditions(successCondition, failureCondition)
  // What was done without an answer is recognised: nothing is done twice.
  const done = await tryAgain({ clock: options.env.clock, most: MOST_TRIES, signal }, () =>
    act(options, run, action, signal),
  )
  if (done === undefined || (!conditions.success && !conditions.failure)) return done?.written.object
  return awaitConditions(options, done.client, done.ref, conditions, signal)
}

/** What was written, and as whom; undefined when it was deleted. */
async function act(
  options: WorkflowEngineOptions,
  { workflow, spec }: RunParts,
  action: RunResource,
  signal: AbortSignal,
): Promise<{ client: Client; ref: ObjectRef; written: Written } | undefined> {
  const resource = action.template.resource as ResourceTemplate
  const { namespace = '' } = workflow.metadata
  const account = action.template.serviceAccountName ?? spec.serviceAccountName ?? 'default'
  const client = serviceAccountClient(options, namespace, account)
  const flags = parseFlags(resource.flags ?? [])
  const key = stepKey(workflow, action.nodeId)
  const provenance = {
    [ANNOTATION.event]: traceOf(workflow),
    [ANNOTATION.run]: `${namespace}/${workflow.metadata.name ?? ''}`,
  }
  const shared = { client, action: resource.action, flags, key, provenance, signal }
  const keep = (written: Written, ref: ObjectRef) =>
    record(options, workflow, action, { written, ref, account: `system:serviceaccount:${namespace}:${account}` })
  if (flags.selector !== undefined) {
    for (const object of await selected(client, resource.action, flags, namespace)) {
      const ref = await refOf(client, object, namespace, key)
      keep(await write({ ...shared, object, ref, mergeStrategy: 'strategic', operations: undefined }), ref)
    }
    return undefined
  }
  const { objects, operations } = await readManifest({ options, client, namespace, signal }, action, flags)
  let done: Awaited<ReturnType<typeof act>>
  for (const object of objects) {
    const owned = resource.setOwnerReference ? withOwner(object, workflow) : object
    const ref = await refOf(client, owned, flags.namespace ?? namespace, key)
    const placed = {
      ...owned,
      metadata: { ...owned.metadata, ...(ref.namespace !== undefined && { namespace: ref.namespace }) },
    }
    const mergeStrategy = resource.mergeStrategy || 'strategic'
    const written = await write({ ...shared, object: placed, ref, mergeStrategy, operations })
    keep(written, ref)
    done = { client, ref, written }
  }
  return resource.action === 'delete' ? undefined : done
}

/** The object that the template is about (only a deletion is about several), and the operations of a JSON patch, which need not be
 *  in it. */
async function readManifest(
  reading: ArtifactReading,
  action: RunResource,
  flags: KubectlFlags,
): Promise<{ objects: readonly KubeObject[]; operations?: readonly JsonPatchOperation[] | undefined }> {
  const { manifest, manifestFrom, mergeStrategy, action: verb } = action.template.resource as ResourceTemplate
  const text =
    manifest && manifest.trim() !== ''
      ? manifest
      : manifestFrom
        ? await readArtifactText(reading, action.template, manifestFrom.artifact)
        : ''
  const target = flags.targets.length > 0 ? await targetOf(reading.client, flags.targets) : undefined
  if (text.trim() === '') {
    if (target) return { objects: [target] }
    throw invalid('The resource template has no manifest')
  }
  const values = (await readYaml(text)).map(document => document.value)
  const [value] = values
  if (verb === 'patch' && mergeStrategy === 'json') {
    if (!Array.isArray(value)) throw invalid('The manifest of a JSON patch is a list of operations')
    if (!target) throw invalid('A JSON patch needs to know its object', 'Name it in flags, as kind/name')
    return { objects: [target], operations: value as JsonPatchOperation[] }
  }
  if (values.length > 1 && (verb !== 'delete' || target !== undefined))
    throw invalid(`The manifest has ${values.length} objects, and is to have one`, 'Write a step for each of them')
  if (!isObject(value)) throw invalid('The manifest is no object')
  if (target) {
    const { metadata } = value as Partial<KubeObject>
    // A patch may be about what the flags name.
    return { objects: [{ ...value, ...target, metadata: { ...metadata, ...target.metadata } }] }
  }
  return { objects: values.map(asObject) }
}

function asObject(value: unknown): KubeObject {
  const { apiVersion, kind, metadata } = (isObject(value) ? value : {}) as Partial<KubeObject>
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isObject(metadata))
    throw invalid('The manifest has no apiVersion, kind or metadata')
  return value as KubeObject
}

/** What `kubectl delete KIND --selector …` is about. */
async function selected(
  client: Client,
  action: string,
  { targets, selector = '', namespace: named }: KubectlFlags,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const [word = '', ...others] = targets
  if (action !== 'delete' || others.length > 0 || word.includes('/'))
    throw invalid('A selector goes with the action delete and one kind', 'Write the kind and --selector into flags')
  // Everything of a kind is deleted by who says so in other words.
  if (selector.trim() === '') throw invalid('The selector is empty')
  const kind = await kindNamed(client, word)
  const { namespaced } = await client.resourceFor(kind)
  const place = namespaced ? { namespace: named ?? namespace } : {}
  const { items } = await client.listAll({ ...kind, ...place, labelSelector: selector })
  return items.map(({ metadata }) => ({ ...kind, metadata }))
}

/** `kind/name`, or a kind and a name, as kubectl takes it. */
async function targetOf(client: Client, [first = '', second]: readonly string[]): Promise<KubeObject> {
  const [word = '', name = ''] = second === undefined ? first.split('/') : [first, second]
  const kind = await kindNamed(client, word)
  if (name === '') throw invalid(`${JSON.stringify(word)} names no object`, 'Write kind/name')
  return { ...kind, metadata: { name } }
}

/** By any of its names. */
async function kindNamed(client: Client, word: string): Promise<{ apiVersion: string; kind: string }> {
  const wanted = word.toLowerCase()
  const [plural = '', ...group] = wanted.split('.')
  const found = (await client.resources()).find(
    ({ kind, resource, singular, shortNames, group: of }) =>
      [kind.toLowerCase(), resource, singular, ...shortNames].includes(plural) &&
      (group.length === 0 || of === group.join('.')),
  )
  if (!found) throw invalid(`${JSON.stringify(word)} names no kind that the server knows`, 'Write kind/name')
  return { apiVersion: found.group === '' ? found.version : `${found.group}/${found.version}`, kind: found.kind }
}

async function refOf(client: Client, object: KubeObject, namespace: string, key: string): Promise<ObjectRef> {
  const { apiVersion, kind, metadata } = object
  const name = metadata.name ?? (metadata.generateName ? generatedName(metadata.generateName, key) : '')
  if (name === '') throw invalid(`The ${kind} of the manifest has no name`)
  const { namespaced } = await client.resourceFor({ apiVersion, kind })
  return { apiVersion, kind, name, ...(namespaced && { namespace: metadata.namespace ?? namespace }) }
}

function withOwner(object: KubeObject, workflow: KubeObject): KubeObject {
  const { name = '', uid = '' } = workflow.metadata
  const owner = {
    apiVersion: workflow.apiVersion,
    kind: workflow.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  }
  return {
    ...object,
    metadata: { ...object.metadata, ownerReferences: [...(object.metadata.ownerReferences ?? []), owner] },
  }
}

/** Watches the object until one of the conditions is met. */
async function awaitConditions(
  { env }: WorkflowEngineOptions,
  client: Client,
  ref: ObjectRef,
  conditions: Conditions,
  signal: AbortSignal,
): Promise<KubeObject> {
  const decided = (object: KubeObject): boolean => {
    const judged = judge(conditions, object)
    if (judged.verdict !== 'failed') return judged.verdict === 'succeeded'
    throw new TerminalFailure('workflow-failure-condition', { what: `failure condition '${judged.by}' evaluated true` })
  }
  for (; ; await delay(env.clock, PAUSE_MS, signal)) {
    let live: KubeObject | undefined
    try {
      live = await find(client, ref, signal)
    } catch (thrown) {
      // However long the server is away, the object may still become what is waited for.
      if (isPassing(thrown)) continue
      throw thrown
    }
    if (!live) throw gone(ref)
    if (decided(live)) return live
    const { apiVersion, kind, namespace, name } = ref
    const selection = {
      apiVersion,
      kind,
      ...(namespace !== undefined && { namespace }),
      fieldSelector: `metadata.name=${name}`,
    }
    const from = live.metadata.resourceVersion
    try {
      const watch = client.watch(selection, {
        signal,
        timeoutSeconds: WATCH_SECONDS,
        ...(from !== undefined && { resourceVersion: from }),
      })
      for await (const { type, object } of watch) {
        if (type === 'DELETED') throw gone(ref)
        if (type === 'ERROR') break
        if (type !== 'BOOKMARK' && decided(object)) return object
      }
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof TerminalFailure) throw thrown
      // A stream that broke, or may not be had: what it would have shown is asked for instead.
    }
  }
}

const gone = ({ kind, name }: ObjectRef) =>
  new TerminalFailure('workflow-resource-gone', {
    what: `${kind} ${name} was deleted while its conditions were waited for`,
  })

const invalid = (what: string, todo?: string) =>
  new TerminalFailure('workflow-resource-invalid', { what, ...(todo !== undefined && { todo }) })

function record(
  { recorder }: WorkflowEngineOptions,
  workflow: RunParts['workflow'],
  action: RunResource,
  done: { written: Written; ref: ObjectRef; account: string },
): void {
  const { object, outcome, diff } = done.written
  const verb = VERBS[(action.template.resource as ResourceTemplate).action as keyof typeof VERBS]
  if (!outcome || !verb) return
  recorder.record({
    kind: 'write',
    trace: traceOf(workflow),
    object: object ? referenceOf(object) : { ...done.ref },
    verb,
    uid: object?.metadata.uid ?? '',
    resourceVersion: object?.metadata.resourceVersion ?? '',
    outcome,
    as: done.account,
    run: runOf(workflow),
    step: action.nodeId,
    ...(diff && { diff, [GIVEN]: givenTo(workflow) }),
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
