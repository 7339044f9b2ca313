import type { KubeObject } from '@tiphys/kube'
import { goQuote } from '@tiphys/kube'
import { isKnownFormat } from '../schema/string-format.ts'
import type { CrdSchema } from '../schema/structural.ts'
import type { Strategy } from '../strategy.ts'
import type { CustomResourceDefinition } from './crd.ts'
import { setCrdDefaults } from './crd-defaults.ts'
import { withStoredVersion, withTerminating } from './crd-status.ts'
import { validateCrd, validateCrdStatus, validateCrdUpdate } from './crd-validation.ts'

/** Holds a definition until its instances are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

/** CustomResourceDefinitions. What becomes of their names and whether they are served is decided in `crd-status.ts`. */
export const crdStrategy: Strategy = {
  hasGeneration: true,
  allowsPlainFinalizers: true,
  setDefaults: setCrdDefaults,
  prepareForCreate(object) {
    const crd = asCrd(object)
    crd.status = withStoredVersion(
      { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: [] },
      crd.spec,
    )
  },
  prepareForUpdate(object, old) {
    const crd = asCrd(object)
    crd.status = withStoredVersion(asCrd(old).status ?? {}, crd.spec)
  },
  isHeldOnDelete: () => true,
  prepareForDeletion(object) {
    const crd = asCrd(object)
    const finalizers = crd.metadata.finalizers ?? []
    if (!finalizers.includes(CLEANUP_FINALIZER)) crd.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER]
    const pending = {
      status: 'True' as const,
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    }
    crd.status = withTerminating(crd.status ?? {}, pending, crd.metadata.deletionTimestamp as string)
  },
  validate: object => validateCrd(asCrd(object)),
  validateUpdate: (object, old) => validateCrdUpdate(asCrd(object), asCrd(old)),
  validateStatusUpdate: object => validateCrdStatus(asCrd(object)),
  warnings(object, old) {
    const known = new Set(old ? unrecognizedFormats(asCrd(old)) : [])
    return unrecognizedFormats(asCrd(object))
      .filter(format => !known.has(format))
      .map(format => `unrecognized format ${goQuote(format)}`)
  },
}

const asCrd = (object: KubeObject): CustomResourceDefinition => object as CustomResourceDefinition

function unrecognizedFormats({ spec }: CustomResourceDefinition): string[] {
  const formats: string[] = []
  for (const { schema } of spec.versions) if (schema?.openAPIV3Schema) collect(schema.openAPIV3Schema, formats)
  return formats
}

function collect(schema: CrdSchema, formats: string[]): void {
  const {
    additionalProperties,
    allOf = [],
    anyOf = [],
    format = '',
    items,
    not,
    oneOf = [],
    properties = {},
    type,
  } = schema
  if (format !== '' && !isKnownFormat(format, type === undefined ? [] : [type])) formats.push(format)
  const parts = [items, ...allOf, ...anyOf, ...oneOf, not, ...Object.values(properties), additionalProperties]
  for (const part of parts) if (typeof part === 'object') collect(part, formats)
}
