import type { KubeObject } from '@tiphys/kube'
import { type FieldError, forbidden, index, invalid } from '../../field-error.ts'
import {
  copyOf,
  type Fields,
  isSemanticallyEqual,
  listAt,
  objectAt,
  optionalObjectAt,
  textAt,
  textMapAt,
} from '../fields.ts'
import { podQualityOfService } from '../resource-requirements.ts'
import { validatePod } from './pod-validation.ts'

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror'
const LISTS = ['containers', 'initContainers'] as const
/** The parts of a container that its resize may change. */
const RESIZED = ['resources', 'resizePolicy'] as const
const RESIZABLE_RESOURCES = ['cpu', 'memory']
const ONLY_CPU_AND_MEMORY = 'only cpu and memory resources are mutable'

/** Takes everything over from `old` but what containers may use. Containers that are others than before stay, for the
 *  validation to refuse. */
export function prepareResize(pod: KubeObject, old: KubeObject): void {
  const [spec, oldSpec] = [objectAt(pod, 'spec'), objectAt(old, 'spec')]
  if (LISTS.some(list => listAt(spec, list).length !== listAt(oldSpec, list).length)) return
  const resized = copyOf(oldSpec)
  for (const list of LISTS) {
    const [now, before] = [listAt(spec, list), listAt(resized, list)]
    if (now.length === 0) continue
    const areSame = now.every((container, i) => textAt(container, 'name') === textAt(before[i], 'name'))
    resized[list] = areSame ? before.map((container, i) => withParts(container, now[i] as Fields)) : now
  }
  if (spec.resources === undefined) delete resized.resources
  else resized.resources = spec.resources
  pod.spec = resized
}

function withParts(container: Fields, from: Fields): Fields {
  const merged = { ...container }
  for (const part of RESIZED) {
    if (from[part] === undefined) delete merged[part]
    else merged[part] = from[part]
  }
  return merged
}

export function validatePodResize(pod: KubeObject, old: KubeObject): FieldError[] {
  const [spec, oldSpec] = [objectAt(pod, 'spec'), objectAt(old, 'spec')]
  if (old.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined)
    return [forbidden('', 'static pods cannot be resized')]
  if (textAt(objectAt(oldSpec, 'os'), 'name') === 'windows') return [forbidden('', 'windows pods cannot be resized')]
  const errors = validatePod(pod)
  const status = objectAt(old, 'status')
  const quality = textAt(status, 'qosClass') || podQualityOfService(oldSpec)
  if (quality !== podQualityOfService(spec))
    errors.push(invalid('spec', quality, 'Pod QOS Class may not change as a result of resizing'))
  if (!isSupportedByNode(status)) errors.push(forbidden('spec', 'Pod running on node without support for resize'))
  errors.push(...validatePodLevel(spec, oldSpec))
  const misplaced = LISTS.flatMap(list => validateOrder(list, listAt(spec, list), listAt(oldSpec, list)))
  if (misplaced.length > 0) return [...errors, ...misplaced]
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [i, container] of listAt(oldSpec, list).entries())
      errors.push(...validateKept(listAt(spec, list)[i] as Fields, container, index(`spec.${list}`, i)))
  }
  for (const [i, container] of listAt(spec, 'containers').entries()) {
    if (!isOnlyResized(container, listAt(oldSpec, 'containers')[i] as Fields))
      errors.push(forbidden('spec', ONLY_CPU_AND_MEMORY))
  }
  for (const [i, container] of listAt(spec, 'initContainers').entries())
    errors.push(...validateInitContainer(container, listAt(oldSpec, 'initContainers')[i] as Fields, i))
  return errors
}

function validatePodLevel(spec: Fields, before: Fields): FieldError[] {
  const [now, was] = [optionalObjectAt(spec, 'resources'), optionalObjectAt(before, 'resources')]
  if (!now && !was) return []
  if (!now) return [forbidden('spec.resources', 'pod-level resources cannot be removed')]
  const errors = validateKept(spec, before, 'spec', 'pod-level ')
  if (!isSemanticallyEqual(fixedResources(spec), fixedResources(before)))
    errors.push(forbidden('spec', `${ONLY_CPU_AND_MEMORY} at pod-level`))
  return errors
}

function validateInitContainer(container: Fields, before: Fields, i: number): FieldError[] {
  const field = index('spec.initContainers', i)
  const errors: FieldError[] = []
  if (!isOnlyResized(container, before))
    errors.push(forbidden(field, 'only cpu and memory resources for init or sidecar containers are mutable'))
  const restarts = listAt(container, 'resizePolicy').filter(
    each => textAt(each, 'restartPolicy') === 'RestartContainer',
  )
  if (textAt(container, 'restartPolicy') !== 'Always' && !isSemanticallyEqual(container, before)) {
    const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'
    for (const _ of restarts) errors.push(forbidden(field, detail))
  }
  return errors
}

/** A node that can resize tells what its running containers have. */
function isSupportedByNode(status: Fields): boolean {
  const running = listAt(status, 'containerStatuses').find(
    container => optionalObjectAt(objectAt(container, 'state'), 'running') !== undefined,
  )
  return running === undefined || running.resources !== undefined
}

function validateOrder(list: string, now: readonly Fields[], before: readonly Fields[]): FieldError[] {
  const field = `spec.${list}`
  if (now.length !== before.length) return [forbidden(field, `${list} may not be added or removed on resize`)]
  return now.flatMap((container, i) =>
    textAt(container, 'name') === textAt(before[i], 'name')
      ? []
      : [forbidden(`${index(field, i)}.name`, `${list} may not be renamed or reordered on resize`)],
  )
}

/** What was asked for or limited once stays so, at some amount. */
function validateKept(holder: Fields, before: Fields, field: string, level = ''): FieldError[] {
  return (['requests', 'limits'] as const).flatMap(kind => {
    const now = textMapAt(objectAt(holder, 'resources'), kind)
    const isRemoved = Object.keys(textMapAt(objectAt(before, 'resources'), kind)).some(name => now[name] === undefined)
    return isRemoved ? [forbidden(`${field}.resources.${kind}`, `${level}resource ${kind} cannot be removed`)] : []
  })
}

/** Nothing but processor and memory differs. Containers with claims are not resized at all, as on the real server. */
function isOnlyResized(container: Fields, before: Fields): boolean {
  const { claims: _claims, ...resources } = fixedResources(container)
  return isSemanticallyEqual({ ...container, resources }, { ...before, resources: fixedResources(before) })
}

function fixedResources(holder: Fields): Fields {
  const fixed: Fields = { ...objectAt(holder, 'resources') }
  for (const kind of ['requests', 'limits']) {
    const kept = Object.entries(textMapAt(fixed, kind)).filter(([name]) => !RESIZABLE_RESOURCES.includes(name))
    if (kept.length > 0) fixed[kind] = Object.fromEntries(kept)
    else delete fixed[kind]
  }
  return fixed
}
