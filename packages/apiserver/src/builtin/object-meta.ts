import { goQuote, type ManagedFieldsEntry, type ObjectMeta, type OwnerReference } from '@tiphys/kube'
import { child, type FieldError, forbidden, index, invalid, required, tooLong } from '../field-error.ts'
import { type Fields, isSemanticallyEqual, textAt } from './fields.ts'
import { validateLabels } from './label-selector-validation.ts'
import {
  byteLength,
  checkLabel,
  checkLabel1035,
  checkPathSegment,
  checkPathSegmentPrefix,
  checkQualifiedName,
  checkSubdomain,
} from './names.ts'

export interface ObjectMetaRule {
  namespaced: boolean
  /** How the name is written; a DNS subdomain unless said otherwise. */
  nameRule?: NameRule | undefined
  /** Reasons beyond `nameRule` why this kind refuses a name. */
  nameReasons?: ((name: string) => string[]) | undefined
  /** Built-in kinds also refuse finalizers that are neither standard nor qualified with a domain. */
  isCustomResource?: boolean | undefined
}

export type NameRule = 'subdomain' | 'label' | 'label-1035' | 'path'

const ANNOTATIONS_LIMIT = 256 * 1024
const FIELD_MANAGER_LIMIT = 128
const SUBRESOURCE_LIMIT = 256
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])
export const FIELD_IS_IMMUTABLE = 'field is immutable'

/** Everything that must hold for the metadata of a new object. */
export function validateObjectMeta(meta: ObjectMeta, rule: ObjectMetaRule, field = 'metadata'): FieldError[] {
  const nameRule = rule.nameRule ?? 'subdomain'
  const errors: FieldError[] = []
  const { generateName = '', name = '', namespace = '' } = meta
  if (generateName !== '') {
    for (const reason of nameReasons(nameRule, generateName, true)) {
      errors.push(invalid(child(field, 'generateName'), generateName, reason))
    }
  }
  if (name === '') errors.push(required(child(field, 'name'), 'name or generateName is required'))
  else {
    for (const reason of [...nameReasons(nameRule, name, false), ...(rule.nameReasons?.(name) ?? [])]) {
      errors.push(invalid(child(field, 'name'), name, reason))
    }
  }
  errors.push(...validateNamespace(namespace, rule.namespaced, child(field, 'namespace')))
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalid(child(field, 'generation'), meta.generation, 'must be greater than or equal to 0'))
  }
  errors.push(
    ...validateLabels(meta.labels, child(field, 'labels')),
    ...validateAnnotations(meta.annotations, child(field, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences ?? [], child(field, 'ownerReferences')),
    ...validateFinalizers(meta.finalizers ?? [], child(field, 'finalizers')),
    ...validateManagedFields(meta.managedFields ?? [], child(field, 'managedFields')),
  )
  if (rule.isCustomResource !== true) errors.push(...validateFinalizerDomains(meta, field))
  return errors
}

/** Everything that must hold for the metadata of a changed object. `isValid`: `validateObjectMeta` has found nothing wrong with
 *  it, so that what both look at need not be looked at again. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  { isCustomResource = false, isValid = false }: { isCustomResource?: boolean; isValid?: boolean } = {},
  field = 'metadata',
): FieldError[] {
  const errors: FieldError[] = []
  if (old.deletionTimestamp !== undefined) {
    errors.push(...validateNoNewFinalizers(meta.finalizers ?? [], old.finalizers ?? [], child(field, 'finalizers')))
  }
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(invalid(child(field, 'resourceVersion'), '', 'must be specified for an update'))
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(child(field, 'generation'), meta.generation ?? 0, 'must not be decremented'))
  }
  for (const name of ['name', 'namespace', 'uid'] as const) {
    const value = meta[name] ?? ''
    if (value !== (old[name] ?? '')) errors.push(invalid(child(field, name), value, FIELD_IS_IMMUTABLE))
  }
  for (const name of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if ((meta[name] ?? null) !== (old[name] ?? null)) {
      errors.push(invalid(child(field, name), meta[name] ?? null, FIELD_IS_IMMUTABLE))
    }
  }
  if (isValid) return errors
  errors.push(
    ...validateLabels(meta.labels, child(field, 'labels')),
    ...validateAnnotations(meta.annotations, child(field, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences ?? [], child(field, 'ownerReferences')),
    ...validateManagedFields(meta.managedFields ?? [], child(field, 'managedFields')),
  )
  if (!isCustomResource) errors.push(...validateFinalizerDomains(meta, field))
  return errors
}

/** Why `name` may not be the name of an object, or the start of a generated one when `isPrefix`. */
export function nameReasons(rule: NameRule, name: string, isPrefix: boolean): string[] {
  if (rule === 'path') return isPrefix ? checkPathSegmentPrefix(name) : checkPathSegment(name)
  const checked = isPrefix ? withoutTrailingDash(name) : name
  if (rule === 'label') return checkLabel(checked)
  if (rule === 'label-1035') return checkLabel1035(checked)
  return checkSubdomain(checked)
}

// The real server cuts one character more than the dash; the length and the character set come out the same.
function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix
}

function validateNamespace(namespace: string, namespaced: boolean, field: string): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbidden(field, 'not allowed on this type')]
  if (namespace === '') return [required(field)]
  return checkLabel(namespace).map(reason => invalid(field, namespace, reason))
}

export function validateAnnotations(annotations: Record<string, string> | undefined, field: string): FieldError[] {
  if (annotations === undefined) return []
  const errors: FieldError[] = []
  let size = 0
  for (const [name, value] of Object.entries(annotations)) {
    for (const reason of checkQualifiedName(name.toLowerCase())) errors.push(invalid(field, name, reason))
    size += byteLength(name) + byteLength(value)
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLong(field, ANNOTATIONS_LIMIT))
  return errors
}

function validateOwnerReferences(references: OwnerReference[], field: string): FieldError[] {
  const errors: FieldError[] = []
  let controller = ''
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, field))
    if (reference.controller !== true) continue
    const current = `${reference.kind}/${reference.name}`
    if (controller !== '') {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`
      errors.push(invalid(field, references, detail))
    } else controller = current
  }
  return errors
}

function validateOwnerReference(reference: OwnerReference, field: string): FieldError[] {
  const errors: FieldError[] = []
  const parts = { ...reference } as Fields
  const [apiVersion, kind] = [textAt(parts, 'apiVersion'), textAt(parts, 'kind')]
  const [name, uid] = [textAt(parts, 'name'), textAt(parts, 'uid')]
  if (apiVersion === '' || apiVersion.endsWith('/') || apiVersion.split('/').length > 2) {
    errors.push(invalid(child(field, 'apiVersion'), apiVersion, 'version must not be empty'))
  }
  if (kind === '') errors.push(invalid(child(field, 'kind'), kind, 'must not be empty'))
  if (name === '') errors.push(invalid(child(field, 'name'), name, 'must not be empty'))
  if (uid === '') errors.push(invalid(child(field, 'uid'), uid, 'must not be empty'))
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalid(field, reference, '/v1, Kind=Event is disallowed from being an owner'))
  }
  return errors
}

function validateFinalizers(finalizers: string[], field: string): FieldError[] {
  const errors = finalizers.flatMap(name => checkQualifiedName(name).map(reason => invalid(field, name, reason)))
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
  return errors
}

function validateFinalizerDomains(meta: ObjectMeta, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, name] of (meta.finalizers ?? []).entries()) {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) continue
    const detail = 'name is neither a standard finalizer name nor is it fully qualified'
    errors.push(invalid(index(child(field, 'finalizers'), i), name, detail))
  }
  return errors
}

function validateNoNewFinalizers(finalizers: string[], old: string[], field: string): FieldError[] {
  const added = [...new Set(finalizers)].filter(name => !old.includes(name)).sort()
  if (added.length === 0) return []
  const list = `[]string{${added.map(name => goQuote(name)).join(', ')}}`
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`
  return [forbidden(field, detail)]
}

function validateManagedFields(entries: ManagedFieldsEntry[], field: string): FieldError[] {
  return entries.flatMap((entry, i) => {
    const errors: FieldError[] = []
    const at = index(field, i)
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(invalid(child(at, 'operation'), entry.operation ?? '', 'must be `Apply` or `Update`'))
    }
    if ((entry.fieldsType ?? 'FieldsV1') !== 'FieldsV1') {
      errors.push(invalid(child(at, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'))
    }
    errors.push(...validateFieldManager(entry.manager ?? '', child(at, 'manager')))
    if (byteLength(entry.subresource ?? '') > SUBRESOURCE_LIMIT) {
      errors.push(tooLong(child(at, 'subresource'), SUBRESOURCE_LIMIT))
    }
    return errors
  })
}

export function validateFieldManager(manager: string, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (byteLength(manager) > FIELD_MANAGER_LIMIT) errors.push(tooLong(field, FIELD_MANAGER_LIMIT))
  let position = 0
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
      errors.push(invalid(field, manager, `invalid character ${code} (at position ${position})`))
    }
    position += byteLength(character)
  }
  return errors
}

const isPrintable = (character: string) => character === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)

export function validateImmutableField(value: unknown, old: unknown, field: string): FieldError[] {
  return isSemanticallyEqual(value, old) ? [] : [invalid(field, value ?? null, FIELD_IS_IMMUTABLE)]
}
