import type { KubeObject } from '@tiphys/kube'
import { type FieldError, index, invalid } from '../../field-error.ts'
import { objectAt, textAt, textsAt } from '../fields.ts'
import { checkQualifiedName } from '../names.ts'

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion']

export function validateNamespace(namespace: KubeObject): FieldError[] {
  return finalizersOf(namespace).flatMap(name => validateFinalizer(name, 'spec.finalizers'))
}

export function validateNamespaceFinalize(namespace: KubeObject): FieldError[] {
  return finalizersOf(namespace).flatMap((name, i) => validateFinalizer(name, index('spec.finalizers', i)))
}

const finalizersOf = (namespace: KubeObject) => textsAt(objectAt(namespace, 'spec'), 'finalizers')

function validateFinalizer(name: string, field: string): FieldError[] {
  const errors = checkQualifiedName(name).map(reason => invalid(field, name, reason))
  if (!name.includes('/') && !STANDARD_FINALIZERS.includes(name)) {
    errors.push(invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified'))
  }
  return errors
}

export function validateNamespaceStatus(namespace: KubeObject): FieldError[] {
  const phase = textAt(objectAt(namespace, 'status'), 'phase')
  const isDeleted = namespace.metadata.deletionTimestamp !== undefined
  const expected = isDeleted ? 'Terminating' : 'Active'
  if (phase === expected) return []
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleted ? 'not empty' : 'empty'}`
  return [invalid('status.Phase', phase, detail)]
}
