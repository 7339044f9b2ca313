import { RetryableFailure, TerminalFailure } from '@tiphys/env'
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeObject,
  type ObjectRef,
  parseJson,
  stringifyJson,
} from '@tiphys/kube'
import type { Problem } from '../problem.ts'
import { applyParameters, type TriggerParameter } from '../sensor/parameters.ts'
import { problemsOf } from '../sources/shape.ts'
import { changesNothing, isIdempotent, PATCH_STRATEGIES, type PatchStrategy, patchFrom, withNote } from './k8s-patch.ts'
import { awaitLabels, type LabelPolicy } from './k8s-policy.ts'
import { isEqual, mergeOver } from './merge.ts'
import { asObject, checkObjectSource, fetchObject, OBJECT_SOURCE_SHAPE, type ObjectSource } from './object-source.ts'
import { doneNote, generatedName, isMadeBy, keepingProvenance, withAnnotations, withProvenance } from './provenance.ts'
import { PARAMETERS_SHAPE, type TriggerHost, type TriggerOutcome, type TriggerType } from './trigger.ts'
import { apiFailure, invalidTrigger } from './trigger-failures.ts'
import { described, originLabels, writtenOf } from './written-object.ts'

/** `k8s` of a trigger's template, as manifests write it. */
export interface K8sSpec extends WriteSpec {
  source?: ObjectSource
  parameters?: readonly TriggerParameter[]
  /** The parameters are set in the object as it is in the cluster. For updates. */
  liveObject?: boolean
}

export interface WriteSpec {
  operation?: string
  /** A media type of patches. */
  patchStrategy?: string
}

/** On the resource of a trigger: what is written is this part of the object, which may have rights of its own. */
export const SUBRESOURCE_ANNOTATION = 'tiphys.dev/subresource'

const OPERATIONS = ['create', 'update', 'patch', 'delete', 'apply']
const MANAGER = 'tiphys'
const MOST_CONFLICTS = 5
export const MOST_SALTS = 8

export const k8sTrigger: TriggerType<K8sSpec> = {
  type: 'k8s',
  check: spec => [
    ...problemsOf(spec, {
      source: OBJECT_SOURCE_SHAPE,
      operation: 'string',
      parameters: PARAMETERS_SHAPE,
      patchStrategy: 'string',
      liveObject: 'boolean',
    }),
    ...checkObjectSource(spec.source, 'source'),
    ...checkWrite(spec),
    ...(spec.liveObject && spec.operation !== 'update'
      ? [error('liveObject', 'is for the operation update only')]
      : []),
  ],
  async execute(spec, host) {
    const fetched = await fetchObject(spec.source, host)
    return withoutConflict(async () => {
      const base = spec.liveObject && spec.operation === 'update' ? await liveObject(fetched, host) : fetched
      const object = withParameters(base, spec.parameters ?? [], host)
      const isRepeatable = !(spec.liveObject && spec.parameters?.some(adds))
      const done = await write(object, { ...spec, isRepeatable }, host)
      if (host.policy?.k8s?.labels && spec.operation !== 'delete') await meetPolicy(object, done, host.policy.k8s, host)
      return done
    })
  },
}

/** Writes an object that has been fetched and given its parameters. */
export function writeObject(object: KubeObject, spec: WriteSpec, host: TriggerHost): Promise<TriggerOutcome> {
  return withoutConflict(() => write(object, { ...spec, isRepeatable: true }, host))
}

export function withParameters(
  object: KubeObject,
  parameters: readonly TriggerParameter[],
  host: Pick<TriggerHost, 'events' | 'languages'>,
): KubeObject {
  if (parameters.length === 0) return object
  let text: string
  try {
    text = applyParameters(stringifyJson(object), parameters, host.events, host.languages)
  } catch (cause) {
    throw invalidTrigger('The parameters cannot be set', { why: (cause as Error).message, cause })
  }
  return asObject(parseJson(text), 'resource')
}

function checkWrite({ operation = '', patchStrategy = '' }: WriteSpec): Problem[] {
  return [
    ...(operation === '' || OPERATIONS.includes(operation)
      ? []
      : [error('operation', `unknown operation type ${operation}: it is one of ${OPERATIONS.join(', ')}`)]),
    ...(Object.hasOwn(PATCH_STRATEGIES, patchStrategy)
      ? []
      : [error('patchStrategy', `is one of ${Object.keys(PATCH_STRATEGIES).slice(1).join(', ')}`)]),
  ]
}

const error = (path: string, message: string): Problem => ({ path, message, severity: 'error' })

/** It makes something of what is there already: done twice, it does more. */
const adds = ({ operation = '', dest = '' }: TriggerParameter): boolean =>
  operation === 'append' || operation === 'prepend' || dest.split('.').includes('-1')

function meetPolicy(object: KubeObject, done: TriggerOutcome, policy: LabelPolicy, host: TriggerHost): Promise<void> {
  return saying(`Cannot look after ${object.kind}`, async () => {
    const ref = done.written?.[0] ?? (await targetOf(object, host)).ref
    await awaitLabels(ref, policy, host)
  })
}

/** What is to be written, where. */
interface Target {
  object: KubeObject
  ref: ObjectRef
  /** `status`: what is written of it, instead of all the rest. */
  subresource?: string
  host: TriggerHost
}

async function targetOf(object: KubeObject, host: TriggerHost): Promise<Target> {
  const { namespaced } = await host.client.resourceFor(object)
  const { namespace: own, ...metadata } = object.metadata
  const namespace = namespaced ? own || host.sensor.namespace : undefined
  const scope = namespace === undefined ? {} : { namespace }
  const { apiVersion, kind } = object
  const ref = { apiVersion, kind, ...scope, name: object.metadata.name ?? '' }
  const { [SUBRESOURCE_ANNOTATION]: subresource, ...annotations } = metadata.annotations ?? {}
  if (subresource === undefined) return { object: { ...object, metadata: { ...scope, ...metadata } }, ref, host }
  return { object: { ...object, metadata: { ...scope, ...metadata, annotations } }, ref, subresource, host }
}

async function liveObject(object: KubeObject, host: TriggerHost): Promise<KubeObject> {
  const { name } = object.metadata
  if (!name) throw invalidTrigger('resource name must be specified for fetching live object')
  return saying(`Cannot read the live object ${object.kind} ${name}`, async () => {
    const { ref } = await targetOf(object, host)
    return host.client.get(ref, { signal: host.signal })
  })
}

function write(
  wanted: KubeObject,
  spec: WriteSpec & { isRepeatable: boolean },
  host: TriggerHost,
): Promise<TriggerOutcome> {
  const [problem] = checkWrite(spec)
  if (problem) throw invalidTrigger(`${problem.path}: ${problem.message}`)
  const operation = spec.operation || 'create'
  const strategy = strategyOf(spec)
  const { kind, metadata } = wanted
  return saying(`Cannot ${operation} ${kind} ${metadata.name ?? metadata.generateName ?? ''}`, async () => {
    const target = await targetOf(wanted, host)
    if (target.subresource !== undefined) return writeSubresource(target, target.subresource, strategy)
    if (operation === 'create') return create({ ...target, object: withLabels(target.object, host) })
    if (strategy === 'apply') return apply(target)
    if (!metadata.name) throw invalidTrigger(`Cannot ${operation} ${kind}`, { why: 'it has no name' })
    if (strategy) return patch(target, strategy)
    return operation === 'delete' ? remove(target) : update(target, spec.isRepeatable)
  })
}

function strategyOf({ operation, patchStrategy = '' }: WriteSpec): PatchStrategy | undefined {
  if (operation === 'apply') return 'apply'
  return operation === 'patch' ? PATCH_STRATEGIES[patchStrategy as keyof typeof PATCH_STRATEGIES] : undefined
}

/** A part of an object that is not there cannot be written, and need not: the object has gone. */
async function writeSubresource(
  { object, ref, host }: Target,
  subresource: string,
  strategy: PatchStrategy | undefined,
): Promise<TriggerOutcome> {
  const patch = strategy === undefined || strategy === 'apply' ? undefined : patchFrom(object, strategy)
  if (strategy === undefined || (patch && !isIdempotent(patch)))
    throw invalidTrigger(`Cannot write the ${subresource} of ${described(ref)}`, {
      why: 'only what can be repeated without harm is written to a subresource',
      todo: 'Use the operation apply, or patch with a merge patch',
    })
  const live = await find(ref, host)
  if (!live) return { summary: `${described(ref)} is not there, nothing to change` }
  if (patch && changesNothing(live, patch)) return unchanged(live)
  const options = { ...writeOptions(host), subresource }
  return patch
    ? patched(live, await host.client.patch(ref, patch, options))
    : patched(live, await host.client.apply(object, { ...options, force: true }), 'applied')
}

/** Creates it once: what the same action created before is what this one wanted. */
async function create(target: Target): Promise<TriggerOutcome> {
  const { object, host } = target
  const { name, generateName } = object.metadata
  if (name || !generateName) {
    const created = await createNamed(target)
    if (created) return created
    throw nameTaken(target.ref)
  }
  for (let salt = 0; salt < MOST_SALTS; salt++) {
    const salted = generatedName(generateName, host.actionKey, salt)
    const created = await createNamed({
      object: { ...object, metadata: { ...object.metadata, name: salted } },
      ref: { ...target.ref, name: salted },
      host,
    })
    if (created) return created
  }
  throw nameTaken({ ...target.ref, name: `${generateName}…` })
}

/** Undefined when something else has the name. */
async function createNamed({ object, ref, host }: Target): Promise<TriggerOutcome | undefined> {
  try {
    return outcome('created', await host.client.create(withProvenance(object, host), writeOptions(host)))
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown
  }
  const holder = await find(ref, host)
  // It was there a moment ago: as good as a conflict, the next round sees.
  if (!holder) throw again(`${described(ref)} was there and is gone`)
  return isMadeBy(holder, host.actionKey)
    ? { summary: `${described(ref)} was created by this action before`, written: [writtenOf(holder, 'create')] }
    : undefined
}

export function nameTaken(ref: ObjectRef): TerminalFailure {
  return new TerminalFailure('trigger-name-taken', {
    what: `Cannot create ${described(ref)}`,
    why: 'another object has this name, and this action did not create it',
    todo: 'Use generateName, a name that a parameter makes from the event, or the operation apply',
  })
}

function withLabels(object: KubeObject, host: TriggerHost): KubeObject {
  const { labels, ...metadata } = object.metadata
  return { ...object, metadata: { labels: { ...labels, ...originLabels(host) }, ...metadata } }
}

async function createAbsent(target: Target): Promise<TriggerOutcome> {
  const { object, ref, host } = target
  const { resourceVersion: _, uid: __, ...metadata } = object.metadata
  const created = await createNamed({ object: { ...object, metadata }, ref, host })
  if (!created) throw again(`${described(ref)} has appeared`)
  return created
}

async function update(target: Target, isRepeatable: boolean): Promise<TriggerOutcome> {
  const { object, ref, host } = target
  const live = await find(ref, host)
  if (!live) return createAbsent(target)
  const note = doneNote(live, host)
  if (!isRepeatable && note.isDone) return doneBefore(live)
  const merged = mergeOver(live, object) as KubeObject
  if (isEqual(merged, live)) return unchanged(live)
  const noted = isRepeatable ? merged : withAnnotations(merged, { [note.annotation]: note.value })
  try {
    return outcome('updated', await host.client.update(noted, writeOptions(host)), live)
  } catch (thrown) {
    // The manifest names the version that it is for, and that is over.
    if (isConflict(thrown) && noted.metadata.resourceVersion !== live.metadata.resourceVersion)
      throw invalidTrigger(`Cannot update ${described(ref)}`, { why: thrown.what, cause: thrown })
    throw thrown
  }
}

async function patch(target: Target, strategy: Exclude<PatchStrategy, 'apply'>): Promise<TriggerOutcome> {
  const { object, ref, host } = target
  const wanted = patchFrom(object, strategy)
  const live = wanted.type === 'json' ? await host.client.get(ref, { signal: host.signal }) : await find(ref, host)
  if (!live) return createAbsent(target)
  if (changesNothing(live, wanted)) return unchanged(live)
  if (wanted.type !== 'json' || isIdempotent(wanted))
    return patched(live, await host.client.patch(ref, wanted, writeOptions(host)))
  const note = doneNote(live, host)
  if (note.isDone) return doneBefore(live)
  return patched(live, await host.client.patch(ref, withNote(live, wanted.operations, note), writeOptions(host)))
}

/** Server-side apply. Where it came from is said by the request that creates it, and kept by the others. */
async function apply(target: Target): Promise<TriggerOutcome> {
  const { object, host } = target
  const { name, generateName } = object.metadata
  const { resourceVersion: _, ...metadata } = object.metadata
  const named = name || (generateName ? generatedName(generateName, host.actionKey, 0) : '')
  if (named === '') throw invalidTrigger(`Cannot apply ${object.kind}`, { why: 'it has no name' })
  const live = await find({ ...target.ref, name: named }, host)
  const wanted = { ...object, metadata: { ...metadata, name: named } }
  const applied = await host.client.apply(live ? keepingProvenance(wanted, live, host) : withProvenance(wanted, host), {
    ...writeOptions(host),
    force: true,
  })
  return live ? patched(live, applied, 'applied') : outcome('created', applied)
}

/** An object that is not there, or another one than the manifest's uid means, needs no deletion. */
async function remove({ object, ref, host }: Target): Promise<TriggerOutcome> {
  const { uid } = object.metadata
  try {
    await host.client.delete(ref, { signal: host.signal, ...(uid !== undefined && { preconditions: { uid } }) })
  } catch (thrown) {
    if (isNotFound(thrown) || (uid !== undefined && isConflict(thrown)))
      return { summary: `${described(ref)} is not there, nothing to delete` }
    throw thrown
  }
  return { summary: `deleted ${described(ref)}`, written: [{ ...ref, verb: 'delete' }] }
}

async function find(ref: ObjectRef, { client, signal }: TriggerHost): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref, { signal })
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}

const writeOptions = ({ signal }: TriggerHost) => ({ signal, fieldManager: MANAGER })

type Done = 'created' | 'updated' | 'patched' | 'applied'
const VERBS: Readonly<Record<Done, string>> = {
  created: 'create',
  updated: 'update',
  patched: 'patch',
  applied: 'apply',
}

const outcome = (done: Done, object: KubeObject, before?: KubeObject): TriggerOutcome => ({
  summary: `${done} ${described(object)}`,
  written: [writtenOf(object, VERBS[done], before)],
})

/** The server, too, knows requests that change nothing. */
const patched = (live: KubeObject, now: KubeObject, done: Done = 'patched'): TriggerOutcome =>
  live.metadata.resourceVersion === now.metadata.resourceVersion ? unchanged(now) : outcome(done, now, live)

const unchanged = (live: KubeObject): TriggerOutcome => ({ summary: `${described(live)} is as wanted already` })

const doneBefore = (live: KubeObject): TriggerOutcome => ({
  summary: `${described(live)} was changed by this action before`,
})

const again = (why: string): RetryableFailure =>
  new RetryableFailure('trigger-conflict', { what: 'The object changes', why })

/** What others change meanwhile is read again. */
async function withoutConflict(attempt: () => Promise<TriggerOutcome>): Promise<TriggerOutcome> {
  for (let conflicts = 1; ; conflicts++) {
    try {
      return await attempt()
    } catch (thrown) {
      const isConflicting = thrown instanceof RetryableFailure && thrown.code === 'trigger-conflict'
      if (!isConflicting || conflicts === MOST_CONFLICTS) throw thrown
    }
  }
}

async function saying<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (thrown) {
    throw apiFailure(thrown, what)
  }
}
